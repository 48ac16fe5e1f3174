"""The AEC environment against PettingZoo's checkers and its documented behaviour."""

from __future__ import annotations

import copy
import pickle
import warnings
from functools import partial

import numpy as np
import pytest
from games import OPTIONS, PLAYERS, name
from pettingzoo.test import api_test, render_test, seed_test

import samurai_env
from samurai_env.rules import Game, IllegalActionError

# PettingZoo gives these two for every dict observation that is not one of its own games.
KNOWN_WARNINGS = ("Observation is not a NumPy array", "Observation space for each agent probably should be")

VARIANTS = [*OPTIONS] + [
    {"players": players, **extra}
    for players in PLAYERS
    for extra in (
        {"reward": "place"},
        {"hide_captures": True},
        {"obs_dtype": "float32"},
        {"illegal": "lose"},
    )
]


def play(env, steps=10**9, seed=0):
    """Play the documented loop with seeded random legal actions; yield what `last` gave."""
    generator = np.random.default_rng(seed)
    for agent in env.agent_iter(steps):
        observation, reward, termination, truncation, info = env.last()
        yield agent, observation, reward, termination, truncation, info
        legal = np.flatnonzero(observation["action_mask"])
        env.step(None if termination or truncation else int(generator.choice(legal)))


@pytest.mark.parametrize("options", VARIANTS, ids=name)
def test_pettingzoo_checkers_pass_without_unexpected_warnings(options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(samurai_env.env(**options, render_mode="ansi"), num_cycles=250)
        seed_test(lambda: samurai_env.env(**options), num_cycles=250)
        render_test(partial(samurai_env.env, **options))
    unexpected = [str(w.message) for w in caught if not str(w.message).startswith(KNOWN_WARNINGS)]
    assert not unexpected


def test_spaces_agents_and_metadata_before_reset():
    env = samurai_env.env(players=3)
    assert env.possible_agents == ["player_0", "player_1", "player_2"]
    assert env.metadata["name"] == "samurai_v0"
    assert env.metadata["render_modes"] == ["human", "ansi"]
    for agent in env.possible_agents:
        assert env.action_space(agent).n == 826
        assert env.action_space(agent) is env.action_space(agent)
        assert env.observation_space(agent) is env.observation_space(agent)
    assert env.observation_space("player_0") is not env.observation_space("player_1")


@pytest.mark.parametrize("players", PLAYERS)
def test_masks_of_all_agents_at_every_ply(players):
    env = samurai_env.env(players=players)
    env.reset(seed=players)
    for agent, observation, _, over, _, info in play(env):
        assert np.array_equal(observation["action_mask"], info["action_mask"])
        for other in env.agents:
            seen = env.observe(other)
            assert env.observation_space(other).contains(seen)
            assert np.array_equal(seen["action_mask"], env.infos[other]["action_mask"])
            assert seen["action_mask"].any() == (other == agent and not over)
        if not over:
            assert observation["action_mask"][env.action_space(agent).sample(observation["action_mask"])]


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("reward", ["winner", "place"])
def test_each_agent_gets_its_final_reward_once(players, reward):
    env = samurai_env.env(players=players, reward=reward, hands="random", figures="random")
    for seed in range(60):
        env.reset(seed=seed)
        collected = dict.fromkeys(env.agents, 0.0)
        for agent, _, got, over, truncated, _ in play(env, seed=seed):
            collected[agent] += got
            assert over or got == 0
            assert not truncated
        returns = env.unwrapped.game.returns(reward)
        assert list(collected.values()) == pytest.approx(returns.tolist())
        assert sum(collected.values()) == pytest.approx(0)


def test_agents_leave_one_by_one_after_the_end():
    env = samurai_env.env(players=4)
    env.reset(seed=1)
    for _ in play(env, steps=10**9):
        if all(env.terminations.values()):
            break
    left = len(env.agents)
    assert left == 4
    while env.agents:
        with pytest.raises(ValueError, match="None"):
            env.step(0)
        env.step(None)
        left -= 1
        assert len(env.agents) == left


def test_none_for_a_live_agent_is_an_error_that_changes_nothing():
    env = samurai_env.env()
    env.reset(seed=0)
    before = env.unwrapped.game.clone()
    with pytest.raises(ValueError, match="player_0"):
        env.step(None)
    assert env.unwrapped.game == before


@pytest.mark.parametrize("action", [577, -1, 576, 10**9, 10**30, "nonsense", 1.5])
def test_illegal_raise_changes_nothing(action):
    env = samurai_env.env(players=2)
    env.reset(seed=0)
    before = env.unwrapped.game.clone()
    observation = env.observe("player_0")
    with pytest.raises(ValueError, match="action"):
        env.step(action)
    assert env.unwrapped.game == before
    assert env.agent_selection == "player_0"
    assert np.array_equal(env.observe("player_0")["observation"], observation["observation"])


@pytest.mark.parametrize("action", [1.5, "nonsense", [3]])
def test_what_is_no_action_is_an_error_even_where_illegal_ones_lose(action):
    env = samurai_env.env(illegal="lose")
    env.reset(seed=0)
    with pytest.raises(ValueError, match="action"):
        env.step(action)
    assert not any(env.terminations.values())


@pytest.mark.parametrize("players", PLAYERS)
def test_illegal_lose_ends_the_game(players):
    env = samurai_env.env(players=players, illegal="lose")
    env.reset(seed=0)
    before = env.unwrapped.game.clone()
    env.step(env.action_space("player_0").n - 1)
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    assert env.unwrapped.game == before
    rewards = {agent: reward for agent, _, reward, *_ in play(env)}
    assert rewards["player_0"] == -1
    assert all(rewards[f"player_{k}"] == pytest.approx(1 / (players - 1)) for k in range(1, players))
    assert not env.agents


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_in_mid_game_go_on_alike(duplicate):
    env = samurai_env.env(players=3)
    env.reset(seed=4)
    for _ in play(env, steps=50):
        pass
    twin = duplicate(env)
    for ours, theirs in zip(play(env, seed=9), play(twin, seed=9), strict=True):
        assert ours[0] == theirs[0]
        assert np.array_equal(ours[1]["observation"], theirs[1]["observation"])
        assert np.array_equal(ours[1]["action_mask"], theirs[1]["action_mask"])
        assert ours[2:5] == theirs[2:5]
    assert env.unwrapped.game == twin.unwrapped.game
    twin.reset()
    env.reset()
    assert env.unwrapped.game == twin.unwrapped.game


def test_the_last_game_can_be_read_after_its_end():
    env = samurai_env.env()
    env.reset(seed=5)
    for _ in play(env):
        pass
    record = env.unwrapped.game.record()
    assert Game.replay(record) == env.unwrapped.game
    assert env.unwrapped.game.is_over


def test_reset_with_a_seed_plays_that_game():
    env = samurai_env.env(players=3, hands="random")
    env.reset(seed=123)
    assert env.unwrapped.game == Game(players=3, seed=123, hands="random")


def test_resets_after_a_seed_are_a_reproducible_sequence():
    sequences = []
    for _ in range(2):
        env = samurai_env.env(hands="random")
        env.reset(seed=7)
        games = []
        for _ in range(4):
            games.append(env.unwrapped.game)
            env.reset()
        sequences.append(games)
    assert sequences[0] == sequences[1]
    assert all(a != b for a, b in zip(sequences[0], sequences[0][1:], strict=False))


def test_resets_without_any_seed_differ():
    envs = [samurai_env.env(hands="random") for _ in range(2)]
    for env in envs:
        env.reset()
    assert envs[0].unwrapped.game != envs[1].unwrapped.game


def test_the_game_may_be_set():
    env = samurai_env.env(players=2)
    env.reset(seed=0)
    position = {
        "players": 2,
        "to_move": 1,
        "figures": {"0,-6": ["rice"]},
        "hands": [["ship-1"], ["rice-2", "ship-1"]],
    }
    env.unwrapped.game = Game.from_dict(position)
    assert env.agent_selection == "player_1"
    assert env.observe("player_1")["action_mask"].sum() == 30 + 44
    with pytest.raises(ValueError, match="2 players"):
        env.unwrapped.game = Game(players=3, seed=0)


def test_a_game_that_was_set_can_be_set_again():
    env = samurai_env.raw_env(players=2)
    saved = Game(2, seed=1)
    for _ in range(2):
        env.game = saved
        assert env.game == saved == Game(2, seed=1)
        env.step(0)
        assert env.game != saved


def test_a_finished_game_may_be_set():
    env = samurai_env.env(players=2)
    env.unwrapped.game = Game.from_dict({"players": 2, "phase": "over", "captured": [[3, 0, 0], [0, 1, 1]]})
    env.reset(seed=0)
    env.unwrapped.game = Game.from_dict({"players": 2, "phase": "over", "captured": [[3, 0, 0], [0, 1, 1]]})
    assert {agent: reward for agent, _, reward, *_ in play(env)} == {"player_0": -1.0, "player_1": 1.0}


def test_old_observations_do_not_change():
    env = samurai_env.env(players=2)
    env.reset(seed=3)
    kept = [(o, {k: v.copy() for k, v in o.items()}) for _, o, *_ in play(env, steps=40)]
    for old, then in kept:
        for key, value in old.items():
            assert np.array_equal(value, then[key])


def test_writing_into_a_mask_makes_nothing_legal():
    env = samurai_env.env(players=2)
    env.reset(seed=3)
    observation = env.last()[0]
    observation["action_mask"][:] = 1
    env.infos["player_0"]["action_mask"][:] = 1
    with pytest.raises(IllegalActionError):
        env.step(576)


def test_rendering_changes_nothing():
    env = samurai_env.env(players=2, render_mode="ansi")
    env.reset(seed=2)
    for _ in play(env, steps=60):
        before = env.unwrapped.game.clone()
        text = env.render()
        assert env.unwrapped.game == before
        assert "seat 1" in text
    silent = samurai_env.env(players=2)
    silent.reset(seed=0)
    with pytest.warns(UserWarning, match="render_mode"):
        assert silent.render() is None


def test_human_rendering_writes_each_step_to_the_terminal(capsys):
    env = samurai_env.env(players=2, render_mode="human")
    env.reset(seed=0)
    assert "seat 0 (you)" in capsys.readouterr().out
    env.step(0)
    assert "hand helmet-2" in capsys.readouterr().out
    assert env.render() is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 5}, "players: 5; expected one of 2, 3, 4"),
        ({"players": True}, "players: True"),
        ({"hands": "draw"}, "hands: 'draw'; expected one of 'choose', 'random'"),
        ({"figures": None}, "figures: None"),
        ({"captures": "late"}, "captures: 'late'"),
        ({"reward": "win"}, "reward: 'win'; expected one of 'winner', 'place'"),
        ({"obs_dtype": "float64"}, "obs_dtype: 'float64'"),
        ({"illegal": "ignore"}, "illegal: 'ignore'"),
        ({"render_mode": "opengl"}, "render_mode: 'opengl'"),
        ({"hide_captures": "no"}, "hide_captures: 'no'; expected True or False"),
    ],
)
def test_wrong_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        samurai_env.env(**options)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "7", True])
def test_wrong_seeds_are_named(seed):
    env = samurai_env.env()
    with pytest.raises(ValueError, match=r"seed: .*; expected a whole number from 0"):
        env.reset(seed=seed)


def test_order_of_calls_is_enforced():
    env = samurai_env.env()
    with pytest.raises(AttributeError, match="reset"):
        _ = env.agent_selection


def test_the_module_of_the_version():
    assert samurai_env.samurai_v0.env is samurai_env.env
    assert samurai_env.samurai_v0.raw_env is samurai_env.raw_env

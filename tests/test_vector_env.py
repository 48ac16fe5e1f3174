"""The Gymnasium vector environment: game for game what as many single environments are."""

from __future__ import annotations

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from games import PLAYERS
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from samurai_env.agents import RandomPlayer, View
from samurai_env.registration import ENV_ID
from samurai_env.rules import Game, IllegalActionError
from samurai_env.wrappers import SingleAgentVectorEnv


def make_both(num_envs, **options):
    """Return our environment and Gymnasium's over as many single ones."""
    single = gymnasium.make_vec(
        ENV_ID,
        num_envs=num_envs,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP},
        disable_env_checker=True,
        **options,
    )
    return gymnasium.make_vec(ENV_ID, num_envs=num_envs, **options), single


def same(one, other):
    """Whether two results are equal: arrays by dtype and value, objects and dicts by what is in them."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        return all(same(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray) and one.dtype == object:
        return all(a is b is None or same(a, b) for a, b in zip(one, other, strict=True))
    return one.dtype == other.dtype and np.array_equal(one, other)


def choose(masks, generator):
    return np.array([generator.choice(np.flatnonzero(mask)) for mask in masks])


def last_legal(view: View) -> int:
    return int(view.legal_actions[-1])


@pytest.mark.parametrize(
    "options",
    [
        {"players": 2, "opponents": "random", "render_mode": "ansi"},
        {"players": 3, "opponents": "random", "hands": "random", "obs_dtype": "float32", "hide_captures": True},
        {"players": 2, "opponents": "greedy", "figures": "random", "reward": "place"},
        {"players": 4, "opponents": ["greedy", "random", last_legal], "seat": 2, "hands": "random"},
        # Gymnasium's environments would all share the one player.
        {"players": 3, "opponents": RandomPlayer(), "captures": "end_of_turn", "num_envs": 1},
    ],
)
def test_it_is_game_for_game_as_many_single_environments(options):
    ours, single = make_both(**{"num_envs": 3, **options})
    assert ours.observation_space == single.observation_space
    assert ours.action_space == single.action_space
    generator = np.random.default_rng(0)
    results = [env.reset(seed=5) for env in (ours, single)]
    assert all(same(a, b) for a, b in zip(*results, strict=True))
    ends = 0
    for _ in range(100):
        actions = choose(results[0][-1]["action_mask"], generator)
        results = [env.step(actions) for env in (ours, single)]
        assert all(same(a, b) for a, b in zip(*results, strict=True))
        assert ours.observation_space.contains(results[0][0])
        ends += results[0][2].sum()
        if options.get("render_mode"):
            assert ours.render() == single.render()
    assert ends > 1


def test_a_policy_acts_on_all_games_as_it_does_on_each(tmp_path):
    pytest.importorskip("torch")
    from samurai_env.agents.networks import Network
    from samurai_env.agents.policy import PolicyPlayer

    path = tmp_path / "policy.pt"
    PolicyPlayer(Network(3, "flat", width=8, rounds=1)).save(path)
    ours, single = make_both(3, players=3, opponents=[f"policy:{path}", "random"], hands="random")
    generator = np.random.default_rng(0)
    results = [env.reset(seed=5) for env in (ours, single)]
    for _ in range(60):
        actions = choose(results[0][-1]["action_mask"], generator)
        results = [env.step(actions) for env in (ours, single)]
        assert all(same(a, b) for a, b in zip(*results, strict=True))


def test_illegal_actions_lose_as_in_the_single_environment():
    ours, single = make_both(3, players=3)
    results = [env.reset(seed=[4, 5, 6]) for env in (ours, single)]
    for _ in range(3):
        actions = choose(results[0][-1]["action_mask"], np.random.default_rng(0))
        actions[1] = 825
        results = [env.step(actions) for env in (ours, single)]
        assert all(same(a, b) for a, b in zip(*results, strict=True))
        assert results[0][1].tolist() == [0, -1, 0]


def test_illegal_actions_that_raise_move_no_game():
    env = SingleAgentVectorEnv(2, seat=0, illegal="raise")
    _, info = env.reset(seed=0)
    before = [env.game(i) for i in range(2)]
    for wrong in (576, -1, 10**6):
        with pytest.raises(IllegalActionError, match=r"game 1: "):
            env.step([first_legal(info), wrong])
    assert [env.game(i) for i in range(2)] == before


def first_legal(info):
    return int(np.flatnonzero(info["action_mask"][0])[0])


@pytest.mark.parametrize("players", PLAYERS)
def test_the_arrays_are_new_at_each_step(players):
    env = SingleAgentVectorEnv(2, players=players)
    generator = np.random.default_rng(0)
    observations, info = env.reset(seed=0)
    kept = observations.copy(), copy.deepcopy(info)
    env.step(choose(info["action_mask"], generator))
    assert np.array_equal(observations, kept[0])
    assert same(info, kept[1])
    info["action_mask"][:] = 1
    assert not env.action_masks().all()


def test_the_same_seed_gives_the_same_sequence_and_a_copy_goes_on_alike():
    def run(env, steps):
        generator = np.random.default_rng(1)
        observations = []
        for _ in range(steps):
            observation, *_ = env.step(choose(env.action_masks(), generator))
            observations.append(observation.tobytes())
        return observations

    first, second = (SingleAgentVectorEnv(3, opponents=["random", "greedy"], players=3) for _ in range(2))
    first.reset(seed=8)
    second.reset(seed=[8, 9, 10])
    assert run(first, 60) == run(second, 60)
    twins = copy.deepcopy(first), pickle.loads(pickle.dumps(first))
    assert run(twins[0], 60) == run(first, 60) == run(twins[1], 60)
    assert first.reset()[0].tobytes() == twins[0].reset()[0].tobytes()


def test_gymnasiums_statistics_count_the_games():
    env = RecordEpisodeStatistics(gymnasium.make_vec(ENV_ID, num_envs=4, players=2, opponents="random"))
    generator = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    returns, ends = 0.0, 0
    for _ in range(120):
        _, rewards, dones, _, info = env.step(choose(info["action_mask"], generator))
        returns += rewards[dones].sum()
        ends += dones.sum()
    assert env.episode_count == ends > 4
    assert sum(env.return_queue) == returns


def test_sampling_needs_nothing_but_the_masks():
    env = gymnasium.make_vec(ENV_ID, num_envs=4, players=2, illegal="raise")
    _, info = env.reset(seed=0)
    for _ in range(60):
        *_, info = env.step(env.action_space.sample(mask=tuple(info["action_mask"])))


@pytest.mark.parametrize("options", [{"render_mode": "human"}, {"opponents": "nobody"}, {"num_envs": 0}])
def test_wrong_options_are_named(options):
    with pytest.raises(ValueError, match=r"expected|known"):
        SingleAgentVectorEnv(**{"num_envs": 2, **options})


@pytest.mark.parametrize(("seed", "message"), [([1], "1 seeds; expected 2"), ([1, -1], "seed: -1"), (2**64, "seed: ")])
def test_wrong_seeds_are_named(seed, message):
    with pytest.raises(ValueError, match=message):
        SingleAgentVectorEnv(2).reset(seed=seed)


@pytest.mark.parametrize("actions", [[0], [0.0, 1.0], [[0, 1]]])
def test_wrong_actions_are_named(actions):
    env = SingleAgentVectorEnv(2)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="expected whole numbers of shape"):
        env.step(actions)


def test_a_step_before_the_first_reset_is_refused():
    with pytest.raises(ValueError, match="expected a call of reset"):
        SingleAgentVectorEnv(2).step([0, 0])


def test_making_it_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make_vec(ENV_ID, num_envs=2, players=2, render_mode="ansi")
    assert env.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    env.reset(seed=0)
    assert len(env.render()) == 2
    assert isinstance(env.unwrapped.game(0), Game)

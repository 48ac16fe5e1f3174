"""The single-agent environment, with Gymnasium's checker and sb3-contrib's MaskablePPO as it is."""

from __future__ import annotations

import copy
import warnings

import gymnasium
import numpy as np
import pytest
from games import PLAYERS
from gymnasium.utils.env_checker import check_env
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

import samurai_env
from samurai_env.agents import RandomPlayer, View
from samurai_env.rules import Game, IllegalActionError
from samurai_env.wrappers import SingleAgentEnv


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("extra", [{}, {"seat": 1, "opponents": "greedy"}, {"obs_dtype": "float32", "reward": "place"}])
def test_gymnasium_checker_has_nothing_to_say(players, extra):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(samurai_env.registration.ENV_ID, players=players, render_mode="ansi", **extra)
        check_env(env.unwrapped)


def play(env, seed, choose):
    observation, info = env.reset(seed=seed)
    steps = []
    over = False
    while not over:
        action = choose(info["action_mask"])
        observation, reward, over, truncated, info = env.step(action)
        steps.append((observation, reward, over, truncated, info))
    return steps


def first_legal(mask):
    return int(np.flatnonzero(mask)[0])


@pytest.mark.parametrize("players", PLAYERS)
def test_the_mask_is_that_of_the_learner_after_the_others_moved(players):
    env = SingleAgentEnv(players=players, opponents="random")
    for seed in range(5):
        generator = np.random.default_rng(seed)
        steps = play(env, seed, lambda mask: int(generator.choice(np.flatnonzero(mask))))  # noqa: B023
        assert env.seat == seed % players
        for _, reward, over, truncated, info in steps:
            assert info["action_mask"].any() != over
            assert not truncated
            assert reward == 0 or over
        assert steps[-1][1] == env.game.returns()[env.seat]


def test_the_masks_agree():
    env = SingleAgentEnv(players=3, opponents="random", seat=2)
    _, info = env.reset(seed=0)
    for _ in range(15):
        assert env.game.current_player == 2
        assert np.array_equal(env.action_masks(), info["action_mask"].astype(bool))
        assert np.array_equal(env.game.action_mask(), info["action_mask"])
        *_, info = env.step(first_legal(info["action_mask"]))


def test_seats_rotate_and_a_seed_begins_the_rotation():
    env = SingleAgentEnv(players=3)
    seats = []
    env.reset(seed=4)
    for _ in range(5):
        seats.append(env.seat)
        env.reset()
    assert seats == [1, 2, 0, 1, 2]


def test_the_same_seed_gives_the_same_episodes():
    def episodes():
        env = SingleAgentEnv(players=3, opponents=["greedy", "random"])
        first = play(env, 5, first_legal)
        env.reset()
        return first[-1][0].tobytes(), env.game.to_dict()

    assert episodes() == episodes()


def test_a_copy_in_mid_game_goes_on_alike():
    env = SingleAgentEnv(opponents="random")
    _, info = env.reset(seed=0)
    for _ in range(10):
        *_, info = env.step(first_legal(info["action_mask"]))
    twin = copy.deepcopy(env)
    for _ in range(10):
        mask = env.action_masks()
        assert np.array_equal(mask, twin.action_masks())
        assert np.array_equal(env.step(first_legal(mask))[0], twin.step(first_legal(mask))[0])


def test_illegal_actions():
    losing = SingleAgentEnv(opponents="random", seat=0)
    losing.reset(seed=0)
    _, reward, over, truncated, info = losing.step(losing.action_space.n - 1)
    assert (reward, over, truncated) == (-1.0, True, False)
    assert not info["action_mask"].any()
    assert not losing.action_masks().any()
    assert losing.game == Game(2, 0)
    with pytest.raises(ValueError, match="the game is over"):
        losing.step(0)
    losing.reset()
    assert losing.action_masks().any()
    raising = SingleAgentEnv(opponents="random", seat=0, illegal="raise")
    raising.reset(seed=0)
    before = raising.game.clone()
    with pytest.raises(IllegalActionError):
        raising.step(raising.action_space.n - 1)
    assert raising.game == before


def test_opponents_of_every_kind():
    def last_legal(view: View) -> int:
        return int(view.legal_actions[-1])

    env = SingleAgentEnv(players=4, opponents=["greedy", RandomPlayer(), last_legal], seat=0, hands="random")
    play(env, 1, first_legal)
    assert env.game.is_over
    assert Game.replay(env.game.record()) == env.game


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"opponents": "alphazero"}, "player 'alphazero': no such code"),
        ({"opponents": ["random", "random"]}, "opponents: 2; expected 1"),
        ({"opponents": 3}, "opponent 3"),
        ({"seat": 2}, "seat: 2; expected one of 'rotate', 0, 1"),
        ({"hands": "none"}, "hands: 'none'"),
    ],
)
def test_wrong_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        SingleAgentEnv(players=2, **options)


def make_env():
    return SingleAgentEnv(players=2, opponents="random")


@pytest.mark.parametrize("vec_env", [DummyVecEnv, SubprocVecEnv])
def test_maskable_ppo_works_as_it_is(vec_env):
    envs = vec_env([make_env, make_env])
    try:
        model = MaskablePPO("MlpPolicy", envs, n_steps=32, batch_size=32, n_epochs=1, seed=0)
        model.learn(128)
        observation = envs.reset()
        for _ in range(80):
            masks = np.stack(envs.env_method("action_masks"))
            actions, _ = model.predict(observation, action_masks=masks)
            assert masks[np.arange(2), actions].all()
            observation, _, _, _ = envs.step(actions)
    finally:
        envs.close()

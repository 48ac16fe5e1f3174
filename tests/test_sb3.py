"""The SB3 environment: the games of DummyVecEnv, and sb3-contrib's MaskablePPO as it is."""

from __future__ import annotations

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

from samurai_env.wrappers import SingleAgentEnv
from samurai_env.wrappers.sb3 import SB3VecEnv


@pytest.mark.parametrize("options", [{"players": 2}, {"players": 3, "opponents": "greedy", "obs_dtype": "float32"}])
def test_it_plays_the_games_of_dummy_vec_env(options):
    envs = [SB3VecEnv(3, **options), DummyVecEnv([lambda: SingleAgentEnv(**options)] * 3)]
    for env in envs:
        env.seed(7)
    generator = np.random.default_rng(0)
    observations = [env.reset() for env in envs]
    ends = 0
    for _ in range(120):
        assert np.array_equal(*observations)
        masks = [get_action_masks(env) for env in envs]
        assert np.array_equal(*masks)
        actions = np.array([generator.choice(np.flatnonzero(mask)) for mask in masks[0]])
        results = [env.step(actions) for env in envs]
        observations = [result[0] for result in results]
        for ours, theirs in zip(*(result[1:3] for result in results), strict=True):
            assert ours.dtype == theirs.dtype
            assert np.array_equal(ours, theirs)
        for i in np.flatnonzero(results[0][2]):
            ours, theirs = (result[3][i] for result in results)
            assert np.array_equal(ours["terminal_observation"], theirs["terminal_observation"])
            assert ours["TimeLimit.truncated"] is theirs["TimeLimit.truncated"] is False
            ends += 1
    assert ends > 3


def test_maskable_ppo_learns_and_plays_without_an_illegal_action():
    env = SB3VecEnv(4, players=2, opponents="greedy", illegal="raise")
    assert is_masking_supported(env)
    model = MaskablePPO("MlpPolicy", VecMonitor(env), n_steps=64, batch_size=64, n_epochs=1, seed=0)
    model.learn(512)
    assert len(model.ep_info_buffer) > 0
    observations = env.reset()
    for _ in range(60):
        actions, _ = model.predict(observations, action_masks=env.action_masks())
        observations, _, _, _ = env.step(actions)


def test_what_there_is_beside_the_steps():
    env = SB3VecEnv(2, render_mode="ansi")
    env.seed(0)
    env.reset()
    texts = env.render()
    assert len(texts) == 2
    assert texts == env.env_method("render")
    assert env.get_attr("players") == [2, 2]
    assert env.env_is_wrapped(DummyVecEnv) == [False, False]
    with pytest.raises(AttributeError, match="share one batch"):
        env.env_method("reset")
    with pytest.raises(AttributeError, match="share one batch"):
        env.set_attr("players", 3)

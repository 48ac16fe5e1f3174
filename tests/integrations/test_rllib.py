"""RLlib loads the environment through its own PettingZoo adapter."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from example import run
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv

import samurai_env


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_seat_gets_its_reward_once(players):
    env = PettingZooEnv(samurai_env.env(players=players, illegal="raise"))
    generator = np.random.default_rng(0)
    for seed in range(3):
        seen, _ = env.reset(seed=seed)
        rewards, over = Counter(), False
        while not over:
            (agent, observation), *rest = seen.items()
            assert not rest
            action = int(generator.choice(np.flatnonzero(observation["action_mask"])))
            seen, given, terminated, _, _ = env.step({agent: action})
            rewards.update(given)
            over = terminated["__all__"]
        returns = env.env.unwrapped.game.returns()
        assert [rewards[f"player_{seat}"] for seat in range(players)] == returns.tolist()


def test_the_example_trains_with_legal_actions_only():
    """An illegal action would raise."""
    assert run("rllib_ppo.py").count("decisions 500") == 2

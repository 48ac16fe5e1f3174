"""Tianshou loads the environment through its own PettingZoo adapter."""

from __future__ import annotations

import numpy as np
import pytest
from example import run
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv

import samurai_env


@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_players_play_legal_games_to_the_end(players):
    def make_env():
        return PettingZooEnv(samurai_env.env(players=players, illegal="raise"))

    env = make_env()
    one = MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space)
    agents = MultiAgentOffPolicyAlgorithm(algorithms=[one] * players, env=env)
    collector = Collector(agents, DummyVectorEnv([make_env] * 2), VectorReplayBuffer(4000, 2))
    collector.reset()
    result = collector.collect(n_episode=4)
    assert result.n_collected_episodes == 4
    assert np.allclose(result.returns.sum(1), 0)
    assert (result.returns.max(1) > 0).all()


def test_the_mask_is_that_of_the_agent_to_move():
    env = PettingZooEnv(samurai_env.env(players=3))
    seen, _ = env.reset(seed=0)
    for _ in range(40):
        assert seen["agent_id"] == env.env.agent_selection
        assert np.array_equal(seen["mask"], env.env.unwrapped.game.action_mask() == 1)
        seen, *_ = env.step(int(np.flatnonzero(seen["mask"])[0]))


def test_the_example_learns():
    assert run("tianshou_dqn.py").count("decisions 600") == 3

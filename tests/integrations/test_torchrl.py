"""TorchRL loads the environment through its own PettingZoo adapter."""

from __future__ import annotations

import pytest
import torch
from example import run
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.envs.utils import check_env_specs

import samurai_env


def make_env(players, **options):
    aec = samurai_env.env(players=players, obs_dtype="float32", **options)
    return PettingZooWrapper(aec, use_mask=True, group_map={"seats": aec.possible_agents}, seed=0)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_its_random_play_is_masked_and_every_seat_gets_its_reward(players):
    env = make_env(players, illegal="raise")
    for _ in range(3):
        game = env.rollout(1000)
        assert (game["seats", "mask"].sum(-1) == 1).all()
        assert game["next", "done"].sum() == 1
        rewards = game["next", "seats", "reward"][..., 0]
        assert (rewards[:-1] == 0).all()
        assert torch.equal(rewards[-1], torch.as_tensor(env.game.returns(), dtype=torch.float32))


def test_its_own_check_passes():
    check_env_specs(make_env(2))


def test_the_example_collects():
    assert run("torchrl_collector.py").count("decisions 200") == 3

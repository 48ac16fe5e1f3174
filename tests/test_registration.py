"""The environments by their names in the registries."""

from __future__ import annotations

import gymnasium
import pettingzoo
import pytest
from test_state import run

import samurai_env
from samurai_env.registration import ENV_ID, register
from samurai_env.wrappers import SingleAgentEnv, SingleAgentVectorEnv


def test_gymnasium_makes_one_and_many():
    assert isinstance(gymnasium.make(ENV_ID, players=3).unwrapped, SingleAgentEnv)
    assert isinstance(gymnasium.make_vec(ENV_ID, num_envs=2, players=3), SingleAgentVectorEnv)


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo has a registry since 1.27")
def test_pettingzoo_makes_it():
    env = pettingzoo.make("aec", ENV_ID, players=3, figures="random")
    assert env.possible_agents == samurai_env.env(players=3).possible_agents
    env.reset(seed=0)
    assert env.unwrapped.game.options["figures"] == "random"


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo has a registry since 1.27")
@pytest.mark.parametrize("imports", ["import pettingzoo, samurai_env", "import samurai_env.samurai_v0, pettingzoo"])
def test_the_imports_that_register_with_pettingzoo(imports):
    run(f"{imports}; pettingzoo.make('aec', '{ENV_ID}')")


def test_registering_again_changes_nothing():
    spec = gymnasium.registry[ENV_ID]
    register()
    assert gymnasium.registry[ENV_ID] is spec

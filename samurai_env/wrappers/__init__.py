"""Samurai for libraries that know other interfaces than PettingZoo's.

`SingleAgentEnv` and `SingleAgentVectorEnv` are Gymnasium's. Two modules are imported by themselves, since they
need libraries of their own: `samurai_env.wrappers.sb3` and `samurai_env.wrappers.open_spiel`.
"""

from samurai_env.wrappers.single_agent import SingleAgentEnv
from samurai_env.wrappers.vector_env import SingleAgentVectorEnv

__all__ = ["SingleAgentEnv", "SingleAgentVectorEnv"]

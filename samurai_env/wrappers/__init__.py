"""Samurai for libraries that know single-agent environments."""

from samurai_env.wrappers.single_agent import SingleAgentEnv

__all__ = ["SingleAgentEnv"]

"""The entries in the registries: `gymnasium.make("samurai_env/Samurai-v0", players=2)` and PettingZoo's."""

from __future__ import annotations

import sys

import gymnasium

ENV_ID = "samurai_env/Samurai-v0"


def register() -> None:
    """Register the environments; importing `samurai_env` does."""
    if ENV_ID not in gymnasium.registry:
        gymnasium.register(
            ENV_ID,
            entry_point="samurai_env.wrappers:SingleAgentEnv",
            vector_entry_point="samurai_env.wrappers:SingleAgentVectorEnv",
        )
    if "pettingzoo" in sys.modules:  # else it is not loaded for this; `samurai_env.aec` registers then
        register_with_pettingzoo()


def register_with_pettingzoo() -> None:
    """Register the AEC environment, where PettingZoo has a registry: since 1.27."""
    try:
        from pettingzoo import aec_registry, register
    except ImportError:
        return
    if ENV_ID not in aec_registry:
        register("aec", ENV_ID, entry_point="samurai_env.aec:env")

"""The entry in Gymnasium's registry: `gymnasium.make("samurai_env/Samurai-v0", players=2)`."""

from __future__ import annotations

import gymnasium

ENV_ID = "samurai_env/Samurai-v0"


def register() -> None:
    """Register the single-agent environment; importing `samurai_env` does."""
    if ENV_ID not in gymnasium.registry:
        gymnasium.register(ENV_ID, entry_point="samurai_env.wrappers:SingleAgentEnv")

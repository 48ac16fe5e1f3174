"""The random player: uniform over the legal actions."""

from __future__ import annotations

import numpy as np

from samurai_env.agents.base import View


class RandomPlayer:
    """Plays each legal action with the same probability."""

    def __init__(self) -> None:
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Begin a game; see `Player.reset`."""
        self._generator = np.random.default_rng(seed)

    def act(self, view: View) -> int:
        """Return a uniformly drawn legal action."""
        return int(self._generator.choice(view.legal_actions))

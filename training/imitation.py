"""Learning from a player before PPO begins: behaviour cloning (Pomerleau 1991).

A scripted player decides for the learner, in all of its seats, and the learner is trained to find its decisions
probable, and on what came of them. It begins PPO from there instead of from nothing.
"""

from __future__ import annotations

import json

import numpy as np

from samurai_env.vector import VectorGames
from training.players import Indices, batch_player


class Teacher:
    """A player that is imitated.

    Args:
        code: its code.
        steps: how many of its decisions.
        seed: of all that it draws.
    """

    def __init__(self, code: str, steps: int, seed: int) -> None:
        self.player = batch_player(code)
        self.steps = steps
        self.generator = np.random.default_rng([seed, 1])

    def act(self, games: VectorGames, chosen: Indices) -> Indices:
        """Return its actions in the games `chosen`, (G,), ascending."""
        return self.player.act(games, chosen, self.generator)

    def state(self) -> str:
        """Return all that is needed to go on exactly."""
        return json.dumps(self.generator.bit_generator.state)

    def restore(self, state: str) -> None:
        """Go on from a saved state."""
        self.generator.bit_generator.state = json.loads(state)

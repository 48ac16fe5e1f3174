"""Learning from a player before PPO begins.

A scripted player decides for the learner, in all of its seats, and the learner is trained to find its decisions
probable, and on what came of them: behaviour cloning (Pomerleau 1991). A teacher may say more of a decision than the
best action (Hinton et al. 2015), and plays what it teaches: the greedy player, each action with a probability that
falls with how much worse than the best it is; the search player, each as often as its search went there, which is the
expert iteration of Anthony, Tian and Barber (2017). PPO begins from there instead of from nothing.
"""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray

from samurai_env.vector import VectorGames
from training.players import AdvisingPlayer, Indices, batch_player


class Teacher:
    """A player that is imitated.

    Args:
        code: its code.
        steps: how many of its decisions.
        temperature: of the probabilities of actions, if it weighs them, in the unit of its worths.
        epochs: passes over its decisions.
        seed: of all that it draws.
    """

    def __init__(self, code: str, steps: int, temperature: float, seed: int, epochs: int = 1) -> None:
        self.player = batch_player(code)
        self.steps = steps
        self.epochs = epochs
        self.temperature = temperature
        self.generator = np.random.default_rng([seed, 1])

    def teach(self, games: VectorGames, chosen: Indices) -> tuple[Indices, NDArray[np.float16]]:
        """Decide in the games `chosen`, ascending.

        Returns:
            The actions, (G,), and the probabilities of all actions that are to be learned, (G, num_actions).
        """
        if isinstance(self.player, AdvisingPlayer):
            advice = self.player.advise(games, chosen, self.temperature, self.generator)
            probabilities = advice.astype(np.float16)
            sums = probabilities.cumsum(-1, dtype=np.float64)
            drawn = self.generator.random((len(chosen), 1)) * sums[:, -1:]
            return (sums > drawn).argmax(-1), probabilities
        actions = self.player.act(games, chosen, self.generator)
        probabilities = np.zeros((len(chosen), games.num_actions), np.float16)
        probabilities[np.arange(len(chosen)), actions] = 1
        return actions, probabilities

    def state(self) -> str:
        """Return all that is needed to go on exactly."""
        return json.dumps(self.generator.bit_generator.state)

    def restore(self, state: str) -> None:
        """Go on from a saved state."""
        self.generator.bit_generator.state = json.loads(state)

"""Learning from a player before PPO begins.

A scripted player decides for the learner, in all of its seats, and the learner is trained to find its decisions
probable, and on what came of them: behaviour cloning (Pomerleau 1991). A teacher that weighs all actions plays, and
teaches, each of them with a probability that falls with how much worse than the best it is: that says more of a
decision than the best action alone (Hinton et al. 2015). PPO begins from there instead of from nothing.
"""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray

from samurai_env.vector import VectorGames
from training.players import Indices, WeighingPlayer, batch_player


class Teacher:
    """A player that is imitated.

    Args:
        code: its code.
        steps: how many of its decisions.
        temperature: of the probabilities of actions, if it weighs them: in the unit of its worths.
        seed: of all that it draws.
    """

    def __init__(self, code: str, steps: int, temperature: float, seed: int) -> None:
        self.player = batch_player(code)
        self.steps = steps
        self.temperature = temperature
        self.generator = np.random.default_rng([seed, 1])

    def teach(self, games: VectorGames, chosen: Indices) -> tuple[Indices, NDArray[np.float16]]:
        """Decide in the games `chosen`, ascending.

        Returns:
            The actions, (G,), and the probabilities of all actions that are to be learned, (G, num_actions).
        """
        if isinstance(self.player, WeighingPlayer):
            logits = self.player.weigh(games, chosen) / self.temperature
            # The largest of logits with Gumbel noise is a sample of their softmax.
            actions = (logits + self.generator.gumbel(size=logits.shape)).argmax(-1)
            powers = np.exp(logits - logits.max(-1, keepdims=True))
            return actions, (powers / powers.sum(-1, keepdims=True)).astype(np.float16)
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

"""The random player: uniform over the legal actions."""

from __future__ import annotations

import numpy as np

from samurai_env.agents.base import View
from samurai_env.compiled import entry_point
from samurai_env.generator import below, seed_words, split_seed


@entry_point
def seed_player(words, low, high):
    """Set a generator of choices, uint32 (4,), by the two halves of a seed."""
    seed_words(words, low, high)


@entry_point
def choose_any(mask, legal, words):
    """Return a uniformly drawn one of the `legal` > 0 ones of a mask; `words` is the generator, uint32 (4,)."""
    skip = below(words, legal)
    for action in range(len(mask)):
        skip -= mask[action]
        if skip < 0:
            return action
    return -1


class RandomPlayer:
    """Plays each legal action with the same probability."""

    def __init__(self) -> None:
        self._words = np.zeros(4, np.uint32)
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Begin a game; see `Player.reset`."""
        seed_player(self._words, *split_seed(seed))

    def act(self, view: View) -> int:
        """Return a uniformly drawn legal action."""
        mask = view.action_mask
        return int(choose_any(mask, int(mask.sum()), self._words))

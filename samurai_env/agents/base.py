"""What a player is, and what it is given to decide."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from samurai_env.checks import whole
from samurai_env.observation import observe
from samurai_env.rules import Game


class View:
    """One seat's sight of a game: all that a player may use, and nothing hidden.

    Args:
        game: the game; it is looked at when asked, not copied.
        seat: the seat that looks.
        hide_captures: with 3 or 4 players, the observation does not show the others' captured figures.

    Raises:
        ValueError: there is no such seat.
    """

    __slots__ = ("_game", "_hide_captures", "seat")

    def __init__(self, game: Game, seat: int, hide_captures: bool = False) -> None:
        self._game = game
        self.seat = whole("seat", seat, 0, game.players - 1)
        self._hide_captures = hide_captures

    @property
    def hide_captures(self) -> bool:
        """Whether the observation does not show the others' captured figures."""
        return self._hide_captures

    @property
    def players(self) -> int:
        """The number of players."""
        return self._game.players

    @property
    def observation(self) -> NDArray[Any]:
        """The flat observation, int8 of shape (n,); see `samurai_env.observation`."""
        return observe(self._game, self.seat, self._hide_captures)

    @property
    def action_mask(self) -> NDArray[np.int8]:
        """The legal actions, int8 of shape (num_actions,); all zero if the seat is not to move."""
        if self._game.current_player != self.seat:
            return np.zeros(self._game.num_actions, np.int8)
        return self._game.action_mask()

    @property
    def legal_actions(self) -> NDArray[np.int64]:
        """The ids of the legal actions, ascending."""
        return np.flatnonzero(self.action_mask)

    def determinize(self, seed: int) -> Game:
        """Return a game that fits all this seat knows, what it cannot know drawn anew; see `Game.determinize`.

        Captures are seen when they are made, so the game holds them also where the observation hides them.
        """
        return self._game.determinize(self.seat, seed)


class Player(Protocol):
    """Anything that plays a seat."""

    def reset(self, seed: int) -> None:
        """Begin a game: every random choice in it follows from `seed`, in [0, 2**64)."""

    def act(self, view: View) -> int:
        """Return the id of a legal action for `view.seat`, which is to move."""

"""Potentials: what a position promises, before anything is learned (Ng, Harada and Russell 1999).

Training adds them to the final reward, which shapes what is learned without changing which play is best. What a network
then learns as a value is what is to be expected beyond the potential.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from samurai_env.observation import Segment, layout
from samurai_env.rules.tiles import FIGURES


class Potential(NamedTuple):
    """The potential of a position to a seat."""

    captures: float = 0.0
    """Of each figure of a lead in captures over the best other seat."""
    judged: float = 0.0
    """Times the reward that the search player's judgement expects."""

    def of(self, observations: NDArray[np.int8], shares: NDArray[np.floating], players: int) -> NDArray[np.floating]:
        """Return the potentials of positions to their observers, (B,).

        Args:
            observations: of shape (B, n).
            shares: the share of the victory that each observer may expect, (B,); see `judge_all`.
            players: the number of players.
        """
        return self.captures * capture_lead(observations, players) + self.judged * reward_of(shares, players)


@cache
def _captured(players: int) -> tuple[Segment, list[int]]:
    """Return the seats' part of the observation and its columns of captured figures."""
    seats = next(segment for segment in layout(players) if segment.name == "seats")
    names = [feature.name for feature in seats.features]
    return seats, [names.index(f"{figure} captured") for figure in FIGURES]


def capture_lead(observations: NDArray[np.int8], players: int) -> NDArray[np.float32]:
    """Return by how many figures the observer leads the best other seat, (B,), negative when behind."""
    seats, columns = _captured(players)
    totals = seats.view(observations)[..., columns].sum(-1, dtype=np.float32)
    return totals[:, 0] - totals[:, 1:].max(-1)


def reward_of(shares: NDArray[np.floating], players: int) -> NDArray[np.floating]:
    """Return the expected reward of kind "winner" for shares of the victory; see `Game.returns`."""
    return (shares * players - 1) / (players - 1)


def share_of(rewards: NDArray[np.floating], players: int) -> NDArray[np.floating]:
    """Return the shares of the victory for expected rewards of kind "winner"."""
    return (rewards * (players - 1) + 1) / players

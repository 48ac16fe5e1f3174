"""Who wins: majorities, tie-breaks and places."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from samurai_env.compiled import compiled, entry_point
from samurai_env.rules.state import NOBODY
from samurai_env.rules.tiles import NUM_FIGURES

REWARDS = ("winner", "place")
PLACE_REWARD = REWARDS.index("place")


class Score(NamedTuple):
    """The result of a game."""

    winners: tuple[int, ...]
    """The seats that won; several share the victory."""
    places: tuple[int, ...]
    """The place of each seat, 1 = first; equal criteria share a place, as in (1, 1, 3, 4)."""
    majorities: tuple[int, ...]
    """The seat that has the majority in helmets, Buddhas, rice fields; -1 = nobody."""


@compiled
def majority(captured, figure):
    """Return the seat with strictly the most figures of a type, or NOBODY. `captured` is (players, 3)."""
    most, seat_of_most = 0, NOBODY
    for seat in range(captured.shape[0]):
        if captured[seat, figure] > most:
            most, seat_of_most = captured[seat, figure], seat
        elif captured[seat, figure] == most:
            seat_of_most = NOBODY
    return seat_of_most


@compiled
def standing(captured, seat):
    """Return a number that is larger the better a seat did.

    In this order: two or three majorities; one majority, then the figures of the other two types, then
    all figures; no majority, then all figures.
    """
    majorities, in_majority = 0, 0
    for figure in range(NUM_FIGURES):
        if majority(captured, figure) == seat:
            majorities += 1
            in_majority += captured[seat, figure]
    base = captured.sum() + 1  # above any count of figures
    total = captured[seat].sum()
    if majorities >= 2:
        return 2 * base * base
    if majorities == 1:
        return (base + total - in_majority) * base + total
    return total


@compiled
def write_places(captured, places):
    """Write the place of each seat: one more than the number of seats that did better."""
    players = captured.shape[0]
    for seat in range(players):
        places[seat] = 1
        for other in range(players):
            if standing(captured, other) > standing(captured, seat):
                places[seat] += 1


@compiled
def write_returns(places, reward, returns):
    """Write the reward of each seat for its place; see `Game.returns`."""
    players = places.shape[0]
    winners = (places == 1).sum()
    for seat in range(players):
        if reward == PLACE_REWARD:
            sharing = (places == places[seat]).sum()
            mean_place = places[seat] + (sharing - 1) / 2
            returns[seat] = 1 - 2 * (mean_place - 1) / (players - 1)
        elif places[seat] == 1:
            returns[seat] = (players / winners - 1) / (players - 1)
        else:
            returns[seat] = -1 / (players - 1)


@entry_point
def places_of(captured):
    """Return the places for an int64 array (players, 3) of captured figures."""
    places = np.zeros(captured.shape[0], np.int64)
    write_places(captured, places)
    return places


@entry_point
def majorities_of(captured):
    """Return the majorities for an int64 array (players, 3) of captured figures."""
    seats = np.zeros(NUM_FIGURES, np.int64)
    for figure in range(NUM_FIGURES):
        seats[figure] = majority(captured, figure)
    return seats


@entry_point
def returns_of(places, reward):
    """Return the rewards, float64, for int64 places and the index of a reward in REWARDS."""
    returns = np.zeros(places.shape[0], np.float64)
    write_returns(places, reward, returns)
    return returns


def score(captured: ArrayLike) -> Score:
    """Judge a finished game by the figures that each seat captured.

    Args:
        captured: whole numbers of shape (players, 3): helmets, Buddhas and rice fields of each seat.

    Returns:
        The winners, the places and the majorities.

    Raises:
        ValueError: `captured` has another shape, or an entry is negative or not whole.
    """
    array = np.asarray(captured)
    if array.ndim != 2 or array.shape[0] < 2 or array.shape[1] != NUM_FIGURES:
        raise ValueError(
            f"captured: shape {array.shape}; expected (players, 3), a row of helmets, Buddhas, rice fields a seat"
        )
    is_whole = array.dtype.kind in "iu" or (array.dtype.kind == "f" and (array == np.floor(array)).all())
    if not is_whole or (array < 0).any() or (array > 10**6).any():
        raise ValueError(f"captured: {array.tolist()}; expected whole numbers from 0 to a million")
    array = np.ascontiguousarray(array, np.int64)
    places = tuple(places_of(array).tolist())
    winners = tuple(seat for seat, place in enumerate(places) if place == 1)
    return Score(winners, places, tuple(majorities_of(array).tolist()))

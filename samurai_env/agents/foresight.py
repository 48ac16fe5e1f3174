"""What a tile on the last empty land hex beside a settlement brings, worked out by the rules, for many games at once.

Who takes the figures there, and who has won if the game ends with them, hangs on sums and comparisons of all seats'
numbers, which a small network can only guess. All of it is read from observations. Where others' captured figures are
hidden, they count as none.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from samurai_env.compiled import compiled, entry_point
from samurai_env.observation import layout
from samurai_env.rules.board import LAND_ENDS, MAX_PLAYERS, NO_SETTLEMENT, NUM_LAND, NUM_SETTLEMENTS
from samurai_env.rules.capture import SET_ASIDE_LIMIT
from samurai_env.rules.scoring import majority, standing
from samurai_env.rules.tiles import FIGURES, NUM_FIGURES, NUM_LAND_KINDS, STRENGTH

FORESEEN = 8
"""How many numbers say what a tile brings."""
# What becomes of a figure; larger numbers are seats.
STAYS, IS_SET_ASIDE = -2, -1


class Foresight(NamedTuple):
    """What each tile would bring on the hexes where one makes figures fall."""

    games: NDArray[np.int64]
    """The game of each of these hexes, (N,)."""
    land: NDArray[np.int64]
    """The land hex, (N,)."""
    brings: NDArray[np.float32]
    """What each kind of tile for land brings there, (N, 13, FORESEEN): the share of the victory if it ends the game,
    what is lacking to the whole of it then, and the share as figures stand if it does not end it; the own figures
    that it takes, those of others, and those set aside; the own majorities after it, and the most of another seat."""


class Places(NamedTuple):
    """Where an observation has what is needed."""

    players: int
    settlements: int
    land: int
    stands: int
    influence: int
    open: int
    empty: int
    captured: int
    a_seat: int
    last_turn: int
    set_aside: int


@cache
def places(players: int) -> Places:
    """Return where the observations of games of so many players have what is needed."""
    segments = {segment.name: segment for segment in layout(players)}

    def at(segment: str, feature: str) -> int:
        part = segments[segment]
        number = [one.name for one in part.features].index(feature)
        return part.start + number * (part.rows if part.by_feature else 1)

    return Places(
        players=players,
        settlements=int(NUM_SETTLEMENTS[players]),
        land=int(NUM_LAND[players]),
        stands=at("settlements", f"{FIGURES[0]} stands here"),
        influence=at("settlements", f"influence of own on {FIGURES[0]}"),
        open=at("settlements", "empty land hexes beside it"),
        empty=at("land", "empty"),
        captured=at("seats", f"{FIGURES[0]} captured"),
        a_seat=len(segments["seats"].features),
        last_turn=at("turn", "the game ends with this turn"),
        set_aside=at("turn", f"{FIGURES[0]} set aside"),
    )


@compiled
def falls(seen, hex_, side, figure, at):
    """Whether a tile on a land hex makes a figure fall, on the settlement at one of the two sides of the hex."""
    settlement = LAND_ENDS[hex_, side]
    if settlement == NO_SETTLEMENT or seen[at.open + settlement] != 1:
        return False
    return seen[at.stands + figure * at.settlements + settlement] != 0


@compiled
def is_last(seen, hex_, at):
    """Whether a tile on a land hex makes any figure fall."""
    if not seen[at.empty + hex_]:
        return False
    for side in range(2):
        for figure in range(NUM_FIGURES):
            if falls(seen, hex_, side, figure, at):
                return True
    return False


@compiled
def taker(seen, settlement, figure, strength, at):
    """Return who takes a figure when seat 0 adds so much influence: a seat, or IS_SET_ASIDE."""
    most, seat_of_most = 0, IS_SET_ASIDE
    for seat in range(at.players):
        influence = seen[at.influence + (seat * NUM_FIGURES + figure) * at.settlements + settlement]
        if seat == 0:
            influence += strength
        if influence > most:
            most, seat_of_most = influence, seat
        elif influence == most:
            seat_of_most = IS_SET_ASIDE
    return seat_of_most


@compiled
def write_takers(seen, hex_, kind, takers, at):
    """Write what becomes of the figures beside a hex, (2, 3), when a tile of a kind is laid there.

    Return a number that is the same for two kinds only if that is.
    """
    number = 0
    for side in range(2):
        for figure in range(NUM_FIGURES):
            takers[side, figure] = STAYS
            if falls(seen, hex_, side, figure, at):
                takers[side, figure] = taker(seen, LAND_ENDS[hex_, side], figure, STRENGTH[kind, figure], at)
            number = number * (MAX_PLAYERS - STAYS) + takers[side, figure] - STAYS
    return number


@compiled
def write_brings(seen, takers, captured, brings, at):
    """Write what a tile brings, (FORESEEN,), after which figures go to their takers; `captured` is scratch memory."""
    captured = captured[: at.players]
    for seat in range(at.players):
        for figure in range(NUM_FIGURES):
            captured[seat, figure] = seen[at.captured + seat * at.a_seat + figure]
    own, others, aside, before = 0, 0, 0, 0
    is_end = seen[at.last_turn] != 0
    for figure in range(NUM_FIGURES):
        before += seen[at.set_aside + figure]
        left = 0
        for settlement in range(at.settlements):
            left += seen[at.stands + figure * at.settlements + settlement]
        for side in range(2):
            seat = takers[side, figure]
            if seat == STAYS:
                continue
            left -= 1
            own += seat == 0
            others += seat > 0
            aside += seat == IS_SET_ASIDE
            if seat >= 0:
                captured[seat, figure] += 1
        is_end = is_end or left == 0
    is_end = is_end or before + aside >= SET_ASIDE_LIMIT
    best, sharing = 0, 0
    for seat in range(at.players):
        result = standing(captured, seat)
        sharing = 1 if result > best else sharing + (result == best)
        best = max(best, result)
    share = 1.0 / sharing if standing(captured, 0) == best else 0.0
    most = 0
    for seat in range(at.players):
        majorities = 0
        for figure in range(NUM_FIGURES):
            majorities += majority(captured, figure) == seat
        if seat == 0:
            brings[6] = majorities
        else:
            most = max(most, majorities)
    brings[0] = share if is_end else 0.0
    brings[1] = 1.0 - share if is_end else 0.0
    brings[2] = 0.0 if is_end else share
    brings[3] = own
    brings[4] = others
    brings[5] = aside
    brings[7] = most


@entry_point
def count_last(observations, at):
    """Return on how many hexes, in all observations, a tile makes figures fall."""
    found = 0
    for i in range(len(observations)):
        for hex_ in range(at.land):
            found += is_last(observations[i], hex_, at)
    return found


@entry_point
def write_foresight(observations, at, games, land, brings):
    """Write the arrays of `Foresight`."""
    takers = np.empty((2, NUM_FIGURES), np.int64)
    numbers = np.empty(NUM_LAND_KINDS, np.int64)
    captured = np.empty((MAX_PLAYERS, NUM_FIGURES), np.int64)
    found = 0
    for game in range(len(observations)):
        seen = observations[game]
        for hex_ in range(at.land):
            if not is_last(seen, hex_, at):
                continue
            games[found] = game
            land[found] = hex_
            for kind in range(NUM_LAND_KINDS):
                numbers[kind] = write_takers(seen, hex_, kind, takers, at)
                like = 0
                while numbers[like] != numbers[kind]:
                    like += 1
                if like < kind:  # most kinds do what one before them does, too
                    for i in range(FORESEEN):
                        brings[found, kind, i] = brings[found, like, i]
                else:
                    write_brings(seen, takers, captured, brings[found, kind], at)
            found += 1


def foresee(observations: NDArray[np.int8], players: int) -> Foresight:
    """Return what is foreseen for B observations.

    Args:
        observations: of the seats to move, int8 of shape (B, n).
        players: the number of players of the games.
    """
    at = places(players)
    found = count_last(observations, at)
    games, land = np.empty((2, found), np.int64)
    brings = np.empty((found, NUM_LAND_KINDS, FORESEEN), np.float32)
    write_foresight(observations, at, games, land, brings)
    return Foresight(games, land, brings)

"""What a seat sees, as one flat array: the board, its own hand and all that is public, nothing else.

The observation is relative: seat 0 of the array is the observer, then the others clockwise. The segments
of places (settlements, land, sea) are stored feature by feature, so that the compiled encoder copies whole
rows; `split` returns them as (places, features) all the same. docs/observation.md is the table, made from
`layout` by `make docs`.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from samurai_env.checks import choice, flag, whole
from samurai_env.encoder import encode_state
from samurai_env.rules.board import (
    LAND,
    NORTH,
    NUM_LAND,
    NUM_SEA,
    NUM_SETTLEMENTS,
    PLAYER_COUNTS,
    SEA,
    SETTLEMENTS,
    SUPPLY,
    WEST,
)
from samurai_env.rules.game import Game
from samurai_env.rules.state import PHASES
from samurai_env.rules.tiles import (
    COUNTS,
    FIGURES,
    KINDS,
    NUM_LIFTABLE,
    STRENGTH,
    TILES_A_SEAT,
)

DTYPES = ("int8", "float32")

# A settlement has six neighbours: the most that six of a player's tiles can come to, whatever the type.
MAX_INFLUENCE = int(np.sort(np.repeat(STRENGTH, COUNTS, axis=0), axis=0)[-6:].sum(axis=0).max())
MAX_LAND_AROUND = 6
MAX_STRENGTH = int(STRENGTH.max())


class Feature(NamedTuple):
    """One number of the observation (of each place or seat): its name and its largest value; the least is 0."""

    name: str
    high: int


class Segment(NamedTuple):
    """A named part of the flat observation, `observation[start : start + size]`."""

    name: str
    start: int
    rows: int
    """How many places or seats it describes; 1 for the hand and the turn."""
    features: tuple[Feature, ...]
    by_feature: bool
    """Whether it is stored feature by feature (places) or row by row (seats)."""

    @property
    def size(self) -> int:
        """How many numbers it takes."""
        return self.rows * len(self.features)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the view that `split` gives."""
        features = len(self.features)
        return (features,) if self.name in ("hand", "turn") else (self.rows, features)

    def view(self, observation: Any) -> Any:
        """Return this part of observations (..., n), NumPy or torch, shaped and not copied."""
        part = observation[..., self.start : self.start + self.size]
        batch = tuple(observation.shape[:-1])
        if self.by_feature:
            return part.reshape(*batch, len(self.features), self.rows).swapaxes(-1, -2)
        return part.reshape(*batch, *self.shape)


def _seats(players: int) -> list[str]:
    return ["own"] + [f"seat +{k}" for k in range(1, players)]


@cache
def layout(players: int) -> tuple[Segment, ...]:
    """Return the segments of the observation of a number of players, in order."""
    choice("players", players, PLAYER_COUNTS)
    seats = _seats(players)
    supply = int(SUPPLY[players])
    counts = [(kind, int(count)) for kind, count in zip(KINDS, COUNTS, strict=True)]
    settlements = (
        *(Feature(f"{figure} stands here", 1) for figure in FIGURES),
        *(Feature(f"influence of {seat} on {figure}", MAX_INFLUENCE) for seat in seats for figure in FIGURES),
        Feature("empty land hexes beside it", MAX_LAND_AROUND),
        *(Feature(f"{figure} chosen as first figure of an exchange", 1) for figure in FIGURES),
    )
    land = (
        Feature("empty", 1),
        *(Feature(f"tile of {seat}", 1) for seat in seats),
        *(Feature(f"strength on {figure}", MAX_STRENGTH) for figure in FIGURES),
        Feature("can be lifted by its owner (figure tile or samurai)", 1),
    )
    sea = (
        Feature("empty", 1),
        *(Feature(f"ship of {seat}", 1) for seat in seats),
        Feature("strength", 2),
    )
    hand = tuple(Feature(f"{kind} in hand", count) for kind, count in counts)
    seat_features = (
        Feature("tiles in hand", TILES_A_SEAT),
        Feature("tiles in stock", TILES_A_SEAT),
        *(Feature(f"{kind} left, in hand or stock", count) for kind, count in counts),
        *(Feature(f"{figure} captured", supply) for figure in FIGURES),
    )
    turn = (
        *(Feature(f"phase {phase}", 1) for phase in PHASES),
        *(Feature(f"to move: {seat}", 1) for seat in seats),
        *(Feature(f"{kind} played in this turn", count) for kind, count in counts),
        *(Feature(f"{kind} lifted, to be laid next", 1) for kind in KINDS[:NUM_LIFTABLE]),
        Feature("a slow tile was played in this turn", 1),
        Feature("the game ends with this turn", 1),
        *(Feature(f"{figure} set aside", supply) for figure in FIGURES),
        Feature("captures are judged at the end of the turn", 1),
    )
    parts = (
        ("settlements", int(NUM_SETTLEMENTS[players]), settlements, True),
        ("land", int(NUM_LAND[players]), land, True),
        ("sea", int(NUM_SEA[players]), sea, True),
        ("hand", 1, hand, False),
        ("seats", players, seat_features, False),
        ("turn", 1, turn, False),
    )
    segments: list[Segment] = []
    start = 0
    for name, rows, features, by_feature in parts:
        segments.append(Segment(name, start, rows, features, by_feature))
        start += segments[-1].size
    return tuple(segments)


@cache
def size(players: int) -> int:
    """Return the length of the flat observation."""
    last = layout(players)[-1]
    return last.start + last.size


@cache
def highs(players: int) -> NDArray[np.int8]:
    """Return the largest value of each number of the observation, int8 of shape (size,); read-only."""
    parts = []
    for segment in layout(players):
        high = [feature.high for feature in segment.features]
        parts.append(np.repeat(high, segment.rows) if segment.by_feature else np.tile(high, segment.rows))
    array = np.concatenate(parts).astype(np.int8)
    array.flags.writeable = False
    return array


def split(observation: Any, players: int) -> dict[str, Any]:
    """Return the named parts of observations as shaped views, without copies.

    Args:
        observation: (..., size) of NumPy or torch, of any dtype.
        players: the number of players.

    Returns:
        "settlements" (..., 17 | 26 | 34, F), "land" (..., 30 | 43 | 56, F), "sea" (..., 44 | 64 | 84, F),
        "hand" (..., 17), "seats" (..., players, F), "turn" (..., F).

    Raises:
        ValueError: the last axis is not that of this number of players.
    """
    _check_size(observation, players)
    return {segment.name: segment.view(observation) for segment in layout(players)}


def _check_size(observation: Any, players: int) -> None:
    expected = size(players)
    if observation.shape[-1] != expected:
        raise ValueError(f"observation: last axis {observation.shape[-1]}; expected {expected} for {players} players")


@cache
def _plane_index(players: int) -> NDArray[np.int64]:
    """Return where each cell of the planes stands in the flat observation; `size` where there is nothing."""
    hexes = (*SETTLEMENTS, *LAND, *SEA)
    on_board = [h for h in hexes if h.min_players <= players]
    cells = {h: ((2 * h.r + h.q - NORTH) // 2, h.q - WEST) for h in on_board}
    top = min(row for row, _ in cells.values())
    left = min(column for _, column in cells.values())
    shape = tuple(max(axis) + 1 for axis in zip(*((r - top, c - left) for r, c in cells.values()), strict=True))
    planes = []
    for segment in layout(players):
        places = {"settlements": SETTLEMENTS, "land": LAND, "sea": SEA}.get(segment.name)
        index = segment.view(np.arange(size(players)))
        if places is None:
            planes += [np.full(shape, i) for i in index.ravel()]
            continue
        for feature in range(len(segment.features)):
            plane = np.full(shape, size(players))
            for place in range(segment.rows):
                row, column = cells[places[place]]
                plane[row - top, column - left] = index[place, feature]
            planes.append(plane)
    return np.stack(planes)


def planes_shape(players: int) -> tuple[int, int, int]:
    """Return the (channels, rows, columns) of `planes`."""
    channels, rows, columns = _plane_index(players).shape
    return channels, rows, columns


def planes(observation: Any, players: int) -> Any:
    """Return observations as (..., channels, rows, columns) for convolutions.

    A column is one q, two neighbouring columns are shifted by half a row. The features of settlements,
    land and sea stand at their hexes, 0 elsewhere; hand, seats and turn fill whole planes. The channels
    are in the order of `layout`.

    Args:
        observation: (..., size) of NumPy or torch, of any dtype.
        players: the number of players.

    Raises:
        ValueError: the last axis is not that of this number of players.
    """
    _check_size(observation, players)
    index = _plane_index(players)
    nowhere = index == size(players)
    if isinstance(observation, np.ndarray):
        result = observation[..., np.where(nowhere, 0, index)]
        result[..., nowhere] = 0
        return result
    import torch

    at = torch.from_numpy(np.where(nowhere, 0, index)).to(observation.device)
    return observation[..., at].masked_fill(torch.from_numpy(nowhere).to(observation.device), 0)


def observe(
    game: Game, seat: int, hide_captures: bool = False, obs_dtype: str = "int8"
) -> NDArray[np.int8] | NDArray[np.float32]:
    """Return what `seat` sees of a game, of shape (size,).

    Args:
        game: any game.
        seat: any seat of it, to move or not.
        hide_captures: with 3 or 4 players, show the others' captured figures as zeros.
        obs_dtype: "int8", or "float32" for the same scaled to [0, 1].

    Raises:
        ValueError: there is no such seat or dtype.
    """
    seat = whole("seat", seat, 0, game.players - 1)
    obs_dtype = choice("obs_dtype", obs_dtype, DTYPES)
    return observe_unchecked(game, seat, flag("hide_captures", hide_captures), obs_dtype)


def observe_unchecked(
    game: Game, seat: int, hide_captures: bool, obs_dtype: str
) -> NDArray[np.int8] | NDArray[np.float32]:
    """`observe` for arguments that are known to be right: the environments' inner loop."""
    out = np.empty(size(game.players), np.int8)
    encode_state(game._state, seat, hide_captures, out)
    return out if obs_dtype == "int8" else scale(out, game.players)


@cache
def box(players: int, obs_dtype: str) -> spaces.Box:
    """Return the space of the flat observation."""
    high = highs(players)
    if obs_dtype == "float32":
        return spaces.Box(0.0, 1.0, high.shape, np.float32)
    return spaces.Box(np.zeros_like(high), high, dtype=np.int8)


def scale(observation: NDArray[np.int8], players: int) -> NDArray[np.float32]:
    """Return int8 observations (..., size) scaled to [0, 1] as float32."""
    return np.divide(observation, highs(players), dtype=np.float32)

"""The board: a drawn map of Japan, and the tables that follow from it.

Hexes have axial coordinates (q, r), flat tops, Edo at (0, 0); east is growing q, south growing 2r + q.
The n-player board is a prefix of the hexes, and of the settlements, the land hexes and the sea hexes
among them, so an index means the same place at every number of players.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# A hex is two signs: what it is (~ sea, . land, v village, c city, E Edo), and the smallest number of
# players that use it. A column is one q, a row one 2r + q; the first row is 2r + q = -26.
MAP = """\
                            ~4
                          ~4  ~4
                            v4  ~4  ~4
                          ~4  .4  ~4  ~4
                            .4  ~4  v4
                          ~4  v4  .4  ~4
                        ~4  .4  .4  .4
                          v4  .4  v4  ~4
                        ~4  .4  .4  ~4
                          .4  c4  ~4
                        ~4  .4  .4
                          v4  .4  ~4
                        ~4  ~2  v4
                          ~2  ~2  ~4
                            v2  ~2
                          ~2  .2  ~2
                            .2  v2
                          ~2  .2  ~2
                            c2  .2
                          ~2  .2  ~2
                            .2  v2
                          ~2  .2  ~2
                        ~2  v2  ~2
                      ~2  .2  .2  ~2
                    ~2  v2  .2  v2
                      .2  .2  .2  ~2
                    ~2  .2  E2  .2
                  ~2  v2  .2  .2  ~2
                ~2  ~2  .2  .2  v2
              ~2  v2  .2  v2  ~2  ~2
            ~2  .2  .2  .2  ~2  ~2
          ~2  .2  .2  c2  ~2
        ~2  v2  v2  .2  ~2
          .2  .2  ~2  .2
        ~2  .2  ~2  v2  ~2
      ~3  v2  ~2  ~2  ~2
    ~3  ~2  ~2  v3  ~2
  ~3  v3  ~2  .3  .3
~3  .3  .3  v3  .3  ~3
  v3  .3  ~3  .3  v3
~3  .3  v3  .3  .3  ~3
  ~3  .3  ~3  v3  ~3
    v3  .3  ~3  ~3
  ~3  .3  ~3  ~3
    ~3  v3
      ~3  ~3
        ~3
"""
WEST, NORTH = -14, -26  # q of the first column, 2r + q of the first row

CAPACITY = {"v": 1, "c": 2, "E": 3}
DIRECTIONS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))


class Hex(NamedTuple):
    """One hex: axial coordinates, its sign on the map, and the smallest number of players that use it."""

    q: int
    r: int
    sign: str
    min_players: int

    @property
    def text(self) -> str:
        """The coordinates as they stand in actions and positions, as in `0,-4`."""
        return f"{self.q},{self.r}"

    @property
    def is_settlement(self) -> bool:
        """Whether this is a village, a city or Edo."""
        return self.sign in CAPACITY


def parse_map(text: str = MAP) -> tuple[Hex, ...]:
    """Return all hexes of the drawn map in the order of their ids: by players, then row, then column."""
    hexes = []
    for row, line in enumerate(text.splitlines()):
        for column in range(0, len(line), 2):
            sign, players = line[column], line[column + 1]
            if sign != " ":
                q = WEST + column // 2
                hexes.append(Hex(q, (NORTH + row - q) // 2, sign, int(players)))
    return tuple(sorted(hexes, key=lambda h: (h.min_players, 2 * h.r + h.q, h.q)))


HEXES = parse_map()
SETTLEMENTS = tuple(h for h in HEXES if h.is_settlement)
LAND = tuple(h for h in HEXES if h.sign == ".")
SEA = tuple(h for h in HEXES if h.sign == "~")
EDO = SETTLEMENTS.index(next(h for h in SETTLEMENTS if h.sign == "E"))

PLAYER_COUNTS = (2, 3, 4)
MAX_PLAYERS = max(PLAYER_COUNTS)
NO_SETTLEMENT = -1


def neighbours(place: Hex) -> set[tuple[int, int]]:
    """Return the coordinates of the six hexes around `place`, on the board or not."""
    return {(place.q + q, place.r + r) for q, r in DIRECTIONS}


def _per_players(hexes: tuple[Hex, ...]) -> np.ndarray:
    """Return how many of `hexes` are on the board of n players, at index n."""
    counts = [sum(h.min_players <= n for h in hexes) for n in range(MAX_PLAYERS + 1)]
    return np.array(counts, np.int64)


NUM_SETTLEMENTS = _per_players(SETTLEMENTS)  # 17, 26, 34 at index 2, 3, 4
NUM_LAND = _per_players(LAND)  # 30, 43, 56
NUM_SEA = _per_players(SEA)  # 44, 64, 84
MAX_SETTLEMENTS, MAX_LAND, MAX_SEA = len(SETTLEMENTS), len(LAND), len(SEA)


def _ends(hexes: tuple[Hex, ...], players: int) -> list[list[int]]:
    """Return for each hex the settlements beside it on the board of `players`, filled up to two."""
    ends = []
    for place in hexes:
        around = neighbours(place)
        beside = [i for i, h in enumerate(SETTLEMENTS) if (h.q, h.r) in around and h.min_players <= players]
        ends.append((beside + [NO_SETTLEMENT] * 2)[:2])
    return ends


# A land hex is an edge between two settlements, the same at every number of players that use it.
LAND_ENDS = np.array(_ends(LAND, MAX_PLAYERS), np.int64)  # (land, 2)
SEA_ENDS = np.array([_ends(SEA, n) for n in range(MAX_PLAYERS + 1)], np.int64)  # (players, sea, 2)
LAND_AROUND = np.bincount(LAND_ENDS.ravel(), minlength=MAX_SETTLEMENTS).astype(np.int8)  # (settlement,)
FIGURES_HELD = np.array([CAPACITY[h.sign] for h in SETTLEMENTS], np.int8)  # (settlement,)

# How many figures of each type there are for n players, at index n: every settlement gets its fill.
SUPPLY = np.array([FIGURES_HELD[:count].sum() // 3 for count in NUM_SETTLEMENTS], np.int64)

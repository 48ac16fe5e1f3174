"""The figure types and the 20 tiles of a player (17 kinds)."""

from __future__ import annotations

import numpy as np

FIGURES = ("helmet", "buddha", "rice")

# kind: (name, number, influence on helmet, Buddha, rice)
_TILES = (
    ("helmet-2", 1, (2, 0, 0)),
    ("helmet-3", 1, (3, 0, 0)),
    ("helmet-4", 1, (4, 0, 0)),
    ("buddha-2", 1, (0, 2, 0)),
    ("buddha-3", 1, (0, 3, 0)),
    ("buddha-4", 1, (0, 4, 0)),
    ("rice-2", 1, (0, 0, 2)),
    ("rice-3", 1, (0, 0, 3)),
    ("rice-4", 1, (0, 0, 4)),
    ("samurai-1", 2, (1, 1, 1)),
    ("samurai-2", 2, (2, 2, 2)),
    ("samurai-3", 1, (3, 3, 3)),
    ("ronin-1", 1, (1, 1, 1)),
    ("ship-1", 2, (1, 1, 1)),
    ("ship-2", 1, (2, 2, 2)),
    ("figure-exchange", 1, (0, 0, 0)),
    ("tile-exchange", 1, (0, 0, 0)),
)

KINDS = tuple(name for name, _, _ in _TILES)
NUM_FIGURES = len(FIGURES)
NUM_KINDS = len(KINDS)
COUNTS = np.array([number for _, number, _ in _TILES], np.int8)
STRENGTH = np.array([strength for _, _, strength in _TILES], np.int8)  # (kind, figure type)

RONIN = KINDS.index("ronin-1")
SHIP_1 = KINDS.index("ship-1")
SHIP_2 = KINDS.index("ship-2")
FIGURE_EXCHANGE = KINDS.index("figure-exchange")
TILE_EXCHANGE = KINDS.index("tile-exchange")

NUM_LAND_KINDS = RONIN + 1  # kinds 0 .. RONIN are laid on land
NUM_LIFTABLE = RONIN  # kinds 0 .. NUM_LIFTABLE - 1 (figure tiles and samurai) bear no Japanese character

FAST = np.array([name.startswith(("ronin", "ship", "figure-exchange")) for name in KINDS])

TILES_A_SEAT = int(COUNTS.sum())
HAND_SIZE = 5


def names(counts: np.ndarray) -> list[str]:
    """Return the names of the tiles in a hand or stock, (17,) counts."""
    return [kind for kind, count in zip(KINDS, counts, strict=True) for _ in range(count)]

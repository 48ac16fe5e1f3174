"""Actions: ids and texts, both ways.

The ids of one number of players, in contiguous blocks (the order within a block is that of the loops):

    hold KIND                17 kinds
    place|swap TYPE@Q,R      3 figure types x settlements
    KIND@Q,R                 13 land kinds x land hexes, then 2 kinds of ships x sea hexes
    lift@Q,R                 land hexes
    end
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from samurai_env.rules.board import (
    LAND,
    MAX_PLAYERS,
    NUM_LAND,
    NUM_SEA,
    NUM_SETTLEMENTS,
    SEA,
    SETTLEMENTS,
)
from samurai_env.rules.tiles import FIGURES, KINDS, NUM_FIGURES, NUM_KINDS, NUM_LAND_KINDS, SHIP_1, SHIP_2

# The first id of each block for n players, at index n.
HOLD = 0
PLACE = NUM_KINDS
LAY = PLACE + NUM_FIGURES * NUM_SETTLEMENTS
SHIP = LAY + NUM_LAND_KINDS * NUM_LAND
LIFT = SHIP + 2 * NUM_SEA
END = LIFT + NUM_LAND
NUM_ACTIONS = END + 1  # 577, 826, 1072 at index 2, 3, 4
MAX_ACTIONS = int(NUM_ACTIONS[MAX_PLAYERS])


def is_secret(action: Any) -> Any:
    """Whether only its own seat sees which tile an action takes; of an id or an array of them."""
    return action < PLACE


@cache
def texts(players: int) -> tuple[str, ...]:
    """Return the text of every action id; the place block as it reads in the draft."""
    settlements = [h.text for h in SETTLEMENTS[: NUM_SETTLEMENTS[players]]]
    land = [h.text for h in LAND[: NUM_LAND[players]]]
    sea = [h.text for h in SEA[: NUM_SEA[players]]]
    return (
        *(f"hold {kind}" for kind in KINDS),
        *(f"place {figure}@{hex_}" for figure in FIGURES for hex_ in settlements),
        *(f"{kind}@{hex_}" for kind in KINDS[:NUM_LAND_KINDS] for hex_ in land),
        *(f"{kind}@{hex_}" for kind in KINDS[SHIP_1 : SHIP_2 + 1] for hex_ in sea),
        *(f"lift@{hex_}" for hex_ in land),
        "end",
    )


@cache
def ids(players: int) -> dict[str, int]:
    """Return the id of every text; `place` and `swap` share theirs."""
    table = {text: i for i, text in enumerate(texts(players))}
    swaps = {as_swap(text): i for text, i in table.items() if text.startswith("place ")}
    return table | swaps


def as_swap(text: str) -> str:
    """Return a text of the place block as it reads in play."""
    return "swap " + text.removeprefix("place ")


def blocks(players: int) -> dict[str, tuple[int, int]]:
    """Return the first id and the size of each block."""
    starts = {
        "hold": HOLD,
        "place/swap": PLACE,
        "lay on land": LAY[players],
        "lay a ship": SHIP[players],
        "lift": LIFT[players],
        "end": END[players],
    }
    bounds = np.array([*starts.values(), NUM_ACTIONS[players]])
    return {
        name: (int(start), int(size)) for name, start, size in zip(starts, bounds[:-1], np.diff(bounds), strict=True)
    }

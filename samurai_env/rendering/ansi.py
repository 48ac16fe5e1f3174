"""The game as text for a terminal: the hex map, the tiles and figures on it, the seats, the turn."""

from __future__ import annotations

import numpy as np

from samurai_env.checks import whole
from samurai_env.rules import Game
from samurai_env.rules.board import (
    FIGURES_HELD,
    LAND,
    NUM_LAND,
    NUM_SEA,
    NUM_SETTLEMENTS,
    SEA,
    SETTLEMENTS,
    Hex,
)
from samurai_env.rules.state import NOBODY, NOTHING, OVER, fields
from samurai_env.rules.tiles import FIGURES, KINDS, SHIP_1, names

COLUMN = 4  # signs from one column of hexes to the next
FIGURE_SIGNS = "HBR"
TILE_SIGNS = {kind: kind[0] + kind[-1] for kind in KINDS} | {
    "samurai-1": "S1",
    "samurai-2": "S2",
    "samurai-3": "S3",
    "ronin-1": "n1",
    "ship-1": "~1",
    "ship-2": "~2",
    "figure-exchange": "fx",
    "tile-exchange": "tx",
}
LEGEND = (
    "(HBR) settlement with Helmet, Buddha, Rice   . land   ~ sea   0:h4 a tile of seat 0\n"
    "h b r figure tiles   S samurai   n ronin   ~1 ~2 ships   tx fx tile and figure exchange\n"
    "hex q,r: q above, 2r+q at the left"
)


def draw(game: Game, seat: int, hide_captures: bool = False) -> str:
    """Return a game as text, as `seat` sees it: its own hand, and of the others what is public.

    Args:
        game: any game.
        seat: the seat that looks on.
        hide_captures: with 3 or 4 players, hide the others' captured figures.

    Raises:
        ValueError: there is no such seat.
    """
    seat = whole("seat", seat, 0, game.players - 1)
    record = fields(game.state)
    lines = [_turn(game, record), "", *_map(record), "", LEGEND, ""]
    lines += [_seat(record, other, seat, hide_captures and game.players > 2) for other in range(game.players)]
    lines.append("set aside: " + _figures(record.set_aside))
    return "\n".join(lines) + "\n"


def _turn(game: Game, record: np.record) -> str:
    if record.phase == OVER:
        places = ", ".join(f"seat {seat} place {place}" for seat, place in enumerate(game.places))
        return f"The game is over: {places}"
    text = f"Phase {game.phase}: seat {record.mover} to act"
    if record.tiles_played:
        text += "; played " + ", ".join(names(record.played))
    if record.lifted != NOTHING:
        text += f"; lifted {KINDS[record.lifted]}, to be laid"
    if record.swap_figure != NOTHING:
        place = SETTLEMENTS[record.swap_settlement]
        text += f"; exchanges {FIGURES[record.swap_figure]}@{place.text}"
    return text + ("; the game ends with this turn" if record.last_turn else "")


def _figures(counts: np.ndarray) -> str:
    return "  ".join(f"{name} {count}" for name, count in zip(FIGURES, counts, strict=True))


def _seat(record: np.record, seat: int, viewer: int, hide_captures: bool) -> str:
    hand, stock = record.hands[seat], record.stocks[seat]
    is_own = seat == viewer
    shown = " ".join(names(hand)) if is_own else f"{hand.sum()} hidden"
    captured = "hidden" if hide_captures and not is_own else _figures(record.captured[seat])
    mark = ">" if seat == record.mover else " "
    return (
        f"{mark} seat {seat}{' (you)' if is_own else ''}: captured {captured} | hand {shown} | "
        f"stock {stock.sum()} | left {_left(hand + stock)}"
    )


def _left(counts: np.ndarray) -> str:
    """Return the tiles a seat still has in hand or stock, which is public, in short."""
    return " ".join(TILE_SIGNS[kind] for kind in names(counts)) or "none"


def _map(record: np.record) -> list[str]:
    """Return the lines of the map: a line is one 2r + q, a column one q."""
    cells = dict(_cells(record))
    columns = range(min(h.q for h in cells), max(h.q for h in cells) + 1)
    lines = {2 * h.r + h.q: [" " * COLUMN] * (len(columns) + 1) for h in cells}
    for place, text in cells.items():
        line = lines[2 * place.r + place.q]
        # A cell may run on into the next column, which is empty in its line.
        at = place.q - columns[0]
        padded = text.center(2 * COLUMN)
        line[at], line[at + 1] = padded[:COLUMN], padded[COLUMN:]
    header = " " * 5 + "".join(f"{q:^{2 * COLUMN}}" for q in columns[::2])
    footer = " " * (5 + COLUMN) + "".join(f"{q:^{2 * COLUMN}}" for q in columns[1::2])
    body = [f"{row:4} " + "".join(lines[row]).rstrip() for row in sorted(lines)]
    return [header.rstrip(), footer.rstrip(), *body]


def _cells(record: np.record) -> list[tuple[Hex, str]]:
    players = record.players
    cells = [(SETTLEMENTS[i], _settlement(record, i)) for i in range(NUM_SETTLEMENTS[players])]
    for i in range(NUM_LAND[players]):
        owner, kind = record.land_owner[i], record.land_kind[i]
        cells.append((LAND[i], "." if owner == NOBODY else f"{owner}:{TILE_SIGNS[KINDS[kind]]}"))
    for i in range(NUM_SEA[players]):
        owner, strength = record.sea_owner[i], record.sea_strength[i]
        kind = KINDS[SHIP_1 + strength - 1]
        cells.append((SEA[i], "~" if owner == NOBODY else f"{owner}:{TILE_SIGNS[kind]}"))
    return cells


def _settlement(record: np.record, settlement: int) -> str:
    signs = "".join(sign for sign, here in zip(FIGURE_SIGNS, record.figures[:, settlement], strict=True) if here)
    return f"({signs:^{FIGURES_HELD[settlement]}})"

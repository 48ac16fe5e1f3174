"""The record that is one game: everything, its random generator included, in one NumPy dtype.

A state is the bytes of one record, an int8 array of shape (STATE_SIZE,), and a batch of B games is one of
shape (B, STATE_SIZE): such arrays are copied and handed to compiled functions several times faster than
structured ones. The rules work on `record(state)`, whose fields have names. "Seat", "settlement", "land",
"sea", "figure" (type) and "kind" are indices throughout.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from samurai_env.compiled import inlined
from samurai_env.rules.bits import WORD, word_of, words_for
from samurai_env.rules.board import (
    LAND_AROUND,
    MAX_LAND,
    MAX_PLAYERS,
    MAX_SEA,
    MAX_SETTLEMENTS,
    NUM_LAND,
    NUM_SEA,
)
from samurai_env.rules.tiles import COUNTS, NUM_FIGURES, NUM_KINDS, TILES_A_SEAT

PHASES = ("hands", "figures", "play", "over")
HANDS, FIGURES_DRAFT, PLAY, OVER = range(4)
HANDS_OPTIONS = ("choose", "random")
FIGURES_OPTIONS = ("draft", "random")
CAPTURES_OPTIONS = ("immediate", "end_of_turn")
NOBODY = -1  # as a seat
OFF_BOARD = -2  # as a seat: the owner of the hexes that belong to larger boards only
NOTHING = -1  # as a kind, a figure type or a settlement

# A row of the board is filled up to whole vectors of 16 bytes, so that a loop over it is nothing but those.
SETTLEMENT_ROW, LAND_ROW, SEA_ROW = (-(-length // 16) * 16 for length in (MAX_SETTLEMENTS, MAX_LAND, MAX_SEA))
SEA_WORDS = words_for(MAX_SEA)


def record_type(fields: Any) -> np.dtype[Any]:
    """Return the type of aligned records with these fields, which plain Python, too, reaches as attributes."""
    return np.dtype((np.record, np.dtype(fields, align=True)))


STATE = np.dtype(
    (
        np.record,
        [
            ("generator", "<u4", (4,)),
            # What follows from the board, as sets of bits kept up to date: legal actions come from them.
            ("empty_land", "<u8"),
            ("empty_sea", "<u8", (SEA_WORDS,)),
            ("liftable", "<u8", (MAX_PLAYERS,)),  # land hexes where a seat has a figure tile or samurai
            ("standing", "<u8", (NUM_FIGURES,)),  # settlements where a figure of a type stands
            # The options of the game.
            ("players", "i1"),
            ("random_hands", "i1"),
            ("random_figures", "i1"),
            ("end_of_turn", "i1"),  # captures are judged at the end of the turn, not at once
            # Where the game stands.
            ("phase", "i1"),
            ("mover", "i1"),  # NOBODY when the game is over
            ("last_turn", "i1"),  # an end condition holds: the game ends with this turn
            # What was played in this turn.
            ("tiles_played", "i1"),
            ("slow_played", "i1"),
            ("lifted", "i1"),  # the kind that was lifted and must be laid next, or NOTHING
            ("swap_figure", "i1"),  # the first figure of a figure exchange under way, or NOTHING
            ("swap_settlement", "i1"),
            ("played", "i1", (NUM_KINDS,)),
            # The board. Influence and counts follow from the tiles and are kept up to date, too.
            ("figures", "i1", (NUM_FIGURES, SETTLEMENT_ROW)),  # 1 where such a figure stands
            ("on_board", "i1", (NUM_FIGURES,)),  # figures of each type on the board
            ("open_land", "i1", (SETTLEMENT_ROW,)),  # empty land hexes beside a settlement
            ("influence", "i1", (MAX_PLAYERS, NUM_FIGURES, SETTLEMENT_ROW)),
            ("land_owner", "i1", (LAND_ROW,)),  # a seat, NOBODY, or OFF_BOARD
            ("land_kind", "i1", (LAND_ROW,)),  # a kind or NOTHING
            ("land_strength", "i1", (NUM_FIGURES, LAND_ROW)),
            ("sea_owner", "i1", (SEA_ROW,)),
            ("sea_strength", "i1", (SEA_ROW,)),  # 1 or 2 where a ship lies
            # What the seats have.
            ("hands", "i1", (MAX_PLAYERS, NUM_KINDS)),
            ("stocks", "i1", (MAX_PLAYERS, NUM_KINDS)),
            ("hand_sizes", "i1", (MAX_PLAYERS,)),
            ("stock_sizes", "i1", (MAX_PLAYERS,)),
            ("captured", "i1", (MAX_PLAYERS, NUM_FIGURES)),
            ("set_aside", "i1", (NUM_FIGURES,)),
        ],
    )
)
STATE_SIZE = STATE.itemsize
OFFSETS = {name: int(field[1]) for name, field in (STATE.fields or {}).items()}  # to read a one-byte field of a state


def fields(state: np.ndarray) -> np.record:
    """Return the record of a state (int8, (STATE_SIZE,)), whose fields are views: writing changes it."""
    return state.view(STATE)[0]  # type: ignore[no-any-return]


record = inlined(fields)


@inlined
def seat_after(game, seat, steps):
    """Return the seat that is `steps` <= players places clockwise; without the division that `%` would be."""
    after = seat + steps
    return after - game.players if after >= game.players else after


def forget_turn(game):
    """Forget what was played in the turn before."""
    game.tiles_played = 0
    game.slow_played = 0
    game.lifted = NOTHING
    game.swap_figure = NOTHING
    game.swap_settlement = NOTHING
    for kind in range(NUM_KINDS):
        game.played[kind] = 0


clear_turn = inlined(forget_turn)


def new_state(players: int, hands: str, figures: str, captures: str) -> np.ndarray:
    """Return the state in which a game begins, int8 of shape (STATE_SIZE,): empty board, full stocks, no seed yet."""
    return _first_state(players, hands, figures, captures).copy()


@cache
def _first_state(players: int, hands: str, figures: str, captures: str) -> np.ndarray:
    state = np.zeros(STATE_SIZE, np.int8)
    game = fields(state)
    game.players = players
    game.random_hands = HANDS_OPTIONS.index(hands)
    game.random_figures = FIGURES_OPTIONS.index(figures)
    game.end_of_turn = CAPTURES_OPTIONS.index(captures)
    game.phase = HANDS
    game.mover = 0
    forget_turn(game)
    game.open_land[:MAX_SETTLEMENTS] = LAND_AROUND
    game.land_owner[:] = OFF_BOARD
    game.land_owner[: NUM_LAND[players]] = NOBODY
    game.land_kind[:] = NOTHING
    game.sea_owner[:] = OFF_BOARD
    game.sea_owner[: NUM_SEA[players]] = NOBODY
    game.empty_land = word_of(game.land_owner == NOBODY)
    for i in range(SEA_WORDS):
        game.empty_sea[i] = word_of(game.sea_owner[i * WORD : (i + 1) * WORD] == NOBODY)
    game.stocks[:players] = COUNTS
    game.stock_sizes[:players] = TILES_A_SEAT
    return state

"""The rules as Python calls them: functions of a state, the bytes of one record."""

from __future__ import annotations

import numpy as np

from samurai_env.compiled import entry_point
from samurai_env.generator import seed_words
from samurai_env.rules.determinize import determinize
from samurai_env.rules.legal import LEGAL_WORDS, write_legal, write_mask
from samurai_env.rules.placement import put_figure, put_on_land, put_on_sea
from samurai_env.rules.state import record
from samurai_env.rules.tiles import SHIP_1, TILE_EXCHANGE
from samurai_env.rules.turn import apply, settle, start


@entry_point
def start_state(state, low, high):
    """Begin a game that is as `new_state` made it."""
    start(record(state), low, high)


@entry_point
def settle_state(state):
    """Go on to the next decision."""
    settle(record(state))


@entry_point
def apply_to_state(state, action):
    """Play one legal action."""
    apply(record(state), action)


@entry_point
def mask_of_state(state, mask):
    """Write the action mask, int8 of shape (num_actions,), and return how many actions are legal."""
    legal = np.empty(LEGAL_WORDS, np.uint64)
    size = write_legal(record(state), legal)
    write_mask(legal, mask, 0, len(mask))
    return size


@entry_point
def determinize_state(state, seat, low, high):
    """Draw anew what `seat` cannot know."""
    determinize(record(state), seat, low, high)


@entry_point
def seed_state(state, low, high):
    """Set the generator by a seed."""
    seed_words(record(state).generator, low, high)


@entry_point
def put_figure_in_state(state, figure, settlement):
    """Put a figure on a settlement."""
    put_figure(record(state), figure, settlement)


@entry_point
def put_tile_in_state(state, seat, kind, place):
    """Put a tile of `seat` on a land hex, or a ship on a sea hex; the seat is the mover afterwards."""
    game = record(state)
    game.mover = seat
    if kind < SHIP_1 or kind == TILE_EXCHANGE:
        put_on_land(game, kind, place)
    else:
        put_on_sea(game, kind, place)

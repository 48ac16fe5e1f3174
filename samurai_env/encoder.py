"""The compiled encoder of observations; `samurai_env.observation.layout` names what it writes, in this order."""

from __future__ import annotations

import numpy as np

from samurai_env.compiled import entry_point, inlined
from samurai_env.rules.board import NUM_LAND, NUM_SEA, NUM_SETTLEMENTS
from samurai_env.rules.state import LAND_ROW, NOBODY, NOTHING, PHASES, SETTLEMENT_ROW, record, seat_after
from samurai_env.rules.tiles import NUM_FIGURES, NUM_KINDS, NUM_LIFTABLE

# These loops have the fixed length of a row of the record, and unsigned indices, which are not tested for
# negative ones: so they become a few vector instructions. They write beyond the row of a board; what follows in
# the array, and is written later, is longer than that.


@inlined
def _copy(out, at, row, length):
    """Copy `length` numbers to `out[at:]` and return where to go on."""
    start = np.uint64(at)
    for i in range(np.uint64(len(row))):
        out[start + i] = row[i]
    return at + length


@inlined
def _equal(out, at, row, length, value):
    """Write where `row` equals `value` and return where to go on."""
    start, byte = np.uint64(at), np.int8(value)  # bytes are compared many at once
    for i in range(np.uint64(len(row))):
        out[start + i] = row[i] == byte
    return at + length


@inlined
def encode(game, seat, hide_captures, out, first, size):
    """Write the observation of `seat` into `out[first : first + size]`, int8, in the order of `layout`."""
    at = _encode_settlements(game, seat, out, first)
    at = _encode_land(game, seat, out, at)
    at = _encode_sea(game, seat, out, at)
    at = _copy(out, at, game.hands[seat], NUM_KINDS)
    at = _encode_seats(game, seat, hide_captures and game.players > 2, out, at)
    _encode_turn(game, seat, out, at, first + size)


@inlined
def _encode_settlements(game, seat, out, at):
    players, settlements = game.players, NUM_SETTLEMENTS[game.players]
    for figure in range(NUM_FIGURES):
        at = _copy(out, at, game.figures[figure], settlements)
    for k in range(players):
        for figure in range(NUM_FIGURES):
            at = _copy(out, at, game.influence[seat_after(game, seat, k), figure], settlements)
    at = _copy(out, at, game.open_land, settlements)
    for figure in range(NUM_FIGURES):
        at = _encode_chosen(game, figure, out, at)
    return at


@inlined
def _encode_chosen(game, figure, out, at):
    """Write where the first figure of an exchange was chosen, if it is of this type."""
    start = np.uint64(at)
    for i in range(np.uint64(SETTLEMENT_ROW)):
        out[start + i] = 0
    if game.swap_figure == figure:
        out[at + game.swap_settlement] = 1
    return at + NUM_SETTLEMENTS[game.players]


@inlined
def _encode_land(game, seat, out, at):
    players, land = game.players, NUM_LAND[game.players]
    at = _equal(out, at, game.land_owner, land, NOBODY)
    for k in range(players):
        at = _equal(out, at, game.land_owner, land, seat_after(game, seat, k))
    for figure in range(NUM_FIGURES):
        at = _copy(out, at, game.land_strength[figure], land)
    start = np.uint64(at)
    for i in range(np.uint64(LAND_ROW)):
        out[start + i] = (game.land_kind[i] != NOTHING) & (game.land_kind[i] < NUM_LIFTABLE)
    return at + land


@inlined
def _encode_sea(game, seat, out, at):
    players, sea = game.players, NUM_SEA[game.players]
    at = _equal(out, at, game.sea_owner, sea, NOBODY)
    for k in range(players):
        at = _equal(out, at, game.sea_owner, sea, seat_after(game, seat, k))
    return _copy(out, at, game.sea_strength, sea)


@inlined
def _encode_seats(game, seat, hide_captures, out, at):
    for k in range(game.players):
        who = seat_after(game, seat, k)
        out[at] = game.hand_sizes[who]
        out[at + 1] = game.stock_sizes[who]
        start = np.uint64(at + 2)
        for kind in range(np.uint64(NUM_KINDS)):
            out[start + kind] = game.hands[who, kind] + game.stocks[who, kind]
        at += 2 + NUM_KINDS
        shown = k == 0 or not hide_captures
        for figure in range(NUM_FIGURES):
            out[at + figure] = game.captured[who, figure] * shown
        at += NUM_FIGURES
    return at


@inlined
def _encode_turn(game, seat, out, at, end):
    players = game.players
    for i in range(np.uint64(at), np.uint64(end)):
        out[i] = 0
    out[at + game.phase] = 1
    at += len(PHASES)
    if game.mover != NOBODY:
        out[at + seat_after(game, game.mover, players - seat)] = 1
    at = _copy(out, at + players, game.played, NUM_KINDS)
    if game.lifted != NOTHING:
        out[at + game.lifted] = 1
    at += NUM_LIFTABLE
    out[at] = game.slow_played
    out[at + 1] = game.last_turn
    at = _copy(out, at + 2, game.set_aside, NUM_FIGURES)
    out[at] = game.end_of_turn


@entry_point
def encode_state(state, seat, hide_captures, out):
    """Write the observation of `seat` into `out`, int8 of shape (size,)."""
    encode(record(state), seat, hide_captures, out, 0, len(out))

"""Setting up: the choice of the first hands and the draft of the figures."""

from __future__ import annotations

import numpy as np

from samurai_env.compiled import compiled, inlined
from samurai_env.generator import below
from samurai_env.rules.bits import NO_BITS, nth, popcount, word_of
from samurai_env.rules.board import EDO, FIGURES_HELD, NUM_SETTLEMENTS, SUPPLY
from samurai_env.rules.hands import refill, take
from samurai_env.rules.placement import put_figure
from samurai_env.rules.state import FIGURES_DRAFT, seat_after
from samurai_env.rules.tiles import HAND_SIZE, NUM_FIGURES

# The settlements that the draft fills on the board of n players, at index n; Edo gets its figures before.
VILLAGES, CITIES = (
    np.array([word_of(FIGURES_HELD[:count] == held) for count in NUM_SETTLEMENTS], np.uint64) for held in (1, 2)
)


@inlined
def hold(game, kind):
    """The seat takes one tile of its stock into its first hand."""
    take(game, game.mover, kind)


@inlined
def can_hold(game, kind):
    """Any five tiles may be chosen."""
    return game.stocks[game.mover, kind] > 0


@inlined
def chooses_hand(game):
    """Whether the mover still has a tile of his first hand to choose."""
    return game.hand_sizes[game.mover] < HAND_SIZE and game.stock_sizes[game.mover] > 0


@inlined
def next_hand(game):
    """One seat after the other chooses; the figures are placed when all have."""
    game.mover += 1
    if game.mover == game.players:
        begin_draft(game)


@compiled
def draw_hands(game):
    """Option: all first hands are drawn at random."""
    for seat in range(game.players):
        refill(game, seat)
    begin_draft(game)


@compiled
def begin_draft(game):
    """Edo gets one figure of each type; then the start player places the first figure."""
    game.phase = FIGURES_DRAFT
    game.mover = 0
    for figure in range(NUM_FIGURES):
        if not game.figures[figure, EDO]:  # a position made by hand may have them already
            put_figure(game, figure, EDO)


@inlined
def open_settlements(game):
    """Return the settlements that take figures now, as bits: cities (two figures) before villages (one)."""
    one, two, three = game.standing[0], game.standing[1], game.standing[2]
    cities = CITIES[game.players] & ~((one & two) | (one & three) | (two & three))
    return cities if cities != NO_BITS else VILLAGES[game.players] & ~(one | two | three)


@inlined
def placements(game, figure, settlements):
    """Return which of the open settlements can get a figure of a type: none gets two of one type."""
    if game.on_board[figure] >= SUPPLY[game.players]:
        return NO_BITS
    return settlements & ~game.standing[figure]


@inlined
def count_placements(game):
    """Return how many placements the draft allows now; at 0 it is over."""
    settlements, count = open_settlements(game), 0
    for figure in range(NUM_FIGURES):
        count += popcount(placements(game, figure, settlements))
    return count


@inlined
def place(game, figure, settlement):
    """The mover places a figure; the next clockwise goes on."""
    put_figure(game, figure, settlement)
    game.mover = seat_after(game, game.mover, 1)


@compiled
def place_at_random(game):
    """Option: the draft is played at random, each step uniform among the allowed placements."""
    settlements = open_settlements(game)
    skip = below(game.generator, count_placements(game))
    for figure in range(NUM_FIGURES):
        allowed = placements(game, figure, settlements)
        if skip < popcount(allowed):
            place(game, figure, nth(allowed, skip))
            return
        skip -= popcount(allowed)

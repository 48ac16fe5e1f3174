"""What is legal: which tiles can be played, and the set of legal actions."""

from __future__ import annotations

import numpy as np

from samurai_env.compiled import compiled, inlined
from samurai_env.generator import below
from samurai_env.rules.actions import END, HOLD, LAY, LIFT, MAX_ACTIONS, PLACE, SHIP
from samurai_env.rules.bits import NO_BITS, WORD, add, add_from, nth, popcount, spread, words_for
from samurai_env.rules.board import NUM_LAND, NUM_SEA, NUM_SETTLEMENTS
from samurai_env.rules.exchange import can_lift, can_swap, first_swaps, second_swaps
from samurai_env.rules.setup import can_hold, open_settlements, placements
from samurai_env.rules.state import FIGURES_DRAFT, HANDS, NOTHING, OVER, SEA_WORDS
from samurai_env.rules.tiles import (
    FAST,
    FIGURE_EXCHANGE,
    NUM_FIGURES,
    NUM_KINDS,
    NUM_LAND_KINDS,
    SHIP_1,
    SHIP_2,
    TILE_EXCHANGE,
)

LEGAL_WORDS = words_for(MAX_ACTIONS)
"""The words of a set of actions, for any number of players."""


@inlined
def can_play(game, kind):
    """Whether the mover holds a tile of this kind and can play it now: at most one slow tile a turn."""
    if game.hands[game.mover, kind] == 0 or (game.slow_played and not FAST[kind]):
        return False
    if kind == FIGURE_EXCHANGE:
        return can_swap(game)
    if kind == TILE_EXCHANGE:
        return can_lift(game)
    if kind >= SHIP_1:
        return has_empty_sea(game)
    return game.empty_land != NO_BITS


@inlined
def has_empty_sea(game):
    """Whether a ship can be laid anywhere."""
    for i in range(SEA_WORDS):
        if game.empty_sea[i] != NO_BITS:
            return True
    return False


@compiled
def can_play_any(game):
    """Whether the mover can play any tile now."""
    for kind in range(NUM_KINDS):
        if can_play(game, kind):
            return True
    return False


@inlined
def can_end(game):
    """A turn ends after at least one tile, and not in the middle of an exchange."""
    return game.tiles_played > 0 and game.lifted == NOTHING and game.swap_figure == NOTHING


@inlined
def write_legal(game, legal):
    """Write the set of the mover's legal actions into `legal`, uint64 of shape (LEGAL_WORDS,); return its size."""
    for i in range(LEGAL_WORDS):
        legal[i] = NO_BITS
    if game.phase == HANDS:
        for kind in range(NUM_KINDS):
            if can_hold(game, kind):
                add(legal, HOLD + kind)
    elif game.phase == FIGURES_DRAFT:
        settlements = open_settlements(game)
        for figure in range(NUM_FIGURES):
            _add_figures(game, legal, figure, placements(game, figure, settlements))
    elif game.phase != OVER:
        _add_plays(game, legal)
    size = 0
    for i in range(LEGAL_WORDS):
        size += popcount(legal[i])
    return size


@inlined
def _add_plays(game, legal):
    if game.lifted != NOTHING:
        _add_land(game, legal, game.lifted)
    elif game.swap_figure != NOTHING:
        for figure in range(NUM_FIGURES):
            _add_figures(game, legal, figure, second_swaps(game, figure))
    else:
        _add_tiles(game, legal)
        if can_end(game):
            add(legal, END[game.players])


@inlined
def _add_tiles(game, legal):
    for kind in range(NUM_KINDS):
        if can_play(game, kind):
            if kind < NUM_LAND_KINDS:
                _add_land(game, legal, kind)
            elif kind <= SHIP_2:
                _add_sea(game, legal, kind)
            elif kind == FIGURE_EXCHANGE:
                for figure in range(NUM_FIGURES):
                    _add_figures(game, legal, figure, first_swaps(game, figure))
            else:
                add_from(legal, LIFT[game.players], game.liftable[game.mover])


@inlined
def _add_figures(game, legal, figure, settlements):
    add_from(legal, PLACE + figure * NUM_SETTLEMENTS[game.players], settlements)


@inlined
def _add_land(game, legal, kind):
    add_from(legal, LAY[game.players] + kind * NUM_LAND[game.players], game.empty_land)


@inlined
def _add_sea(game, legal, kind):
    first = SHIP[game.players] + (kind - SHIP_1) * NUM_SEA[game.players]
    for i in range(SEA_WORDS):
        add_from(legal, first + i * WORD, game.empty_sea[i])


@inlined
def write_mask(legal, mask, first, length):
    """Write a set of actions as a mask, 1 for each of them and 0 elsewhere, into `mask[first : first + length]`, int8.

    `length` is the number of actions.
    """
    tail = length - WORD
    for i in range(tail // WORD + 1):
        spread(legal[i], mask, first + i * WORD)
    # The row does not end with a word: its last 64 places hold the ends of two.
    at, shift = tail // WORD, np.uint64(tail % WORD)
    ends = (legal[at] >> shift) | ((legal[at + 1] << np.uint64(1)) << (np.uint64(WORD - 1) - shift))
    spread(ends, mask, first + tail)


@inlined
def draw_legal(words, legal, size):
    """Return a uniformly drawn action of a set of `size` > 0 actions; `words` is the random generator."""
    skip = below(words, size)
    at = 0
    while skip >= popcount(legal[at]):
        skip -= popcount(legal[at])
        at += 1
    return at * WORD + nth(legal[at], skip)

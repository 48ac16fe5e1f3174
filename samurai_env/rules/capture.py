"""Capturing: who takes the figures of a surrounded settlement, and when that ends the game."""

from __future__ import annotations

from samurai_env.compiled import compiled, inlined
from samurai_env.rules.board import NUM_SETTLEMENTS
from samurai_env.rules.placement import take_figure
from samurai_env.rules.state import NOBODY
from samurai_env.rules.tiles import NUM_FIGURES

SET_ASIDE_LIMIT = 4


@inlined
def strongest(game, settlement, figure):
    """Return the seat with strictly the most influence on a figure, or NOBODY: a tie, or all have none."""
    most, seat_of_most = 0, NOBODY
    for seat in range(game.players):
        influence = game.influence[seat, figure, settlement]
        if influence > most:
            most, seat_of_most = influence, seat
        elif influence == most:
            seat_of_most = NOBODY
    return seat_of_most


@compiled
def judge(game, settlement):
    """Judge each figure of a surrounded settlement by itself: captured, or set aside."""
    for figure in range(NUM_FIGURES):
        if game.figures[figure, settlement]:
            take_figure(game, figure, settlement)
            seat = strongest(game, settlement, figure)
            if seat == NOBODY:
                game.set_aside[figure] += 1
                if game.set_aside[0] + game.set_aside[1] + game.set_aside[2] >= SET_ASIDE_LIMIT:
                    game.last_turn = 1
            else:
                game.captured[seat, figure] += 1
            if game.on_board[figure] == 0:
                game.last_turn = 1


@inlined
def judge_if_surrounded(game, settlement):
    """A settlement is surrounded when all its adjacent land hexes hold tiles; ships need not be there."""
    if game.open_land[settlement] == 0:
        judge(game, settlement)


@compiled
def judge_all_surrounded(game):
    """Judge every surrounded settlement; the order does not matter."""
    for settlement in range(NUM_SETTLEMENTS[game.players]):
        judge_if_surrounded(game, settlement)

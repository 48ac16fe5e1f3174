"""What is legal: which tiles can be played, and the action mask."""

from __future__ import annotations

import numpy as np

from samurai_env.compiled import compiled, inlined
from samurai_env.rules.actions import END, HOLD, LAY, LIFT, NUM_ACTIONS, PLACE, SHIP
from samurai_env.rules.board import NUM_LAND, NUM_SEA, NUM_SETTLEMENTS
from samurai_env.rules.exchange import can_lift, can_lift_at, can_swap, can_swap_first, can_swap_second
from samurai_env.rules.setup import can_hold, draft_capacity, has_room, has_supply
from samurai_env.rules.state import FIGURES_DRAFT, HANDS, LAND_ROW, NOBODY, NOTHING, OVER, PLAY, SEA_ROW
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


@compiled
def can_play(game, kind):
    """Whether the mover holds a tile of this kind and can play it now: at most one slow tile a turn."""
    if game.hands[game.mover, kind] == 0 or (game.slow_played and not FAST[kind]):
        return False
    if kind == FIGURE_EXCHANGE:
        return can_swap(game)
    if kind == TILE_EXCHANGE:
        return can_lift(game)
    if kind >= SHIP_1:
        return game.empty_sea > 0
    return game.empty_land > 0


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


@compiled
def is_legal(game, action):
    """Whether one action id, in range or not, is legal now: the same as its place in the mask."""
    players = game.players
    if action < 0 or action > END[players] or game.phase == OVER:
        return False
    if game.phase == HANDS:
        return action < PLACE and can_hold(game, action)
    if action < PLACE:
        return False
    if action < LAY[players]:
        figure, settlement = divmod(action - PLACE, NUM_SETTLEMENTS[players])
        return is_legal_figure(game, figure, settlement)
    return game.phase == PLAY and is_legal_play(game, action)


@compiled
def is_legal_figure(game, figure, settlement):
    """Whether a figure may be placed, or chosen for an exchange."""
    if game.phase == FIGURES_DRAFT:
        return has_supply(game, figure) and has_room(game, figure, settlement, draft_capacity(game))
    if game.lifted != NOTHING:
        return False
    if game.swap_figure != NOTHING:
        return can_swap_second(game, figure, settlement)
    return can_play(game, FIGURE_EXCHANGE) and can_swap_first(game, figure, settlement)


@compiled
def is_legal_play(game, action):
    """Whether a tile may be laid or lifted, or the turn ended."""
    players = game.players
    if game.swap_figure != NOTHING:
        return False
    if action < SHIP[players]:
        kind, land = divmod(action - LAY[players], NUM_LAND[players])
        may_lay = kind == game.lifted if game.lifted != NOTHING else can_play(game, kind)
        return may_lay and game.land_owner[land] == NOBODY
    if game.lifted != NOTHING:
        return False
    if action < LIFT[players]:
        ship, sea = divmod(action - SHIP[players], NUM_SEA[players])
        return can_play(game, SHIP_1 + ship) and game.sea_owner[sea] == NOBODY
    if action < END[players]:
        return can_play(game, TILE_EXCHANGE) and can_lift_at(game, action - LIFT[players])
    return can_end(game)


@inlined
def write_mask(game, mask):
    """Write 1 for each legal action of the mover and 0 elsewhere, and return how many there are.

    `mask` is int8 of shape (num_actions,).
    """
    for action in range(np.uint64(NUM_ACTIONS[game.players])):
        mask[action] = 0
    if game.phase == HANDS:
        return _write_kinds(game, mask)
    if game.phase == FIGURES_DRAFT:
        return _write_placements(game, mask)
    if game.phase != PLAY:
        return 0
    if game.lifted != NOTHING:
        return _write_land(game, mask, game.lifted)
    if game.swap_figure != NOTHING:
        return _write_second_swaps(game, mask)
    return _write_plays(game, mask)


@inlined
def _write_kinds(game, mask):
    count = 0
    for kind in range(NUM_KINDS):
        mask[HOLD + kind] = can_hold(game, kind)
        count += mask[HOLD + kind]
    return count


@inlined
def _write_placements(game, mask):
    capacity = draft_capacity(game)
    settlements = NUM_SETTLEMENTS[game.players]
    count = 0
    for figure in range(NUM_FIGURES):
        if has_supply(game, figure):
            start = np.uint64(PLACE + figure * settlements)
            for settlement in range(np.uint64(settlements)):
                mask[start + settlement] = has_room(game, figure, settlement, capacity)
                count += mask[start + settlement]
    return count


@inlined
def _write_plays(game, mask):
    count = 0
    for kind in range(NUM_LAND_KINDS):
        if can_play(game, kind):
            count += _write_land(game, mask, kind)
    for kind in range(SHIP_1, SHIP_2 + 1):
        if can_play(game, kind):
            count += _write_sea(game, mask, kind)
    if can_play(game, FIGURE_EXCHANGE):
        count += _write_first_swaps(game, mask)
    if can_play(game, TILE_EXCHANGE):
        count += _write_lifts(game, mask)
    if can_end(game):
        mask[END[game.players]] = 1
        count += 1
    return count


# A loop of a fixed length becomes a few vector instructions, one of a length that depends on the number of
# players does not. Hexes off the board are not empty, so what such a loop writes beyond its row are zeros; the rows
# are written in ascending order, and the next one then writes its own.


@inlined
def _write_land(game, mask, kind):
    start = np.uint64(LAY[game.players] + kind * NUM_LAND[game.players])
    for land in range(np.uint64(LAND_ROW)):
        mask[start + land] = game.land_owner[land] == NOBODY
    return int(game.empty_land)  # an int8 would run over where plain Python adds it up


@inlined
def _write_sea(game, mask, kind):
    start = np.uint64(SHIP[game.players] + (kind - SHIP_1) * NUM_SEA[game.players])
    # Beyond the row of ship-2 there are only the lifts, fewer than what a fixed length would write.
    length = np.uint64(SEA_ROW if kind == SHIP_1 else NUM_SEA[game.players])
    for sea in range(length):
        mask[start + sea] = game.sea_owner[sea] == NOBODY
    return int(game.empty_sea)


@inlined
def _write_first_swaps(game, mask):
    """A figure can be the first of an exchange if there is a second."""
    settlements = NUM_SETTLEMENTS[game.players]
    count = 0
    for figure in range(NUM_FIGURES):
        for settlement in range(settlements):
            if game.figures[figure, settlement] and can_swap_first(game, figure, settlement):
                mask[PLACE + figure * settlements + settlement] = 1
                count += 1
    return count


@inlined
def _write_second_swaps(game, mask):
    settlements = NUM_SETTLEMENTS[game.players]
    count = 0
    for figure in range(NUM_FIGURES):
        for settlement in range(settlements):
            if can_swap_second(game, figure, settlement):
                mask[PLACE + figure * settlements + settlement] = 1
                count += 1
    return count


@inlined
def _write_lifts(game, mask):
    count = 0
    for land in range(NUM_LAND[game.players]):
        if can_lift_at(game, land):
            mask[LIFT[game.players] + land] = 1
            count += 1
    return count

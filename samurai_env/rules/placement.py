"""Figures and tiles on the board, with the counts and the influence that follow kept up to date."""

from __future__ import annotations

from samurai_env.compiled import compiled, inlined
from samurai_env.rules.bits import WORD, bit
from samurai_env.rules.board import LAND_ENDS, NO_SETTLEMENT, SEA_ENDS
from samurai_env.rules.state import NOBODY, NOTHING
from samurai_env.rules.tiles import NUM_FIGURES, NUM_LIFTABLE, SHIP_1, STRENGTH


@inlined
def put_figure(game, figure, settlement):
    """Put a figure on a settlement."""
    game.figures[figure, settlement] = 1
    game.standing[figure] |= bit(settlement)
    game.on_board[figure] += 1


@inlined
def take_figure(game, figure, settlement):
    """Take a figure off a settlement."""
    game.figures[figure, settlement] = 0
    game.standing[figure] &= ~bit(settlement)
    game.on_board[figure] -= 1


@inlined
def add_influence(game, seat, settlement, kind, sign):
    """Add (sign 1) or take away (-1) the influence of one tile on one settlement."""
    for figure in range(NUM_FIGURES):
        game.influence[seat, figure, settlement] += sign * STRENGTH[kind, figure]


@compiled
def put_on_land(game, kind, land):
    """Put a tile of the mover on an empty land hex."""
    game.land_owner[land] = game.mover
    game.land_kind[land] = kind
    for figure in range(NUM_FIGURES):
        game.land_strength[figure, land] = STRENGTH[kind, figure]
    game.empty_land &= ~bit(land)
    if kind < NUM_LIFTABLE:
        game.liftable[game.mover] |= bit(land)
    for end in range(2):
        settlement = LAND_ENDS[land, end]
        game.open_land[settlement] -= 1
        add_influence(game, game.mover, settlement, kind, 1)


@compiled
def lift_off(game, land):
    """Take the mover's tile off a land hex."""
    for end in range(2):
        settlement = LAND_ENDS[land, end]
        game.open_land[settlement] += 1
        add_influence(game, game.mover, settlement, game.land_kind[land], -1)
    game.land_owner[land] = NOBODY
    game.land_kind[land] = NOTHING
    for figure in range(NUM_FIGURES):
        game.land_strength[figure, land] = 0
    game.empty_land |= bit(land)
    game.liftable[game.mover] &= ~bit(land)


@compiled
def put_on_sea(game, kind, sea):
    """Put a ship of the mover on an empty sea hex."""
    game.sea_owner[sea] = game.mover
    game.sea_strength[sea] = kind - SHIP_1 + 1
    game.empty_sea[sea // WORD] &= ~bit(sea % WORD)
    for end in range(2):
        settlement = SEA_ENDS[game.players, sea, end]
        if settlement != NO_SETTLEMENT:
            add_influence(game, game.mover, settlement, kind, 1)

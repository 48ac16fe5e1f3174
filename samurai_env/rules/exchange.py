"""The two exchange tiles: the swap of two figures, and the lift of one of one's own tiles."""

from __future__ import annotations

from samurai_env.compiled import compiled, inlined
from samurai_env.rules.board import NUM_LAND, NUM_SETTLEMENTS
from samurai_env.rules.hands import spend
from samurai_env.rules.placement import lift_off, put_figure, put_on_land, take_figure
from samurai_env.rules.state import NOTHING
from samurai_env.rules.tiles import FIGURE_EXCHANGE, NUM_FIGURES, NUM_LIFTABLE, TILE_EXCHANGE

# ------------------------------------------------------------------ figure exchange
# Two figures of different types from different settlements, neither of which may already hold the type
# it gets. A settlement that has type `figure` and lacks `other` can give the one for the other; two types
# can be swapped when there is a settlement of either sort.


@inlined
def gives(game, settlement, figure, other):
    """Whether a settlement can give its figure of one type for one of the other type."""
    return (game.figures[figure, settlement] == 1) & (game.figures[other, settlement] == 0)


@inlined
def any_gives(game, figure, other):
    """Whether any settlement can give `figure` for `other`."""
    for settlement in range(NUM_SETTLEMENTS[game.players]):
        if gives(game, settlement, figure, other):
            return True
    return False


@inlined
def can_swap_first(game, figure, settlement):
    """Whether a figure can be the first of an exchange: there must be a second."""
    for other in range(NUM_FIGURES):
        if other != figure and gives(game, settlement, figure, other) and any_gives(game, other, figure):
            return True
    return False


@inlined
def can_swap_second(game, figure, settlement):
    """Whether a figure can be swapped with the first one."""
    first = game.swap_figure
    return (
        figure != first and gives(game, settlement, figure, first) and gives(game, game.swap_settlement, first, figure)
    )


@compiled
def can_swap(game):
    """Whether the figure exchange has any effect on this board."""
    for figure in range(NUM_FIGURES):
        for other in range(figure):
            if any_gives(game, figure, other) and any_gives(game, other, figure):
                return True
    return False


@inlined
def swap(game, figure, settlement):
    """Choose the first figure of an exchange (the tile leaves the game), or the second and swap them."""
    if game.swap_figure == NOTHING:
        spend(game, FIGURE_EXCHANGE)
        game.swap_figure = figure
        game.swap_settlement = settlement
        return
    take_figure(game, figure, settlement)
    take_figure(game, game.swap_figure, game.swap_settlement)
    put_figure(game, figure, game.swap_settlement)
    put_figure(game, game.swap_figure, settlement)
    game.swap_figure = NOTHING
    game.swap_settlement = NOTHING


# ------------------------------------------------------------------ tile exchange


@inlined
def can_lift_at(game, land):
    """One's own figure tile or samurai can be lifted; never the ronin, a ship or another's tile."""
    return game.land_owner[land] == game.mover and game.land_kind[land] < NUM_LIFTABLE


@inlined
def can_lift(game):
    """The tile exchange needs a tile to lift and an empty land hex to lay it on."""
    if game.empty_land == 0:
        return False
    for land in range(NUM_LAND[game.players]):
        if can_lift_at(game, land):
            return True
    return False


@inlined
def lift(game, land):
    """Put the exchange tile in place of one's own tile, which must be laid next."""
    game.lifted = game.land_kind[land]
    lift_off(game, land)
    spend(game, TILE_EXCHANGE)
    put_on_land(game, TILE_EXCHANGE, land)

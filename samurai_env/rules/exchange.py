"""The two exchange tiles: the swap of two figures, and the lift of one of one's own tiles."""

from __future__ import annotations

from samurai_env.compiled import inlined
from samurai_env.rules.bits import NO_BITS, bit
from samurai_env.rules.hands import spend
from samurai_env.rules.placement import lift_off, put_figure, put_on_land, take_figure
from samurai_env.rules.state import NOTHING
from samurai_env.rules.tiles import FIGURE_EXCHANGE, NUM_FIGURES, TILE_EXCHANGE

# ------------------------------------------------------------------ figure exchange
# Two figures of different types from different settlements, neither of which may already hold the type
# it gets. A settlement that has type `figure` and lacks `other` can give the one for the other; two types
# can be swapped when there is a settlement of either sort.


@inlined
def gives(game, figure, other):
    """Return the settlements that can give a figure of one type for one of the other type, as bits."""
    return game.standing[figure] & ~game.standing[other]


@inlined
def first_swaps(game, figure):
    """Return the settlements whose figure of a type can be the first of an exchange: there must be a second."""
    settlements = NO_BITS
    for other in range(NUM_FIGURES):
        if other != figure and gives(game, other, figure) != NO_BITS:
            settlements |= gives(game, figure, other)
    return settlements


@inlined
def second_swaps(game, figure):
    """Return the settlements whose figure of a type can be swapped with the first one."""
    first = game.swap_figure
    if figure == first or gives(game, first, figure) & bit(game.swap_settlement) == NO_BITS:
        return NO_BITS
    return gives(game, figure, first)


@inlined
def can_swap(game):
    """Whether the figure exchange has any effect on this board."""
    for figure in range(NUM_FIGURES):
        if first_swaps(game, figure) != NO_BITS:
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
def can_lift(game):
    """The tile exchange needs a tile to lift (never the ronin, a ship or another's) and an empty land hex for it."""
    return game.empty_land != NO_BITS and game.liftable[game.mover] != NO_BITS


@inlined
def lift(game, land):
    """Put the exchange tile in place of one's own tile, which must be laid next."""
    game.lifted = game.land_kind[land]
    lift_off(game, land)
    spend(game, TILE_EXCHANGE)
    put_on_land(game, TILE_EXCHANGE, land)

"""Setting up: the choice of the first hands and the draft of the figures."""

from __future__ import annotations

from samurai_env.compiled import compiled, inlined
from samurai_env.generator import below
from samurai_env.rules.board import EDO, FIGURES_HELD, NUM_SETTLEMENTS, SUPPLY
from samurai_env.rules.hands import refill, take
from samurai_env.rules.placement import put_figure
from samurai_env.rules.state import FIGURES_DRAFT, seat_after
from samurai_env.rules.tiles import HAND_SIZE, NUM_FIGURES


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
def figures_on(game, settlement):
    """Return how many figures stand on a settlement."""
    return game.figures[0, settlement] + game.figures[1, settlement] + game.figures[2, settlement]


# `&` in place of `and` leaves no branches, so that loops over the settlements become vector instructions.


@inlined
def draft_capacity(game):
    """Return the size of the settlements that are filled now: cities (2) before villages (1), 0 when full."""
    size = 0
    for settlement in range(NUM_SETTLEMENTS[game.players]):
        held = FIGURES_HELD[settlement]
        is_open = (settlement != EDO) & (figures_on(game, settlement) < held)
        size = max(size, held * is_open)
    return size


@inlined
def has_supply(game, figure):
    """Whether there is a figure of this type left to place."""
    return game.on_board[figure] < SUPPLY[game.players]


@inlined
def has_room(game, figure, settlement, capacity):
    """No settlement gets two figures of one type; `capacity` is `draft_capacity` now."""
    return (
        (settlement != EDO)
        & (FIGURES_HELD[settlement] == capacity)
        & (figures_on(game, settlement) < capacity)
        & (game.figures[figure, settlement] == 0)
    )


@inlined
def count_placements(game, capacity):
    """Return how many placements the draft allows now; at 0 it is over."""
    count = 0
    for figure in range(NUM_FIGURES):
        if has_supply(game, figure):
            for settlement in range(NUM_SETTLEMENTS[game.players]):
                count += has_room(game, figure, settlement, capacity)
    return count


@inlined
def place(game, figure, settlement):
    """The mover places a figure; the next clockwise goes on."""
    put_figure(game, figure, settlement)
    game.mover = seat_after(game, game.mover, 1)


@compiled
def place_at_random(game):
    """Option: the draft is played at random, each step uniform among the allowed placements."""
    capacity = draft_capacity(game)
    skip = below(game.generator, count_placements(game, capacity))
    for figure in range(NUM_FIGURES):
        if has_supply(game, figure):
            for settlement in range(NUM_SETTLEMENTS[game.players]):
                skip -= has_room(game, figure, settlement, capacity)
                if skip < 0:
                    place(game, figure, settlement)
                    return

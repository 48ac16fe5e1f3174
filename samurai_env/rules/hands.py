"""Hands and stocks: taking tiles, drawing them at random, playing them."""

from __future__ import annotations

from samurai_env.compiled import compiled, inlined
from samurai_env.generator import below
from samurai_env.rules.tiles import FAST, HAND_SIZE, NUM_KINDS


@inlined
def take(game, seat, kind):
    """Move one tile from the stock to the hand."""
    game.stocks[seat, kind] -= 1
    game.stock_sizes[seat] -= 1
    game.hands[seat, kind] += 1
    game.hand_sizes[seat] += 1


@inlined
def draw(game, seat):
    """Move one tile from the stock to the hand, uniform among those there."""
    skip = below(game.generator, game.stock_sizes[seat])
    for kind in range(NUM_KINDS):
        skip -= game.stocks[seat, kind]
        if skip < 0:
            take(game, seat, kind)
            return


@compiled
def refill(game, seat):
    """Refill a hand to five at random from the stock; when that is out, play goes on with fewer."""
    while game.hand_sizes[seat] < HAND_SIZE and game.stock_sizes[seat] > 0:
        draw(game, seat)


@compiled
def draw_anew(game, seat):
    """Shuffle a hand into its stock and draw as many tiles again."""
    size = game.hand_sizes[seat]
    for kind in range(NUM_KINDS):
        game.stocks[seat, kind] += game.hands[seat, kind]
        game.hands[seat, kind] = 0
    game.stock_sizes[seat] += size
    game.hand_sizes[seat] = 0
    for _ in range(size):
        draw(game, seat)


@inlined
def spend(game, kind):
    """Take a tile out of the mover's hand and note that it was played in this turn."""
    game.hands[game.mover, kind] -= 1
    game.hand_sizes[game.mover] -= 1
    game.played[kind] += 1
    game.tiles_played += 1
    if not FAST[kind]:
        game.slow_played = 1

"""Hands and stocks: drawing tiles at random."""

from __future__ import annotations

from samurai_env.compiled import compiled
from samurai_env.generator import below
from samurai_env.rules.tiles import HAND_SIZE, NUM_KINDS


@compiled
def count_tiles(tiles):
    """Return the number of tiles in a hand or stock, (17,) counts."""
    total = 0
    for kind in range(NUM_KINDS):
        total += tiles[kind]
    return total


@compiled
def hand_size(game, seat):
    """Return how many tiles a seat holds."""
    return count_tiles(game.hands[seat])


@compiled
def draw(game, seat, stock_size):
    """Move one tile from the stock to the hand, uniform among the `stock_size` tiles there."""
    skip = below(game.generator, stock_size)
    for kind in range(NUM_KINDS):
        skip -= game.stocks[seat, kind]
        if skip < 0:
            game.stocks[seat, kind] -= 1
            game.hands[seat, kind] += 1
            return


@compiled
def refill(game, seat):
    """Refill a hand to five at random from the stock; when that is out, play goes on with fewer."""
    stock_size = count_tiles(game.stocks[seat])
    for _ in range(min(HAND_SIZE - hand_size(game, seat), stock_size)):
        draw(game, seat, stock_size)
        stock_size -= 1

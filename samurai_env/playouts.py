"""Random play from a position to the end of the game, many times over, compiled."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from samurai_env.checks import seed_in_range, whole
from samurai_env.compiled import entry_point, inlined
from samurai_env.generator import seed_words
from samurai_env.rules import Game
from samurai_env.rules.legal import LEGAL_WORDS, draw_legal, write_legal
from samurai_env.rules.state import OVER, record
from samurai_env.rules.turn import apply
from samurai_env.threads import in_parallel

_AHEAD = 4  # playouts that one thread does in the time that another takes to wake up


def random_playouts(game: Game, number: int, seed: int) -> NDArray[np.int64]:
    """Play a game to its end `number` times, every seat uniformly at random, on several threads.

    Each playout has draws of its own. The game is played as it is, hidden tiles included: hand in
    `game.determinize(seat, seed)` where a seat must not know them.

    Args:
        game: any game; it stays as it is.
        number: how many playouts.
        seed: from which all of them follow, whatever the number of threads.

    Returns:
        The figures that each seat captured, int64 of shape (number, players, 3); `rules.score` judges a row.

    Raises:
        ValueError: `number` is below 1 or `seed` out of [0, 2**64).
    """
    number = whole("number", number, 1, 2**31)
    seeds = np.random.SeedSequence(seed_in_range("seed", seed)).generate_state(2 * number)
    captured = np.empty((number, game.players, 3), np.int64)
    halves = seeds.astype(np.int64).reshape(number, 2)
    in_parallel(partial(_play_part, game.state.copy(), halves, captured), number, _AHEAD)
    return captured


@inlined
def play_out(game, legal, words):
    """Play a record to its end at random; `legal` is scratch memory, `words` the generator of the choices."""
    while game.phase != OVER:
        size = write_legal(game, legal)
        apply(game, draw_legal(words, legal, size))


@entry_point
def _play_part(state, seeds, captured, first, last):
    own = state.copy()
    game = record(own)
    legal = np.empty(LEGAL_WORDS, np.uint64)
    words = np.empty(4, np.uint32)
    for i in range(first, last):
        own[:] = state
        seed_words(game.generator, seeds[i, 1], seeds[i, 0])
        seed_words(words, seeds[i, 0], seeds[i, 1])
        play_out(game, legal, words)
        captured[i] = game.captured[: game.players]

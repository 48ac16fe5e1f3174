"""Games to test with."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from samurai_env.rules import Game

PLAYERS = (2, 3, 4)
OPTIONS = [
    {"players": players, "hands": hands, "figures": figures, "captures": captures}
    for players, hands, figures, captures in product(
        PLAYERS, ("choose", "random"), ("draft", "random"), ("immediate", "end_of_turn")
    )
]


def name(options: dict) -> str:
    return "-".join(str(value) for value in options.values())


def plies(seed: int, **options: object) -> Iterator[Game]:
    """Yield a game before its first action and after each; the actions are uniformly random."""
    generator = np.random.default_rng(seed)
    game = Game(seed=seed, **options)
    yield game
    while not game.is_over:
        game.apply(int(generator.choice(game.legal_actions())))
        yield game


def hide_anew(game: Game, seat: int, seed: int) -> Game:
    """Return the game with all that `seat` cannot see changed: others' hands, and the generator.

    Other hands are shuffled with their stocks, but for a mover whose turn would be over with the new hand.
    """
    generator = np.random.default_rng(seed)
    for _ in range(1000):
        position = game.to_dict()
        for other in range(game.players):
            if other != seat:
                tiles = position["hands"][other] + position["stocks"][other]
                size = len(position["hands"][other])
                shuffled = [tiles[i] for i in generator.permutation(len(tiles))]
                position["hands"][other], position["stocks"][other] = shuffled[:size], shuffled[size:]
        position["generator"] = generator.integers(2**32, size=4).tolist()
        changed = Game.from_dict(position)
        after = changed.to_dict()
        if all(after[key] == position[key] for key in ("to_move", "phase", "turn")):
            return changed
    raise AssertionError("no other hands fit")

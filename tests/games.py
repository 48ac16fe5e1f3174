"""Games to test with."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from samurai_env.agents import View
from samurai_env.rules import Game
from samurai_env.rules.board import LAND, LAND_AROUND, LAND_ENDS, SETTLEMENTS
from samurai_env.threads import MOST_THREADS, set_num_threads

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


def win_by_two_tiles() -> tuple[Game, set[str]]:
    """Return a game, won by two tiles of this turn and else lost, and texts of actions with which that begins.

    The last rice field has two empty hexes beside it: both filled now, it is won; one filled, it is lost.
    """
    settlement = next(i for i, h in enumerate(SETTLEMENTS) if h.sign == "v" and LAND_AROUND[i] >= 3)
    beside = [h.text for h, ends in zip(LAND, LAND_ENDS, strict=True) if settlement in ends and h.min_players == 2]
    game = Game.from_dict(
        {
            "players": 2,
            "to_move": 0,
            "figures": {SETTLEMENTS[settlement].text: ["rice"], "0,0": ["helmet", "buddha"]},
            "tiles": {at: {"seat": 0, "tile": "tile-exchange"} for at in beside[2:]},
            "captured": [[2, 2, 0], [2, 2, 0]],
            "hands": [["rice-2", "ronin-1", "helmet-2"], ["rice-4", "rice-3", "buddha-4"]],
        }
    )
    return game, {f"{tile}@{at}" for tile in ("rice-2", "ronin-1") for at in beside[:2]}


def analysed_twice(player: Any, game: Game) -> list[list[Any]]:
    """Return what a player finds when it analyses a game twice, from the same seed, on one thread and on all."""
    view, found = View(game, game.current_player), []
    try:
        for threads in (1, MOST_THREADS):
            set_num_threads(threads)
            player.reset(7)
            found.append([player.analyse(view), player.analyse(view)])
    finally:
        set_num_threads(MOST_THREADS)
    return found

"""One player among copies of another: python benchmarks/one_among.py search:1s greedy --seats 4 --games 40

As in a tournament each deal is played from every seat; here the other way round is left out, one greedy player
among three that search, which takes three times as long.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from samurai_env.agents import Player, make_player
from samurai_env.arena import Outcome, evaluate, wilson
from samurai_env.arena.workers import set_threads
from samurai_env.threads import MOST_THREADS


def among(player: Player, other: str, seats: int, games: int, **options: str) -> tuple[float, float, float]:
    """Return the share of wins of a player among others of a code, with its 95 % interval.

    Every deal is played from each seat, in as many processes as there are cores; `options` are those of the games.
    """
    deals = games // seats
    with ProcessPoolExecutor(MOST_THREADS, get_context("spawn")) as pool:
        parts = [pool.submit(_part, player, other, seats, seed, options) for seed in range(deals)]
        wins = sum(part.result().wins for part in parts)
    return wins / (deals * seats), *wilson(wins, deals * seats)


def _part(player: Player, other: str, seats: int, seed: int, options: dict[str, str]) -> Outcome:
    """Play one deal from each seat, on one thread."""
    set_threads(1, 1)
    return evaluate(player, [make_player(other) for _ in range(seats - 1)], seats, seed, **options)


def main() -> None:
    """Play and print the share of wins."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("player")
    parser.add_argument("other")
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--games", type=int, default=100, help="a multiple of the seats (default: 100)")
    given = parser.parse_args()
    share, low, high = among(make_player(given.player), given.other, given.seats, given.games)
    print(f"{given.player} among {given.seats - 1} of {given.other}: {share:.3f} ({low:.3f} to {high:.3f})")


if __name__ == "__main__":
    main()

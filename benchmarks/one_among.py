"""One player among copies of another: python benchmarks/one_among.py search:1s greedy --seats 4 --games 40

As in a tournament each deal is played from every seat; here the other way round is left out, one greedy player
among three that search, which takes three times as long.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from samurai_env.agents import make_player
from samurai_env.arena import Outcome, evaluate, wilson
from samurai_env.threads import MOST_THREADS, set_num_threads


def part(player: str, other: str, seats: int, games: int, seed: int) -> Outcome:
    """Play some of the games, on one thread."""
    set_num_threads(1)
    return evaluate(make_player(player), [make_player(other) for _ in range(seats - 1)], games, seed)


def main() -> None:
    """Play in as many processes as there are cores and print the share of wins."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("player")
    parser.add_argument("other")
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--games", type=int, default=100, help="a multiple of the seats (default: 100)")
    given = parser.parse_args()
    deals = given.games // given.seats
    with ProcessPoolExecutor(MOST_THREADS, get_context("spawn")) as pool:
        parts = [pool.submit(part, given.player, given.other, given.seats, given.seats, seed) for seed in range(deals)]
        outcomes = [one.result() for one in parts]
    wins, games = sum(one.wins for one in outcomes), deals * given.seats
    low, high = wilson(wins, games)
    print(f"{given.player} among {given.seats - 1} of {given.other}: {wins / games:.3f} ({low:.3f} to {high:.3f})")


if __name__ == "__main__":
    main()

"""Compare settings of the search player against the greedy player: python benchmarks/search_settings.py --games 100

Every variant plays the same deals from every seat, with the same number of iterations, or with --seconds the same
time. Hands and figures are dealt at random: before them every search plays to the end, whatever its settings.
docs/search.md shows what this printed.
"""

from __future__ import annotations

import argparse
from typing import Any

from one_among import among

from samurai_env.agents.search import SearchPlayer
from samurai_env.markdown import table

VARIANTS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "prior: uniform": {"prior": "uniform"},
    "playout: uniform, to the end": {"width": 1, "depth": 2**30},
    "playout: uniform, 8 decisions": {"width": 1},
    "playout: best of 2, to the end": {"width": 2, "depth": 2**30},
    "playout: best of 8": {"width": 8},
    "playout: none, judged at once": {"depth": 0},
    "playout: 4 decisions": {"depth": 4},
    "playout: 16 decisions": {"depth": 16},
    "temperature 0.02": {"temperature": 0.02},
    "temperature 0.1": {"temperature": 0.1},
    "exploration 0.25": {"exploration": 0.25},
    "exploration 1": {"exploration": 1.0},
    "3 places a tile": {"places": 3},
}


def main() -> None:
    """Play and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100, help="games of each variant (default: 100)")
    parser.add_argument("--seats", type=int, default=2, help="one searches, the others are greedy (default: 2)")
    parser.add_argument("--iterations", type=int, default=1000, help="of each decision (default: 1000)")
    parser.add_argument("--seconds", type=float, help="a decision, in place of iterations")
    parser.add_argument("--only", default="", help="a part of the variants' names")
    given = parser.parse_args()
    budget = {"iterations": given.iterations} if given.seconds is None else {"seconds": given.seconds}
    rows = []
    for name, options in VARIANTS.items():
        if given.only in name:
            share, low, high = among(
                SearchPlayer(**budget, **options), "greedy", given.seats, given.games, hands="random", figures="random"
            )
            rows.append([name, f"{share:.3f}", f"{low:.3f} to {high:.3f}"])
            print(rows[-1], flush=True)
    print(table(["variant", "share of wins", "95 % interval"], rows))


if __name__ == "__main__":
    main()

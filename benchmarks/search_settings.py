"""Compare settings of the search player against the greedy player: python benchmarks/search_settings.py --games 100

Every variant plays the same deals from every seat, with the same number of iterations, or with --seconds the same
time. docs/search.md shows what this printed.
"""

from __future__ import annotations

import argparse
from typing import Any

from samurai_env.agents import make_player
from samurai_env.agents.search import SearchPlayer
from samurai_env.arena import tournament
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
    parser.add_argument("--iterations", type=int, default=1000, help="of each decision (default: 1000)")
    parser.add_argument("--seconds", type=float, help="a decision, in place of iterations")
    parser.add_argument("--only", default="", help="a part of the variants' names")
    given = parser.parse_args()
    budget = {"iterations": given.iterations} if given.seconds is None else {"seconds": given.seconds}
    rows = []
    for name, options in VARIANTS.items():
        if given.only in name:
            players = {"variant": SearchPlayer(**budget, **options), "greedy": make_player("greedy")}
            results = tournament(players, games=given.games, seats=2)
            line = next(one for one in results.standings if one.player == "variant")
            interval = f"{line.share_low:.3f} to {line.share_high:.3f}"
            rows.append([name, f"{line.share:.3f}", interval, f"{line.milliseconds:.1f}"])
            print(rows[-1], flush=True)
    print(table(["variant", "share of wins", "95 % interval", "ms/decision"], rows))


if __name__ == "__main__":
    main()

"""Players: one protocol, and codes that name them wherever players are named.

random          uniform over the legal actions
greedy          looks one decision ahead
search:400      searches, 400 iterations a decision
search:2.5s     searches, 2.5 seconds a decision
policy:PATH     a trained policy, a file that training/selfplay.py wrote
"""

from __future__ import annotations

from typing import Any

from samurai_env.agents.base import Player, View
from samurai_env.agents.random import RandomPlayer

__all__ = ["Player", "RandomPlayer", "View", "make_player"]

CODES = ("random", "greedy", "search:ITERATIONS", "search:SECONDSs", "policy:PATH")


def make_player(code: str) -> Player:
    """Return a new player for a code.

    Raises:
        ValueError: there is no such code, or its file cannot be used.
    """
    name, _, argument = code.partition(":")
    if code == "random":
        return RandomPlayer()
    if code == "greedy":
        from samurai_env.agents.greedy import GreedyPlayer

        return GreedyPlayer()
    if name == "search":
        from samurai_env.agents.search import SearchPlayer

        return SearchPlayer(**_budget(code, argument))
    if name == "policy" and argument:
        from samurai_env.agents.policy import PolicyPlayer

        return PolicyPlayer.load(argument)
    raise ValueError(f"player {code!r}: no such code; known are {', '.join(CODES)}")


def _budget(code: str, argument: str) -> dict[str, Any]:
    """Return the budget of a search: "400" iterations, or "2.5s"."""
    try:
        return {"seconds": float(argument[:-1])} if argument.endswith("s") else {"iterations": int(argument)}
    except ValueError:
        raise ValueError(
            f"player {code!r}: expected search:ITERATIONS, as in search:400, or search:SECONDSs, as in search:2.5s"
        ) from None

"""Players: one protocol, and codes that name them wherever players are named.

random          uniform over the legal actions
greedy          looks one decision ahead
policy:PATH     a trained policy, a file that training/selfplay.py wrote
"""

from __future__ import annotations

from samurai_env.agents.base import Player, View
from samurai_env.agents.random import RandomPlayer

__all__ = ["Player", "RandomPlayer", "View", "make_player"]

CODES = ("random", "greedy", "policy:PATH")


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
    if name == "policy" and argument:
        from samurai_env.agents.policy import PolicyPlayer

        return PolicyPlayer.load(argument)
    raise ValueError(f"player {code!r}: no such code; known are {', '.join(CODES)}")

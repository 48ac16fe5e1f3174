"""Players: one protocol, and codes that name them wherever players are named.

random              uniform over the legal actions
greedy              looks one decision ahead
rollout:8           tries actions in 8 deals, everybody going on as the greedy player
search:400          searches, 400 iterations a decision
search:2.5s         searches, 2.5 seconds a decision
policy:PATH         a trained policy, a file that training/selfplay.py wrote
policy:pretrained   the trained policy that comes with the package

search:400:policy:pretrained, and the like, searches with a trained policy in place of playouts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samurai_env.agents.base import Player, View
from samurai_env.agents.random import RandomPlayer

if TYPE_CHECKING:
    from samurai_env.agents.policy import PolicyPlayer, PretrainedPlayer

__all__ = ["Player", "RandomPlayer", "View", "make_player", "pretrained"]

CODES = (
    "random",
    "greedy",
    "rollout:DEALS",
    "search:ITERATIONS",
    "search:SECONDSs",
    "policy:PATH",
    "policy:pretrained",
    "search:BUDGET:policy:PATH",
)


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
    if name == "rollout":
        from samurai_env.agents.rollout import RolloutPlayer

        return RolloutPlayer(_deals(code, argument))
    if name == "search":
        from samurai_env.agents.search import SearchPlayer

        budget, colon, judge = argument.partition(":")
        options = _budget(code, budget)
        if colon:
            from samurai_env.agents.policy import PolicyJudge

            options["judge"] = PolicyJudge(_policy(code, judge))
        return SearchPlayer(**options)
    if name == "policy":
        return _policy(code, code)
    raise ValueError(f"player {code!r}: no such code; known are {', '.join(CODES)}")


def pretrained(players: int = 2) -> PolicyPlayer:
    """Return the trained policy that comes with the package. It needs torch, and nothing else of the training.

    It is stronger than the greedy player: with 2 players by far, with 3 or 4 by a little; see docs/training.md.

    Args:
        players: the number of players of its games.

    Raises:
        ValueError: Samurai is not played by so many.
    """
    from samurai_env.agents.policy import load_pretrained

    return load_pretrained(players)


def _policy(code: str, policy: str) -> PolicyPlayer | PretrainedPlayer:
    """Return the policy of "policy:PATH" or "policy:pretrained", which stands in `code`."""
    name, _, argument = policy.partition(":")
    if name != "policy" or not argument:
        raise ValueError(f"player {code!r}: {policy!r}; expected policy:PATH or policy:pretrained")
    from samurai_env.agents.policy import PolicyPlayer, PretrainedPlayer

    return PretrainedPlayer() if argument == "pretrained" else PolicyPlayer.load(argument)


def _deals(code: str, argument: str) -> int:
    """Return the number of deals of "rollout:8"."""
    try:
        return int(argument)
    except ValueError:
        raise ValueError(f"player {code!r}: expected rollout:DEALS, as in rollout:8") from None


def _budget(code: str, argument: str) -> dict[str, Any]:
    """Return the budget of a search: "400" iterations, or "2.5s"."""
    try:
        return {"seconds": float(argument[:-1])} if argument.endswith("s") else {"iterations": int(argument)}
    except ValueError:
        raise ValueError(
            f"player {code!r}: expected search:ITERATIONS, as in search:400, or search:SECONDSs, as in search:2.5s"
        ) from None

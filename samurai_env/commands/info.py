"""`samurai info`: versions, machine, spaces, and what actions and observations mean."""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable, Sequence

import samurai_env
from samurai_env.checks import choice
from samurai_env.commands import tables
from samurai_env.commands.machine import machine, versions
from samurai_env.rules.board import PLAYER_COUNTS

PACKAGES = ("numpy", "numba", "gymnasium", "pettingzoo", "torch", "stable_baselines3", "sb3_contrib", "tqdm", "pygame")


def prepare(given: argparse.Namespace) -> Callable[[], None]:
    """Check what was given and return what prints it."""
    players = PLAYER_COUNTS if given.players is None else (choice("players", given.players, PLAYER_COUNTS),)
    page = PAGES[choice("page", given.page, tuple(PAGES))]
    return lambda: print(page(players), end="")


def overview(players: Sequence[int]) -> str:
    """Return versions, machine, spaces, the blocks of actions and the segments of the observation."""
    parts = [
        f"samurai-env {samurai_env.__version__}\n{versions(PACKAGES)}\n{machine()}; {platform.platform()}\n\n",
        tables.spaces(players),
    ]
    for number in players:
        parts += [f"\n## {number} players: actions\n\n", tables.action_blocks(number, aligned=True)]
        parts += [f"\n## {number} players: observation\n\n", tables.segments(number, aligned=True)]
    return "".join(parts)


PAGES: dict[str, Callable[[Sequence[int]], str]] = {
    "overview": overview,
    "actions": tables.actions,
    "observation": tables.observation,
}

"""`samurai tournament`: a round robin that can be interrupted."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path

from samurai_env.arena.plan import Plan, named
from samurai_env.arena.round_robin import LOG, Tournament
from samurai_env.commands.progress import progress_bar

RUNS = Path("runs")


def prepare(given: argparse.Namespace) -> Callable[[], None]:
    """Check what was given and return what plays the tournament."""
    options = {"hands": given.hands, "figures": given.figures, "captures": given.captures}
    plan = Plan(named(given.players), given.seats, given.games, given.seed, given.tables, options)
    folder = default_folder(plan) if given.out is None else Path(given.out)
    tournament = Tournament(plan, folder, given.processes)
    return lambda: run(tournament, folder)


def default_folder(plan: Plan) -> Path:
    """Return a folder that only this tournament has, so that the same command finds its games again."""
    return RUNS / f"tournament-{hashlib.sha256(json.dumps(plan.header()).encode()).hexdigest()[:8]}"


def run(tournament: Tournament, folder: Path) -> None:
    """Play what is missing and print the results."""
    total = tournament.plan.total
    if tournament.played:
        say(f"{len(tournament.played):,} of {total:,} games are in {folder / LOG} already")
    try:
        results = tournament.play(progress_bar("games"))
    except KeyboardInterrupt:
        kept = (folder / LOG).read_bytes().count(b"\n") - 1  # without the header
        raise KeyboardInterrupt(
            f"; {kept:,} of {total:,} games are in {folder / LOG}; the same command goes on from there"
        ) from None
    print(results)
    say(f"Written to {folder}: {LOG}, standings.csv, tables.csv, results.json")


def say(text: str) -> None:
    """Print to stderr what is not a result."""
    print(text, file=sys.stderr)

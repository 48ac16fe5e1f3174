"""Measure how strong the policies of a run are: python training/evaluate.py runs/ppo"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

if __package__ in (None, ""):  # run as a script: its folder is on the path, the repository is not
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from matplotlib.figure import Figure
from torch.utils.tensorboard import SummaryWriter
from tqdm import tqdm

from samurai_env.checks import whole
from samurai_env.files import write_text, write_whole
from samurai_env.markdown import table
from training.checkpoint import load_checkpoint
from training.config import Config
from training.curves import draw
from training.evaluation import HEADER, row
from training.league import Entrant, Match, Rating, entrants, of_last, pairings, play_pair, ratings
from training.run import CHECKPOINT, LOG, own_config

OPPONENTS = ("random", "greedy", "search:100", "search:400")
FOLDER = "evaluation"


def play_league(players: Sequence[Entrant], games: int, config: Config, progress_bar: bool) -> list[Match]:
    """Play all matches of a league."""
    pairs = pairings(players)
    with tqdm(total=len(pairs), unit=" matches", disable=not progress_bar) as bar:
        matches = []
        for pair in pairs:
            bar.set_description(f"{pair[0].name} against {pair[1].name}")
            matches.append(play_pair(pair, games, config))
            bar.update()
    return matches


def page(matches: Sequence[Match], points: Sequence[Rating], seats: int) -> str:
    """Return the tables in Markdown: the last policy against everybody, and the Elo points of all."""
    rows = [row(match.player, match.against, match.outcome) for match in of_last(matches)]
    games = matches[0].outcome.games
    rated = [
        [rating.name, f"{rating.elo:+.0f}", f"{rating.low:+.0f} to {rating.high:+.0f}"]
        for rating in sorted(points, key=lambda rating: -rating.elo)
    ]
    return "\n".join(
        [
            f"Share of wins over {games} games each, seats rotated; {1 / seats:.2f} is even.",
            "",
            table(HEADER, rows),
            f"Elo points from all {games * len(matches):,} games; 400 are a tenfold strength, the mean is 0.",
            "",
            table(("player", "Elo", "95 % interval"), rated),
        ]
    )


def write(folder: Path, matches: Sequence[Match], points: Sequence[Rating], text: str, figure: Figure) -> None:
    """Write the tables as Markdown and CSV, and the curves as PNG and for TensorBoard."""
    out = folder / FOLDER
    out.mkdir(exist_ok=True)
    write_text(out / "evaluation.md", text)
    fields = ("player", "against", "games", "wins", "share", "low", "high", "worst_seat")
    write_text(out / "matches.csv", _csv(fields, [_match_row(match) for match in matches]))
    write_text(out / "ratings.csv", _csv(Rating._fields, points))
    write_whole(out / "curves.png", lambda file: figure.savefig(file, format="png", dpi=110))
    with SummaryWriter(str(folder / "tensorboard_evaluation")) as writer:
        for rating in points:
            if rating.steps is not None:
                writer.add_scalar("evaluation/elo", rating.elo, rating.steps)
        last = max(rating.steps or 0 for rating in points)
        for match in of_last(matches):
            writer.add_scalar(f"evaluation/{match.against}", match.outcome.rate, last)
        writer.add_figure("curves", figure, last, close=False)


def _match_row(match: Match) -> tuple[Any, ...]:
    outcome = match.outcome
    return match.player, match.against, outcome.games, outcome.wins, outcome.rate, *outcome.interval, outcome.worst_seat


def _csv(fields: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(fields)
    writer.writerows(rows)
    return text.getvalue()


def evaluate(folder: Path, games: int, codes: Sequence[str], number: int, progress_bar: bool) -> str:
    """Evaluate a run, write everything below its folder, and return the tables.

    Raises:
        ValueError: it is no run's folder, or a number is out of range.
        OSError: something cannot be written.
    """
    games, number = whole("games", games, 1, 10**7), whole("checkpoints", number, 0, 1000)
    config = own_config(folder)
    steps = load_checkpoint(folder / CHECKPOINT)["model"]["steps"]
    players, refused = entrants(config, folder, steps, codes, number)
    for line in refused:
        print(f"evaluate.py: {line}", file=sys.stderr)
    matches = play_league(players, games, config, progress_bar)
    points = ratings(players, matches, config.game.players)
    text = page(matches, points, config.game.players)
    write(folder, matches, points, text, draw(folder / LOG, points, 1 / config.game.players))
    return text


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(description="Measure how strong the policies of a run are.")
    parser.add_argument("run", type=Path, metavar="RUN", help="the run's folder, as runs/ppo")
    parser.add_argument("--games", type=int, default=200, metavar="N", help="games of each match")
    parser.add_argument("--opponents", nargs="*", default=OPPONENTS, metavar="CODE", help="players beside the run's")
    parser.add_argument("--checkpoints", type=int, default=6, metavar="N", help="how many past policies play")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    given: Any = parser.parse_args(arguments)
    try:
        print(evaluate(given.run, given.games, given.opponents, given.checkpoints, not given.quiet))
    except (ValueError, OSError) as error:
        print(f"evaluate.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What a tournament shows: standings, results by table, and the files they are written to."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from samurai_env.arena.games import wilson
from samurai_env.arena.log import Played
from samurai_env.arena.plan import Plan
from samurai_env.arena.ratings import Floats, rate
from samurai_env.markdown import table
from samurai_env.rules.tiles import FIGURES


@dataclass(frozen=True)
class Standing:
    """How one player did in a tournament. A game counts for each of the seats that the player held in it."""

    player: str
    games: int
    wins: float
    """Games won; a victory shared by k counts 1/k."""
    share: float
    """The share of wins; 1/seats is even."""
    share_low: float
    share_high: float
    """The 95 % interval of the share of wins (Wilson 1927)."""
    shared: int
    """Victories that were shared."""
    helmet: float
    buddha: float
    rice: float
    figures: float
    """Captured figures a game, of each type and in all."""
    milliseconds: float
    """The mean time of a decision."""
    elo: float
    elo_low: float
    elo_high: float
    """Elo points and their 95 % interval; see `samurai_env.arena.ratings`."""


@dataclass(frozen=True)
class AtTable:
    """How one player did at one table."""

    table: int
    player: str
    seats: int
    against: str
    games: int
    wins: float
    share: float
    """The share of wins of all the player's seats; seats / the table's seats is even."""
    share_low: float
    share_high: float


@dataclass(frozen=True)
class Results:
    """The results of a tournament; printing them shows the tables.

    `standings` and `tables` are dataclasses of plain numbers: `pandas.DataFrame(results.standings)` is a table.
    """

    plan: Plan
    standings: list[Standing]
    """A player each, the best first."""
    tables: list[AtTable]
    """A table and player each."""
    games: list[Played]
    """All games, in the order of the plan."""

    def __str__(self) -> str:
        even = f"{1 / self.plan.seats:.3g}"
        # Of two players at a table, the second's share is the rest.
        shown = [line for line in self.tables if self.plan.tables == "mixed" or _is_first(self.plan, line)]
        return "\n".join(
            [
                f"{len(self.games):,} games, {self.plan.seats} seats; a share of wins of {even} is even.",
                "",
                table(_HEADER, [_cells(line) for line in self.standings], aligned=True),
                table(_TABLE_HEADER, [_table_cells(line) for line in shown], aligned=True),
            ]
        )

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Write standings.csv, tables.csv and results.json into a folder, each whole or not at all.

        Raises:
            OSError: it cannot be written to.
        """
        rows = [asdict(line) for line in self.standings]
        table_rows = [asdict(line) for line in self.tables]
        content = {"tournament": self.plan.header(), "standings": rows, "tables": table_rows}
        _write(Path(folder, "standings.csv"), _csv(rows))
        _write(Path(folder, "tables.csv"), _csv(table_rows))
        _write(Path(folder, "results.json"), json.dumps(content, indent=2) + "\n")


def results(plan: Plan, played: Mapping[tuple[int, int, int], Played], samples: int) -> Results:
    """Return the results of all games of a plan, in whatever order they were played."""
    games = [played[fixture.key] for fixture in plan.fixtures()]
    names = list(plan.players)
    copies = np.array([[seating.count(name) for name in names] for seating in plan.seatings], np.float64)
    wins = _wins(plan, games, names)
    elo, intervals = rate(copies, wins, samples)
    lines = [_standing(name, games, elo[i], intervals[i]) for i, name in enumerate(names)]
    lines.sort(key=lambda line: -line.elo)
    return Results(plan, lines, _tables(plan, names, copies, wins.sum(0)), games)


def _wins(plan: Plan, games: Sequence[Played], names: list[str]) -> Floats:
    """Return how often each player won in each deal at each table, (deals, tables, players)."""
    wins = np.zeros((plan.deals, len(plan.seatings), len(names)))
    for game in games:
        for seat, name in enumerate(game.seating):
            wins[game.deal, game.table, names.index(name)] += _won(game, seat)
    return wins


def _won(game: Played, seat: int) -> float:
    return (game.places[seat] == 1) / game.places.count(1)


def _standing(name: str, games: Sequence[Played], elo: float, interval: Floats) -> Standing:
    seats = [(game, seat) for game in games for seat, other in enumerate(game.seating) if other == name]
    wins = sum(_won(game, seat) for game, seat in seats)
    low, high = wilson(wins, len(seats))
    captured = np.mean([game.captured[seat] for game, seat in seats], axis=0).tolist()
    decisions = sum(game.decisions[seat] for game, seat in seats)
    return Standing(
        name,
        len(seats),
        wins,
        share=wins / len(seats),
        share_low=low,
        share_high=high,
        shared=sum(0 < _won(game, seat) < 1 for game, seat in seats),
        **dict(zip(FIGURES, captured, strict=True)),
        figures=sum(captured),
        milliseconds=1000 * sum(game.seconds[seat] for game, seat in seats) / decisions,
        elo=float(elo),
        elo_low=float(interval[0]),
        elo_high=float(interval[1]),
    )


def _tables(plan: Plan, names: list[str], copies: Floats, wins: Floats) -> list[AtTable]:
    lines = []
    for number, seating in enumerate(plan.seatings):
        for name in dict.fromkeys(seating):
            player = names.index(name)
            others = " ".join(other for other in seating if other != name)
            won = float(wins[number, player])
            share = won / plan.games, *wilson(won, plan.games)
            seats = int(copies[number, player])
            lines.append(AtTable(number, name, seats, others, plan.games, won, *share))
    return lines


# ------------------------------------------------------------------ as text

_HEADER = (
    *("player", "games", "wins", "share", "95 % interval", "shared", *FIGURES, "figures"),
    *("ms/decision", "Elo", "95 % interval"),
)
_TABLE_HEADER = ("player", "against", "games", "wins", "share", "95 % interval")


def _is_first(plan: Plan, line: AtTable) -> bool:
    return plan.seatings[line.table][0] == line.player


def _cells(line: Standing) -> list[object]:
    captured = [f"{number:.2f}" for number in (line.helmet, line.buddha, line.rice, line.figures)]
    return [
        line.player,
        line.games,
        f"{line.wins:,.1f}",
        f"{line.share:.3f}",
        f"{line.share_low:.3f} to {line.share_high:.3f}",
        line.shared,
        *captured,
        f"{line.milliseconds:.2f}",
        f"{line.elo:+.0f}",
        f"{line.elo_low:+.0f} to {line.elo_high:+.0f}",
    ]


def _table_cells(line: AtTable) -> list[object]:
    interval = f"{line.share_low:.3f} to {line.share_high:.3f}"
    return [line.player, line.against, line.games, f"{line.wins:,.1f}", f"{line.share:.3f}", interval]


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _write(path: Path, content: str) -> None:
    """Write a file, whole or not at all."""
    unfinished = path.with_name(path.name + ".tmp")
    unfinished.write_text(content, encoding="utf-8")
    os.replace(unfinished, path)

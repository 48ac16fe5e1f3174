"""Learning curves as a picture."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from training.league import Rating

Points = list[tuple[float, float]]
_LOSSES = {
    "entropy_loss": ("entropy", -1),
    "value_loss": ("value loss", 1),
    "explained_variance": ("explained variance", 1),
}
_AGAINST = "against "
_ELO_SHOWN = 600  # points below the best: nearly always beaten by it


def read_log(path: Path) -> dict[str, Points]:
    """Return the columns of a run's log, each a list of (million steps, value) where it has one."""
    columns: dict[str, Points] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for name, value in row.items():
                if value:
                    columns.setdefault(name, []).append((int(row["steps"]) / 1e6, float(value)))
    return columns


def draw(log: Path, ratings: Sequence[Rating], even: float) -> Figure:
    """Return a picture of the wins during training, the Elo points over the run where there are any, and the losses.

    Args:
        log: the run's log.
        ratings: the ratings of the policies of the run and of other players.
        even: the share of wins of equal players.
    """
    columns = read_log(log)
    figure = Figure(figsize=(12, 7), layout="constrained")
    axes = figure.subplot_mosaic([["wins", "wins", "elo"], [*_LOSSES]] if ratings else [["wins"] * 3, [*_LOSSES]])
    _draw_wins(axes["wins"], columns, even)
    if ratings:
        _draw_elo(axes["elo"], ratings)
    for name, (title, sign) in _LOSSES.items():
        axes[name].plot(*_columns(columns.get(name, []), sign), linewidth=1)
        axes[name].set_title(title, fontsize=10)
    for each in axes.values():
        each.set_xlabel("million decisions", fontsize=9)
        each.grid(alpha=0.3)
    return figure


def _columns(points: Points, sign: int = 1) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [sign * y for _, y in points]


def _draw_wins(axes: Axes, columns: dict[str, Points], even: float) -> None:
    for name, points in columns.items():
        if name.startswith(_AGAINST):
            axes.plot(*_columns(points), marker="o", markersize=3, linewidth=1.2, label=name.removeprefix(_AGAINST))
    axes.axhline(even, color="grey", linewidth=1, linestyle=":", label="even")
    axes.set_ylim(-0.02, 1.02)
    axes.set_title("share of wins in the short evaluations, against", fontsize=10)
    axes.legend(fontsize=9)


def _draw_elo(axes: Axes, ratings: Sequence[Rating]) -> None:
    """Draw the policies as a curve with intervals, and everybody else as a level; who is far below is out of sight."""
    policies = [rating for rating in ratings if rating.steps is not None]
    steps, elo = _columns([((rating.steps or 0) / 1e6, rating.elo) for rating in policies])
    below = [rating.elo - rating.low for rating in policies]
    above = [rating.high - rating.elo for rating in policies]
    axes.errorbar(steps, elo, (below, above), marker="o", markersize=3, linewidth=1.2, capsize=2, label="policy")
    best = max(rating.elo for rating in ratings)
    shown = [rating for rating in ratings if rating.elo > best - _ELO_SHOWN]
    for i, rating in enumerate(shown):
        if rating.steps is None:
            axes.axhline(rating.elo, color=f"C{i + 1}", linewidth=1, linestyle="--", label=rating.name)
    axes.set_ylim(min(rating.low for rating in shown) - 20, max(rating.high for rating in shown) + 20)
    axes.legend(fontsize=8, loc="lower right")
    axes.set_title("Elo", fontsize=10)

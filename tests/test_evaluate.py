"""Evaluation of a run: who plays whom, the tables, and what is written."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from training.config import load_config
from training.curves import draw, read_log
from training.evaluate import main
from training.league import LAST, Entrant, Match, pairings, ratings, spread
from training.matches import outcome, rotated
from training.players import RandomBatch
from training.run import LOG, Run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    overrides = ["game.players=3", "ppo.total_steps=2048", "evaluation.every=2", "evaluation.short_games=6"]
    run = Run.begin(load_config("configs/smoke.yaml", overrides), tmp_path_factory.mktemp("runs"))
    run.train()
    return run


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_run_is_evaluated(run, capsys):
    arguments = [str(run.folder), "--games", "5", "--opponents", "random", "nobody", "--checkpoints", "2", "--quiet"]
    assert main(arguments) == 0
    output = capsys.readouterr()
    assert output.err.startswith("evaluate.py: nobody is left out: player 'nobody': no such code")
    out = run.folder / "evaluation"
    assert (out / "evaluation.md").read_text() == output.out.removesuffix("\n")
    assert "| policy | random |" in output.out
    assert "Share of wins over 6 games each, seats rotated; 0.33 is even." in output.out  # 6: every deal from each seat
    assert (out / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert list((run.folder / "tensorboard_evaluation").glob("events*"))
    rated = rows(out / "ratings.csv")
    assert [line["name"] for line in rated][:2] == ["untrained", "random"]
    assert rated[-1]["name"] == LAST
    assert rated[-1]["steps"] == str(run.model.num_timesteps)
    assert sum(float(line["elo"]) for line in rated) == pytest.approx(0, abs=1e-6)
    played = rows(out / "matches.csv")
    assert len(played) == len(rated) * (len(rated) - 1) / 2
    before = (out / "matches.csv").read_bytes()
    assert main(arguments) == 0
    assert (out / "matches.csv").read_bytes() == before  # the seeds are fixed


def test_a_folder_that_is_no_run(tmp_path, capsys):
    assert main([str(tmp_path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("option", ["--games", "--checkpoints"])
def test_numbers_out_of_range(run, option, capsys):
    assert main([str(run.folder), option, "-1", "--quiet"]) == 2
    assert "-1; expected a whole number" in capsys.readouterr().err


def test_it_runs_as_a_script():
    command = [sys.executable, "training/evaluate.py", "--help"]
    assert "--opponents" in subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_who_plays_whom():
    names = ["untrained", "greedy", "search:100", "1.00 M", LAST]
    players = [Entrant(name, RandomBatch(), is_slow=name.startswith("search")) for name in names]
    pairs = {(a.name, b.name) for a, b in pairings(players)}
    assert (LAST, "search:100") in pairs
    assert ("1.00 M", "greedy") in pairs
    assert {a for a, b in pairs if b == "search:100"} == {LAST}
    assert "search:100" not in {a for a, _ in pairs}
    assert all(a != b for a, b in pairs)


def test_policies_are_spread_over_the_run():
    paths = [Path(str(i)) for i in range(10)]
    assert [path.name for path in spread(paths, 3)] == ["2", "6", "9"]
    assert spread(paths, 20) == paths
    assert spread(paths, 0) == []


def test_ratings_follow_from_wins():
    """Three of four wins are 191 points; with three seats, half of the wins alone among two are twice the strength."""
    for seats, share, points in ((2, 0.75, 190.8), (3, 0.5, 120.4)):
        seatings = rotated(3000, seats)
        shares = np.where(seatings == 0, share, (1 - share) / (seats - 1))
        wins = np.tile([[share * seats, (1 - share) * seats]], (3000 // seats, 1))
        players = [Entrant("a", RandomBatch()), Entrant("b", RandomBatch())]
        found = ratings(players, [Match("a", "b", outcome(shares, seatings), wins)], seats)
        assert found[0].elo - found[1].elo == pytest.approx(points, abs=1)
        assert found[0].low < found[0].elo < found[0].high


def test_the_log_is_drawn(run):
    columns = read_log(run.folder / LOG)
    assert len(columns["value_loss"]) == run.model.updates
    assert [at for at, _ in columns["against random"]] == [at for at, _ in columns["value_loss"]][1::2]
    assert len(draw(run.folder / LOG, [], 0.5).axes) == 4

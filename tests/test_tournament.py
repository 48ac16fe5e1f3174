"""Tournaments: fair to equal players, the same however they are played, and never played twice."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samurai_env.agents import RandomPlayer
from samurai_env.agents.networks import Network
from samurai_env.agents.policy import PolicyPlayer
from samurai_env.arena import Plan, tournament
from samurai_env.arena.log import GamesLog, Played
from samurai_env.arena.plan import named
from samurai_env.arena.ratings import ELO, elo, fit, rate
from samurai_env.arena.round_robin import LOG, Tournament
from samurai_env.rules import IllegalActionError

OPTIONS = {"hands": "random", "figures": "random", "captures": "immediate"}
THREE = {"a": "random", "b": "random", "c": "random"}
FIVE = dict.fromkeys("abcde", "random")


def plan(players=THREE, seats=2, games=12, seed=0, tables="pairs"):
    return Plan(named(players), seats, games, seed, tables, OPTIONS)


def without_times(results):
    """Return all that a tournament shows, but for the time that its players took."""
    standings = [replace(line, milliseconds=0.0) for line in results.standings]
    return standings, results.tables, [replace(game, seconds=[]) for game in results.games]


def interrupted_after(number):
    """Return a progress that is interrupted after a number of games."""

    def progress(games):
        yield from islice(games, number)
        raise KeyboardInterrupt

    return progress


# ------------------------------------------------------------------ what is played


@pytest.mark.parametrize(
    ("seats", "tables", "expected"),
    [
        (2, "pairs", ["ab", "ac", "bc"]),
        (2, "mixed", ["ab", "ac", "bc"]),
        (3, "pairs", ["abb", "baa", "acc", "caa", "bcc", "cbb"]),
        (3, "mixed", ["abc"]),
        (4, "pairs", ["abbb", "baaa", "accc", "caaa", "bccc", "cbbb"]),
    ],
)
def test_tables(seats, tables, expected):
    found = plan(seats=seats, games=12, tables=tables)
    assert ["".join(seating) for seating in found.seatings] == expected
    assert found.total == 12 * len(expected) == len(list(found.fixtures()))


@pytest.mark.parametrize(("seats", "tables"), [(2, "pairs"), (3, "pairs"), (4, "pairs"), (4, "mixed")])
def test_every_deal_is_played_in_every_rotation_and_at_every_table(seats, tables):
    found = plan(FIVE, seats, 2 * seats, tables=tables)
    by_deal = {}
    for fixture in found.fixtures():
        by_deal.setdefault((fixture.table, fixture.seed), []).append(fixture.seating)
    assert len(by_deal) == 2 * len(found.seatings)
    assert len({seed for _, seed in by_deal}) == 2
    for (table, _), seatings in by_deal.items():
        first = seatings[0]
        assert sorted(seatings) == sorted(first[i:] + first[:i] for i in range(seats))
        assert sorted(first) == sorted(found.seatings[table])


def test_different_players_sit_in_every_cyclic_order():
    found = plan(FIVE, 4, 24, tables="mixed")
    orders = {fixture.seating for fixture in found.fixtures() if fixture.table == 0}
    assert len(orders) == 24


def test_a_further_player_changes_no_game_of_the_others():
    def games(players):
        return {(fixture.seating, fixture.deal): fixture.player_seed for fixture in plan(players, 3).fixtures()}

    few, many = games(THREE), games(FIVE)
    assert few.items() <= many.items()
    assert len(set(many.values())) == len(many)


def test_names_and_codes():
    assert named(["greedy", "mine=policy:runs/a=b.pt", "policy:runs/a=b.pt"]) == {
        "greedy": "greedy",
        "mine": "policy:runs/a=b.pt",
        "policy:runs/a=b.pt": "policy:runs/a=b.pt",
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"players": ["random"]}, "players: 1; expected at least 2"),
        ({"players": ["random", "random"]}, "'random' is there twice"),
        ({"players": ["random", "best"]}, "player 'best': no such code"),
        ({"players": THREE, "seats": 4, "games": 4, "tables": "mixed"}, "players: 3; expected at least 4"),
        ({"seats": 5}, "seats: 5; expected one of 2, 3, 4"),
        ({"games": 0}, "games: 0; expected a whole number from 1"),
        ({"games": 3}, "games: 3; expected a multiple of 2"),
        ({"games": 2.0}, "games: 2.0; expected a whole number"),
        ({"seed": -1}, "seed: -1"),
        ({"tables": "all"}, "tables: 'all'; expected one of 'pairs', 'mixed'"),
        ({"hands": "open"}, "hands: 'open'"),
        ({"processes": 0}, "processes: 0"),
    ],
)
def test_what_is_wrong_is_named(change, message):
    with pytest.raises(ValueError, match=message):
        tournament(**{"players": ["random", "greedy"], "games": 2, "processes": 1, **change})


class First(RandomPlayer):
    """Plays the first legal action."""

    def act(self, view):
        return int(view.legal_actions[0])


class Wrong(RandomPlayer):
    """Plays an action that is not legal, but where it is tried."""

    acted = 0

    def act(self, view):
        Wrong.acted += 1
        return super().act(view) if Wrong.acted < 3 else int(np.flatnonzero(view.action_mask == 0)[0])


def test_players_may_be_objects():
    results = tournament({"first": First(), "random": "random"}, games=4, processes=1, samples=10, **OPTIONS)
    assert {line.player for line in results.standings} == {"first", "random"}


def test_an_illegal_action_names_the_player():
    with pytest.raises(IllegalActionError, match="player 'wrong': illegal action"):
        tournament({"wrong": Wrong(), "random": "random"}, games=2, processes=1)


def test_a_policy_for_other_games_is_named():
    policy = PolicyPlayer(Network(2, "flat", width=4, rounds=1))
    with pytest.raises(ValueError, match="player 'net': policy for 2 players in a game of 3"):
        tournament({"net": policy, "random": "random"}, games=3, seats=3, processes=1)


def test_what_cannot_go_to_other_processes_is_named():
    class Local(RandomPlayer):
        pass

    with pytest.raises(ValueError, match="player 'local': cannot go to other processes"):
        tournament({"local": Local(), "random": "random"}, games=2, processes=2)


# ------------------------------------------------------------------ what comes out


@pytest.mark.parametrize(("code", "seats", "games"), [("random", 2, 400), ("greedy", 3, 120), ("random", 4, 200)])
def test_equal_players_come_out_equal(code, seats, games):
    results = tournament([f"a={code}", f"b={code}"], games, seats, seed=5, processes=1)
    for line in results.standings:
        assert line.share_low < 1 / seats < line.share_high
        assert line.elo_low < 0 < line.elo_high


def test_the_numbers_are_those_of_the_games():
    results = tournament(["greedy", "random"], games=12, seats=3, processes=1, samples=10, **OPTIONS)
    assert sum(line.wins for line in results.standings) == pytest.approx(24)
    assert sum(line.games for line in results.standings) == 3 * 24
    greedy, random = results.standings
    assert (greedy.player, random.player) == ("greedy", "random")
    assert greedy.elo == pytest.approx(-random.elo)
    games = [(game, seat) for game in results.games for seat in range(3) if game.seating[seat] == "greedy"]
    captured = np.mean([game.captured[seat] for game, seat in games], axis=0)
    assert [greedy.helmet, greedy.buddha, greedy.rice] == pytest.approx(captured)
    assert greedy.figures == pytest.approx(captured.sum())
    shared = [game for game, seat in games if game.places[seat] == 1 and game.places.count(1) > 1]
    assert greedy.shared == len(shared)
    assert greedy.milliseconds > 0
    alone, many = (line for line in results.tables if line.player == "greedy")
    assert (alone.seats, alone.against, many.seats, many.against) == (1, "random random", 2, "random")


def test_one_and_two_processes_give_the_same(tmp_path):
    file = tmp_path / "policy.pt"
    PolicyPlayer(Network(2, "flat", width=8, rounds=1)).save(file)
    players = ["greedy", "random", f"net=policy:{file}"]
    one, two = (tournament(players, games=4, seed=5, processes=number, samples=10) for number in (1, 2))
    assert without_times(one) == without_times(two)


def test_files(tmp_path):
    results = tournament(["greedy", "x=random"], games=4, processes=1, out=tmp_path, samples=10, **OPTIONS)
    assert {path.name for path in tmp_path.iterdir()} == {LOG, "standings.csv", "tables.csv", "results.json"}
    with (tmp_path / "standings.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows == [{key: str(value) for key, value in asdict(line).items()} for line in results.standings]
    with (tmp_path / "tables.csv").open(encoding="utf-8", newline="") as file:
        assert [row["player"] for row in csv.DictReader(file)] == ["greedy", "x"]
    content = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert content["tournament"]["players"] == {"greedy": "greedy", "x": "random"}
    assert content["tournament"]["hands"] == "random"
    assert content["standings"] == [asdict(line) for line in results.standings]
    for text in ("greedy", "x", "95 % interval", "4 games, 2 seats; a share of wins of 0.5 is even"):
        assert text in str(results)


# ------------------------------------------------------------------ interruption


def play_into(folder, progress=iter, **change):
    arguments = {"players": ["a=random", "b=random", "c=random"], "games": 8, "processes": 1, "samples": 10, **OPTIONS}
    return tournament(**{**arguments, **change}, out=folder, progress=progress)


def test_resuming_plays_no_game_twice(tmp_path):
    whole = play_into(None)
    counts = []

    def counting(games):
        counts.append(len(games))
        return games

    for number in (5, 7):
        with pytest.raises(KeyboardInterrupt):
            play_into(tmp_path, interrupted_after(number))
    resumed = play_into(tmp_path, counting)
    again = play_into(tmp_path, counting)
    assert counts == [24 - 5 - 7, 0]
    assert without_times(resumed) == without_times(again) == without_times(whole)
    assert resumed.games == again.games
    assert len((tmp_path / LOG).read_bytes().splitlines()) == 1 + 24


def test_a_half_written_line_is_played_again(tmp_path):
    whole = play_into(tmp_path)
    log = tmp_path / LOG
    content = log.read_bytes()
    for cut in (1, 30, len(content.splitlines()[-1])):
        log.write_bytes(content[:-cut])
        assert without_times(play_into(tmp_path)) == without_times(whole)
        assert len(log.read_bytes().splitlines()) == 25
    for start in (0, 40):  # not even the header was written
        log.write_bytes(content[:start])
        assert without_times(play_into(tmp_path)) == without_times(whole)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"players": ["a=random", "b=random", "c=greedy"]}, "players"),
        ({"players": ["b=random", "a=random", "c=random"]}, "players"),
        ({"seats": 4}, "seats"),
        ({"games": 10}, "games"),
        ({"seed": 1}, "seed"),
        ({"captures": "end_of_turn"}, "captures"),
    ],
)
def test_the_log_of_another_tournament_is_refused(tmp_path, change, name):
    play_into(tmp_path)
    before = (tmp_path / LOG).read_bytes()
    with pytest.raises(ValueError, match=rf"the log of a tournament with other {name}; choose another folder"):
        play_into(tmp_path, **change)
    assert (tmp_path / LOG).read_bytes() == before


def test_another_version_is_refused(tmp_path, monkeypatch):
    play_into(tmp_path)
    monkeypatch.setattr("samurai_env.__version__", "9.9")
    with pytest.raises(ValueError, match="a tournament with other package"):
        play_into(tmp_path)


@pytest.mark.parametrize("code", ["policy:", "search:4:policy:"])
def test_a_policy_file_that_changed_is_another_player(tmp_path, code):
    file = tmp_path / "p.pt"
    headers = []
    for content in (b"one", b"two"):
        file.write_bytes(content)
        headers.append(plan(["random", f"p={code}{file}"]).header())
    assert headers[0] != headers[1]


@pytest.mark.parametrize("content", [b"notes\n", b"notes", b'{"format": "other"}\n', b"[]\n"])
def test_other_files_are_left_alone(tmp_path, content):
    (tmp_path / LOG).write_bytes(content)
    with pytest.raises(ValueError, match="not the log of a tournament"):
        play_into(tmp_path)
    assert (tmp_path / LOG).read_bytes() == content


@pytest.mark.parametrize("line", [b"{}", b"noise", b'{"table": 9}', None])
def test_a_damaged_log_is_refused(tmp_path, line):
    play_into(tmp_path)
    lines = (tmp_path / LOG).read_bytes().splitlines()
    lines[3] = line or lines[2]  # a game twice
    (tmp_path / LOG).write_bytes(b"\n".join([*lines, b""]))
    with pytest.raises(ValueError, match="line 4 is no game of this tournament"):
        play_into(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="locks files in another way")
def test_a_log_is_written_by_one_tournament_at_a_time(tmp_path):
    found = plan()
    seatings = {fixture.key: fixture.seating for fixture in found.fixtures()}
    with GamesLog(tmp_path / LOG, found.header(), seatings) as log:
        log.append(Played(0, 0, 0, ["a", "b"], [1, 2], [[0, 0, 0]] * 2, [1, 1], [0.0, 0.0]))
        with pytest.raises(ValueError, match="in use by another tournament"):
            Tournament(found, tmp_path, 1)


def children(process):
    text = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="utf-8")
    return [Path(f"/proc/{number}") for number in text.split()]


def are_running(processes):
    return any(path.exists() and ") Z" not in (path / "stat").read_text(encoding="utf-8") for path in processes)


def wait_until(is_true, seconds=60):
    end = time.monotonic() + seconds
    while not is_true() and time.monotonic() < end:
        time.sleep(0.02)
    assert is_true()


def hear_interrupts():
    """Do not inherit that the tests may run in the background, where a shell has Ctrl-C ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_when_it_is_stopped_the_log_is_clean_and_no_process_stays(tmp_path, end):
    command = ["tournament", "--players", "a=random", "b=random", "--games", "100000", "--processes", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "samurai_env", *command, "--out", str(tmp_path)],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hear_interrupts,  # noqa: PLW1509 - before any other thread of the child
    )
    log = tmp_path / LOG
    wait_until(lambda: log.exists() and log.read_bytes().count(b"\n") > 3)
    workers = children(process)
    if end == signal.SIGINT:
        os.killpg(process.pid, end)  # as the terminal does
    else:
        process.send_signal(end)
    _, errors = process.communicate(timeout=60)
    assert len(workers) >= 2
    wait_until(lambda: not are_running(workers))
    lines = log.read_bytes().split(b"\n")
    assert all(json.loads(line) for line in lines[:-1])
    if end == signal.SIGINT:
        assert process.returncode == 130
        assert lines[-1] == b""
        kept = f"{len(lines) - 2:,} of 100,000 games are in {log}; the same command goes on from there"
        assert errors.strip().splitlines()[-1] == f"samurai tournament: interrupted; {kept}"
        assert "Traceback" not in errors


# ------------------------------------------------------------------ ratings

STRENGTHS = st.lists(st.floats(-3, 3), min_size=2, max_size=6)


def tables_of(number, seats):
    """Return the copies of each player at the tables of "pairs"."""
    found = plan({f"p{i}": "random" for i in range(number)}, seats, seats)
    return np.array([[seating.count(name) for name in found.players] for seating in found.seatings], float)


@settings(max_examples=50, deadline=None)
@given(STRENGTHS, st.sampled_from([2, 3, 4]))
def test_expected_results_give_the_strengths_back(logs, seats):
    logs = np.array(logs)
    copies = tables_of(len(logs), seats)
    weight = copies * np.exp(logs)
    wins = 1e7 * weight / weight.sum(1, keepdims=True)
    points = elo(copies, wins[None], np.ones((1, len(logs))))[0]
    assert points == pytest.approx(ELO * (logs - logs.mean()), abs=0.5)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_intervals_hold_the_strengths(seats):
    """Of games that were drawn from known strengths, about 95 % of the intervals do."""
    generator = np.random.default_rng(seats)
    logs = np.array([-1.0, -0.3, 0.4, 0.9])
    copies = tables_of(4, seats)
    chances = copies * np.exp(logs) / (copies * np.exp(logs)).sum(1, keepdims=True)
    held = []
    for seed in range(60):
        wins = generator.multinomial(seats, chances, size=(60, len(copies))).astype(float)
        _, intervals = rate(copies, wins, samples=200, seed=seed)
        held += [low < value < high for value, (low, high) in zip(ELO * (logs - logs.mean()), intervals, strict=True)]
    assert 0.9 < np.mean(held) < 0.99


def test_the_likelihood_equations_hold():
    """At the maximum each player has won as often as expected."""
    generator = np.random.default_rng(0)
    copies = tables_of(4, 3)
    wins = generator.integers(1, 50, copies.shape) * (copies > 0.0)
    weight = copies * np.exp(fit(copies, wins[None])[0])
    expected = wins.sum(1, keepdims=True) * weight / weight.sum(1, keepdims=True)
    assert expected.sum(0) == pytest.approx(wins.sum(0))


@pytest.mark.parametrize("games", [1, 100, 10**6])
def test_a_player_who_won_all_games_has_a_finite_rating(games):
    copies = np.ones((1, 2))
    wins = np.zeros((4, 1, 2))
    wins[:, 0, 0] = games / 4
    points, intervals = rate(copies, wins)
    strength = np.exp((points[0] - points[1]) / ELO)
    # With strengths x and 1/x, the defeats that are expected of the winner are balanced by the virtual game.
    x = np.sqrt(strength)
    assert games / (strength + 1) == pytest.approx(x / (x + 1) - 0.5)
    assert intervals[0, 0] < points[0] < intervals[0, 1]
    assert np.isfinite(intervals).all()
    # The other end is further: how much better he is, no game tells.
    assert intervals[0, 1] - points[0] > points[0] - intervals[0, 0]


def test_more_wins_more_points():
    copies = np.ones((1, 2))
    points = [rate(copies, np.array([[[wins, 10.0 - wins]]]), samples=2)[0][0] for wins in range(11)]
    assert (np.diff(points) > 0).all()
    assert points[5] == pytest.approx(0)

"""The command `samurai`: help at once, one line for bad input, and what each command prints."""

from __future__ import annotations

import re

import pytest
from test_state import run

import samurai_env
from samurai_env.commands import main
from samurai_env.markdown import table
from samurai_env.threads import get_num_threads, set_num_threads


def call(capsys, *arguments):
    """Return the exit status, output and errors of a command."""
    try:
        status = main(arguments)
    except SystemExit as end:  # argparse's own way out
        status = end.code
    output, errors = capsys.readouterr()
    return status, output, re.sub(r"samurai_env: compiling .*\n", "", errors)


# ------------------------------------------------------------------ help


def test_help_is_light():
    program = """
import sys
from samurai_env.commands import main
try:
    main(["--help"])
except SystemExit as end:
    assert end.code == 0
assert not {"numba", "torch", "pygame", "matplotlib", "scipy", "pettingzoo"} & set(sys.modules)
"""
    assert "tournament" in run(program)


@pytest.mark.parametrize("command", ["tournament", "bench", "info"])
def test_each_command_has_help_with_examples(capsys, command):
    status, output, errors = call(capsys, command, "--help")
    assert (status, errors) == (0, "")
    assert f"examples:\n  samurai {command}" in output


def test_the_help_names_every_player():
    from samurai_env.agents import CODES
    from samurai_env.commands.parser import PLAYERS_HELP

    assert re.findall(r"^  (\S+)", PLAYERS_HELP, re.M) == list(CODES)


def test_version(capsys):
    assert call(capsys, "--version") == (0, f"samurai-env {samurai_env.__version__}\n", "")


# ------------------------------------------------------------------ bad input

TWO = "tournament --players greedy random"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "samurai: error: the following arguments are required: COMMAND"),
        ("play-chess", "samurai: error: argument COMMAND: invalid choice: 'play-chess'"),
        ("tournament", "samurai tournament: error: the following arguments are required: --players"),
        (
            "tournament --players greedy best",
            "samurai tournament: error: player 'best': no such code; known are random",
        ),
        ("tournament --players greedy policy:no.pt", "samurai tournament: error: policy 'no.pt': No such file"),
        ("tournament --players greedy", "samurai tournament: error: players: 1; expected at least 2"),
        ("tournament --players greedy greedy", "samurai tournament: error: players: 'greedy' is there twice"),
        (f"{TWO} --seats 1", "samurai tournament: error: seats: 1; expected one of 2, 3, 4"),
        (f"{TWO} --seats 5", "samurai tournament: error: seats: 5; expected one of 2, 3, 4"),
        (f"{TWO} --games 0", "samurai tournament: error: games: 0; expected a whole number from 1"),
        (f"{TWO} --games 7", "samurai tournament: error: games: 7; expected a multiple of 2"),
        (f"{TWO} --games many", "samurai tournament: error: argument --games: invalid int value: 'many'"),
        (f"{TWO} --seed -1", "samurai tournament: error: seed: -1; expected a whole number from 0"),
        (f"{TWO} --tables round", "samurai tournament: error: tables: 'round'; expected one of 'pairs', 'mixed'"),
        (f"{TWO} --captures never", "samurai tournament: error: captures: 'never'; expected one of 'immediate'"),
        (f"{TWO} --processes 0", "samurai tournament: error: processes: 0; expected a whole number from 1"),
        (f"{TWO} --speed 9", "samurai: error: unrecognized arguments: --speed 9"),
        (f"{TWO} --out file/below", "samurai tournament: error: file/below: Not a directory"),
        ("bench --only zebra", "samurai bench: error: only: 'zebra'; expected a part of a name"),
        ("bench --repetitions 0", "samurai bench: error: repetitions: 0; expected a whole number from 1"),
        ("bench --write none/b.md", "samurai bench: error: none/b.md: No such file or directory"),
        ("info everything", "samurai info: error: page: 'everything'; expected one of 'overview'"),
        ("info --players 5", "samurai info: error: players: 5; expected one of 2, 3, 4"),
    ],
)
def test_bad_input_is_one_line_and_status_2(capsys, tmp_path, monkeypatch, line, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    status, output, errors = call(capsys, *line.split())
    assert (status, output) == (2, "")
    assert errors.startswith(message)
    assert errors.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_ctrl_c_is_status_130(capsys, monkeypatch):
    def interrupted(given):
        raise KeyboardInterrupt

    monkeypatch.setattr("samurai_env.commands.info.prepare", interrupted)
    assert call(capsys, "info") == (130, "", "\nsamurai info: interrupted\n")


# ------------------------------------------------------------------ tournament


def test_tournament(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line = ["tournament", "--players", "greedy", "r=random", "--games", "4", "--processes", "1"]
    status, output, errors = call(capsys, *line)
    assert status == 0
    assert output.startswith("4 games, 2 seats")
    (folder,) = (tmp_path / "runs").iterdir()
    assert f"Written to runs/{folder.name}" in errors
    assert (folder / "results.json").exists()
    status, again, errors = call(capsys, *line)
    assert (status, again) == (0, output)
    assert "4 of 4 games are in" in errors
    call(capsys, *line, "--seed", "1")
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_the_log_of_another_tournament_is_one_line(capsys, tmp_path):
    line = ["tournament", "--players", "greedy", "random", "--processes", "1", "--out", str(tmp_path), "--games"]
    assert call(capsys, *line, "2")[0] == 0
    status, _, errors = call(capsys, *line, "4")
    assert (status, errors.count("\n")) == (2, 1)
    assert "the log of a tournament with other games; choose another folder" in errors


# ------------------------------------------------------------------ bench and info


@pytest.fixture
def _same_threads():
    before = get_num_threads()
    yield
    set_num_threads(before)


@pytest.mark.usefixtures("_same_threads")
def test_bench(capsys, tmp_path):
    file = tmp_path / "results.md"
    status, output, _ = call(capsys, "bench", "--quick", "--only", "Game.clone", "--write", str(file))
    assert status == 0
    assert file.read_text(encoding="utf-8") == output
    rows = re.findall(r"^\| (.+?) \|  ?\| [\d.,]+ \| (\S+) \|", output, re.M)
    assert rows == [("PettingZoo connect_four_v3, documented loop", "steps/s"), ("Game.clone", "clones/s")]


def test_bench_measures_what_it_did():
    from samurai_env.commands.bench import chosen

    everything, quick = chosen("", is_quick=False), chosen("", is_quick=True)
    assert len({(line.name, line.threads) for line in everything}) == len(everything)
    assert {line.name for line in everything} - {line.name for line in quick} == {
        "import to first AEC step, nothing compiled",
        "import to first AEC step, compile cache present",
    }


def test_info(capsys):
    status, output, errors = call(capsys, "info")
    assert (status, errors) == (0, "")
    for text in (f"samurai-env {samurai_env.__version__}", "numba", "cores", "1072", "## 3 players: actions", "`end`"):
        assert text in output


def test_info_of_one_number_of_players(capsys):
    _, output, _ = call(capsys, "info", "observation", "--players", "3")
    assert output.startswith("# Observation")
    assert re.findall(r"^## (\d) players", output, re.M) == ["3"]


def test_tables_read_as_plain_text():
    shown = table(["name", "number"], [["a", 5], ["long name", -12]], aligned=True)
    assert shown.splitlines() == [
        "| name      | number |",
        "| --------- | ------ |",
        "| a         |      5 |",
        "| long name |    -12 |",
    ]

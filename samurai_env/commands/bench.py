"""`samurai bench`: measure games per second, all in one run.

Each figure is the median of several repetitions; the ratio is to random play of PettingZoo's connect_four_v3,
measured in the same run where pygame is installed (the extra `bench`).
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import samurai_env
from samurai_env.agents import View
from samurai_env.agents.search import SearchPlayer
from samurai_env.checks import whole
from samurai_env.commands.machine import machine, versions
from samurai_env.commands.progress import progress_bar
from samurai_env.markdown import table
from samurai_env.observation import observe
from samurai_env.playouts import random_playouts
from samurai_env.rules import Game
from samurai_env.rules.state import STATE_SIZE
from samurai_env.threads import MOST_THREADS, set_num_threads

PACKAGES = ("numpy", "numba", "gymnasium", "pettingzoo", "open_spiel")
CONNECT_FOUR = "PettingZoo connect_four_v3, documented loop"
SECONDS = 0.4  # a repetition lasts at least this long
PREPARATION = 6.0  # seconds that processes of their own have to start


class Figure(NamedTuple):
    """One line of the table."""

    name: str
    measure: Callable[[], float]
    unit: str
    threads: int = 0
    """How many threads it runs on; 0 where that does not matter."""
    has_ratio: bool = True


def rate(work: Callable[[], int]) -> float:
    """Return how many units a second `work` does, which returns the units of one call."""
    units, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < SECONDS:
        units += work()
    return units / passed


# ------------------------------------------------------------------ what is measured


def aec_loop(env: Any) -> Callable[[], float]:
    """Measure the documented loop with a sampled legal action, dead steps not counted."""

    def play() -> int:
        steps = 0
        env.reset(seed=0)
        for agent in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                action = None
            else:
                action = env.action_space(agent).sample(observation["action_mask"])
                steps += 1
            env.step(action)
        return steps

    return lambda: rate(play)


def connect_four() -> Any:
    """Return PettingZoo's connect_four_v3."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module("pettingzoo.classic.connect_four_v3").env()


def single_game(players: int) -> Callable[[], float]:
    """Measure `Game`: legal actions, one of them drawn and applied, and the observation of the mover."""
    generator = np.random.default_rng(0)

    def play() -> int:
        game, steps = Game(players, 0), 0
        draws = generator.random(400)
        while not game.is_over:
            legal = game.legal_actions()
            game.apply(legal[int(draws[steps] * len(legal))])
            observe(game, max(game.current_player, 0))
            steps += 1
        return steps

    return lambda: rate(play)


def batch(games: int, players: int, has_observations: bool = True) -> Callable[[], float]:
    """Measure the batch with sampled actions; the games are first spread over all their phases."""

    def measure() -> float:
        vec = samurai_env.make_vec(games, players=players, seed=0, observe=has_observations)
        for _ in range(200):
            vec.step(vec.sample_actions())
        calls = max(1, 4096 // games)

        def step() -> int:
            for _ in range(calls):
                vec.step(vec.sample_actions())
            return calls * games

        return rate(step)

    return measure


def _batch_from(moment: float, games: int, players: int) -> float:
    """Measure the batch on one thread of this process, from a moment on (`time.time()`)."""
    set_num_threads(1)
    measure = batch(games, players)
    measure()
    time.sleep(max(0.0, moment - time.time()))
    return measure()


def batches_apart(processes: int, games: int, players: int) -> Callable[[], float]:
    """Measure batches in processes that share nothing, all at once: what more threads could reach at best here."""

    def measure() -> float:
        with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
            begin = partial(_batch_from, time.time() + PREPARATION, games, players)
            return sum(part.result() for part in [pool.submit(begin) for _ in range(processes)])

    return measure


def middle(players: int) -> Game:
    """Return a random game after half of its decisions."""
    generator = np.random.default_rng(0)
    beginning = Game(players, 0, hands="random", figures="random")
    ahead, played = beginning.clone(), []
    while not ahead.is_over:
        played.append(generator.choice(ahead.legal_actions()))
        ahead.apply(played[-1])
    for action in played[: len(played) // 2]:
        beginning.apply(action)
    return beginning


def searches(players: int) -> Callable[[], float]:
    """Measure the iterations of the search player in the middle of a game."""
    view = View(middle(players), middle(players).current_player)
    player = SearchPlayer(seconds=SECONDS)
    return lambda: rate(lambda: sum(found.visits for found in player.analyse(view)))


def clones() -> float:
    """Measure `Game.clone`."""
    game = middle(4)

    def clone() -> int:
        for _ in range(1000):
            game.clone()
        return 1000

    return rate(clone)


def playouts(players: int) -> Callable[[], float]:
    """Measure random playouts from the middle of a game to its end."""
    game = middle(players)
    return lambda: rate(lambda: len(random_playouts(game, 4096, seed=0)))


def start_seconds(cache: str) -> float:
    """Return the seconds from the start of `import samurai_env` to the end of the first AEC step."""
    program = (
        "import time; began = time.perf_counter(); import samurai_env; env = samurai_env.env(players=4); "
        "env.reset(seed=0); env.last(); env.step(0); print(time.perf_counter() - began)"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    return float(result.stdout)


def cold_start() -> float:
    """Return the seconds to the first step where nothing is compiled."""
    with tempfile.TemporaryDirectory() as cache:
        return start_seconds(cache)


def warm_start() -> float:
    """Return the seconds to the first step with the compile cache."""
    with tempfile.TemporaryDirectory() as cache:
        start_seconds(cache)
        return start_seconds(cache)


STARTS = (cold_start, warm_start)


def array_megabytes(games: int) -> float:
    """Return the memory of a batch, all arrays, in MB."""
    return samurai_env.make_vec(games, players=4, seed=0).nbytes / 1e6


def open_spiel_game(name: str) -> Callable[[], float]:
    """Measure random play of an OpenSpiel game from Python: legal actions, apply, chance where there is any."""
    game = importlib.import_module("pyspiel").load_game(name)
    generator = np.random.default_rng(0)

    def play() -> int:
        state, steps = game.new_initial_state(), 0
        draws = generator.random(2000)
        while not state.is_terminal():
            legal = [a for a, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
            state.apply_action(legal[int(draws[steps % 2000] * len(legal))])
            steps += 1
        return steps

    return lambda: rate(play)


def figures(most: int) -> list[Figure]:
    """Return everything that is measured, connect_four first where it can be."""
    lines = []
    if importlib.util.find_spec("pygame") is not None:
        lines.append(Figure(CONNECT_FOUR, aec_loop(connect_four()), "steps/s"))
    for name in ("connect_four", "go(board_size=9)", "backgammon"):
        if importlib.util.find_spec("pyspiel") is not None:
            lines.append(Figure(f"OpenSpiel {name}, from Python", open_spiel_game(name), "steps/s"))
    for players in (2, 3, 4):
        env = samurai_env.env(players=players)
        lines.append(Figure(f"AEC env, {players} players, documented loop", aec_loop(env), "steps/s"))
        name = f"Game, {players} players: legal actions, apply, observe"
        lines.append(Figure(name, single_game(players), "steps/s"))
    for threads in sorted({1, most}):
        for players in (2, 3, 4):
            for games in (1, 64, 1024, 8192):
                name = f"batch of {games:,}, {players} players"
                lines.append(Figure(name, batch(games, players), "steps/s", threads))
            for games in (1, 64, 1024, 8192):
                name = f"batch of {games:,}, {players} players, without observations"
                lines.append(Figure(name, batch(games, players, has_observations=False), "steps/s", threads))
        for players in (2, 3, 4):
            name = f"random playouts from mid-game, {players} players"
            lines.append(Figure(name, playouts(players), "playouts/s", threads, has_ratio=False))
            name = f"search in mid-game, {players} players"
            lines.append(Figure(name, searches(players), "iterations/s", threads, has_ratio=False))
    for players in (2, 3, 4):
        name = f"batches of 1,024, {players} players, one thread in each of {most} processes"
        lines.append(Figure(name, batches_apart(most, 1024, players), "steps/s", most))
    lines += [
        Figure("Game.clone", clones, "clones/s", has_ratio=False),
        Figure("import to first AEC step, nothing compiled", cold_start, "s", has_ratio=False),
        Figure("import to first AEC step, compile cache present", warm_start, "s", has_ratio=False),
        Figure("one game's record", lambda: STATE_SIZE, "bytes", has_ratio=False),
        Figure("all arrays of 8,192 games, 4 players", lambda: array_megabytes(8192), "MB", has_ratio=False),
    ]
    return lines


# ------------------------------------------------------------------ the table


def compile_all() -> None:
    """Compile what is measured, so that it counts nowhere but where a start is measured."""
    random_playouts(middle(2), 1, seed=0)
    SearchPlayer(iterations=1).analyse(View(middle(2), middle(2).current_player))
    for has_observations in (True, False):
        vec = samurai_env.make_vec(1, seed=0, observe=has_observations)
        vec.step(vec.sample_actions())
    env = samurai_env.env()
    env.reset(seed=0)
    env.last()
    env.step(0)


def measure_all(lines: list[Figure], repetitions: int) -> list[float]:
    """Return the median of each figure. The repetitions go round the whole list, so that noise spreads."""
    compile_all()
    values: list[list[float]] = [[] for _ in lines]
    for _ in progress_bar("repetitions")(range(repetitions)):
        for line, kept in zip(progress_bar("figures", leave=False)(lines), values, strict=True):
            set_num_threads(line.threads or 1)
            if line.unit in ("s", "bytes", "MB") and len(kept) == 1:
                continue  # once is enough for what is slow or does not vary
            kept.append(line.measure())
    return [statistics.median(kept) for kept in values]


def page(lines: list[Figure], values: list[float]) -> str:
    """Return the results as a page."""
    is_compared = lines[0].name == CONNECT_FOUR
    rows = []
    for line, value in zip(lines, values, strict=True):
        shown = f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
        ratio = f"{value / values[0]:,.1f}" if is_compared and line.has_ratio else ""
        rows.append([line.name, line.threads or "", shown, line.unit, ratio])
    return "\n".join(
        [
            "# Benchmark",
            "",
            "Written by `samurai bench`. Random play; batches with masks, observations and sampled actions.",
            "",
            f"{machine()}; {versions(PACKAGES)}.",
            "",
            table(["figure", "threads", "value", "unit", "x connect_four"], rows),
        ]
    )


def chosen(only: str, is_quick: bool) -> list[Figure]:
    """Return the figures that are asked for, and connect_four to compare with.

    Raises:
        ValueError: there are none.
    """
    lines = figures(MOST_THREADS)
    compared = [line for line in lines if line.name == CONNECT_FOUR]
    asked = [line for line in lines if only in line.name and not (is_quick and line.measure in STARTS)]
    if not asked:
        raise ValueError(f"only: {only!r}; expected a part of a name, as in 'batch of 1,024'")
    return compared + [line for line in asked if line not in compared]


def prepare(given: argparse.Namespace) -> Callable[[], None]:
    """Check what was given and return what measures and prints."""
    default = 1 if given.quick else 5
    repetitions = default if given.repetitions is None else whole("repetitions", given.repetitions, 1, 1000)
    lines = chosen(given.only, given.quick)
    if given.write is not None:
        Path(given.write).open("a", encoding="utf-8").close()
    return lambda: run(lines, repetitions, given.write)


def run(lines: list[Figure], repetitions: int, file: str | None) -> None:
    """Measure, print, and write where that is asked for."""
    text = page(lines, measure_all(lines, repetitions))
    print(text, end="")
    if file is not None:
        Path(file).write_text(text, encoding="utf-8")

"""Playing the games of a tournament, in this process or in several."""

from __future__ import annotations

import contextlib
import copy
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from typing import Any

from samurai_env.agents import Player, RandomPlayer, View, make_player
from samurai_env.arena.games import play
from samurai_env.arena.log import Played
from samurai_env.arena.plan import Fixture, Plan
from samurai_env.rules import Game, IllegalActionError
from samurai_env.threads import get_num_threads, set_num_threads


class Stopped(Exception):
    """The tournament was interrupted."""


class Timed:
    """A player whose decisions are counted and timed."""

    def __init__(self, player: Player, is_stopped: Callable[[], bool]) -> None:
        self._player = player
        self._is_stopped = is_stopped

    def reset(self, seed: int) -> None:
        """Begin a game; see `Player.reset`."""
        self.decisions, self.seconds = 0, 0.0
        self._player.reset(seed)

    def act(self, view: View) -> int:
        """Return the player's action.

        Raises:
            Stopped: the tournament was interrupted.
        """
        if self._is_stopped():
            raise Stopped
        began = time.perf_counter()
        action = self._player.act(view)
        self.seconds += time.perf_counter() - began
        self.decisions += 1
        return action


class Company:
    """The players of one process, another object for each name and seat.

    Each is tried first: what it loads and compiles at its first decision does not count as time to decide.
    """

    def __init__(self, plan: Plan, is_stopped: Callable[[], bool] = lambda: False) -> None:
        self._options = plan.options
        self._players: dict[tuple[str, int], Timed] = {}
        for name, player in plan.players.items():
            made = [new_player(player) for _ in range(plan.seats)]
            try_out(name, made[0], plan)
            for seat, one in enumerate(made):
                self._players[name, seat] = Timed(one, is_stopped)

    def play(self, fixture: Fixture) -> Played:
        """Play one game of the tournament.

        Raises:
            IllegalActionError: a player chose an action that is not legal.
        """
        table = [self._players[name, seat] for seat, name in enumerate(fixture.seating)]
        game = Game(len(table), fixture.seed, **self._options)
        try:
            play(game, table, fixture.player_seed)
        except IllegalActionError as error:
            raise IllegalActionError(f"player {fixture.seating[game.current_player]!r}: {error}") from None
        return Played(
            *fixture.key,
            list(fixture.seating),
            list(game.places),
            game.captured.tolist(),
            [player.decisions for player in table],
            [player.seconds for player in table],
        )


def new_player(player: str | Player) -> Player:
    """Return a player for a code, or a copy of one."""
    return make_player(player) if isinstance(player, str) else copy.deepcopy(player)


def try_out(name: str, player: Player, plan: Plan) -> None:
    """Let a player decide once, so that what it cannot do shows before the games.

    Raises:
        ValueError: it cannot play games of this number of players.
    """
    game = Game(plan.seats, 0, captures=plan.options["captures"], hands="random", figures="random")
    try:
        player.reset(0)
        game.apply(player.act(View(game, game.current_player)))
    except ValueError as error:
        raise ValueError(f"player {name!r}: {error}") from None


def try_players(plan: Plan, processes: int) -> None:
    """Make each player of a plan once and try it out. All that they need is compiled then, before the processes start.

    Raises:
        ValueError: names the player that does not work, and why.
    """
    made = {name: new_player(player) for name, player in plan.players.items()}
    if processes > 1:
        for name, player in plan.players.items():
            _check_that_it_travels(name, player)
    _ = play(Game(plan.seats, 0), [RandomPlayer()] * plan.seats).places
    for name, one in made.items():
        try_out(name, one, plan)


def _check_that_it_travels(name: str, player: str | Player) -> None:
    try:
        pickle.dumps(player)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise ValueError(f"player {name!r}: cannot go to other processes ({error}); set processes=1") from None


# ------------------------------------------------------------------ in this process, or in several


def play_all(plan: Plan, fixtures: Iterable[Fixture], processes: int) -> Generator[Played, None, None]:
    """Yield the games as they end. Close the iterator to stop."""
    return _here(plan, fixtures) if processes == 1 else _elsewhere(plan, fixtures, processes)


def _here(plan: Plan, fixtures: Iterable[Fixture]) -> Generator[Played, None, None]:
    with one_thread():
        company = Company(plan)
        yield from map(company.play, fixtures)


def _elsewhere(plan: Plan, fixtures: Iterable[Fixture], processes: int) -> Generator[Played, None, None]:
    context = multiprocessing.get_context("spawn")  # also where forks work: threads do not survive them
    stop = context.Event()
    pool = ProcessPoolExecutor(processes, context, _begin, (plan, stop))
    waiting = iter(fixtures)

    def submit(number: int) -> set[Future[Played]]:
        return {pool.submit(_play, fixture) for fixture in islice(waiting, number)}

    try:
        with interrupts_held():
            running = submit(2 * processes)
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            running |= submit(len(done))
            yield from [future.result() for future in done]
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Let compiled loops and torch use one thread meanwhile: the processes share the cores."""
    torch = sys.modules.get("torch")
    before = get_num_threads(), torch.get_num_threads() if torch else 1
    set_threads(1, 1)
    try:
        yield
    finally:
        set_threads(*before)


def set_threads(compiled: int, by_torch: int) -> None:
    """Set how many threads compiled loops use, and torch where it is loaded."""
    set_num_threads(compiled)
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(by_torch)


@contextlib.contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back meanwhile. Processes that are started meanwhile never hear it: this one stops them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# ------------------------------------------------------------------ what the other processes do

_state: dict[str, Any] = {}


def _begin(plan: Plan, stop: Any) -> None:
    """Begin a process: it has one thread, ends with its parent, and keeps its players from game to game."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    set_threads(1, 1)
    _state["company"] = Company(plan, stop.is_set)
    set_threads(1, 1)  # again, now that torch may be loaded


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _play(fixture: Fixture) -> Played:
    company: Company = _state["company"]
    return company.play(fixture)


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

"""Compiled loops on several threads: Python's own, which hold no lock while compiled code runs.

Numba's parallel loops are not used. Their threads wait for each other by spinning, without an end: on a machine
where something else runs, a step of a batch took thirty times as long as on one thread. They also cannot be used
after a fork, and take several times as long to compile.

A thread that sleeps needs 60 microseconds to wake, as long as it takes to step a hundred games. So the helpers of
a `Team` stay awake for a moment after each task, listening for the next; nobody waits for one that sleeps, since
all take their pieces of the work as they come.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from samurai_env.atomics import fetch_add, load, store
from samurai_env.checks import whole
from samurai_env.compiled import inlined

# Plain Python has no atomic operations, and its threads would take turns in any case.
MOST_THREADS: int = 1 if numba.config.DISABLE_JIT else numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]

_num_threads = MOST_THREADS
_pool: ThreadPoolExecutor | None = None


def get_num_threads() -> int:
    """Return how many threads the batches and the playouts use."""
    return _num_threads


def set_num_threads(number: int) -> None:
    """Set how many threads the batches and the playouts use; results do not depend on it.

    Args:
        number: from 1 to the number of cores, or what NUMBA_NUM_THREADS said at the start.

    Raises:
        ValueError: `number` is not in this range.
    """
    global _num_threads  # noqa: PLW0603 - a setting of the process
    _num_threads = whole("threads", number, 1, MOST_THREADS)


def in_parallel(work: Callable[[int, int], None], total: int, head_start: int) -> None:
    """Call `work(first, last)` for parts of range(total), a part a thread, and wait for all.

    Args:
        work: calls a compiled function on a part; parts must not depend on each other.
        total: the size of the whole.
        head_start: about how much of it one thread does in the time that another takes to wake up. The calling
            thread's part is larger by that, and what is not much larger is not worth a second thread.
    """
    parts = max(1, min(_num_threads, total // (2 * head_start)))
    share = (total - head_start) // parts if parts > 1 else 0
    own = total - share * (parts - 1)
    starts = [own + share * other for other in range(parts - 1)]
    at_once([partial(work, 0, own), *(partial(work, first, first + share) for first in starts)])


def at_once(works: Sequence[Callable[[], None]]) -> None:
    """Call functions on several threads, the first on the calling one, and wait for all; on one thread, in turn."""
    if _num_threads == 1:
        for work in works:
            work()
        return
    running = [_threads().submit(work) for work in works[1:]]
    try:
        works[0]()
    finally:
        wait(running)  # also after an error: what they write to may be used again
    for other in running:
        other.result()


# ------------------------------------------------------------------ teams

# The places of a team's board (int64), each with a cache line to itself: how much of the task is done, the number of
# the task, and for each home the next piece of it that is free. A home is a part of the range that the same thread
# begins with at each task, since it has it in its cache; who is done with its own helps in the next.
_LINE = 8
_DONE, _NUMBER, _NEXT = range(0, 3 * _LINE, _LINE)
_TASK = 32  # the bits of a home's place above this one are the task, those below the index of its next piece
_INDEX = (1 << _TASK) - 1
_PATIENCE = 200_000  # looks at the board before a helper leaves, about 200 microseconds


@inlined
def _count_homes(board):
    return (len(board) - _NEXT) // _LINE


@inlined
def _first_of(home, homes, total, piece):
    """Return where a home begins, at the beginning of a piece."""
    pieces = (total + piece - 1) // piece
    return min(pieces * home // homes * piece, total)


@inlined
def _work_along(board, own, total, piece, work, arguments):
    """Take pieces of the present task until none is left, from the own home on."""
    homes = _count_homes(board)
    for k in range(homes):
        home = (own + k) % homes
        end = _first_of(home + 1, homes, total, piece)
        while load(board, _NEXT + home * _LINE) & _INDEX < end:
            ticket = fetch_add(board, _NEXT + home * _LINE, piece)
            first = ticket & _INDEX
            if first < end:
                last = min(first + piece, end)
                work(arguments, ticket >> _TASK, first, last)
                fetch_add(board, _DONE, last - first)


@inlined
def lead(board, task, total, piece, work, arguments):
    """Announce a task, work along, and return whether all of it is done: a helper may need longer."""
    homes = _count_homes(board)
    store(board, _DONE, 0)
    for home in range(homes):
        store(board, _NEXT + home * _LINE, task << _TASK | _first_of(home, homes, total, piece))
    fetch_add(board, _NUMBER, 1)
    _work_along(board, 0, total, piece, work, arguments)
    for _ in range(_PATIENCE):
        if load(board, _DONE) == total:
            return True
    return False


@inlined
def follow(board, own, total, piece, work, arguments):
    """Help with one task after the other, from the own home on, until none has come for a moment."""
    looks, seen = 0, -1
    while looks < _PATIENCE:
        number = load(board, _NUMBER)
        if number != seen:
            seen = number
            _work_along(board, own, total, piece, work, arguments)
            looks = 0
        looks += 1


class Team:
    """The calling thread and its helpers, at tasks over the same range(total) and the same arguments.

    Args:
        leading: compiled, `leading(board, task, total, piece, arguments)`: calls `lead` with its work.
        following: compiled, `following(board, own, total, piece, arguments)`: calls `follow` with the same.
        arguments: what the work is done on, the same at every task.
        total: the size of each task.
        piece: how much a thread takes at once; a task of one piece is done without helpers.
    """

    def __init__(
        self, leading: Callable[..., bool], following: Callable[..., None], arguments: Any, total: int, piece: int
    ) -> None:
        self._leading, self._following, self._arguments = leading, following, arguments
        self._total, self._piece = total, piece
        self._pieces = -(-total // piece)
        self._homes = min(MOST_THREADS, self._pieces)
        self._board: NDArray[np.int64] = np.full(_NEXT + self._homes * _LINE, total, np.int64)  # all is done
        self._helpers: dict[int, Future[None]] = {}
        self._pool: ThreadPoolExecutor | None = None

    def do(self, task: int) -> None:
        """Do a task, a whole number from 0, on as many threads as there are pieces and `set_num_threads` allows."""
        helpers = min(_num_threads, self._pieces) - 1
        if helpers > 0:
            self._call(helpers)
        if not self._leading(self._board, task, self._total, self._piece, self._arguments):
            self._wait()

    def _wait(self) -> None:
        """Wait for a helper that lost its core to something else: let it have ours."""
        try:
            while self._board[_DONE] < self._total:
                time.sleep(0)
        except BaseException:
            self._wait()  # Ctrl-C: what the helper still does must not count for the next task
            raise

    def _call(self, number: int) -> None:
        """See to it that helpers listen, or will soon."""
        if self._pool is None:
            # Compiled here: if a helper compiled it, a fork could find the compiler locked, for ever.
            self._following(self._board, 0, self._total, self._piece, self._arguments)
        pool = _threads()
        if pool is not self._pool:  # the first task, or a forked process, which has none of the helpers
            self._pool, self._helpers = pool, {}
        for i in range(1, number + 1):
            if i not in self._helpers or self._helpers[i].done():
                own = i * self._homes // (number + 1)
                arguments = self._board, own, self._total, self._piece, self._arguments
                self._helpers[i] = pool.submit(self._following, *arguments)


def _threads() -> ThreadPoolExecutor:
    global _pool  # noqa: PLW0603 - made once, when it is first needed
    if _pool is None:
        _pool = ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="samurai_env")
    return _pool


def _forget_threads() -> None:
    """A forked process has none of its parent's threads."""
    global _pool  # noqa: PLW0603
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)

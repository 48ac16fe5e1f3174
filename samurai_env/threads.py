"""Compiled loops on several threads: Python's own, which hold no lock while compiled code runs.

Numba's parallel loops are not used. Their threads wait by spinning: on a machine where something else runs, a
step of a batch took thirty times as long as on one thread. They also cannot be used after a fork, and take
several times as long to compile.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numba

from samurai_env.checks import whole

MOST_THREADS: int = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]

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
    running = [_threads().submit(work, first, first + share) for first in starts]
    work(0, own)
    for other in running:
        other.result()


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

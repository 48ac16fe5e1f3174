"""Compiled loops on several threads: all parts are done once, errors come out, forks work."""

from __future__ import annotations

import multiprocessing
import sys
import time

import numpy as np
import pytest

import samurai_env
from samurai_env.compiled import entry_point, inlined
from samurai_env.threads import MOST_THREADS, Team, at_once, follow, get_num_threads, in_parallel, lead, set_num_threads


@pytest.mark.parametrize("total", [1, 7, 64, 1000])
@pytest.mark.parametrize("head_start", [1, 5, 2000])
def test_every_index_is_worked_on_once(total, head_start):
    done = np.zeros(total, int)

    def work(first, last):
        done[first:last] += 1

    in_parallel(work, total, head_start)
    assert (done == 1).all()


def test_errors_of_any_part_come_out():
    def work(first, last):
        if last == 1000:
            raise RuntimeError("the last part")

    with pytest.raises(RuntimeError, match="the last part"):
        in_parallel(work, 1000, 1)


@inlined
def count(counts, task, first, last):
    for i in range(first, last):
        counts[i] += task


@entry_point
def lead_counting(board, task, total, piece, counts):
    return lead(board, task, total, piece, count, counts)


@entry_point
def follow_counting(board, own, total, piece, counts):
    follow(board, own, total, piece, count, counts)


@pytest.mark.parametrize("total", [1, 7, 64, 1000])
def test_a_team_does_each_task_once_everywhere(total):
    counts = np.zeros(total, np.int64)
    team = Team(lead_counting, follow_counting, counts, total, piece=8)
    for task in range(500):
        team.do(task)
        if task % 100 == 0:
            time.sleep(0.01)  # the helpers leave, and are called again
        assert (counts == task * (task + 1) // 2).all()


def test_an_interruption_waits_for_what_still_runs():
    done = []

    def interrupted():
        raise KeyboardInterrupt

    def slow():
        time.sleep(0.2)
        done.append(True)

    with pytest.raises(KeyboardInterrupt):
        at_once([interrupted, slow])
    assert done or get_num_threads() == 1


@pytest.mark.parametrize("number", [0, MOST_THREADS + 1, 1.5])
def test_wrong_numbers_of_threads_are_named(number):
    before = get_num_threads()
    with pytest.raises(ValueError, match="threads: "):
        set_num_threads(number)
    assert get_num_threads() == before


def step_a_batch(queue):
    vec = samurai_env.make_vec(512, seed=0)
    vec.step(vec.sample_actions())
    queue.put(vec.seats.sum())


@pytest.mark.skipif(sys.platform != "linux", reason="forks")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    vec = samurai_env.make_vec(512, seed=0)
    vec.step(vec.sample_actions())
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=step_a_batch, args=(queue,))
    process.start()
    assert queue.get(timeout=60) == vec.seats.sum()
    process.join()

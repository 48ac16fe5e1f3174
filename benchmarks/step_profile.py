"""Where the time of a batch's step goes: python benchmarks/step_profile.py

Each part of a step is done over and over by one thread, on one game, which stays in the cache, and on 1,024 games in
turn, as in a step. The rest of a step is Python and the hand-over between threads: it is printed as the whole step
on one thread and on all, and as the same for a batch of one game.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

from samurai_env.compiled import borrowed, entry_point
from samurai_env.encoder import encode
from samurai_env.markdown import table
from samurai_env.rules.legal import draw_legal, write_legal, write_mask
from samurai_env.rules.state import STATE_SIZE, record
from samurai_env.rules.turn import apply
from samurai_env.threads import MOST_THREADS, set_num_threads
from samurai_env.vector import VectorGames, make_vec

GAMES, TIMES, REPETITIONS = 1024, 100, 7
PARTS = ("legal actions", "mask", "observation", "sampling", "copy of the state", "the same, and an action")


@entry_point
def work(part, batch, games, times, scratch):
    """Do one part of a step for each of the first `games`, `times` times; a game's own state is left as it is."""
    slots, bytes_ = borrowed(batch.slots), borrowed(batch.bytes)
    masks, observations, sampled = borrowed(batch.action_masks), borrowed(batch.observations), borrowed(batch.sampled)
    for _ in range(times):
        for i in range(games):
            slot = slots[i]
            if part == 0:
                slot.num_legal = write_legal(slot.game, slot.legal)
            elif part == 1:
                write_mask(slot.legal, masks, i * batch.num_actions, batch.num_actions)
            elif part == 2:
                size = batch.observation_size
                encode(slot.game, slot.game.mover, False, observations, i * size, size)
            elif part == 3:
                sampled[i] = draw_legal(slot.sample_words, slot.legal, slot.num_legal)
            else:
                for k in range(STATE_SIZE):
                    scratch[k] = bytes_[i, k]
                if part == 5:
                    apply(record(scratch), sampled[i])


def nanoseconds(do: Callable[[], object], number: int) -> str:
    """Return the median time of one of a number of things that `do` does, in nanoseconds."""
    do()
    times = []
    for _ in range(REPETITIONS):
        began = time.perf_counter()
        do()
        times.append(time.perf_counter() - began)
    return f"{statistics.median(times) / number * 1e9:,.0f}"


def main() -> None:
    """Measure and print the table."""
    rows = []
    scratch = np.zeros(STATE_SIZE, np.int8)
    for players in (2, 4):
        vec = make_vec(GAMES, players=players, seed=0)
        one = make_vec(1, players=players, seed=0)
        for _ in range(10 * players):  # into the midst of a game
            vec.step(vec.sample_actions())
        vec.sample_actions()
        for part, name in enumerate(PARTS):
            hot, cold = (
                nanoseconds(lambda: work(part, vec._batch, games, times, scratch), games * times)  # noqa: B023
                for games, times in ((1, GAMES * TIMES), (GAMES, TIMES))
            )
            rows.append([players, name, hot, cold])
        for threads in sorted({1, MOST_THREADS}):
            set_num_threads(threads)
            whole = [nanoseconds(lambda: steps(games), TIMES * games.num_games) for games in (one, vec)]  # noqa: B023
            rows.append([players, f"sampling and a step, {threads} threads", *whole])
    print(table(["players", "nanoseconds a game", "one game", f"{GAMES:,} games"], rows))


def steps(games: VectorGames) -> None:
    """Play on at random."""
    for _ in range(TIMES):
        games.step(games.sample_actions())


if __name__ == "__main__":
    main()

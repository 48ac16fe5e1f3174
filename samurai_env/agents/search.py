"""The search player: strong without training. It searches the tree of `samurai_env.agents.tree`.

player = make_player("search:2.5s")
for candidate in player.analyse(view)[:3]:
    print(candidate)
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from samurai_env.agents.base import View
from samurai_env.agents.tree import (
    BY_PLAYERS,
    DEEPEST,
    NONE,
    ROOT,
    TO_THE_END,
    Settings,
    Tree,
    begin,
    find_leaves,
    look_at_leaves,
    new_tree,
    search,
    take_judgements,
)
from samurai_env.checks import choice, number, whole
from samurai_env.generator import split_seed
from samurai_env.observation import size
from samurai_env.rules.actions import NUM_ACTIONS
from samurai_env.rules.state import STATE_SIZE
from samurai_env.threads import at_once, get_num_threads

PRIORS = ("greedy", "uniform")
NODES_A_PLACE = 8  # and iteration, for a tree that is made for some iterations: more than are used
AT_ONCE = 16  # iterations between two looks at the clock
PRIOR_FLOOR = 1e-6


class Positions(NamedTuple):
    """L positions to be judged."""

    observations: NDArray[np.int8]
    """What the seat to move sees, (L, n); see `samurai_env.observation`."""
    action_masks: NDArray[np.int8]
    """The legal actions of the seat to move, (L, num_actions)."""
    seats: NDArray[np.int64]
    """The seat to move, (L,)."""
    shares: NDArray[np.float32]
    """The share of the victory that each seat may expect in the eyes of the search player, (L, players)."""


class Judge(Protocol):
    """What judges positions in place of playouts: a trained network, as `samurai_env.agents.policy.PolicyJudge`."""

    def judge(self, positions: Positions) -> tuple[NDArray[Any], NDArray[Any]]:
        """Judge L positions.

        Returns:
            The prior probability of each action, floats of shape (L, num_actions), those of illegal ones left out of
            account; and the share of the victory that each seat may expect, floats of shape (L, players).
        """


class Candidate(NamedTuple):
    """What a search found out about an action."""

    action: int
    visits: int
    share: float
    """The share of the victory that the seat to move may expect from it, 0 to 1."""


@dataclass
class Clock:
    """When all threads stop."""

    deadline: float


class SearchPlayer:
    """Searches by information-set Monte Carlo tree search, for a number of iterations or for some time.

    With a number of iterations, its choices follow from the seed, whatever the number of threads; with a judge, as far
    as its answers do.

    Args:
        iterations: how many a decision; a judge gets at least two.
        seconds: instead, how long a decision takes; each thread searches a tree of its own.
        exploration: how much is tried that does not look best, the constant of PUCT.
        temperature: by how much worse an action has to look to be less probable by a factor of e before it is
            tried, in the greedy player's unit, where a majority is worth 1.
        prior: "greedy", or "uniform": nothing is known of an action before it is tried.
        places: of each tile, so many of the best places are tried.
        width: playouts play the best of so many actions drawn at random; 1 is uniform play.
        depth: after so many decisions a playout is judged by what each seat may expect; 0 is at once. By default 8
            with two players, 20 with more.
        judge: judges positions in place of playouts and of the prior; a search with a judge has one tree.
        batch: so many positions are handed to the judge at once.
        trees: how many trees, each on a thread, share the iterations and are merged: faster, and weaker than one.
        max_nodes: of each tree, 72 bytes each; when it is full, it grows no more.

    Raises:
        ValueError: not one of `iterations` and `seconds` is given, or an option is out of its range.
    """

    def __init__(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        *,
        exploration: float = 0.5,
        temperature: float = 0.04,
        prior: str = "greedy",
        places: int = 8,
        width: int = 4,
        depth: int | None = None,
        judge: Judge | None = None,
        batch: int = 16,
        trees: int = 1,
        max_nodes: int = 2**20,
    ) -> None:
        if (iterations is None) == (seconds is None):
            raise ValueError("search: expected either iterations or seconds")
        self.iterations = None if iterations is None else whole("iterations", iterations, 1, 2**31 - 1)
        self.seconds = None if seconds is None else number("seconds", seconds, 0.001, 86_400)
        self._judge = judge
        self._batch = whole("batch", batch, 1, 10_000)
        self._num_trees = whole("trees", trees, 1, 1000)
        self._settings = Settings(
            exploration=number("exploration", exploration, 0, 1000),
            temperature=number("temperature", temperature, 1e-6, 1e6) if judge is None else 1.0,
            informed=choice("prior", prior, PRIORS) == "greedy" or judge is not None,
            judged=judge is not None,
            places=whole("places", places, 1, 1000),
            width=whole("width", width, 1, 1000),
            depth=BY_PLAYERS if depth is None else whole("depth", depth, 0, TO_THE_END),
        )
        self._max_nodes = whole("max_nodes", max_nodes, 1000, 2**31 - 1)
        self._trees: list[Tree] = []
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Begin a game; see `Player.reset`."""
        self._generator = np.random.default_rng(seed)

    def act(self, view: View) -> int:
        """Return the action that was visited most."""
        legal = view.legal_actions
        return int(legal[0]) if len(legal) == 1 else self.analyse(view)[0].action

    def analyse(self, view: View) -> list[Candidate]:
        """Search, and return what was found out about the actions that were tried, the most visited first.

        Raises:
            ValueError: the seat of `view` is not to move.
        """
        if not view.action_mask.any():
            raise ValueError(f"search: seat {view.seat} is not to move")
        # Any seed will do: what is hidden is dealt anew in each iteration.
        root = view.determinize(0).state.copy()
        budgets = self._budgets()
        seeds = self._generator.integers(2**63, size=len(budgets)).tolist()
        trees = self._make_trees(len(budgets))
        for tree, seed in zip(trees, seeds, strict=True):
            begin(tree, *split_seed(seed))
            search(root, view.seat, 0, self._settings, tree)  # what has to be compiled is, before the clock runs
        if self._judge is not None:
            self._search_judged(self._judge, root, view, trees[0])
        elif self.seconds is not None:
            clock = Clock(time.perf_counter() + self.seconds)
            at_once([partial(self._search_until, clock, root, view.seat, tree) for tree in trees])
        else:
            at_once(
                [
                    partial(search, root, view.seat, budget, self._settings, tree)
                    for tree, budget in zip(trees, budgets, strict=True)
                ]
            )
        return merged(trees, view.seat)

    def _budgets(self) -> list[int]:
        """Return the iterations of each tree, 0 where the clock decides."""
        if self._judge is not None:
            return [self.iterations or 0]
        if self.iterations is None:
            return [0] * get_num_threads()
        share, rest = divmod(self.iterations, self._num_trees)
        return [share + (i < rest) for i in range(self._num_trees)]

    def _make_trees(self, number: int) -> list[Tree]:
        nodes = self._max_nodes
        if self.iterations is not None:
            nodes = min(nodes, 2000 + NODES_A_PLACE * self._settings.places * self.iterations)
        self._trees += [new_tree(nodes) for _ in range(number - len(self._trees))]
        return self._trees[:number]

    def _search_until(self, clock: Clock, root: NDArray[np.int8], seat: int, tree: Tree) -> None:
        try:
            search(root, seat, 1, self._settings, tree)
            while time.perf_counter() < clock.deadline:
                search(root, seat, AT_ONCE, self._settings, tree)
        except BaseException:  # Ctrl-C comes to one thread: the others end, too
            clock.deadline = 0.0
            raise

    def _search_judged(self, judge: Judge, root: NDArray[np.int8], view: View, tree: Tree) -> None:
        deadline = math.inf if self.seconds is None else time.perf_counter() + self.seconds
        iterations, done = self.iterations or TO_THE_END, 0
        # The first one opens the root, the second one visits an action.
        while done < 2 or (done < iterations and time.perf_counter() < deadline):
            leaves = 1 if done < 2 else min(self._batch, iterations - done)
            lengths, ways = np.empty(leaves, np.int64), np.empty((leaves, DEEPEST), np.int32)
            states = np.empty((leaves, STATE_SIZE), np.int8)
            find_leaves(root, view.seat, self._settings, tree, lengths, ways, states)
            worths, shares = judged(judge, states, view, tree)
            take_judgements(lengths, ways, states, worths, shares, self._settings, tree)
            done += leaves

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_trees": []}

    def __repr__(self) -> str:
        budget = f"{self.iterations} iterations" if self.iterations is not None else f"{self.seconds} seconds"
        return f"<SearchPlayer: {budget}>"


def judged(
    judge: Judge, states: NDArray[np.int8], view: View, tree: Tree
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the logarithms of the priors, (L, num_actions), and the shares, (L, players), by a judge.

    Raises:
        ValueError: the judge returned something else.
    """
    leaves, players = len(states), view.players
    positions = Positions(
        np.empty((leaves, size(players)), np.int8),
        np.empty((leaves, int(NUM_ACTIONS[players])), np.int8),
        np.empty(leaves, np.int64),
        np.empty((leaves, players), np.float32),
    )
    look_at_leaves(states, view.hide_captures, *positions, tree)
    log_priors, shares = np.zeros(positions.action_masks.shape), positions.shares.astype(np.float64)
    asked = positions.seats != NONE  # a game that is over needs no judge
    if asked.any():
        masks = positions.action_masks[asked]
        answer = judge.judge(Positions(*(array[asked] for array in positions)))
        prior, shares[asked] = checked(answer, masks, players)
        log_priors[asked] = np.log(np.maximum(prior, PRIOR_FLOOR))
    return log_priors, shares


def checked(
    answer: tuple[NDArray[Any], NDArray[Any]], masks: NDArray[np.int8], players: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the priors, 0 where an action is not legal, and the shares that a judge answered, if they are such."""
    prior, shares = (np.asarray(array, np.float64) for array in answer)
    for name, array, shape in (("prior", prior, masks.shape), ("shares", shares, (len(masks), players))):
        counted = np.where(masks, array, 0) if array.shape == shape == masks.shape else array
        if array.shape != shape or not np.isfinite(counted).all() or (counted < 0).any():
            raise ValueError(f"judge: {name} of shape {array.shape}; expected numbers from 0 of shape {shape}")
    return np.where(masks, prior, 0.0), shares


def merged(trees: list[Tree], seat: int) -> list[Candidate]:
    """Return what several trees found out about the actions of their root, the most visited first."""
    visits: dict[int, int] = {}
    totals: dict[int, float] = {}
    for tree in trees:
        child = int(tree.nodes["first"][ROOT])
        while child != NONE:
            node = tree.nodes[child]
            action = int(node["action"])
            visits[action] = visits.get(action, 0) + int(node["visits"])
            totals[action] = totals.get(action, 0.0) + float(node["total"][seat])
            child = int(node["next"])
    found = [Candidate(action, n, totals[action] / n) for action, n in visits.items() if n]
    return sorted(found, key=lambda one: (-one.visits, -one.share, one.action))

"""The rollout player: what comes of an action if everybody goes on as the greedy player does.

This is the rollout algorithm of Tesauro and Galperin (1996). Of a few actions that the greedy player thinks most of,
each is played in the same deals of what is hidden; all seats go on greedily for some decisions; and where that leads to
is judged as at the leaves of the search player's tree. So it sees what greedy players will answer, which the greedy
player by itself does not. Players of another kind it takes for greedy ones.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from samurai_env.agents.base import View
from samurai_env.agents.greedy import action_worth, choose_in_all, look_before, new_scratch, pick
from samurai_env.agents.search import Candidate
from samurai_env.agents.tree import MEMORY, judge
from samurai_env.checks import whole
from samurai_env.compiled import entry_point
from samurai_env.generator import seed_words
from samurai_env.rules.actions import NUM_ACTIONS
from samurai_env.rules.bits import has
from samurai_env.rules.determinize import determinize
from samurai_env.rules.legal import write_legal
from samurai_env.rules.state import OVER, record
from samurai_env.rules.turn import apply
from samurai_env.threads import in_parallel

NONE = -1
"""In place of an action, where there are no more."""
_AHEAD = 1  # games, or deals, with which one thread is done in the time that another takes to wake up


@entry_point
def _find_part(states, actions, scratches, first, last):
    scratch, most = scratches[0], actions.shape[1]
    worths = np.empty(most, np.float64)
    for i in range(first, last):
        game = record(states[i])
        look_before(game, game.mover, scratch)
        write_legal(game, scratch.legal[0])
        found = 0
        for action in range(NUM_ACTIONS[game.players]):
            if not has(scratch.legal[0], action):
                continue
            worth = action_worth(states[i], action, game.mover, True, scratch)
            if worth == -math.inf or (found == most and worth <= worths[-1]):
                continue
            at = min(found, most - 1)
            while at > 0 and worths[at - 1] < worth:
                worths[at], actions[i, at] = worths[at - 1], actions[i, at - 1]
                at -= 1
            worths[at], actions[i, at] = worth, action
            found = min(found + 1, most)
        actions[i, found:] = NONE


def best_actions(states: NDArray[np.int8], number: int) -> NDArray[np.int64]:
    """Return the legal actions that the greedy player thinks most of, the best first, int64 of shape (G, number).

    Of two figures that change places, only one is tried as the first.

    Args:
        states: the games, (G, STATE_SIZE); see `samurai_env.agents.greedy.choose` for what is read of them.
        number: how many; where fewer are legal, NONE stands for the others.
    """
    actions = np.empty((len(states), number), np.int64)

    def part(first: int, last: int) -> None:
        _find_part(states, actions, new_scratch(), first, last)

    in_parallel(part, len(states), _AHEAD)
    return actions


@entry_point
def _look_part(states, actions, seeds, depth, shares, memories, first, last):
    memory = memories[0]
    game = record(memory.state)
    for number in range(first, last):
        i, deal = divmod(number, seeds.shape[1])
        seat, one, other = record(states[i]).mover, seeds[i, deal, 0], seeds[i, deal, 1]
        for k in range(actions.shape[1]):
            shares[i, k, deal] = 0.0
            if actions[i, k] == NONE:
                continue
            memory.state[:] = states[i]
            determinize(game, seat, one, other)
            seed_words(memory.words, other, one)
            apply(game, actions[i, k])
            for _ in range(depth):
                if game.phase == OVER:
                    break
                apply(game, pick(memory.state, memory.scratch, memory.words))
            judge(game, memory)
            shares[i, k, deal] = memory.shares[seat]


def look_ahead(
    states: NDArray[np.int8], actions: NDArray[np.int64], seeds: NDArray[np.uint32], depth: int
) -> NDArray[np.float32]:
    """Return the share of the victory that the seat to move may expect from actions, if all go on greedily.

    Args:
        states: the games, (G, STATE_SIZE); what the seat to move cannot know of them is not read.
        actions: legal actions of each, (G, K); NONE is passed over.
        seeds: of the deals of what is hidden, the same for all actions of a game, (G, deals, 2).
        depth: how many decisions follow, of all seats, until the position is judged.

    Returns:
        float32 of shape (G, K, deals); 0 where there is no action.
    """
    shares = np.empty((*actions.shape, seeds.shape[1]), np.float32)

    def part(first: int, last: int) -> None:
        _look_part(states, actions, seeds, depth, shares, np.zeros(1, MEMORY), first, last)

    in_parallel(part, len(states) * seeds.shape[1], _AHEAD)
    return shares


class RolloutPlayer:
    """Looks ahead by greedy play of all seats. Its choices follow from the seed.

    First hands and the draft are the greedy player's: to look ahead there was not seen to win more games.

    Args:
        deals: in how many deals of what is hidden each action is tried.
        candidates: how many actions are tried, those that the greedy player thinks most of.
        depth: how many decisions follow, of all seats, until the position is judged.

    Raises:
        ValueError: an option is out of its range.
    """

    def __init__(self, deals: int = 8, *, candidates: int = 8, depth: int = 8) -> None:
        self.deals = whole("deals", deals, 1, 1_000_000)
        self._candidates = whole("candidates", candidates, 1, 1000)
        self._depth = whole("depth", depth, 0, 1000)
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Begin a game; see `Player.reset`."""
        self._generator = np.random.default_rng(seed)

    def act(self, view: View) -> int:
        """Return the action of which most is to be expected."""
        legal = view.legal_actions
        if len(legal) == 1:
            return int(legal[0])
        game = view.determinize(0)  # any seed will do: what is hidden is dealt anew, or not read
        if game.phase != "play":
            words = self._generator.integers(2**32, size=(1, 4), dtype=np.uint32)
            return int(choose_in_all(game.state[None], words)[0])
        return self.analyse(view)[0].action

    def analyse(self, view: View) -> list[Candidate]:
        """Look ahead, and return what the actions that were tried bring, the best first; `visits` are the deals.

        Raises:
            ValueError: the seat of `view` is not to move in the phase play.
        """
        game = view.determinize(0)
        if game.phase != "play" or game.current_player != view.seat:
            raise ValueError(f"rollout: phase {game.phase}, seat {view.seat}; expected the seat to move in phase play")
        states = game.state[None]
        actions = best_actions(states, self._candidates)
        actions = actions[:, actions[0] != NONE]
        seeds = self._generator.integers(2**32, size=(1, self.deals, 2), dtype=np.uint32)
        shares = look_ahead(states, actions, seeds, self._depth)[0].mean(-1)
        found = [Candidate(a, self.deals, share) for a, share in zip(actions[0].tolist(), shares.tolist(), strict=True)]
        return sorted(found, key=lambda one: -one.share)

    def __repr__(self) -> str:
        return f"<RolloutPlayer: {self.deals} deals>"

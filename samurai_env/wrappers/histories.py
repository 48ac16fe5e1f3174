"""The past of a game that a seat may believe in: all that it could not see is drawn anew, and fits what it saw.

The hands that the other seats hold now are drawn uniformly among those that some past could have led to: with
them each played tile was in the hand when it was played, a turn that ended by itself left nothing to play, and
one that was ended left something. Then such a past is found for them, from the present backwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from samurai_env.rules.actions import END, LAY, LIFT, SHIP, is_secret
from samurai_env.rules.board import NUM_LAND, NUM_SEA
from samurai_env.rules.chance import ChanceGame, decide_in_state, playable_kinds
from samurai_env.rules.state import NOBODY, NOTHING, fields
from samurai_env.rules.tiles import FIGURE_EXCHANGE, NUM_KINDS, SHIP_1, TILE_EXCHANGE

Hand = tuple[int, ...]  # the kinds in a hand, ascending


class Step(NamedTuple):
    """One thing that happened to a seat's hand, as all could see it."""

    what: str
    """"take" tiles, "spend" one, or have "some" or "none" that can be played."""
    number: int = 0
    """How many tiles are taken, or which kind is spent."""
    kinds: frozenset[int] = frozenset()
    """The kinds that could be played."""


def spent_kind(game: ChanceGame, action: int) -> int:
    """Return the kind that an action of `play` takes out of the hand, or NOTHING."""
    players, state = game.game.players, fields(game.game.state)
    if action == END[players] or state.lifted != NOTHING or state.swap_figure != NOTHING:
        return NOTHING
    if action < LAY[players]:
        return FIGURE_EXCHANGE
    if action < SHIP[players]:
        return int((action - LAY[players]) // NUM_LAND[players])
    if action < LIFT[players]:
        return int(SHIP_1 + (action - SHIP[players]) // NUM_SEA[players])
    return TILE_EXCHANGE


def _playable(state: NDArray[np.int8], seat: int) -> frozenset[int]:
    playable = np.zeros(NUM_KINDS, np.bool_)
    playable_kinds(state.copy(), seat, playable)
    return frozenset(playable.nonzero()[0].tolist())


def stories(game: ChanceGame, actions: Sequence[int]) -> list[list[Step]]:
    """Return what happened to each seat's hand in a game.

    Args:
        game: the game as it began; it is played on to the end of `actions`.
        actions: all actions, those of chance included.
    """
    told: list[list[Step]] = [[] for _ in range(game.game.players)]
    for action in actions:
        seat, phase, before = game.game.current_player, game.game.phase, game.clone()
        game.apply(action)
        if is_secret(action):
            _tell_taken(told[seat])
        elif phase == "play":
            told[seat] += _tell_play(before, action)
        if phase == "play" and not game.is_drawing:
            _tell_skipped(told, seat, game)
    mover = game.game.current_player
    if game.game.phase == "play" and not game.is_drawing and not _in_exchange(game):
        told[mover].append(Step("some", kinds=_playable(game.game.state, mover)))
    return told


def _tell_taken(story: list[Step]) -> None:
    taken = story.pop().number if story and story[-1].what == "take" else 0
    story.append(Step("take", taken + 1))


def _in_exchange(game: ChanceGame) -> bool:
    state = fields(game.game.state)
    return bool(state.lifted != NOTHING or state.swap_figure != NOTHING)


def _tell_play(before: ChanceGame, action: int) -> Iterator[Step]:
    """Tell of one action of a turn, and of its end."""
    seat = before.game.current_player
    kind = spent_kind(before, action)
    state = before.game.state.copy()
    if kind != NOTHING:
        yield Step("spend", kind)
    if action == END[before.game.players]:
        yield Step("some", kinds=_playable(state, seat))
    elif not decide_in_state(state, action):
        kinds = _playable(state, seat)
        if not fields(state).hands[seat, list(kinds)].any():
            yield Step("none", kinds=kinds)  # so the turn ends by itself


def _tell_skipped(told: list[list[Step]], seat: int, game: ChanceGame) -> None:
    """Tell of the seats that were passed over between the last mover and the next."""
    state, players = fields(game.game.state), game.game.players
    if state.mover == NOBODY or state.tiles_played > 0:
        return
    skipped = (seat + 1) % players
    while skipped != state.mover:
        told[skipped].append(Step("none", kinds=_playable(game.game.state, skipped)))
        skipped = (skipped + 1) % players


class Past:
    """The pasts of one seat that fit its story."""

    def __init__(self, story: Sequence[Step], generator: np.random.Generator) -> None:
        self._story = story
        self._generator = generator
        self._hopeless: set[tuple[int, Hand]] = set()

    def leading_to(self, hand: Hand) -> list[int] | None:
        """Return the tiles that were taken, in order, if the seat now holds `hand`; None if no past leads to it."""
        taken: list[int] = []
        return taken if self._go_back(len(self._story), hand, taken) else None

    def _go_back(self, at: int, hand: Hand, taken: list[int]) -> bool:
        """Go back from before step `at` with a hand, and append the tiles taken since the beginning."""
        if at == 0:
            return not hand
        if (at, hand) in self._hopeless:
            return False
        for earlier, tiles in self._before(self._story[at - 1], hand):
            if self._go_back(at - 1, earlier, taken):
                taken += self._generator.permutation(tiles).tolist()
                return True
        self._hopeless.add((at, hand))
        return False

    def _before(self, step: Step, hand: Hand) -> Iterator[tuple[Hand, Hand]]:
        """Yield the hands that a step can have started from, each with the tiles it took, in random order."""
        if step.what == "spend":
            yield tuple(sorted((*hand, step.number))), ()
        elif step.what == "take":
            choices = list(combinations(range(len(hand)), step.number))
            for i in self._generator.permutation(len(choices)):
                tiles = tuple(hand[j] for j in choices[i])
                yield tuple(kind for j, kind in enumerate(hand) if j not in choices[i]), tiles
        elif any(kind in step.kinds for kind in hand) == (step.what == "some"):
            yield hand, ()


def draw_past(beginning: ChanceGame, actions: Sequence[int], seat: int, generator: np.random.Generator) -> list[int]:
    """Return the actions of a game with all that `seat` could not see drawn anew.

    Args:
        beginning: the game before its first action.
        actions: all actions so far, those of chance included.
        seat: the seat that looks back.
        generator: what the draws are made with.
    """
    played = beginning.clone()
    told = stories(played, actions)
    state = fields(played.game.state)
    taken: dict[int, Iterator[int]] = {}
    for other in range(played.game.players):
        if other != seat:
            left = np.repeat(np.arange(NUM_KINDS), state.hands[other] + state.stocks[other])
            taken[other] = iter(_draw_taken(told[other], left, int(state.hand_sizes[other]), generator))
    result, game = [], beginning.clone()
    for action in actions:
        mover = game.game.current_player
        result.append(next(taken[mover]) if is_secret(action) and mover in taken else action)
        game.apply(result[-1])
    return result


def _draw_taken(story: Sequence[Step], left: NDArray[np.int64], size: int, generator: np.random.Generator) -> list[int]:
    """Return the tiles that a seat may have taken, in order; the hand that it holds now is drawn from `left`."""
    past = Past(story, generator)
    while True:
        hand = tuple(sorted(generator.permutation(left)[:size].tolist()))
        taken = past.leading_to(hand)
        if taken is not None:
            return taken

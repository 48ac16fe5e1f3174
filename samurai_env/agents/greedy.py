"""The greedy player: it looks one decision ahead and weighs what comes of it.

Each legal decision is played on a scratch copy, without the draw of new tiles that may follow, and judged as
if the turn ended there: which figures each seat may expect in the end, which majorities follow from that,
and what the tiles still in hand or stock are worth. Of the two halves of an exchange the first is judged by
its best second. The weights were found by playing variants against each other.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from samurai_env.agents.base import View
from samurai_env.compiled import compiled, entry_point
from samurai_env.generator import below, seed_words, split_seed
from samurai_env.rules.actions import END, LIFT, NUM_ACTIONS, PLACE
from samurai_env.rules.bits import has
from samurai_env.rules.board import LAND_ENDS, MAX_PLAYERS, NUM_LAND, NUM_SETTLEMENTS, SUPPLY
from samurai_env.rules.capture import SET_ASIDE_LIMIT, judge_all_surrounded
from samurai_env.rules.legal import LEGAL_WORDS, write_legal
from samurai_env.rules.scoring import standing
from samurai_env.rules.state import FIGURES_DRAFT, HANDS, NOTHING, STATE_SIZE, record
from samurai_env.rules.tiles import NUM_FIGURES, NUM_KINDS, NUM_LAND_KINDS, STRENGTH
from samurai_env.rules.turn import decide

# ------------------------------------------------------------------ the weights


def by_players(two: Any, more: Any) -> NDArray[np.float64]:
    """Return a weight for two players, and for more, at the index of the number of players."""
    return np.array([two, two, two, more, more])


# A seat's chance of a figure grows with exp(SLOPE * influence): the fewer land hexes beside the settlement
# are empty (the last index, 0 to 6), the firmer the influence that lies there decides.
SLOPE = by_players([0.56, 0.56, 0.38, 0.32, 0.32, 0.32, 0.32], [0.97, 0.97, 0.62, 0.49, 0.49, 0.49, 0.49])
# With one hex left a rival may close: a point of the best tile he has left for the figure, in that exponent.
THREAT = by_players(0.14, 0.36)
# The chance of a tie, against that of the second strongest seat.
TIE = by_players(0.57, 0.83)
# A figure counts as 1 / (1 + DELAY * empty hexes / figures until the end): the game may end before it falls.
DELAY = by_players(0.18, 0.45)
# A majority is decided by the expected figures of a type, times SHARPNESS / sqrt(DOUBT + their variance).
SHARPNESS = by_players(1.42, 1.18)
DOUBT = 0.23
# What a figure is worth beside its majority, where a majority is worth 1: with three or four players the
# figures of the other types often decide.
FIGURE = by_players(0.0, 0.18)
# What a tile is worth while all figures are on the board; it goes down to nothing as they leave it. Figure
# tiles and samurai by the point, so that a 4 is not laid where a 2 will do.
KEEP = np.array(
    [0.056, 0.084, 0.112] * 3  # figure tiles 2, 3, 4
    + [0.004, 0.008, 0.012]  # samurai 1, 2, 3
    + [0.008, 0.007, 0.014]  # ronin, ships 1 and 2
    + [0.045, 0.011]  # figure exchange, tile exchange
)
# The result of a game that ends with this turn, far above all that is only expected.
CERTAIN = 100.0
# The first hand: the big samurai, one 4 of any type and the big ship.
HOLD_WORTH = np.array([0, 0, 2] * 3 + [1, 4, 5, 0, 0, 3, 0, 0], np.float64)

_PULL = np.exp(SLOPE[:, :, None] * np.arange(64))  # (players, empty land hexes, influence)
_THREATS = np.exp(THREAT[:, None] * np.arange(STRENGTH.max() + 1))  # (players, strength of the best tile)


class Scratch(NamedTuple):
    """The memory in which decisions are tried; one for each thread."""

    states: NDArray[np.int8]
    """(2, STATE_SIZE): after a decision, and after the second half of an exchange."""
    legal: NDArray[np.uint64]
    """(2, LEGAL_WORDS): the legal actions of the game, and those of the second half."""
    threat: NDArray[np.float64]
    """(players, 3): each seat's factor on its weight on figures of a type where one empty hex is left."""
    weight: NDArray[np.float64]
    """(players,): the weight of each seat on the figure that is looked at."""
    expected: NDArray[np.float64]
    """(players + 1, 3): the figures each seat may expect, then the variance of these numbers."""


def new_scratch() -> Scratch:
    """Return scratch memory for `choose`, good for any number of players."""
    return Scratch(
        np.zeros((2, STATE_SIZE), np.int8),
        np.zeros((2, LEGAL_WORDS), np.uint64),
        np.ones((MAX_PLAYERS, NUM_FIGURES)),
        np.zeros(MAX_PLAYERS),
        np.zeros((MAX_PLAYERS + 1, NUM_FIGURES)),
    )


# ------------------------------------------------------------------ what a position is worth
# `seat` is always the seat for which it is judged.


@compiled
def best_tile(game, seat, figure):
    """Return the most strength on a figure type of one tile that a seat has left for land, in hand or stock."""
    best = 0
    for kind in range(NUM_LAND_KINDS):
        if game.hands[seat, kind] + game.stocks[seat, kind] > 0:
            best = max(best, STRENGTH[kind, figure])
    return best


@compiled
def write_threats(game, seat, scratch):
    """Write the threats of the rivals of a seat, 1 for itself."""
    for other in range(game.players):
        for figure in range(NUM_FIGURES):
            threat = 1.0 if other == seat else _THREATS[game.players, best_tile(game, other, figure)]
            scratch.threat[other, figure] = threat


@compiled
def weigh(game, figure, settlement, scratch):
    """Write the weight of each seat on a figure and return their sum, that of a tie included."""
    empty = game.open_land[settlement]
    total, most, second = 0.0, 0.0, 0.0
    for seat in range(game.players):
        weight = _PULL[game.players, empty, game.influence[seat, figure, settlement]]
        if empty <= 1:
            weight *= scratch.threat[seat, figure]
        scratch.weight[seat] = weight
        total += weight
        second = max(second, min(most, weight))
        most = max(most, weight)
    return total + TIE[game.players] * second


@compiled
def until_end(game):
    """Return about how many figures have to go until the game ends, at least 1."""
    figures = 2 * (SET_ASIDE_LIMIT - game.set_aside.sum())
    for figure in range(NUM_FIGURES):
        if game.on_board[figure] > 0:
            figures = min(figures, game.on_board[figure])
    return max(figures, 1)


@compiled
def expect_figures(game, scratch):
    """Write the figures that each seat may expect in the end, and the variance."""
    delay = DELAY[game.players] / until_end(game)
    expected, players = scratch.expected, game.players
    for figure in range(NUM_FIGURES):
        expected[:players, figure] = game.captured[:players, figure]
        expected[MAX_PLAYERS, figure] = 0.0
        for settlement in range(NUM_SETTLEMENTS[players]):
            if game.figures[figure, settlement]:
                falls = 1.0 / (1.0 + delay * game.open_land[settlement])
                share = falls / weigh(game, figure, settlement, scratch)
                for seat in range(players):
                    chance = scratch.weight[seat] * share
                    expected[seat, figure] += chance
                    expected[MAX_PLAYERS, figure] += chance * (1.0 - chance)


@compiled
def majority_chance(game, figure, seat, scratch):
    """Return the seat's chance of the majority in a type, from the expected figures."""
    expected = scratch.expected
    sharpness = SHARPNESS[game.players] / math.sqrt(DOUBT + expected[MAX_PLAYERS, figure])
    total = 0.0
    for other in range(game.players):
        total += math.exp(sharpness * (expected[other, figure] - expected[seat, figure]))
    return 1.0 / total


@compiled
def tiles_worth(game, seat):
    """Return what the tiles in hand and stock are worth, whatever was drawn of them."""
    left = game.on_board[0] + game.on_board[1] + game.on_board[2]
    total = 0.0
    for kind in range(NUM_KINDS):
        total += KEEP[kind] * (game.hands[seat, kind] + game.stocks[seat, kind])
    return total * left / (NUM_FIGURES * SUPPLY[game.players])


@compiled
def final_worth(game, seat):
    """Return what the result is worth if the game ends here: shared by the winners, or how near it was."""
    captured = game.captured[: game.players]
    own, best, sharing = standing(captured, seat), 0, 0
    for other in range(game.players):
        best = max(best, standing(captured, other))
    for other in range(game.players):
        sharing += standing(captured, other) == best
    return CERTAIN / sharing if own == best else own / (best + 1) - CERTAIN


@compiled
def play_worth(game, seat, scratch):
    """Return what a position in play is worth to a seat whose turn is, or were, at its end."""
    if game.end_of_turn and game.tiles_played > 0:
        judge_all_surrounded(game)
    if game.last_turn:
        return final_worth(game, seat)
    expect_figures(game, scratch)
    total = tiles_worth(game, seat)
    for figure in range(NUM_FIGURES):
        total += majority_chance(game, figure, seat, scratch)
        total += FIGURE[game.players] * scratch.expected[seat, figure]
    return total


@compiled
def hand_worth(game, seat):
    """Return what a first hand is worth."""
    total = 0.0
    for kind in range(NUM_KINDS):
        total += HOLD_WORTH[kind] * game.hands[seat, kind]
    return total


@compiled
def draft_worth(game, seat):
    """Return how well the figures fit the seat's hand: its types side by side, so that a tile counts twice."""
    total = 0.0
    for figure in range(NUM_FIGURES):
        pairs = 0
        for land in range(NUM_LAND[game.players]):
            one, other = LAND_ENDS[land]
            pairs += game.figures[figure, one] * game.figures[figure, other]
        for kind in range(NUM_LAND_KINDS):
            total += pairs * game.hands[seat, kind] * STRENGTH[kind, figure]
    return total


@compiled
def worth(game, seat, scratch):
    """Return what a position is worth to a seat that has just decided, in any phase."""
    if game.phase == HANDS:
        return hand_worth(game, seat)
    if game.phase == FIGURES_DRAFT:
        return draft_worth(game, seat)
    return play_worth(game, seat, scratch)


# ------------------------------------------------------------------ the choice


@compiled
def try_action(game, action):
    """Play one action and nothing that follows by itself: no draw, no next turn, no look at other hands."""
    if action != END[game.players]:
        decide(game, action)


@compiled
def best_second_half(seat, scratch):
    """Return what the best second half of the exchange under way in `scratch.states[0]` is worth.

    A swap reads the same either way round: only second figures of a higher type than the first are tried.
    """
    half = record(scratch.states[0])
    legal = scratch.legal[1]
    write_legal(half, legal)
    best = -math.inf
    for action in range(PLACE + (half.swap_figure + 1) * NUM_SETTLEMENTS[half.players], LIFT[half.players]):
        if has(legal, action):
            scratch.states[1] = scratch.states[0]
            game = record(scratch.states[1])
            try_action(game, action)
            best = max(best, play_worth(game, seat, scratch))
    return best


@compiled
def action_worth(state, action, seat, scratch):
    """Return what a legal action of the seat to move is worth."""
    scratch.states[0] = state
    game = record(scratch.states[0])
    try_action(game, action)
    if game.lifted != NOTHING or game.swap_figure != NOTHING:
        return best_second_half(seat, scratch)
    return worth(game, seat, scratch)


@entry_point
def choose(state, scratch, words):
    """Return the greedy action of the seat to move; equally good ones are drawn from with `words`.

    Args:
        state: the game, int8 (STATE_SIZE,). Of the other seats' tiles only hand and stock together are read.
        scratch: see `Scratch`.
        words: a random generator, uint32 (4,).
    """
    game = record(state)
    seat, legal = game.mover, scratch.legal[0]
    write_threats(game, seat, scratch)
    write_legal(game, legal)
    best, equal, chosen = -math.inf, 0, -1
    for action in range(NUM_ACTIONS[game.players]):
        if has(legal, action):
            value = action_worth(state, action, seat, scratch)
            if value > best:
                best, equal, chosen = value, 0, action
            if value == best:
                equal += 1
                if below(words, equal) == 0:
                    chosen = action
    return chosen


@entry_point
def _seed(words, low, high):
    seed_words(words, low, high)


class GreedyPlayer:
    """Takes the decision after which its position is worth most, by sight of the next decision only."""

    def __init__(self) -> None:
        self._scratch = new_scratch()
        self._words = np.zeros(4, np.uint32)
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Begin a game; see `Player.reset`."""
        _seed(self._words, *split_seed(seed))

    def act(self, view: View) -> int:
        """Return the legal action that is worth most."""
        # Any seed will do: the choice reads nothing that is drawn.
        state = view.determinize(0).state.copy()
        return int(choose(state, self._scratch, self._words))

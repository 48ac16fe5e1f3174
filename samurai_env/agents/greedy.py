"""The greedy player: it looks one decision ahead and weighs what comes of it.

Each legal decision is played on a scratch copy, without the draw of new tiles that may follow, and judged as
if the turn ended there: which figures each seat may expect in the end, which majorities follow from that,
and what the tiles still in hand or stock are worth. Of the two halves of an exchange the first is judged by
its best second. The weights were found by playing variants against each other.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samurai_env.agents.base import View
from samurai_env.compiled import compiled, entry_point, inlined
from samurai_env.generator import below, seed_words, split_seed
from samurai_env.rules.actions import END, LAY, LIFT, NUM_ACTIONS, PLACE, SHIP
from samurai_env.rules.bits import has
from samurai_env.rules.board import (
    LAND_ENDS,
    MAX_PLAYERS,
    NO_SETTLEMENT,
    NUM_LAND,
    NUM_SEA,
    NUM_SETTLEMENTS,
    SEA_ENDS,
    SUPPLY,
)
from samurai_env.rules.capture import SET_ASIDE_LIMIT, judge_all_surrounded
from samurai_env.rules.legal import LEGAL_WORDS, write_legal
from samurai_env.rules.scoring import standing
from samurai_env.rules.state import FIGURES_DRAFT, HANDS, NOTHING, PLAY, STATE_SIZE, record, record_type
from samurai_env.rules.tiles import NUM_FIGURES, NUM_KINDS, NUM_LAND_KINDS, SHIP_1, STRENGTH
from samurai_env.rules.turn import decide
from samurai_env.threads import in_parallel

_AHEAD = 2  # games that one thread decides in the time that another takes to wake up

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
# Worths that differ by less are equal: sums of the same terms in another order are not the same to the last bit.
EQUAL = 1e-9
# The first hand: the big samurai, one 4 of any type and the big ship.
HOLD_WORTH = np.array([0, 0, 2] * 3 + [1, 4, 5, 0, 0, 3, 0, 0], np.float64)
# What first hands and figures that are placed are worth, in the unit of play, where a majority is worth 1.
SETUP_WEIGHT = 0.02

_PULL = np.exp(SLOPE[:, :, None] * np.arange(64))  # (players, empty land hexes, influence)
_THREATS = np.exp(THREAT[:, None] * np.arange(STRENGTH.max() + 1))  # (players, strength of the best tile)


# The memory in which decisions are tried: a record, since handing on arrays counts references to each of them.
SCRATCH = record_type(
    [
        ("weight", "<f8", (MAX_PLAYERS,)),  # of each seat on the figure that is looked at
        ("threat", "<f8", (MAX_PLAYERS, NUM_FIGURES)),  # each seat's factor on its weight where one hex is left
        # The figures that each seat may expect in the end, the variance of these numbers, and the chances of one
        # seat of the majorities: of what was looked at last, and of the position before the decision.
        ("expected", "<f8", (MAX_PLAYERS + 1, NUM_FIGURES)),
        ("expected_before", "<f8", (MAX_PLAYERS + 1, NUM_FIGURES)),
        ("majorities_before", "<f8", (NUM_FIGURES,)),
        ("tiles_before", "<f8"),  # what the tiles are worth before the decision
        ("is_calm", "i1"),  # the game does not end with this turn, and no capture waits for its end
        ("legal", "<u8", (2, LEGAL_WORDS)),  # the actions of the game, and those of the second half of an exchange
        ("states", "i1", (2, STATE_SIZE)),  # after a decision, and after the second half of an exchange
    ]
)


def new_scratch() -> NDArray[Any]:
    """Return scratch memory for `choose`, (1,) of SCRATCH, good for any number of players; one for each thread."""
    return np.zeros(1, SCRATCH)


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


@inlined
def weigh(game, figure, settlement, empty, seat, more, scratch):
    """Write the weight of each seat on a figure and return their sum, that of a tie included.

    Judged as if `empty` land hexes beside it were left, and as if `seat` had so much `more` influence.
    """
    total, most, second = 0.0, 0.0, 0.0
    for other in range(game.players):
        influence = game.influence[other, figure, settlement] + (more if other == seat else 0)
        weight = _PULL[game.players, empty, influence]
        if empty <= 1:
            weight *= scratch.threat[other, figure]
        scratch.weight[other] = weight
        total += weight
        second = max(second, min(most, weight))
        most = max(most, weight)
    return total + TIE[game.players] * second


@inlined
def expect_figure(game, figure, settlement, empty, seat, more, sign, delay, scratch):
    """Add (sign 1) or take away (-1) what the seats may expect of one figure; the rest as in `weigh`."""
    total = weigh(game, figure, settlement, empty, seat, more, scratch)
    share = 1.0 / ((1.0 + delay * empty) * total)
    for other in range(game.players):
        chance = scratch.weight[other] * share
        scratch.expected[other, figure] += sign * chance
        scratch.expected[MAX_PLAYERS, figure] += sign * chance * (1.0 - chance)


@compiled
def until_end(game):
    """Return about how many figures have to go until the game ends, at least 1."""
    figures = 2 * (SET_ASIDE_LIMIT - game.set_aside.sum())
    for figure in range(NUM_FIGURES):
        if game.on_board[figure] > 0:
            figures = min(figures, game.on_board[figure])
    return max(figures, 1)


@inlined
def delay_of(game):
    """Return by how much each empty hex beside a settlement makes it doubtful that its figures fall."""
    return DELAY[game.players] / until_end(game)


@compiled
def expect_figures(game, scratch):
    """Write the figures that each seat may expect in the end, and the variance."""
    delay = delay_of(game)
    for figure in range(NUM_FIGURES):
        for seat in range(game.players):
            scratch.expected[seat, figure] = game.captured[seat, figure]
        scratch.expected[MAX_PLAYERS, figure] = 0.0
        for settlement in range(NUM_SETTLEMENTS[game.players]):
            if game.figures[figure, settlement]:
                expect_figure(game, figure, settlement, game.open_land[settlement], 0, 0, 1.0, delay, scratch)


@compiled
def majority_chance(game, figure, seat, scratch):
    """Return the seat's chance of the majority in a type, from the expected figures."""
    sharpness = SHARPNESS[game.players] / math.sqrt(DOUBT + max(0.0, scratch.expected[MAX_PLAYERS, figure]))
    own, total = scratch.expected[seat, figure], 0.0
    for other in range(game.players):
        total += math.exp(sharpness * (scratch.expected[other, figure] - own))
    return 1.0 / total


@compiled
def tiles_worth(game, seat):
    """Return what the tiles in hand and stock are worth, whatever was drawn of them."""
    total = 0.0
    for kind in range(NUM_KINDS):
        total += KEEP[kind] * (game.hands[seat, kind] + game.stocks[seat, kind])
    return total * share_on_board(game)


@inlined
def share_on_board(game):
    """Return which part of all figures is still on the board."""
    return (game.on_board[0] + game.on_board[1] + game.on_board[2]) / (NUM_FIGURES * SUPPLY[game.players])


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


# ------------------------------------------------------------------ a tile that is laid
# Most decisions lay a tile beside two settlements, and what else is expected stays as it was.


@compiled
def look_before(game, seat, scratch):
    """Write what holds before a decision of a seat, for `action_worth`."""
    write_threats(game, seat, scratch)
    expect_figures(game, scratch)
    for figure in range(NUM_FIGURES):
        for other in range(game.players):
            scratch.expected_before[other, figure] = scratch.expected[other, figure]
        scratch.expected_before[MAX_PLAYERS, figure] = scratch.expected[MAX_PLAYERS, figure]
        scratch.majorities_before[figure] = majority_chance(game, figure, seat, scratch)
    scratch.tiles_before = tiles_worth(game, seat)
    scratch.is_calm = game.phase == PLAY and not game.last_turn and not (game.end_of_turn and captures_wait(game))


@inlined
def captures_wait(game):
    """Whether a settlement with figures is surrounded, to be judged at the end of the turn."""
    for settlement in range(NUM_SETTLEMENTS[game.players]):
        if game.open_land[settlement] == 0 and holds_figures(game, settlement):
            return True
    return False


@inlined
def holds_figures(game, settlement):
    """Whether any figure stands on a settlement."""
    return (game.figures[0, settlement] | game.figures[1, settlement] | game.figures[2, settlement]) != 0


@inlined
def lay_worth(game, kind, one, other, filled, seat, scratch):
    """Return what it is worth to lay a tile beside up to two settlements, without a capture.

    Args:
        game: the position that `look_before` saw.
        kind: the tile.
        one: a settlement; NO_SETTLEMENT where there is none.
        other: the other one.
        filled: 1 if the tile takes one of their empty land hexes (on land), else 0 (at sea).
        seat: who lays it.
        scratch: as `look_before` left it.
    """
    delay = delay_of(game)
    total = scratch.tiles_before
    if game.lifted == NOTHING:
        total -= KEEP[kind] * share_on_board(game)
    for figure in range(NUM_FIGURES):
        changes = False
        for settlement in (one, other):
            if settlement != NO_SETTLEMENT and game.figures[figure, settlement]:
                more = STRENGTH[kind, figure]
                if filled or more:
                    if not changes:
                        changes = True
                        for who in range(game.players):
                            scratch.expected[who, figure] = scratch.expected_before[who, figure]
                        scratch.expected[MAX_PLAYERS, figure] = scratch.expected_before[MAX_PLAYERS, figure]
                    empty = game.open_land[settlement]
                    expect_figure(game, figure, settlement, empty, seat, 0, -1.0, delay, scratch)
                    expect_figure(game, figure, settlement, empty - filled, seat, more, 1.0, delay, scratch)
        if changes:
            total += majority_chance(game, figure, seat, scratch)
            total += FIGURE[game.players] * scratch.expected[seat, figure]
        else:
            total += scratch.majorities_before[figure]
            total += FIGURE[game.players] * scratch.expected_before[seat, figure]
    return total


@inlined
def surrounds(game, settlement):
    """Whether a tile on the last empty land hex beside a settlement makes figures fall."""
    return game.open_land[settlement] == 1 and holds_figures(game, settlement)


# ------------------------------------------------------------------ the choice


@compiled
def try_action(game, action):
    """Play one action and nothing that follows by itself: no draw, no next turn, no look at other hands."""
    if action != END[game.players]:
        decide(game, action)


@compiled
def best_second_half(seat, is_one_way, scratch):
    """Return what the best second half of the exchange under way in `scratch.states[0]` is worth.

    A swap reads the same either way round: one way, only second figures of a higher type than the first are tried.
    """
    half = record(scratch.states[0])
    write_legal(half, scratch.legal[1])
    best = -math.inf
    first = PLACE + (half.swap_figure + 1) * NUM_SETTLEMENTS[half.players] if is_one_way else PLACE
    for action in range(first, LIFT[half.players]):
        if has(scratch.legal[1], action):
            scratch.states[1] = scratch.states[0]
            game = record(scratch.states[1])
            try_action(game, action)
            best = max(best, play_worth(game, seat, scratch))
    return best


@compiled
def action_worth(state, action, seat, is_one_way, scratch):
    """Return what a legal action of the seat to move is worth; `look_before` has seen the position.

    If `is_one_way`, a swap is worth nothing, -inf, that begins with the higher type of its two.
    """
    game = record(state)
    players = game.players
    if scratch.is_calm and LAY[players] <= action < LIFT[players]:
        if action < SHIP[players]:
            kind, land = divmod(action - LAY[players], NUM_LAND[players])
            one, other = LAND_ENDS[land, 0], LAND_ENDS[land, 1]
            if not surrounds(game, one) and not surrounds(game, other):
                return lay_worth(game, kind, one, other, 1, seat, scratch)
        else:
            ship, sea = divmod(action - SHIP[players], NUM_SEA[players])
            one, other = SEA_ENDS[players, sea, 0], SEA_ENDS[players, sea, 1]
            return lay_worth(game, SHIP_1 + ship, one, other, 0, seat, scratch)
    scratch.states[0] = state
    after = record(scratch.states[0])
    try_action(after, action)
    if after.lifted != NOTHING or after.swap_figure != NOTHING:
        return best_second_half(seat, is_one_way, scratch)
    return worth(after, seat, scratch)


@compiled
def pick(state, scratch, words):
    """Return the greedy action of the seat to move; see `choose`."""
    game = record(state)
    seat = game.mover
    look_before(game, seat, scratch)
    write_legal(game, scratch.legal[0])
    best, equal, chosen = -math.inf, 0, -1
    for action in range(NUM_ACTIONS[game.players]):
        if has(scratch.legal[0], action):
            value = action_worth(state, action, seat, True, scratch)
            if value > best + EQUAL:
                best, equal, chosen = value, 0, action
            if value >= best - EQUAL:
                equal += 1
                if below(words, equal) == 0:
                    chosen = action
    return chosen


@entry_point
def choose(state, scratches, words):
    """Return the greedy action of the seat to move; equally good ones are drawn from with `words`.

    Args:
        state: the game, int8 (STATE_SIZE,). Of the other seats' tiles only hand and stock together are read.
        scratches: what `new_scratch` made.
        words: a random generator, uint32 (4,).
    """
    return pick(state, scratches[0], words)


@entry_point
def _choose_part(states, words, scratch, actions, first, last):
    for i in range(first, last):
        actions[i] = choose(states[i], scratch, words[i])


def choose_in_all(states: NDArray[np.int8], words: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return the greedy action of the seat to move in each of many games, int64 of shape (G,), on several threads.

    Args:
        states: the games, (G, STATE_SIZE); see `choose` for what is read of them.
        words: a random generator for each, (G, 4).
    """
    actions = np.empty(len(states), np.int64)

    def part(first: int, last: int) -> None:
        _choose_part(states, words, new_scratch(), actions, first, last)

    in_parallel(part, len(states), _AHEAD)
    return actions


@entry_point
def _weigh_part(states, scratches, worths, first, last):
    scratch = scratches[0]
    for i in range(first, last):
        game = record(states[i])
        seat = game.mover
        weight = 1.0 if game.phase == PLAY else SETUP_WEIGHT
        look_before(game, seat, scratch)
        write_legal(game, scratch.legal[0])
        for action in range(NUM_ACTIONS[game.players]):
            worths[i, action] = -math.inf
            if has(scratch.legal[0], action):
                worths[i, action] = weight * action_worth(states[i], action, seat, False, scratch)


def weigh_in_all(states: NDArray[np.int8], players: int) -> NDArray[np.float32]:
    """Return what the greedy player thinks of each action in many games, on several threads.

    Args:
        states: the games, (G, STATE_SIZE); see `choose` for what is read of them.
        players: the number of players of each game.

    Returns:
        float32 of shape (G, num_actions), where a majority is worth 1, and the end of the game 100 to who wins; -inf
        for what is not legal.
    """
    worths = np.empty((len(states), NUM_ACTIONS[players]), np.float32)

    def part(first: int, last: int) -> None:
        _weigh_part(states, new_scratch(), worths, first, last)

    in_parallel(part, len(states), _AHEAD)
    return worths


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

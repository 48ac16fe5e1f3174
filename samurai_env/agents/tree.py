"""The compiled tree of the search player: information-set Monte Carlo tree search with many players.

One tree holds what one seat can see: its nodes are sequences of actions, not states. Each iteration deals anew
what the seat cannot know (`determinize`), goes down by the actions that are legal in this deal, judges the
position where it leaves the tree, and adds the result, a share of the victory for every seat, to the nodes on
its way; at each node the seat to move looks for its own share. An action that is not legal in a deal is not
available there, and counts only the visits to its node when it was (Cowling, Powley and Whitehouse 2012).

The choice is wide, so an action is tried in the order of what the greedy player thinks of it, which becomes a
prior in the rule of PUCT (Rosin 2011), and of each tile only the best places are tried at all.

What the other seats choose for their first hands is secret, so it is no part of the tree: it is played, and
dealt anew, like a draw.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from samurai_env.agents.greedy import (
    SCRATCH,
    action_worth,
    expect_figures,
    look_before,
    majority_chance,
    play_worth,
    try_action,
    worth,
    write_threats,
)
from samurai_env.compiled import borrowed, compiled, entry_point, inlined
from samurai_env.encoder import encode
from samurai_env.generator import next_word, seed_words
from samurai_env.rules.actions import END, LAY, LIFT, MAX_ACTIONS, NUM_ACTIONS, PLACE, SHIP
from samurai_env.rules.bits import NO_BITS, WORD, has, nth, popcount
from samurai_env.rules.board import MAX_PLAYERS, NUM_LAND, NUM_SEA, NUM_SETTLEMENTS, PLAYER_COUNTS
from samurai_env.rules.capture import judge_all_surrounded
from samurai_env.rules.determinize import determinize
from samurai_env.rules.legal import LEGAL_WORDS, draw_legal, write_legal, write_mask
from samurai_env.rules.scoring import standing
from samurai_env.rules.state import (
    FIGURES_DRAFT,
    HANDS,
    NOTHING,
    OVER,
    PLAY,
    STATE_SIZE,
    record,
    record_type,
    seat_after,
)
from samurai_env.rules.tiles import NUM_FIGURES, NUM_KINDS
from samurai_env.rules.turn import apply, in_exchange
from samurai_env.threads import in_parallel

NONE = -1
ROOT = 0
TO_THE_END = 1 << 30
# After how many decisions a playout is judged, unless it is said: of more players, the judgement says less.
BY_PLAYERS = -1
DEPTH = np.array([0, 0, 8, 20, 20])
# What first hands are worth as a prior, in the unit of play: playouts to the end hardly tell them apart.
HANDS_WEIGHT = 0.1
FLATTEST = 8.0  # priors are not smaller than exp(-8) of the best
_AHEAD = 16  # positions that one thread judges in the time that another takes to wake up
DEEPEST = 256  # nodes on a way down: no game has as many decisions that would be searched

NODE = record_type(
    [
        ("total", "<f8", (MAX_PLAYERS,)),  # the sums of the seats' results
        ("prior", "<f4"),  # its weight among its siblings
        ("anchor", "<f4"),  # the worth of its best child when it was opened
        ("visits", "<i4"),
        ("available", "<i4"),  # how often its parent was visited when it was legal
        ("first", "<i4"),  # its first child
        ("next", "<i4"),  # its next sibling
        ("twin", "<i4"),  # the same way down where another seat is to move: whether a turn ends may depend on the hand
        ("known", "<i4"),  # its row of actions that it has looked at
        ("action", "<i2"),  # which leads to it
        ("mover", "<i2"),  # the seat to move
    ]
)


class Settings(NamedTuple):
    """How the search searches; see `SearchPlayer`."""

    exploration: float
    temperature: float
    informed: bool
    judged: bool
    places: int
    width: int
    depth: int


MEMORY = record_type(
    {
        "names": [
            "num_nodes",
            "num_known",
            "words",
            "path",
            "shares",
            "chances",
            "legal",
            "actions",
            "worths",
            "scratch",
            "state",
            "trial",
        ],
        "formats": [
            "<i8",  # nodes in use
            "<i8",  # rows of known actions in use
            ("<u4", (4,)),  # the random generator
            ("<i4", (DEEPEST,)),  # the nodes on the way down
            ("<f8", (MAX_PLAYERS,)),  # the result of an iteration: each seat's share of the victory
            ("<f8", (NUM_FIGURES, MAX_PLAYERS)),  # each seat's chance of each majority
            ("<u8", (LEGAL_WORDS,)),  # the actions that are legal now
            ("<i8", (MAX_ACTIONS,)),  # those that are looked at for the first time
            ("<f8", (MAX_ACTIONS,)),  # and what they are worth
            SCRATCH,
            ("i1", (STATE_SIZE,)),  # the game on the way down
            ("i1", (STATE_SIZE,)),  # a game in which playouts try actions
        ],
    }
)
"""The memory of a search, beside its nodes: a record, since handing on arrays counts references to each of them."""


class Tree(NamedTuple):
    """A tree and the memory its search needs; one for each thread."""

    nodes: NDArray[Any]
    """(N,) of NODE."""
    known: NDArray[np.uint64]
    """(K, LEGAL_WORDS): the actions that an opened node has had a look at."""
    memory: NDArray[Any]
    """(1,) of MEMORY."""


def new_tree(nodes: int) -> Tree:
    """Return an empty tree that can hold as many nodes, 72 bytes each."""
    return Tree(np.zeros(nodes, NODE), np.zeros((nodes // 16 + 2, LEGAL_WORDS), np.uint64), np.zeros(1, MEMORY))


def _groups() -> NDArray[np.int32]:
    """Return for each number of players and action the first action of its group: those of one tile or figure."""
    groups = np.zeros((MAX_PLAYERS + 1, int(NUM_ACTIONS[MAX_PLAYERS])), np.int32)
    for players in PLAYER_COUNTS:
        bounds = [
            0,
            *range(PLACE, LAY[players], NUM_SETTLEMENTS[players]),
            *range(LAY[players], SHIP[players], NUM_LAND[players]),
            *range(SHIP[players], LIFT[players], NUM_SEA[players]),
            LIFT[players],
            END[players],
        ]
        for first in bounds:
            groups[players, first:] = first
    return groups


GROUPS = _groups()

# ------------------------------------------------------------------ judging a position


@compiled
def share_result(game, shares):
    """Write the shares of the victory as the captured figures stand: 1 / the number of winners for each of them."""
    captured, best, sharing = game.captured[: game.players], 0, 0
    for seat in range(game.players):
        best = max(best, standing(captured, seat))
    for seat in range(game.players):
        sharing += standing(captured, seat) == best
    for seat in range(game.players):
        shares[seat] = 1.0 / sharing if standing(captured, seat) == best else 0.0


# Three seats with a majority each: how much a figure of another type more makes victory likelier.
TIE_BREAK = 0.6
# The logarithm of a seat's share is taken so many times, and what it has left and the move are added to it: a logistic
# regression on finished games, which `python benchmarks/judgement.py` makes again. By the number of players.
CERTAINTY = np.array([0, 0, 1.62, 1.70, 1.70])
LEAST_SHARE = 1e-4
TO_MOVE = 0.19
_LEFT = (  # figure tiles 2, 3, 4; samurai 1, 2, 3; ronin; ships 1 and 2; figure exchange, tile exchange
    (0.07, 0.15, 0.32, -0.05, 0.19, 0.63, 0.33, 0.07, 0.14, 0.73, 0.24),
    (0.01, 0.15, 0.27, -0.11, 0.04, 0.51, 0.30, 0.10, 0.04, 0.77, 0.12),
    (-0.06, 0.07, 0.25, -0.14, -0.02, 0.29, 0.30, 0.04, 0.11, 0.54, 0.10),
)
LEFT = np.array([[0.0] * NUM_KINDS] * 2 + [[*row[:3], *row[:3], *row] for row in _LEFT])


@inlined
def moved_last(game):
    """Return the seat that has played last: all others threaten to close what it has left open."""
    return game.mover if game.tiles_played > 0 else seat_after(game, game.mover, game.players - 1)


@compiled
def expect_by_majorities(game, memory):
    """Write the expected shares of the victory as the chances of the majorities say, taken as independent."""
    players, shares, chances, expected = game.players, memory.shares, memory.chances, memory.scratch.expected
    write_threats(game, moved_last(game), memory.scratch)
    expect_figures(game, memory.scratch)
    for figure in range(NUM_FIGURES):
        for seat in range(players):
            chances[figure, seat] = majority_chance(game, figure, seat, memory.scratch)
    for seat in range(players):
        shares[seat] = 0.0
    for first in range(players):
        for second in range(players):
            pair = chances[0, first] * chances[1, second]
            for third in range(players):
                chance = pair * chances[2, third]
                if first in (second, third):
                    shares[first] += chance
                elif second == third:
                    shares[second] += chance
                else:
                    one = math.exp(TIE_BREAK * (expected[first, 1] + expected[first, 2]))
                    two = math.exp(TIE_BREAK * (expected[second, 0] + expected[second, 2]))
                    three = math.exp(TIE_BREAK * (expected[third, 0] + expected[third, 1]))
                    chance /= one + two + three
                    shares[first] += chance * one
                    shares[second] += chance * two
                    shares[third] += chance * three


@compiled
def expect_result(game, memory):
    """Write the expected shares of the victory: by the majorities, the tiles that are left, and who is to move."""
    players, shares, total = game.players, memory.shares, 0.0
    expect_by_majorities(game, memory)
    for seat in range(players):
        power = CERTAINTY[players] * math.log(max(shares[seat], LEAST_SHARE))
        for kind in range(NUM_KINDS):
            power += LEFT[players, kind] * (game.hands[seat, kind] + game.stocks[seat, kind])
        if seat == game.mover:
            power += TO_MOVE
        shares[seat] = math.exp(power)
        total += shares[seat]
    for seat in range(players):
        shares[seat] /= total


@compiled
def play_on(game, settings, memory):
    """Play on at random for `depth` decisions; to the end from a set-up, where nothing can be judged yet.

    Of `width` actions that are drawn, the one that the greedy player thinks most of is played.
    """
    depth = settings.depth
    if game.phase != PLAY:
        depth = TO_THE_END
    elif depth == BY_PLAYERS:
        depth = DEPTH[game.players]
    decisions = 0
    trial = record(memory.trial)
    while game.phase != OVER and decisions < depth:
        decisions += 1
        size = write_legal(game, memory.legal)
        chosen = draw_legal(memory.words, memory.legal, size)
        if settings.width > 1:
            seat, best = game.mover, -math.inf
            write_threats(game, seat, memory.scratch)
            for _ in range(settings.width):
                action = draw_legal(memory.words, memory.legal, size)
                memory.trial[:] = memory.state
                try_action(trial, action)
                value = worth(trial, seat, memory.scratch)
                if value > best:
                    best, chosen = value, action
        apply(game, chosen)


@compiled
def judge(game, memory):
    """Write the shares of the victory that each seat gets or may expect from the position in `memory.state`."""
    if game.phase == PLAY and game.end_of_turn and game.tiles_played > 0 and not in_exchange(game):
        judge_all_surrounded(game)  # as if the turn ended here
    if game.phase == OVER or game.last_turn:
        share_result(game, memory.shares)
    elif game.phase == PLAY:
        expect_result(game, memory)
    else:  # nothing is known yet
        for seat in range(game.players):
            memory.shares[seat] = 1.0 / game.players


@entry_point
def _judge_part(states, memories, shares, first, last):
    memory = memories[0]
    game = record(memory.state)
    for i in range(first, last):
        memory.state[:] = states[i]
        judge(game, memory)
        for seat in range(game.players):
            shares[i, seat] = memory.shares[seat]


def judge_all(states: NDArray[np.int8], players: int) -> NDArray[np.float32]:
    """Return the share of the victory that each seat may expect in many games, as at the leaves of the tree.

    Args:
        states: the games, (G, STATE_SIZE). Of a seat's tiles only hand and stock together are read.
        players: the number of players of each game.

    Returns:
        float32 of shape (G, players); even shares before the first turn.
    """
    shares = np.empty((len(states), players), np.float32)

    def part(first: int, last: int) -> None:
        _judge_part(states, np.zeros(1, MEMORY), shares, first, last)

    in_parallel(part, len(states), _AHEAD)
    return shares


# ------------------------------------------------------------------ the tree


@compiled
def is_secret(game, seat):
    """Whether the next decision is one that the searching seat does not see."""
    return game.phase == HANDS and game.mover != seat


@compiled
def skip_secrets(game, seat, memory):
    """Play what the searching seat does not see."""
    while is_secret(game, seat):
        size = write_legal(game, memory.legal)
        apply(game, draw_legal(memory.words, memory.legal, size))


@compiled
def _set_node(node, action, prior, sibling):
    node.action = action
    node.prior = prior
    node.next = sibling
    node.first = NONE
    node.twin = NONE
    node.known = NONE
    node.mover = NONE
    node.visits = 0
    node.available = 0
    for seat in range(MAX_PLAYERS):
        node.total[seat] = 0.0


@compiled
def find_new(node, known, memory):
    """List the legal actions that a node has not looked at yet, ascending; return how many they are."""
    if node.known == NONE:
        if memory.num_known == len(known):
            return 0
        node.known = memory.num_known
        memory.num_known += 1
        for i in range(LEGAL_WORDS):
            known[node.known, i] = NO_BITS
    found = 0
    for i in range(LEGAL_WORDS):
        new = memory.legal[i] & ~known[node.known, i]
        known[node.known, i] |= new
        for _ in range(popcount(new)):
            memory.actions[found] = i * WORD + nth(new, 0)
            new &= new - np.uint64(1)
            found += 1
    return found


@compiled
def look_at_new(game, at, settings, nodes, known, memory):
    """Make children of the legal actions that the node has not looked at yet.

    What an action is worth does not depend on the deal: the greedy player sees only what is public, and the tile
    that is played.
    """
    found = find_new(nodes[at], known, memory)
    if found:
        weigh_actions(game, found, settings, memory, at == ROOT)
        add_children(game, nodes[at], found, settings, nodes, memory)


@compiled
def has_new(at, nodes, known, memory):
    """Whether a node has not seen some of the legal actions yet."""
    if nodes[at].known == NONE:
        return True
    for i in range(LEGAL_WORDS):
        if memory.legal[i] & ~known[nodes[at].known, i] != NO_BITS:
            return True
    return False


@compiled
def weigh_actions(game, found, settings, memory, is_root):
    """Write what the new actions are worth to the seat to move."""
    if not settings.informed:
        for i in range(found):
            memory.worths[i] = next_word(memory.words) * 1e-12  # in random order
        return
    seat = game.mover
    look_before(game, seat, memory.scratch)
    before = 0.0
    if game.phase == PLAY and not is_root:
        memory.trial[:] = memory.state  # on a copy: captures that wait for the end of the turn are made
        before = play_worth(record(memory.trial), seat, memory.scratch)
    for i in range(found):
        if game.phase == FIGURES_DRAFT:
            memory.worths[i] = 0.0
        elif game.phase == HANDS:
            memory.worths[i] = HANDS_WEIGHT * action_worth(memory.state, memory.actions[i], seat, True, memory.scratch)
        elif not is_root and begins_exchange(game, memory.actions[i]):
            memory.worths[i] = before  # to try all second halves would take too long
        else:
            memory.worths[i] = action_worth(memory.state, memory.actions[i], seat, True, memory.scratch)


@inlined
def begins_exchange(game, action):
    """Whether an action of `play` is the first half of an exchange."""
    is_swap = action < LAY[game.players] and game.swap_figure == NOTHING
    return is_swap or LIFT[game.players] <= action < END[game.players]


@compiled
def add_children(game, node, found, settings, nodes, memory):
    """Add children for the best of the new actions of each group."""
    if node.first == NONE:
        best = -math.inf
        for i in range(found):
            best = max(best, memory.worths[i])
        node.anchor = best
    groups, first = GROUPS[game.players], 0
    places = settings.places if game.phase == PLAY and settings.informed else found
    while first < found:
        last = first
        while last < found and groups[memory.actions[last]] == groups[memory.actions[first]]:
            last += 1
        for _ in range(min(places, last - first)):
            best = first
            for i in range(first, last):
                if memory.worths[i] > memory.worths[best]:
                    best = i
            if memory.worths[best] == -math.inf:
                break  # a swap read from its other figure
            if memory.num_nodes == len(nodes):
                return
            prior = 1.0
            if settings.informed:
                power = (memory.worths[best] - node.anchor) / settings.temperature
                prior = math.exp(min(max(power, -FLATTEST), FLATTEST))
            new = memory.num_nodes
            memory.num_nodes += 1
            _set_node(nodes[new], memory.actions[best], prior, node.first)
            node.first = new
            memory.worths[best] = -math.inf
        first = last


@compiled
def choose_child(seat, at, settings, nodes, memory):
    """Return the child to visit, and count the children that are available."""
    legal = memory.legal
    node = nodes[at]
    sum_of_priors = 0.0
    child = node.first
    while child != NONE:
        if has(legal, nodes[child].action):
            nodes[child].available += 1
            sum_of_priors += nodes[child].prior
        child = nodes[child].next
    # An action not tried yet is taken for a little worse than what was.
    untried = node.total[seat] / max(node.visits, 1) - 0.05
    best, chosen = -math.inf, NONE
    child = node.first
    while child != NONE:
        candidate = nodes[child]
        if has(legal, candidate.action):
            value = candidate.total[seat] / candidate.visits if candidate.visits else untried
            curiosity = candidate.prior / sum_of_priors * math.sqrt(candidate.available) / (1 + candidate.visits)
            value += settings.exploration * curiosity
            if value > best:
                best, chosen = value, child
        child = candidate.next
    return chosen


@compiled
def twin_for(at, mover, nodes, memory):
    """Return the twin of a node where `mover` is to move, made if it is missing; NONE if there is no room."""
    while nodes[at].mover != mover:
        if nodes[at].mover == NONE:
            nodes[at].mover = mover
        elif nodes[at].twin != NONE:
            at = nodes[at].twin
        elif memory.num_nodes == len(nodes):
            return NONE
        else:
            _set_node(nodes[memory.num_nodes], nodes[at].action, 0.0, NONE)
            nodes[at].twin = memory.num_nodes
            memory.num_nodes += 1
    return at


@compiled
def descend(root, seat, settings, nodes, known, memory):
    """Deal anew, go down to where the tree ends, and return how many nodes are on the way."""
    memory.state[:] = root
    game = record(memory.state)
    determinize(game, seat, next_word(memory.words), next_word(memory.words))
    # Where the figures are placed at random after the first hands, each deal has another board.
    is_before_board = game.phase == HANDS and game.random_figures
    length, at = 1, ROOT
    memory.path[0] = ROOT
    while length < DEEPEST - 1:
        skip_secrets(game, seat, memory)
        if game.phase == OVER or (is_before_board and game.phase != HANDS):
            break
        twin = twin_for(at, game.mover, nodes, memory)
        if twin not in (at, NONE):
            memory.path[length] = at = twin
            length += 1
        if twin == NONE or (at != ROOT and nodes[at].visits == 0):
            break
        write_legal(game, memory.legal)
        if settings.judged:
            if has_new(at, nodes, known, memory):
                break
        else:
            look_at_new(game, at, settings, nodes, known, memory)
        child = choose_child(game.mover, at, settings, nodes, memory)
        if child == NONE:
            break
        apply(game, nodes[child].action)
        memory.path[length] = at = child
        length += 1
    return length


@compiled
def visit(length, nodes, memory):
    """Count a visit to the nodes on the way."""
    for i in range(length):
        nodes[memory.path[i]].visits += 1


@compiled
def back_up(length, players, nodes, memory):
    """Add the result to the nodes on the way."""
    for i in range(length):
        for seat in range(players):
            nodes[memory.path[i]].total[seat] += memory.shares[seat]


@entry_point
def begin(tree, low, high):
    """Make the tree ready for another search, its random choices seeded by the two halves of a seed."""
    memory = tree.memory[0]
    seed_words(memory.words, low, high)
    memory.num_nodes = 1
    memory.num_known = 0
    _set_node(tree.nodes[ROOT], NONE, 1.0, NONE)


@entry_point
def search(root, seat, iterations, settings, tree):
    """Search on for some iterations from a state, for the seat to move in it."""
    nodes, known, memory = borrowed(tree.nodes), borrowed(tree.known), tree.memory[0]
    game = record(memory.state)
    for _ in range(iterations):
        length = descend(root, seat, settings, nodes, known, memory)
        play_on(game, settings, memory)
        judge(game, memory)
        visit(length, nodes, memory)
        back_up(length, game.players, nodes, memory)


@entry_point
def find_leaves(root, seat, settings, tree, lengths, ways, states):
    """Go down as often as `lengths` is long, to positions for somebody else to judge.

    Until that is done, all that go down count as lost for everybody, so that the next one looks elsewhere: the virtual
    loss of Chaslot, Winands and van den Herik (2008).
    """
    nodes, known, memory = borrowed(tree.nodes), borrowed(tree.known), tree.memory[0]
    for i in range(len(lengths)):
        lengths[i] = length = descend(root, seat, settings, nodes, known, memory)
        visit(length, nodes, memory)
        ways[i] = memory.path
        states[i] = memory.state


@entry_point
def look_at_leaves(states, hide_captures, observations, masks, seats, shares, tree):
    """Write who is to move (NONE after the end), what that seat sees, the legal actions, and the expected shares."""
    memory = tree.memory[0]
    game = record(memory.state)
    for i in range(len(states)):
        memory.state[:] = states[i]
        seats[i] = NONE if game.phase == OVER else game.mover
        encode(game, max(game.mover, 0), hide_captures, observations[i], 0, observations.shape[-1])
        write_legal(game, memory.legal)
        write_mask(memory.legal, masks[i], 0, masks.shape[-1])
        judge(game, memory)
        for seat in range(game.players):
            shares[i, seat] = memory.shares[seat]


@entry_point
def take_judgements(lengths, ways, states, worths, shares, settings, tree):
    """Open the leaves with what their actions are worth, float64 (L, num_actions), and back up the shares."""
    nodes, memory = borrowed(tree.nodes), tree.memory[0]
    game = record(memory.state)
    for i in range(len(lengths)):
        memory.path[:] = ways[i]
        memory.state[:] = states[i]
        if game.phase != OVER:
            write_legal(game, memory.legal)
            at = memory.path[lengths[i] - 1]
            found = find_new(nodes[at], tree.known, memory)
            for k in range(found):
                memory.worths[k] = worths[i, memory.actions[k]]
            add_children(game, nodes[at], found, settings, nodes, memory)
        for seat in range(game.players):
            memory.shares[seat] = shares[i, seat]
        back_up(lengths[i], game.players, nodes, memory)

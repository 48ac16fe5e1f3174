"""The search player: sense, nothing hidden read, seeds, budgets, trees that hold together, and judges."""

from __future__ import annotations

import copy
import pickle
import time

import numpy as np
import pytest
from games import OPTIONS, PLAYERS, analysed_twice, hide_anew, name, plies, win_by_two_tiles

from samurai_env.agents import RandomPlayer, View, make_player
from samurai_env.agents.search import SearchPlayer
from samurai_env.agents.tree import DEEPEST, GROUPS, NONE, ROOT, begin, find_leaves, judge_all, search
from samurai_env.arena import evaluate, play
from samurai_env.generator import next_word
from samurai_env.observation import observe, size
from samurai_env.rules import Game
from samurai_env.rules.actions import texts
from samurai_env.rules.state import STATE_SIZE


def view_of(game):
    return View(game, game.current_player)


def middle(players=2, ply=30, **options):
    return next(g for i, g in enumerate(plies(3, players=players, **options)) if i == ply)


def text(game, candidate):
    return game.action_to_string(candidate.action)


# ------------------------------------------------------------------ strength and sense


def test_beats_random_and_holds_its_own_against_greedy():
    assert evaluate(make_player("search:100"), [RandomPlayer()], games=10, seed=1).wins > 9
    assert evaluate(make_player("search:300"), [make_player("greedy")], games=40, seed=1).rate > 0.5


def test_sees_a_win_by_two_tiles_in_one_turn():
    game, first_tiles = win_by_two_tiles()
    found = SearchPlayer(iterations=2000).analyse(view_of(game))
    assert found[0].share > 0.9
    assert text(game, found[0]) in first_tiles
    game.apply(found[0].action)
    game.apply(SearchPlayer(iterations=500).act(view_of(game)))
    assert game.winners == (0,)  # no tile can be played after these, and the game is over


# ------------------------------------------------------------------ all phases, all options


@pytest.mark.parametrize("options", OPTIONS, ids=name)
def test_plays_legal_games_with_every_option(options):
    player = SearchPlayer(iterations=12)
    game = play(Game(seed=4, **options), [player] * options["players"], seed=1)
    assert game.winners


@pytest.mark.parametrize("exchange", ["figure-exchange", "tile-exchange"])
def test_begins_and_ends_exchanges(exchange):
    swaps = {"figures": {"0,-6": ["rice"], "0,-4": ["helmet", "buddha"], "0,0": ["helmet"]}}
    lifts = {"figures": {"0,-4": ["helmet"]}, "tiles": {"0,-5": {"seat": 0, "tile": "rice-4"}}}
    parts = swaps if exchange == "figure-exchange" else lifts
    game = Game.from_dict({"players": 2, "to_move": 0, "hands": [[exchange], ["helmet-4"]], **parts})
    found = SearchPlayer(iterations=300).analyse(view_of(game))
    assert {text(game, one).split("@")[0].split()[0] for one in found} == {
        "swap" if exchange == "figure-exchange" else "lift"
    }
    game.apply(found[0].action)
    assert game.current_player == 0
    halves = SearchPlayer(iterations=300).analyse(view_of(game))
    assert {one.action for one in halves} <= set(game.legal_actions().tolist())
    game.apply(halves[0].action)


def test_the_groups_of_actions_are_those_of_one_tile():
    for players in PLAYERS:
        tiles = [t.split("@")[0] for t in texts(players)]
        groups = GROUPS[players, : len(tiles)].tolist()
        for action in range(1, len(tiles)):
            same = tiles[action] == tiles[action - 1] or (action < 17)
            assert (groups[action] == groups[action - 1]) == same, texts(players)[action]


# ------------------------------------------------------------------ nothing hidden, nothing left to chance


@pytest.mark.parametrize("players", PLAYERS)
def test_hidden_tiles_do_not_matter(players):
    for number, game in enumerate(plies(6, players=players)):
        if game.is_over or number % 5:
            continue
        seat = game.current_player
        seen = [
            SearchPlayer(iterations=60).analyse(View(one, seat))
            for one in (game, hide_anew(game, seat, number), hide_anew(game, seat, number + 1000))
        ]
        assert seen[0] == seen[1] == seen[2]


@pytest.mark.parametrize("players", PLAYERS)
def test_positions_are_judged_as_shares_without_what_is_hidden(players):
    games = [game.clone() for game in plies(5, players=players)]
    states = np.stack([game.state for game in games])
    shares = judge_all(states, players)
    assert shares.sum(-1) == pytest.approx(np.ones(len(games)), abs=1e-5)
    assert (shares >= 0).all()
    won = [1 / len(games[-1].winners) if seat in games[-1].winners else 0 for seat in range(players)]
    assert shares[-1] == pytest.approx(won)
    assert shares[0] == pytest.approx(np.full(players, 1 / players))
    assert np.ptp(shares[-2]) > 0.1
    for seat in range(players):
        hidden = np.stack([game.determinize(seat, 1).state for game in games])
        assert np.array_equal(judge_all(hidden, players), shares)


def test_a_strong_tile_left_is_worth_more_than_a_weak_one():
    position = Game(2, seed=1, hands="random", figures="random").to_dict() | {"hands": [[], []], "stocks": [[], []]}
    for tile, weaker in (("samurai-3", "samurai-1"), ("helmet-4", "helmet-2"), ("ronin-1", "samurai-1")):
        positions = [Game.from_dict(position | {"hands": [[left], ["ship-1"]]}) for left in (tile, weaker)]
        strong, weak = judge_all(np.stack([game.state for game in positions]), 2)[:, 0]
        assert strong > weak


@pytest.mark.parametrize("trees", [1, 2, 3])
def test_choices_follow_from_the_seed_and_not_from_the_threads(trees):
    game = middle()
    player = SearchPlayer(iterations=1000, trees=trees)
    one, other = analysed_twice(player, game)
    assert one == other
    assert one[0] != one[1]
    assert sum(candidate.visits for candidate in one[0]) == 1000
    player.reset(8)
    assert player.analyse(view_of(game)) != one[0]


@pytest.mark.parametrize(("players", "depth"), [(2, 8), (3, 20), (4, 20)])
def test_playouts_are_deeper_with_more_players(players, depth):
    view = view_of(middle(players, ply=20, hands="random", figures="random"))
    as_it_is = SearchPlayer(iterations=200).analyse(view)
    assert as_it_is == SearchPlayer(iterations=200, depth=depth).analyse(view)
    assert as_it_is != SearchPlayer(iterations=200, depth=depth + 1).analyse(view)


@pytest.mark.parametrize("prior", ["greedy", "uniform"])
def test_what_was_searched_before_does_not_matter(prior):
    fresh, used = SearchPlayer(iterations=50, prior=prior), SearchPlayer(iterations=50, prior=prior)
    used.analyse(view_of(middle(4, captures="end_of_turn")))
    used.reset(0)
    assert used.analyse(view_of(middle())) == fresh.analyse(view_of(middle()))


def test_an_uninformed_search_tries_every_action():
    game = middle()
    found = SearchPlayer(iterations=3000, prior="uniform", exploration=10).analyse(view_of(game))
    assert sorted(one.action for one in found) == game.legal_actions().tolist()


@pytest.mark.parametrize("options", OPTIONS, ids=name)
def test_the_way_down_is_a_game_by_the_rules(options):
    """What the search holds where it leaves the tree is what the actions of the way lead to, from the same deal."""
    player = SearchPlayer(iterations=1, exploration=20, temperature=1)
    for number, game in enumerate(plies(9, **options)):
        if game.is_over or number % 9:
            continue
        seat = game.current_player
        (tree,) = player._make_trees(1)
        begin(tree, number, 1)
        for _ in range(60):
            words = tree.memory["words"][0].copy()
            lengths, ways = np.empty(1, np.int64), np.empty((1, DEEPEST), np.int32)
            states = np.empty((1, STATE_SIZE), np.int8)
            find_leaves(game.state.copy(), seat, player._settings, tree, lengths, ways, states)
            nodes = tree.nodes[ways[0, : lengths[0]]]
            replay = game.determinize(seat, *draw_seed(words))
            is_secret = replay.phase == "hands"
            for action, twin in zip(nodes["action"][1:], nodes["prior"][1:] == 0, strict=True):
                if not twin and not is_secret:
                    replay.apply(int(action))
            reached = Game.from_state(states[0])
            assert is_secret or reached == replay
            search(game.state.copy(), seat, 1, player._settings, tree)


def draw_seed(words):
    """Return the seed that the search draws next from its generator, for the deal."""
    words = words.copy()
    low, high = next_word(words), next_word(words)
    return (int(low) | int(high) << 32,)


def test_the_game_stays_as_it_was():
    game = middle()
    before = game.clone()
    SearchPlayer(iterations=50).act(view_of(game))
    assert game == before


@pytest.mark.parametrize("again", [copy.deepcopy, lambda player: pickle.loads(pickle.dumps(player))])
def test_copies_search_alike(again):
    player = SearchPlayer(iterations=100)
    player.reset(3)
    player.act(view_of(middle()))
    other = again(player)
    assert other.analyse(view_of(middle())) == player.analyse(view_of(middle()))


# ------------------------------------------------------------------ the tree


@pytest.mark.parametrize("options", OPTIONS[::5], ids=name)
@pytest.mark.parametrize("prior", ["greedy", "uniform"])
def test_the_tree_holds_together(options, prior):
    player = SearchPlayer(iterations=400, prior=prior)
    for number, game in enumerate(plies(8, **options)):
        if game.is_over or number % 15:
            continue
        player.analyse(view_of(game))
        nodes = player._trees[0].nodes
        assert nodes["visits"][ROOT] == 400
        check_node(nodes, ROOT, options["players"])


def check_node(nodes, at, players):
    """A node's visits are its own first one and those of its children; results are shares that add up to one each."""
    node = nodes[at]
    assert node["total"][:players].sum() == pytest.approx(node["visits"])
    assert (node["total"] >= 0).all()
    below, seen, child = 0, set(), int(node["first"])
    while child != NONE:
        one = nodes[child]
        assert int(one["action"]) not in seen
        seen.add(int(one["action"]))
        assert one["visits"] <= one["available"] <= node["visits"]
        below += int(one["visits"])
        if one["visits"]:
            check_node(nodes, child, players)
        child = int(one["next"])
    twin = int(node["twin"])
    if twin != NONE:
        assert nodes[twin]["mover"] != node["mover"]
        below += int(nodes[twin]["visits"])
        check_node(nodes, twin, players)
    assert below <= node["visits"]


def test_a_full_tree_goes_on_searching():
    game = middle(4)
    player = SearchPlayer(iterations=3000, max_nodes=1000)
    found = player.analyse(view_of(game))
    assert sum(one.visits for one in found) == 3000


# ------------------------------------------------------------------ budgets and codes


def test_seconds_are_kept():
    game = middle()
    player = make_player("search:0.2s")
    player.analyse(view_of(game))
    began = time.perf_counter()
    found = player.analyse(view_of(game))
    assert 0.2 <= time.perf_counter() - began < 5
    assert sum(one.visits for one in found) > 100


@pytest.mark.parametrize(
    "code",
    ["search", "search:", "search:0", "search:-3", "search:x", "search:0s", "search:1.5", "search:nans", "search:1h"],
)
def test_wrong_budgets_are_named(code):
    with pytest.raises(ValueError, match=r"expected"):
        make_player(code)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"iterations": 1, "seconds": 1},
        {"iterations": 1, "prior": "best"},
        {"iterations": 1, "temperature": 0},
        {"iterations": 1, "width": 0},
        {"iterations": True},
        {"seconds": "1"},
    ],
)
def test_wrong_options_are_named(options):
    with pytest.raises(ValueError, match="expected"):
        SearchPlayer(**options)


def test_a_seat_that_is_not_to_move_cannot_search():
    game = middle()
    with pytest.raises(ValueError, match="not to move"):
        SearchPlayer(iterations=5).analyse(View(game, 1 - game.current_player))


# ------------------------------------------------------------------ judges


class Stub:
    """Thinks that one seat wins everywhere, and that one action is right wherever it is legal."""

    def __init__(self, action, players):
        self.action, self.players, self.asked = action, players, []

    def judge(self, positions):
        leaves = len(positions.seats)
        self.asked.append(leaves)
        assert positions.observations.shape == (leaves, size(self.players))
        assert positions.action_masks.any(-1).all()
        assert np.allclose(positions.shares.sum(-1), 1)
        prior = np.where(positions.action_masks, 1e-3, 0.0)
        prior[:, self.action] = 1.0
        shares = np.full((leaves, self.players), 0.2 / (self.players - 1))
        shares[:, 0] = 0.8
        return prior, shares


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("batch", [1, 16])
def test_a_judge_takes_the_place_of_playouts_and_prior(players, batch):
    game = middle(players)
    favourite = int(game.legal_actions()[3])
    stub = Stub(favourite, players)
    player = SearchPlayer(iterations=200, judge=stub, batch=batch)
    found = player.analyse(view_of(game))
    assert 0 < sum(stub.asked) <= 200
    assert max(stub.asked) <= batch
    assert found[0].action == favourite
    nodes = player._trees[0].nodes
    assert nodes["visits"][ROOT] == 200
    assert nodes["total"][ROOT][0] / 200 > 0.7
    check_node(nodes, ROOT, players)


def test_a_judge_sees_what_the_seat_to_move_sees_and_what_is_legal():
    game = middle(3, captures="end_of_turn")
    seen = []

    class Watcher(Stub):
        def judge(self, positions):
            seen.append(positions)
            return super().judge(positions)

    SearchPlayer(iterations=2, judge=Watcher(0, 3)).analyse(view_of(game))
    root = seen[0]
    seat = game.current_player
    assert root.seats.tolist() == [seat]
    assert np.array_equal(root.observations[0], observe(game, seat))
    assert np.array_equal(root.action_masks[0], game.action_mask())


def test_a_judge_with_one_iteration_still_finds_an_action():
    game = middle()
    player = SearchPlayer(iterations=1, judge=Stub(int(game.legal_actions()[0]), 2))
    assert player.act(view_of(game)) in game.legal_actions()


@pytest.mark.parametrize(
    "bad",
    [
        (np.ones(3), np.ones(2)),
        (np.ones((1, 3)), np.ones((1, 2))),
        (np.ones((1, 577)), np.array([[np.nan, 1]])),
        (np.full((1, 577), -1), np.ones((1, 2))),
    ],
)
def test_what_a_judge_returns_is_checked(bad):
    class Bad:
        def judge(self, positions):
            return bad

    with pytest.raises(ValueError, match=r"judge: .*expected"):
        SearchPlayer(iterations=5, judge=Bad()).analyse(view_of(middle()))

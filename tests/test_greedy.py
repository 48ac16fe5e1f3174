"""The greedy player: strength, sense in positions made by hand, and that it uses nothing hidden."""

import numpy as np
import pytest

from samurai_env.agents import RandomPlayer, View
from samurai_env.agents.greedy import GreedyPlayer, action_worth, choose, look_before, new_scratch, weigh_in_all
from samurai_env.arena import evaluate, play
from samurai_env.compiled import entry_point
from samurai_env.rules import Game
from samurai_env.rules.bits import has
from samurai_env.rules.board import LAND, LAND_ENDS, SETTLEMENTS
from samurai_env.rules.legal import write_legal
from samurai_env.rules.state import record


def act(game, seed=0):
    player = GreedyPlayer()
    player.reset(seed)
    return game.action_to_string(player.act(View(game, game.current_player)))


def around(settlement):
    """Return the land hexes beside a settlement, as texts."""
    index = next(i for i, h in enumerate(SETTLEMENTS) if h.text == settlement)
    return [place.text for place, ends in zip(LAND, LAND_ENDS, strict=True) if index in ends]


def nearly_surrounded(settlement, tiles=(), **parts):
    """Return a position with one empty land hex beside a settlement; `tiles` lie on the others, by seat."""
    *filled, empty = around(settlement)
    laid = [*tiles, *[(0, "tile-exchange"), (1, "tile-exchange"), (0, "helmet-2")]][: len(filled)]
    board = {at: {"seat": seat, "tile": tile} for at, (seat, tile) in zip(filled, laid, strict=True)}
    position = {"players": 2, "to_move": 0, "tiles": board, "hands": [[], ["helmet-4"]], **parts}
    return Game.from_dict(position), empty


# ------------------------------------------------------------------ strength


def test_beats_random_from_both_seats():
    outcome = evaluate(GreedyPlayer(), [RandomPlayer()], games=400, seed=1)
    assert outcome.worst_seat > 0.95


@pytest.mark.parametrize("players", [3, 4])
def test_beats_several_random_players(players):
    outcome = evaluate(GreedyPlayer(), [RandomPlayer()] * (players - 1), games=15 * players, seed=2)
    assert outcome.worst_seat > 0.8


# ------------------------------------------------------------------ sense

FAR = {"0,-4": ["helmet", "rice"], "-3,4": ["buddha", "rice"], "0,0": ["helmet", "buddha", "rice"]}


def village():
    """Return a village of the two-player board that is two hexes or more from the figures of FAR."""
    near = {tuple(ends) for ends in LAND_ENDS.tolist()}
    far = [i for i, h in enumerate(SETTLEMENTS) if h.text in FAR]
    for i, h in enumerate(SETTLEMENTS):
        apart = all((i, j) not in near and (j, i) not in near for j in far)
        if h.sign == "v" and h.min_players == 2 and apart and len(around(h.text)) >= 2:
            return h.text
    raise AssertionError("no such village")


def test_takes_a_capture():
    place = village()
    game, empty = nearly_surrounded(
        place, figures={**FAR, place: ["rice"]}, hands=[["rice-2", "helmet-4", "buddha-3"], ["helmet-4"]]
    )
    assert act(game) == f"rice-2@{empty}"


def test_wins_with_the_smaller_tile():
    place = village()
    game, empty = nearly_surrounded(
        place, figures={**FAR, place: ["rice"]}, hands=[["rice-2", "rice-3", "rice-4"], ["helmet-4"]]
    )
    assert act(game) == f"rice-2@{empty}"


def test_lays_the_larger_tile_where_it_is_needed():
    place = village()
    game, empty = nearly_surrounded(
        place,
        tiles=[(1, "rice-3")],
        figures={**FAR, place: ["rice"]},
        hands=[["rice-2", "rice-3", "rice-4"], ["helmet-4"]],
    )
    assert act(game) == f"rice-4@{empty}"


def test_ends_its_turn_when_a_ship_adds_nothing():
    position = {
        "players": 2,
        "to_move": 0,
        "figures": {"0,0": ["helmet", "buddha", "rice"]},
        "tiles": {"-8,8": {"seat": 0, "tile": "helmet-2"}},
        "turn": ["helmet-2"],
        "hands": [["ship-1"], ["helmet-4"]],
    }
    assert act(Game.from_dict(position)) == "end"


@pytest.mark.parametrize("captures", ["immediate", "end_of_turn"])
def test_wins_where_it_can_end_the_game(captures):
    place = village()
    game, empty = nearly_surrounded(
        place,
        captures=captures,
        figures={"0,0": ["helmet", "buddha"], place: ["rice"]},
        captured=[[3, 0, 2], [0, 3, 2]],
        hands=[["rice-4", "helmet-4", "ship-1"], ["helmet-4"]],
    )
    assert act(game) == f"rice-4@{empty}"


def test_chooses_its_first_hand():
    game = Game(seed=3)
    chosen = []
    while game.current_player == 0 and game.phase == "hands":
        chosen.append(act(game))
        game.apply(chosen[-1])
    assert chosen[:4] == ["hold samurai-3", "hold samurai-2", "hold samurai-2", "hold ship-2"]
    assert chosen[4] in ("hold helmet-4", "hold buddha-4", "hold rice-4")


# ------------------------------------------------------------------ the shorter way to judge a tile


@entry_point
def write_worths(state, scratches, is_short, worths):
    game, scratch = record(state), scratches[0]
    look_before(game, game.mover, scratch)
    if not is_short:
        scratch.is_calm = 0
    write_legal(game, scratch.legal[0])
    for action in range(len(worths)):
        is_legal = has(scratch.legal[0], action)
        worths[action] = action_worth(state, action, game.mover, True, scratch) if is_legal else 0.0


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("captures", ["immediate", "end_of_turn"])
def test_a_tile_is_worth_the_same_looked_at_alone_or_on_the_whole_board(players, captures):
    rng = np.random.default_rng(1)
    for seed in range(4):
        game = Game(players, seed, captures=captures)
        while not game.is_over:
            worths = np.zeros((2, game.num_actions))
            for is_short in (True, False):
                write_worths(game.state.copy(), new_scratch(), is_short, worths[int(is_short)])
            assert worths[0] == pytest.approx(worths[1], abs=1e-12)
            game.apply(act(game) if rng.random() < 0.7 else int(rng.choice(game.legal_actions())))


# ------------------------------------------------------------------ what it thinks of every action


@pytest.mark.parametrize("players", [2, 3, 4])
def test_it_takes_what_it_thinks_most_of(players):
    rng = np.random.default_rng(3)
    for seed in range(4):
        game, player = Game(players, seed), GreedyPlayer()
        while not game.is_over:
            worths = weigh_in_all(game.state[None].copy(), players)[0]
            assert np.flatnonzero(worths > -np.inf).tolist() == game.legal_actions().tolist()
            chosen = player.act(View(game, game.current_player))
            assert worths[chosen] == pytest.approx(worths.max(), abs=1e-6)
            game.apply(chosen if rng.random() < 0.7 else int(rng.choice(game.legal_actions())))


def test_a_swap_is_worth_the_same_whichever_figure_it_begins_with():
    game = Game(2, seed=4, hands="random", figures="random")
    while not any(game.action_to_string(action).startswith("swap") for action in game.legal_actions()):
        game.apply(act(game))
    worths = weigh_in_all(game.state[None].copy(), 2)[0]
    firsts = [action for action in game.legal_actions() if game.action_to_string(action).startswith("swap")]
    assert len(firsts) == 18
    pairs = {}
    for first in firsts:
        half = game.clone()
        half.apply(first)
        seconds = weigh_in_all(half.state[None].copy(), 2)[0]
        pairs |= {(first, second): seconds[second] for second in half.legal_actions()}
    for first in firsts:
        assert worths[first] == pytest.approx(max(worth for pair, worth in pairs.items() if pair[0] == first))
    for (first, second), worth in pairs.items():
        assert worth == pytest.approx(pairs[second, first])


# ------------------------------------------------------------------ nothing hidden, nothing left to chance


def with_others_changed(game, rng):
    """Return the game with everything changed that the seat to move cannot see."""
    position = game.to_dict()
    for seat in range(game.players):
        if seat != game.current_player:
            tiles = rng.permutation(position["hands"][seat] + position["stocks"][seat]).tolist()
            size = len(position["hands"][seat])
            position["hands"][seat], position["stocks"][seat] = tiles[:size], tiles[size:]
    position["seed"] = 1
    position["generator"] = rng.integers(0, 2**32, 4).tolist()
    return Game.from_dict(position)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("captures", ["immediate", "end_of_turn"])
def test_hidden_tiles_do_not_matter(players, captures):
    rng = np.random.default_rng(players)
    for seed in range(3):
        game = Game(players, seed=seed, captures=captures)
        while not game.is_over:
            action = act(game, seed)
            changed = with_others_changed(game, rng)
            assert changed.current_player == game.current_player
            assert act(changed, seed) == action
            game.apply(action)


def test_same_seed_same_game():
    games = [play(Game(3, seed=5), [GreedyPlayer() for _ in range(3)], seed=seed).record() for seed in (8, 8, 9)]
    assert games[0] == games[1]
    assert games[0] != games[2]


def test_leaves_the_game_as_it_was():
    game = Game(seed=1, hands="random", figures="random")
    before = game.clone()
    act(game)
    assert game == before


def test_is_a_policy_for_playouts():
    game = Game(4, seed=2)
    scratch, words = new_scratch(), np.ones(4, np.uint32)
    while not game.is_over:
        game.apply(int(choose(game.state.copy(), scratch, words)))
    assert game.winners


def test_is_legal_in_ten_thousand_decisions():
    player = GreedyPlayer()
    decisions = 0
    options = [
        {"players": n, "hands": hands, "figures": figures, "captures": captures}
        for n in (2, 3, 4)
        for hands in ("choose", "random")
        for figures in ("draft", "random")
        for captures in ("immediate", "end_of_turn")
    ]
    while decisions < 10_000:
        for number, option in enumerate(options):
            game = Game(seed=decisions + number, **option)
            while not game.is_over:
                game.apply(player.act(View(game, game.current_player)))
                decisions += 1

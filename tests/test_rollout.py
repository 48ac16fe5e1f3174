"""The rollout player: strength, sense, every option, and that it uses nothing hidden."""

from __future__ import annotations

import numpy as np
import pytest
from games import OPTIONS, PLAYERS, analysed_twice, hide_anew, name, plies, win_by_two_tiles

from samurai_env.agents import View, make_player
from samurai_env.agents.greedy import GreedyPlayer, weigh_in_all
from samurai_env.agents.rollout import NONE, RolloutPlayer, best_actions, look_ahead
from samurai_env.agents.tree import judge_all
from samurai_env.arena import evaluate, play
from samurai_env.rules import Game


def view_of(game):
    return View(game, game.current_player)


def middles(players, every=7, **options):
    """Return positions of a game in which there is a choice to be made in play."""
    games = [game.clone() for game in plies(6, players=players, **options)]
    return [one for one in games if not one.is_over and one.phase == "play" and len(one.legal_actions()) > 1][::every]


def test_beats_the_greedy_player_with_any_number_of_players():
    options = {"hands": "random", "figures": "random"}
    for players in PLAYERS:
        others = [GreedyPlayer() for _ in range(players - 1)]
        assert evaluate(RolloutPlayer(1), others, games=12 * players, seed=3, **options).rate > 1 / players


def test_sees_a_win_by_two_tiles_in_one_turn():
    game, first_tiles = win_by_two_tiles()
    found = RolloutPlayer(2, candidates=200).analyse(view_of(game))
    assert first_tiles <= {game.action_to_string(one.action) for one in found if one.share == found[0].share == 1}


@pytest.mark.parametrize("options", OPTIONS, ids=name)
def test_plays_legal_games_with_every_option(options):
    assert play(Game(seed=4, **options), [RolloutPlayer(1)] * options["players"], seed=1).winners


@pytest.mark.parametrize("players", PLAYERS)
def test_hidden_tiles_do_not_matter(players):
    for number, game in enumerate(middles(players)):
        seat = game.current_player
        ones = (game, hide_anew(game, seat, number), hide_anew(game, seat, number + 1000))
        seen = [RolloutPlayer(3).analyse(View(one, seat)) for one in ones]
        assert seen[0] == seen[1] == seen[2]


@pytest.mark.parametrize("players", PLAYERS)
def test_tries_what_the_greedy_player_thinks_most_of(players):
    states = np.stack([game.state for game in middles(players)])
    worths = weigh_in_all(states, players)
    for actions, worth in zip(best_actions(states, 5), worths, strict=True):
        tried = actions[actions != NONE]
        assert len(set(tried.tolist())) == len(tried) == min(5, len(tried))
        assert worth[tried] == pytest.approx(np.sort(worth[tried])[::-1], abs=1e-5)
        # of a swap, which reads alike from either end, one way is tried
        assert (worth > worth[tried[-1]] + 1e-5).sum() <= 2 * len(tried)
        assert worth[tried[0]] == pytest.approx(worth.max(), abs=1e-5)


def test_nothing_follows_at_depth_0():
    for game in middles(3):
        states, seat = game.state[None], game.current_player
        actions = best_actions(states, 6)
        shares = look_ahead(states, actions, np.zeros((1, 1, 2), np.uint32), 0)
        for action, share in zip(actions[0].tolist(), shares[0, :, 0].tolist(), strict=True):
            if action == NONE:
                assert share == 0
                continue
            after = game.determinize(seat, 0)
            after.apply(action)
            assert share == pytest.approx(judge_all(after.state[None], 3)[0, seat], abs=1e-6)


def test_to_the_end_it_is_the_result():
    game = middles(2)[-1]
    found = RolloutPlayer(1, depth=1000).analyse(view_of(game))
    assert {one.share for one in found} <= {0.0, 0.5, 1.0}


def test_choices_follow_from_the_seed_and_not_from_the_threads():
    game, player = middles(4)[3], RolloutPlayer(7)
    before = game.clone()
    one, other = analysed_twice(player, game)
    assert one == other
    assert one[0] != one[1]
    assert game == before


@pytest.mark.parametrize("code", ["rollout", "rollout:", "rollout:0", "rollout:-1", "rollout:x", "rollout:1s"])
def test_wrong_codes_are_named(code):
    with pytest.raises(ValueError, match="expected"):
        make_player(code)


@pytest.mark.parametrize("options", [{"deals": True}, {"candidates": 0}, {"depth": -1}])
def test_wrong_options_are_named(options):
    with pytest.raises(ValueError, match="expected a whole number"):
        RolloutPlayer(**options)


def test_needs_the_seat_to_move_in_play():
    game = middles(2)[0]
    for view in (View(game, 1 - game.current_player), view_of(Game(2, seed=1))):
        with pytest.raises(ValueError, match="expected the seat to move in phase play"):
            RolloutPlayer(1).analyse(view)

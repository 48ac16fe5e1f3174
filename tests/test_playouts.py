"""Compiled random playouts are random play by the rules."""

from __future__ import annotations

import numpy as np
import pytest
from games import PLAYERS, plies

from samurai_env.playouts import random_playouts
from samurai_env.rules import Game, score
from samurai_env.threads import get_num_threads, set_num_threads


@pytest.mark.parametrize("players", PLAYERS)
def test_playouts_leave_the_game_and_end_it(players):
    game = next(g for i, g in enumerate(plies(1, players=players)) if i == 60)
    before = game.clone()
    captured = random_playouts(game, 200, seed=3)
    assert game == before
    assert captured.shape == (200, players, 3)
    assert (captured >= game.captured).all()
    assert captured.sum((1, 2)).min() > game.captured.sum()
    assert len({row.tobytes() for row in captured}) > 100


def test_playouts_follow_from_the_seed_and_not_from_the_threads():
    game = Game(3, seed=0)
    most = get_num_threads()
    try:
        set_num_threads(1)
        one = random_playouts(game, 300, seed=5)
    finally:
        set_num_threads(most)
    assert np.array_equal(one, random_playouts(game, 300, seed=5))
    assert not np.array_equal(one, random_playouts(game, 300, seed=6))


def test_playouts_win_as_often_as_random_games_do():
    game = Game(2, seed=1, hands="random", figures="random")
    fast = np.mean([0 in score(row).winners for row in random_playouts(game, 4000, seed=1)])
    slow = []
    for seed in range(300):
        generator = np.random.default_rng(seed)
        played = game.determinize(0, seed)
        while not played.is_over:
            played.apply(int(generator.choice(played.legal_actions())))
        slow.append(0 in played.winners)
    assert abs(fast - np.mean(slow)) < 0.12  # four standard deviations of 300 games


def test_a_finished_game_stays_as_it_is():
    game = Game.from_dict({"players": 2, "phase": "over", "captured": [[1, 2, 3], [0, 0, 1]]})
    assert random_playouts(game, 2, seed=0).tolist() == [[[1, 2, 3], [0, 0, 1]]] * 2


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="number: 0"):
        random_playouts(Game(2, seed=0), 0, seed=0)
    with pytest.raises(ValueError, match="seed: -1"):
        random_playouts(Game(2, seed=0), 1, seed=-1)

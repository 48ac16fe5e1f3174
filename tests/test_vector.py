"""The batched games are, game for game, the single ones."""

from __future__ import annotations

import pickle
from copy import deepcopy

import numpy as np
import pytest
from games import OPTIONS, PLAYERS, name
from gymnasium.vector import AutoresetMode

import samurai_env
from samurai_env.observation import observe
from samurai_env.rules import Game, IllegalActionError
from samurai_env.threads import get_num_threads, set_num_threads
from samurai_env.vector import ARRAYS


def check_against_single_games(vec, options, steps, reward="winner", hide_captures=False):
    """Step a batch with sampled actions beside single games, and compare everything."""
    games = [Game(seed=vec.game_seed(i), **options) for i in range(vec.num_games)]
    ended = 0
    for _ in range(steps):
        for i, game in enumerate(games):
            seat = game.current_player
            assert vec.seats[i] == seat
            assert np.array_equal(vec.action_masks[i], game.action_mask())
            assert np.array_equal(vec.observations[i], observe(game, seat, hide_captures))
            assert vec.game(i) == game
        actions = vec.sample_actions()
        vec.step(actions)
        for i, game in enumerate(games):
            game.apply(int(actions[i]))
            assert vec.dones[i] == game.is_over
            assert vec.rewards[i] == pytest.approx(game.returns(reward))
            if game.is_over:
                ended += 1
                assert np.array_equal(vec.final_captured[i], game.captured)
                assert tuple(vec.final_places[i]) == game.places
                games[i] = Game(seed=vec.game_seed(i), **options)
    assert ended >= vec.num_games


@pytest.mark.parametrize("options", OPTIONS, ids=name)
def test_the_batch_plays_what_single_games_play(options):
    check_against_single_games(samurai_env.make_vec(6, seed=3, **options), options, steps=160)


@pytest.mark.parametrize("players", PLAYERS)
def test_rewards_by_place_and_hidden_captures(players):
    vec = samurai_env.make_vec(4, players=players, seed=8, reward="place", hide_captures=True)
    check_against_single_games(vec, {"players": players}, 160, "place", hide_captures=True)


@pytest.mark.parametrize("players", PLAYERS)
def test_every_seat_is_paid_once_a_game(players):
    """Over many games each end pays all seats, to a sum of zero, and no other step pays anything."""
    vec = samurai_env.make_vec(64, players=players, seed=1)
    ended = 0
    for _ in range(400):
        vec.step(vec.sample_actions())
        assert not vec.rewards[~vec.dones].any()
        assert np.abs(vec.rewards[vec.dones].sum(-1)).max(initial=0) < 1e-6
        assert (vec.final_places[vec.dones].min(-1) == 1).all()
        ended += int(vec.dones.sum())
    assert ended > 150


def test_results_do_not_depend_on_threads_and_follow_from_the_seed():
    def results(threads):
        set_num_threads(threads)
        vec = samurai_env.make_vec(33, players=4, seed=77)
        for _ in range(200):
            vec.step(vec.sample_actions())
        return vec.observations.tobytes(), vec.final_captured.tobytes(), vec.sample_actions().tobytes()

    most = get_num_threads()
    try:
        assert results(1) == results(most)
    finally:
        set_num_threads(most)


def test_resets_are_a_reproducible_sequence():
    def sequence():
        vec = samurai_env.make_vec(5, seed=4)
        seeds = []
        for _ in range(3):
            seeds += [vec.game_seed(i) for i in range(5)]
            vec.reset()
        vec.reset(seed=4)
        return seeds, [vec.game_seed(i) for i in range(5)]

    first, second = sequence(), sequence()
    assert first == second
    assert len(set(first[0])) == 15
    assert first[1] == first[0][:5]


@pytest.mark.parametrize("bad", [577, -1, 576])
def test_an_illegal_action_names_its_game_and_moves_none(bad):
    vec = samurai_env.make_vec(4, players=2, seed=0)
    before = [vec.game(i) for i in range(4)]
    masks = vec.action_masks.copy()
    actions = vec.sample_actions()
    actions[2] = bad
    with pytest.raises(IllegalActionError, match="game 2: "):
        vec.step(actions)
    assert [vec.game(i) for i in range(4)] == before
    assert np.array_equal(vec.action_masks, masks)


def test_writing_into_the_masks_changes_nothing_that_is_legal():
    vec = samurai_env.make_vec(2, players=2, seed=0, hands="random", figures="random")
    before = [vec.game(0), vec.game(1)]
    vec.action_masks[:] = 1
    for action in (576, 17):
        with pytest.raises(IllegalActionError, match="game 0: "):
            vec.step([action, action])
    assert [vec.game(0), vec.game(1)] == before
    vec.action_masks[:] = 0
    for _ in range(50):
        vec.step(vec.sample_actions())


def test_load_leaves_copied_arrays_alone():
    vec = samurai_env.make_vec(2, players=2, seed=0, copy=True)
    kept = {name: (getattr(vec, name), getattr(vec, name).copy()) for name in ARRAYS}
    vec.load(0, Game(2, seed=9, hands="random"))
    for array, then in kept.values():
        assert np.array_equal(array, then)
    assert np.array_equal(vec.action_masks[1], kept["action_masks"][1][1])


@pytest.mark.parametrize("actions", [[0, 0], [0.0] * 4, [[0] * 4], "abcd"])
def test_wrong_action_arrays_are_named(actions):
    vec = samurai_env.make_vec(4, players=2, seed=0)
    with pytest.raises(ValueError, match=r"actions: .*expected whole numbers of shape \(4,\)"):
        vec.step(actions)


def test_arrays_are_reused_unless_copy_is_set():
    for copy in (False, True):
        vec = samurai_env.make_vec(8, players=2, seed=0, copy=copy)
        for _ in range(200):
            before = {key: getattr(vec, key) for key in ARRAYS}
            then = {key: array.copy() for key, array in before.items()}
            vec.step(vec.sample_actions())
            for key in ARRAYS:
                assert (getattr(vec, key) is before[key]) != copy
                if copy:
                    assert np.array_equal(before[key], then[key])
                    assert not np.shares_memory(before[key], getattr(vec, key))


def test_autoreset_is_stated():
    assert samurai_env.make_vec(1).metadata["autoreset_mode"] == AutoresetMode.SAME_STEP


def test_load_puts_a_game_in():
    vec = samurai_env.make_vec(3, players=3, seed=0)
    game = Game.from_dict(
        {
            "players": 3,
            "to_move": 2,
            "captures": "end_of_turn",
            "hands": [[], [], ["ship-1", "rice-2"]],
            "seed": 2**63,
        }
    )
    others = [vec.game(0), vec.game(2)]
    vec.load(1, game)
    assert vec.game(1) == game
    assert [vec.game(0), vec.game(2)] == others
    assert vec.seats[1] == 2
    assert np.array_equal(vec.action_masks[1], game.action_mask())
    assert np.array_equal(vec.observations[1], observe(game, 2))
    copy = vec.game(1)
    copy.apply("ship-1@0,-7")
    assert vec.game(1) == game


def test_what_load_and_game_refuse():
    vec = samurai_env.make_vec(3, players=3, seed=0)
    with pytest.raises(ValueError, match="running Game of 3 players"):
        vec.load(0, Game(2, seed=0))
    with pytest.raises(ValueError, match="running Game"):
        vec.load(0, Game.from_dict({"players": 3, "phase": "over"}))
    with pytest.raises(ValueError, match="game: 3; expected a whole number from 0 to 2"):
        vec.game(3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_games": 0}, "num_games: 0"),
        ({"num_games": 2, "players": 1}, "players: 1"),
        ({"num_games": 2, "seed": -3}, "seed: -3"),
        ({"num_games": 2, "reward": "x"}, "reward: 'x'"),
    ],
)
def test_wrong_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        samurai_env.make_vec(**options)


def test_sampled_actions_are_uniform():
    vec = samurai_env.make_vec(2000, players=2, seed=0)
    vec.reset(seed=1)
    counts = np.bincount(np.concatenate([vec.sample_actions() for _ in range(17)]), minlength=17)
    assert counts[17:].sum() == 0
    assert counts.min() > 1800  # 2000 expected of each of the 17 kinds; a standard deviation is 43
    assert counts.max() < 2200


def test_without_observations():
    vec = samurai_env.make_vec(4, players=2, seed=0, observe=False)
    vec.step(vec.sample_actions())
    assert vec.observations.shape == (4, 0)
    assert vec.action_masks.any(-1).all()


# ------------------------------------------------------------------ save and restore


@pytest.mark.parametrize("options", OPTIONS[:4], ids=name)
def test_a_restored_batch_goes_on_alike(options):
    vec = samurai_env.make_vec(5, seed=3, **options)
    for _ in range(70):
        vec.step(vec.sample_actions())
    saved = vec.save()
    other = samurai_env.make_vec(5, seed=99, **options)
    other.restore(saved)
    for _ in range(100):
        for array in ARRAYS:
            assert np.array_equal(getattr(vec, array), getattr(other, array)), array
        actions = vec.sample_actions()
        assert np.array_equal(actions, other.sample_actions())
        vec.step(actions)
        other.step(actions)
    vec.reset()
    other.reset()
    assert [vec.game_seed(i) for i in range(5)] == [other.game_seed(i) for i in range(5)]


def test_what_is_saved_does_not_change_with_the_batch():
    vec = samurai_env.make_vec(2, seed=0)
    saved = vec.save()
    before = {name: array.copy() for name, array in saved.items()}
    vec.step(vec.sample_actions())
    assert all(np.array_equal(before[name], saved[name]) for name in before)
    assert not vec.states.flags.writeable


@pytest.mark.parametrize(
    "other",
    [
        {"num_games": 3},
        {"num_games": 2, "players": 3},
        {"num_games": 2, "captures": "end_of_turn"},
        {"num_games": 2, "hands": "random"},
    ],
)
def test_another_batch_cannot_be_restored(other):
    vec = samurai_env.make_vec(2, seed=0)
    before = vec.save()
    with pytest.raises(ValueError, match="expected what save"):
        vec.restore(samurai_env.make_vec(seed=1, **other).save())
    with pytest.raises(ValueError, match="'slots' is missing"):
        vec.restore({})
    assert all(np.array_equal(array, vec.save()[name]) for name, array in before.items())


@pytest.mark.parametrize("again", [deepcopy, lambda vec: pickle.loads(pickle.dumps(vec))])
@pytest.mark.parametrize("has_copies", [False, True])
def test_copies_of_a_batch_go_on_alike(again, has_copies):
    vec = samurai_env.make_vec(70, players=3, seed=4, copy=has_copies, figures="random", reward="place")
    for _ in range(30):
        vec.step(vec.sample_actions())
    other = again(vec)
    for _ in range(90):
        vec.step(vec.sample_actions())
        other.step(other.sample_actions())
        for array in ARRAYS:
            assert np.array_equal(getattr(vec, array), getattr(other, array)), array

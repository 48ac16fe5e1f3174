"""Samurai as a game of OpenSpiel, by OpenSpiel's own tests, bots and playthroughs."""

from __future__ import annotations

import pickle
from itertools import product

import numpy as np
import pyspiel
import pytest
from example import run
from open_spiel.python.algorithms import evaluate_bots, ismcts, mcts
from playthrough import FILE, written_anew

import samurai_env.wrappers.open_spiel  # noqa: F401 - registers the game
from samurai_env.observation import observe
from samurai_env.rules.chance import ChanceGame

GAMES = [
    f"python_samurai(players={players},hands={hands},figures={figures},captures={captures},reward={reward})"
    for (players, hands, figures, captures), reward in zip(
        product((2, 3, 4), ("choose", "random"), ("draft", "random"), ("immediate", "end_of_turn")),
        ("winner", "place") * 12,
        strict=True,
    )
]


@pytest.mark.parametrize("name", GAMES)
def test_openspiels_own_simulation_finds_no_fault(name):
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=2, serialize=True, verbose=False)


def plies(game, generator):
    """Yield a state before its first action and after each, all at random."""
    state = game.new_initial_state()
    yield state
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(generator.choice(outcomes, p=probabilities)))
        else:
            state.apply_action(int(generator.choice(state.legal_actions())))
        yield state


@pytest.mark.parametrize("name", GAMES)
def test_its_numbers_hold(name):
    game = pyspiel.load_game(name)
    *_, state = plies(game, np.random.default_rng(0))
    chance = sum(item.player == pyspiel.PlayerId.CHANCE for item in state.full_history())
    assert chance <= game.max_chance_nodes_in_history()
    assert len(state.history()) - chance <= game.max_game_length()
    assert sum(state.returns()) == pytest.approx(0)
    assert all(game.min_utility() <= value <= game.max_utility() for value in state.returns())


def test_it_is_the_game_of_the_rules():
    game = pyspiel.load_game("python_samurai(players=3)")
    plain = ChanceGame(3)
    for state in plies(game, np.random.default_rng(1)):
        for action in state.history()[-1:]:
            plain.apply(action)
        assert state.rules.game == plain.game
        assert not state.is_chance_node() or state.is_terminal() or plain.is_chance
        if not state.is_terminal() and not state.is_chance_node():
            assert state.current_player() == plain.game.current_player
            assert state.legal_actions() == plain.game.legal_actions().tolist()
            assert [state.action_to_string(a) for a in state.legal_actions()] == [
                plain.game.action_to_string(a) for a in state.legal_actions()
            ]
    assert state.returns() == plain.game.returns().tolist()


@pytest.mark.parametrize("name", GAMES[::5])
def test_what_a_player_cannot_see_is_not_in_what_it_is_shown(name):
    """A resampled state differs in that only, and all that the player is shown of it is the same."""
    generator = np.random.default_rng(2)
    game = pyspiel.load_game(name)
    changed = 0
    for ply, state in enumerate(plies(game, generator)):
        if ply % 7 == 0:
            player = ply % game.num_players()
            other = state.resample_from_infostate(player, generator.random)
            assert other.information_state_string(player) == state.information_state_string(player)
            assert other.information_state_tensor(player) == state.information_state_tensor(player)
            assert other.observation_string(player) == state.observation_string(player)
            assert other.observation_tensor(player) == state.observation_tensor(player)
            assert other.current_player() == state.current_player()
            changed += other.history() != state.history()
    assert changed > 5


def test_the_information_state_recalls_every_action():
    """Two histories that a player can tell apart at any time have different information states ever after."""
    game = pyspiel.load_game("python_samurai(hands=random)")
    seen = set()
    for state in plies(game, np.random.default_rng(3)):
        seen.add(state.information_state_string(0))
        line_count = state.information_state_string(0).count("\n")
        assert line_count == len(state.history()) + 1
    assert len(seen) == len(state.history()) + 1
    assert "1: draw\n" in state.information_state_string(0)
    assert "0: draw " in state.information_state_string(0)


def test_the_observation_tensor_is_that_of_the_package():
    game = pyspiel.load_game("python_samurai(players=4)")
    for state in list(plies(game, np.random.default_rng(4)))[-1:]:
        for player in range(4):
            flat = state.observation_tensor(player)
            assert flat[:4] == [float(seat == player) for seat in range(4)]
            assert np.array_equal(flat[4:], observe(state.rules.game, player))


def test_copies_and_saves():
    game = pyspiel.load_game("python_samurai(players=3,figures=random)")
    for ply, state in enumerate(plies(game, np.random.default_rng(5))):
        if ply % 20 == 0:
            _, read = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
            for twin in (state.clone(), pickle.loads(pickle.dumps(state)), read):
                assert twin.history() == state.history()
                assert (twin.rules.game, twin.seen, twin.events) == (state.rules.game, state.seen, state.events)
    assert str(pickle.loads(pickle.dumps(game))) == str(game)


class Searcher(ismcts.ISMCTSBot):
    """OpenSpiel's search, with the method that its own `evaluate_bots` asks for."""

    def restart_at(self, state):
        self.reset()


@pytest.mark.parametrize("name", ["python_samurai(hands=random,figures=random)", "python_samurai(players=3)"])
def test_openspiels_search_plays(name):
    game = pyspiel.load_game(name)
    rollouts = mcts.RandomRolloutEvaluator(1, np.random.RandomState(0))
    search = Searcher(game, rollouts, 2.0, 5, random_state=np.random.RandomState(0))
    others = [pyspiel.make_uniform_random_bot(player, player) for player in range(1, game.num_players())]
    returns = evaluate_bots.evaluate_bots(game.new_initial_state(), [search, *others], np.random.default_rng(0))
    assert sum(returns) == pytest.approx(0)


@pytest.mark.parametrize(("parameter", "message"), [("players=5", "players: 5"), ("hands=none", "hands: 'none'")])
def test_wrong_parameters_are_named(parameter, message):
    with pytest.raises(ValueError, match=message):
        pyspiel.load_game(f"python_samurai({parameter})")


def test_the_playthrough_is_the_recorded_one():
    assert written_anew() == FILE.read_text(encoding="utf-8"), "run `make playthrough`"


def test_the_example_plays():
    assert "returns" in run("open_spiel_search.py")

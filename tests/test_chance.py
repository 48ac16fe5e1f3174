"""The game whose draws are made from outside agrees with `Game`, and pasts drawn anew fit what a seat saw."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from games import OPTIONS, PLAYERS, name

from samurai_env.observation import observe
from samurai_env.rules import Game, IllegalActionError
from samurai_env.rules.actions import ids, is_secret
from samurai_env.rules.chance import ChanceGame
from samurai_env.rules.tiles import KINDS
from samurai_env.wrappers.histories import draw_past, stories


def what_counts(game):
    """Return a position without what must differ: seed, generator, and how the game was set up."""
    return {key: value for key, value in game.to_dict().items() if key not in ("seed", "generator", "setup")}


def catch_up(chance, game):
    """Let chance do what the generator of `game` has done."""
    while chance.is_chance:
        if chance.is_drawing or chance.game.phase == "hands":
            seat = chance.game.current_player
            held, wanted = (Counter(g.to_dict()["hands"][seat]) for g in (chance.game, game))
            chance.apply(KINDS.index(next(iter(wanted - held))))
        else:
            wanted = {f"place {figure}@{at}" for at, all_ in game.to_dict()["figures"].items() for figure in all_}
            legal = [action for action in chance.legal_actions() if chance.game.action_to_string(action) in wanted]
            chance.apply(legal[0])


@pytest.mark.parametrize("options", OPTIONS, ids=name)
def test_with_the_generators_draws_it_is_the_same_game_ply_for_ply(options):
    generator = np.random.default_rng(0)
    for seed in range(3):
        game, chance = Game(seed=seed, **options), ChanceGame(**options)
        catch_up(chance, game)
        assert what_counts(chance.game) == what_counts(game)
        while not game.is_over:
            assert np.array_equal(chance.legal_actions(), game.legal_actions())
            action = int(generator.choice(game.legal_actions()))
            game.apply(action)
            chance.apply(action)
            catch_up(chance, game)
            assert what_counts(chance.game) == what_counts(game)
            assert np.array_equal(observe(chance.game, 0), observe(game, 0))


def play_at_random(chance, generator, plies=10**6):
    """Play on, chance by its probabilities, and return the actions."""
    actions = []
    while not chance.game.is_over and len(actions) < plies:
        if chance.is_chance:
            outcomes, probabilities = chance.outcomes()
            actions.append(int(generator.choice(outcomes, p=probabilities)))
        else:
            actions.append(int(generator.choice(chance.legal_actions())))
        chance.apply(actions[-1])
    return actions


@pytest.mark.parametrize("options", OPTIONS, ids=name)
def test_all_tiles_of_the_stock_are_equally_probable(options):
    generator = np.random.default_rng(1)
    chance = ChanceGame(**options)
    draws = 0
    while not chance.game.is_over:
        if chance.is_drawing:
            stock = chance.game.to_dict()["stocks"][chance.game.current_player]
            outcomes, probabilities = chance.outcomes()
            assert {KINDS[o]: round(p * len(stock)) for o, p in zip(outcomes, probabilities, strict=True)} == Counter(
                stock
            )
            assert probabilities.sum() == pytest.approx(1)
            draws += 1
        play_at_random(chance, generator, 1)
    assert draws > 10 * options["players"]


def test_an_outcome_that_cannot_be_is_refused():
    chance = ChanceGame(hands="random")
    for _ in range(2):
        chance.apply(KINDS.index("ship-1"))
    before = chance.clone()
    with pytest.raises(IllegalActionError, match="not legal now for chance"):
        chance.apply(KINDS.index("ship-1"))
    assert chance.game == before.game


@pytest.mark.parametrize("options", OPTIONS, ids=name)
def test_a_past_drawn_anew_looks_the_same_to_the_seat(options):
    generator = np.random.default_rng(2)
    beginning = ChanceGame(**options)
    for _ in range(3):
        actions = play_at_random(beginning.clone(), generator)
        for plies in (*range(0, len(actions), 10), len(actions)):
            seat = int(generator.integers(options["players"]))
            drawn = draw_past(beginning, actions[:plies], seat, generator)
            check_looks_the_same(beginning, actions[:plies], drawn, seat)


def check_looks_the_same(beginning, actions, drawn, seat):
    one, other = beginning.clone(), beginning.clone()
    for action, instead in zip(actions, drawn, strict=True):
        mover = one.game.current_player
        assert action == instead or (is_secret(action) and is_secret(instead) and mover != seat)
        one.apply(action)
        other.apply(instead)
        assert (one.is_chance, one.game.current_player) == (other.is_chance, other.game.current_player)
        assert np.array_equal(observe(one.game, seat), observe(other.game, seat))


@pytest.mark.parametrize("players", PLAYERS)
def test_what_is_drawn_anew_differs(players):
    generator = np.random.default_rng(3)
    beginning = ChanceGame(players)
    actions = play_at_random(beginning.clone(), generator, 100)
    assert len({tuple(draw_past(beginning, actions, 0, generator)) for _ in range(20)}) > 15


def test_hands_that_nothing_is_known_of_are_uniform():
    beginning = ChanceGame(2, hands="random")
    generator = np.random.default_rng(4)
    actions = play_at_random(beginning.clone(), generator, 10)
    seen = Counter()
    for _ in range(2000):
        seen.update(draw_past(beginning, actions, 0, generator)[5:])
    for kind, number in enumerate([1] * 9 + [2, 2, 1, 1, 2, 1, 1, 1]):
        assert seen[kind] / 2000 == pytest.approx(number * 5 / 20, abs=0.06)


def test_a_turn_that_ended_by_itself_tells_that_nothing_could_be_played():
    chance = ChanceGame(2, hands="random", figures="random")
    generator = np.random.default_rng(5)
    text = ids(2)
    actions = []

    def do(*them):
        for action in them:
            number = KINDS.index(action) if action in KINDS else text[action]
            actions.append(number)
            chance.apply(number)

    do("helmet-2", "helmet-3", "helmet-4", "buddha-2", "buddha-3")
    do("rice-2", "rice-3", "rice-4", "samurai-1", "samurai-2")
    while chance.is_chance:
        actions += play_at_random(chance, generator, 1)
    do("helmet-2@0,-5", "ship-1")  # the turn ended: the other four are slow
    story = stories(ChanceGame(2, hands="random", figures="random"), actions)[0]
    assert [step.what for step in story] == ["take", "spend", "none", "take"]
    fast = {"ronin-1", "ship-1", "ship-2", "figure-exchange"}
    for _ in range(50):
        drawn = draw_past(ChanceGame(2, hands="random", figures="random"), actions, 1, generator)
        held = [KINDS[action] for action in drawn[:5]]
        assert "helmet-2" in held
        assert not fast & set(held) - {"figure-exchange"}

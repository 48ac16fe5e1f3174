"""Copies, saves and seeds of `Game`: nothing is lost, nothing is shared, everything comes out again."""

from __future__ import annotations

import copy
import json
import os
import pickle
import random
import subprocess
import sys

import numpy as np
import pytest
from games import OPTIONS, PLAYERS, name, plies
from hypothesis import given, settings
from hypothesis import strategies as st

from samurai_env.rules import Game, IllegalActionError

COPIES = {
    "clone": Game.clone,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda game: pickle.loads(pickle.dumps(game)),
    "position": lambda game: Game.from_dict(json.loads(json.dumps(game.to_dict()))),
    "record": lambda game: Game.replay(json.loads(json.dumps(game.record()))),
}


def play_on(game: Game, seed: int) -> Game:
    generator = np.random.default_rng(seed)
    while not game.is_over:
        game.apply(int(generator.choice(game.legal_actions())))
    return game


@pytest.mark.parametrize("kind", COPIES)
@pytest.mark.parametrize("options", OPTIONS, ids=name)
def test_a_copy_at_every_ply_is_equal_and_goes_on_alike(options, kind):
    for ply, game in enumerate(plies(31, **options)):
        twin = COPIES[kind](game)
        assert twin == game
        assert twin.current_player == game.current_player
        assert np.array_equal(twin.action_mask(), game.action_mask())
        if ply % 29 == 0:
            before = game.clone()
            assert play_on(twin, ply) == play_on(COPIES[kind](game), ply)
            assert game == before


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(PLAYERS), st.integers(0, 2**64 - 1), st.integers(0, 120))
def test_any_seed_and_length_comes_back_from_its_record(players, seed, length):
    generator = np.random.default_rng(seed)
    game = Game(players, seed)
    for _ in range(length):
        if not game.is_over:
            game.apply(int(generator.choice(game.legal_actions())))
    record = game.record()
    assert Game.replay(record) == game
    assert Game.replay(record).record() == record


def test_a_record_from_a_position_holds_its_start():
    start = Game.from_dict({"players": 2, "hands": [["ship-1", "rice-2"], ["rice-3"]], "seed": 9})
    game = start.clone()
    game.apply("ship-1@0,-7")
    record = game.record()
    assert record["actions"] == ["ship-1@0,-7"]
    assert Game.from_dict(record["start"]) == start
    assert Game.replay(record) == game


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "version: 2"),
        ({"players": 7}, "players: 7"),
        ({"seed": None}, "seed: missing"),
        ({"seed": -1}, "seed: -1"),
        ({"hands": "all"}, "hands: 'all'"),
        ({"actions": "end"}, "actions: 'end'; expected a list"),
        ({"actions": ["hold ship-1", "hold ship-3"]}, "action 1: unknown action 'hold ship-3'"),
        ({"actions": ["end"]}, "action 0: illegal action 'end'"),
        ({"actions": [3]}, "action 0: 3; expected an action text"),
        ({"moves": []}, "unknown key 'moves'"),
        ({"start": {"players": 3}}, "start: has other players"),
        ({"start": {"players": 2, "figure": {}}}, "unknown key 'figure'"),
    ],
)
def test_wrong_records_are_named(change, message):
    record = Game(2, seed=1).record()
    with pytest.raises(ValueError, match=message):
        Game.replay(record | change)


def test_no_seed_draws_a_fresh_one():
    assert Game(hands="random") != Game(hands="random")


def test_equality_is_of_the_state_not_of_the_way_there():
    one, other = Game(2, seed=0), Game(2, seed=0)
    for kind in ("ship-2", "rice-2"):
        one.apply(f"hold {kind}")
    for kind in ("rice-2", "ship-2"):
        other.apply(f"hold {kind}")
    assert one == other
    assert one.record() != other.record()
    assert one != Game(2, seed=1)
    assert one != "a game"


PROGRAM = """
import numpy as np
import samurai_env
from samurai_env.wrappers import SingleAgentEnv
total = []
for players in (2, 3, 4):
    env = samurai_env.env(players=players, figures="random")
    env.reset(seed=11)
    generator = np.random.default_rng(0)
    for agent in env.agent_iter():
        observation, reward, over, _, info = env.last()
        total.append(int(observation["observation"].sum()))
        legal = np.flatnonzero(observation["action_mask"])
        env.step(None if over else int(generator.choice(legal)))
    total.append(env.unwrapped.game.record()["actions"][-1])
vec = samurai_env.make_vec(8, players=3, seed=5)
for _ in range(300):
    vec.step(vec.sample_actions())
total.append(vec.final_captured.ravel().tolist())
single = SingleAgentEnv(opponents="greedy")
single.reset(seed=3)
total.append(single.game.record()["actions"])
print(total)
"""


def run(program: str, **environment: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    return result.stdout


def test_the_same_seed_gives_the_same_in_every_process():
    outputs = {run(PROGRAM, PYTHONHASHSEED=seed, NUMBA_NUM_THREADS=threads) for seed, threads in ("01", "12", "22")}
    assert len(outputs) == 1
    assert len(outputs.pop()) > 1000


def test_no_global_generator_is_read_or_changed():
    import samurai_env
    from samurai_env.agents import make_player
    from samurai_env.arena import evaluate
    from samurai_env.wrappers import SingleAgentEnv

    def everything():
        env = samurai_env.env(render_mode="ansi")
        env.reset(seed=1)
        while not env.unwrapped.game.is_over:
            env.render()
            env.step(int(env.unwrapped.game.legal_actions()[0]))
        vec = samurai_env.make_vec(4, seed=0)
        vec.step(vec.sample_actions())
        single = SingleAgentEnv(opponents=["greedy"])
        single.reset(seed=0)
        outcome = evaluate(make_player("random"), [make_player("greedy")], games=2)
        return env.unwrapped.game.record(), vec.observations.tobytes(), single.game.record(), outcome

    random.seed(1)
    np.random.seed(1)  # noqa: NPY002 - the legacy generator is the one that is global
    first = everything()
    states = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    random.seed(2)
    np.random.seed(2)  # noqa: NPY002
    assert everything() == first
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    assert states == (random.getstate(), np.random.get_state()[1].tolist())  # noqa: NPY002


def test_place_and_swap_are_each_said_in_their_own_phase():
    drafting = Game(2, seed=1, hands="random")
    with pytest.raises(IllegalActionError, match="illegal action 'swap helmet@0,-4' in phase 'figures'"):
        drafting.apply("swap helmet@0,-4")
    playing = Game.from_dict(
        {"players": 2, "figures": {"0,-6": ["rice"], "2,-6": ["helmet"]}, "hands": [["figure-exchange"], []]}
    )
    with pytest.raises(IllegalActionError, match="'place rice@0,-6' in phase 'play'"):
        playing.apply("place rice@0,-6")
    playing.apply("swap rice@0,-6")
    playing.apply("swap helmet@2,-6")
    assert playing.to_dict()["figures"] == {"0,-6": ["helmet"], "2,-6": ["rice"]}


@pytest.mark.parametrize("action", [-1, 577, 10**30, -(10**30), np.int64(577)])
def test_ids_out_of_range_are_illegal_actions(action):
    game = Game(2, seed=0)
    with pytest.raises(IllegalActionError, match="expected an id from 0 to 576"):
        game.apply(action)
    assert game == Game(2, seed=0)


@pytest.mark.parametrize("action", [1.0, None, [1], np.array([1, 2])])
def test_what_is_neither_id_nor_text_is_a_value_error(action):
    with pytest.raises(ValueError, match=r"action: .*expected an id or a text"):
        Game(2, seed=0).apply(action)

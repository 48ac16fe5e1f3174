"""The observation: what it holds, what it hides, and that it is relative."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from games import OPTIONS, PLAYERS, hide_anew, name, plies

from samurai_env import observation
from samurai_env.agents import View
from samurai_env.encoder import encode_state
from samurai_env.rendering import draw
from samurai_env.rules import Game, entry

BOARD = {2: (17, 30, 44), 3: (26, 43, 64), 4: (34, 56, 84)}


def named(game: Game, seat: int, segment: str, feature: str, row: int = 0) -> int:
    """Return one number of an observation by its names."""
    part = next(s for s in observation.layout(game.players) if s.name == segment)
    values = part.view(observation.observe(game, seat)).reshape(part.rows, -1)
    return int(values[row, [f.name for f in part.features].index(feature)])


@pytest.mark.parametrize("options", OPTIONS, ids=name)
def test_hidden_information_leaves_everything_equal_to_the_bit(options):
    for ply, game in enumerate(plies(17, **options)):
        for seat in range(game.players):
            other = hide_anew(game, seat, ply)
            for hide in (False, True):
                assert (
                    observation.observe(game, seat, hide).tobytes() == observation.observe(other, seat, hide).tobytes()
                )
                assert draw(game, seat, hide) == draw(other, seat, hide)
            assert View(game, seat).action_mask.tobytes() == View(other, seat).action_mask.tobytes()
            assert game.determinize(seat, ply) == other.determinize(seat, ply)


def rotated(game: Game, by: int) -> Game:
    """Return the game with every seat moved on by `by`."""
    position = game.to_dict()
    n = game.players
    for key in ("hands", "stocks", "captured"):
        position[key] = [position[key][(seat - by) % n] for seat in range(n)]
    for tile in position["tiles"].values():
        tile["seat"] = (tile["seat"] + by) % n
    if position["to_move"] >= 0:
        position["to_move"] = (position["to_move"] + by) % n
    return Game.from_dict(position)


@pytest.mark.parametrize("players", PLAYERS)
def test_a_rotated_position_gives_equal_arrays(players):
    for game in plies(5, players=players):
        if game.phase in ("play", "over"):
            for by in range(1, players):
                turned = rotated(game, by)
                for seat in range(players):
                    ours = observation.observe(game, seat)
                    assert np.array_equal(ours, observation.observe(turned, (seat + by) % players))


@pytest.mark.parametrize("options", OPTIONS, ids=name)
def test_every_observation_lies_in_its_space(options):
    players = options["players"]
    for game in plies(23, **options):
        for seat in range(players):
            assert observation.box(players, "int8").contains(observation.observe(game, seat))
            assert observation.box(players, "float32").contains(observation.observe(game, seat, obs_dtype="float32"))


@pytest.mark.parametrize("players", PLAYERS)
def test_float32_is_the_same_scaled(players):
    game = Game(players, seed=0, hands="random", figures="random")
    small = observation.observe(game, 0)
    scaled = observation.observe(game, 0, obs_dtype="float32")
    assert scaled.dtype == np.float32
    assert np.allclose(scaled * observation.highs(players), small)


@pytest.mark.parametrize("players", PLAYERS)
def test_split_gives_named_views_without_copies(players):
    flat = observation.observe(Game(players, seed=0, figures="random"), 0)
    settlements, land, sea = BOARD[players]
    parts = observation.split(flat, players)
    assert list(parts) == ["settlements", "land", "sea", "hand", "seats", "turn"]
    assert parts["settlements"].shape[0] == settlements
    assert parts["land"].shape[0] == land
    assert parts["sea"].shape[0] == sea
    assert parts["hand"].shape == (17,)
    assert parts["seats"].shape[0] == players
    assert parts["turn"].ndim == 1
    assert sum(part.size for part in parts.values()) == flat.size
    assert all(np.shares_memory(part, flat) for part in parts.values())
    batch = np.stack([flat] * 6).reshape(2, 3, -1)
    for key, part in observation.split(batch, players).items():
        assert part.shape == (2, 3, *parts[key].shape)
        assert np.shares_memory(part, batch)
        assert np.array_equal(part[1, 2], parts[key])
    tensor = torch.from_numpy(batch)
    for key, part in observation.split(tensor, players).items():
        assert part.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr()
        assert np.array_equal(part[1, 2].numpy(), parts[key])


def test_wrong_sizes_are_named():
    flat = observation.observe(Game(2, seed=0), 0)
    with pytest.raises(ValueError, match="last axis 709; expected 1205 for 3 players"):
        observation.split(flat, 3)
    with pytest.raises(ValueError, match="last axis"):
        observation.planes(flat, 4)
    with pytest.raises(ValueError, match="seat: 2"):
        observation.observe(Game(2, seed=0), 2)


@pytest.mark.parametrize("players", PLAYERS)
def test_planes_hold_the_same_at_the_places_of_the_map(players):
    game = None
    for game in plies(3, players=players):
        if game.phase == "play" and game.to_dict()["tiles"]:
            break
    flat = observation.observe(game, 0)
    planes = observation.planes(flat, players)
    parts = observation.split(flat, players)
    places = sum(parts[key].shape[1] for key in ("settlements", "land", "sea"))
    rest = sum(parts[key].size for key in ("hand", "seats", "turn"))
    assert planes.shape[0] == places + rest
    at = 0
    for key in ("settlements", "land", "sea"):
        for feature in parts[key].T:
            # Each hex has a cell of its own, and cells without one are 0: the values are the same.
            assert np.array_equal(np.sort(planes[at][planes[at] > 0]), np.sort(feature[feature > 0]))
            at += 1
    flat_rest = np.concatenate([parts[key].ravel() for key in ("hand", "seats", "turn")])
    assert np.array_equal(planes[at:], np.broadcast_to(flat_rest[:, None, None], planes[at:].shape))
    batch = torch.from_numpy(np.stack([flat, flat]))
    assert np.array_equal(observation.planes(batch, players)[1].numpy(), planes)


def test_planes_put_neighbours_side_by_side():
    # Edo (0, 0) has neighbours in its own column one row up and down, and in the columns beside it.
    game = Game.from_dict(
        {"players": 2, "figures": {"0,0": ["rice"], "0,-2": ["rice"]}, "hands": [["ship-1"], ["ship-1"]]}
    )
    planes = observation.planes(observation.observe(game, 0), 2)
    rows, columns = np.nonzero(planes[2])
    assert columns[0] == columns[1]
    assert rows[1] - rows[0] == 2


def test_features_hold_what_their_names_say():
    game = Game.from_dict(
        {
            "players": 3,
            "to_move": 1,
            "figures": {"0,-6": ["rice"], "0,-4": ["helmet", "rice"]},
            "tiles": {"1,-6": {"seat": 2, "tile": "samurai-2"}, "0,-7": {"seat": 0, "tile": "ship-2"}},
            "hands": [["helmet-4", "ship-1"], ["buddha-2", "ronin-1"], ["rice-3"]],
            "stocks": [["rice-2"], [], ["rice-4"]],
            "captured": [[1, 2, 3], [0, 0, 1], [2, 0, 0]],
            "set_aside": [0, 1, 0],
        }
    )
    village = 0  # 0,-6 is the northernmost settlement of the three-player board
    assert named(game, 1, "settlements", "rice stands here", village) == 1
    assert named(game, 1, "settlements", "influence of seat +1 on rice", village) == 2
    assert named(game, 1, "settlements", "influence of seat +2 on rice", village) == 2
    assert named(game, 0, "settlements", "influence of own on rice", village) == 2
    assert named(game, 1, "turn", "to move: own") == 1
    assert named(game, 0, "turn", "to move: seat +1") == 1
    assert named(game, 1, "hand", "ronin-1 in hand") == 1
    assert named(game, 1, "seats", "tiles in hand", 1) == 1
    assert named(game, 1, "seats", "rice-4 left, in hand or stock", 1) == 1
    assert named(game, 1, "seats", "buddha captured", 2) == 2
    assert named(game, 1, "turn", "buddha set aside") == 1


def test_hidden_captures():
    game = Game.from_dict({"players": 3, "captured": [[1, 2, 3]] * 3, "hands": [["ship-1"], [], []]})
    shown = observation.split(observation.observe(game, 0), 3)["seats"][:, -3:]
    hidden = observation.split(observation.observe(game, 0, hide_captures=True), 3)["seats"][:, -3:]
    assert shown.tolist() == [[1, 2, 3]] * 3
    assert hidden.tolist() == [[1, 2, 3], [0, 0, 0], [0, 0, 0]]
    assert "hidden" in draw(game, 0, hide_captures=True)
    two = Game.from_dict({"players": 2, "captured": [[1, 2, 3]] * 2, "hands": [["ship-1"], []]})
    assert np.array_equal(observation.observe(two, 0), observation.observe(two, 0, hide_captures=True))


@pytest.mark.parametrize("options", OPTIONS, ids=name)
def test_the_compiled_writers_stay_within_their_arrays(options):
    players = options["players"]
    room = 128
    for game in plies(41, **options):
        for length, write in (
            (game.num_actions, entry.mask_of_state),
            (observation.size(players), lambda state, out: encode_state(state, 0, False, out)),
        ):
            memory = np.full(length + 2 * room, 99, np.int8)
            write(game.state, memory[room:-room])
            assert (memory[:room] == 99).all()
            assert (memory[-room:] == 99).all()
            assert not (memory[room:-room] == 99).any()

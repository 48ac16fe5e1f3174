"""What is foreseen of tiles on last hexes is what the engine does, and nothing is overlooked."""

from __future__ import annotations

import numpy as np
import pytest
from games import PLAYERS, plies

torch = pytest.importorskip("torch")

from samurai_env.agents.foresight import foresee  # noqa: E402
from samurai_env.agents.networks import Network  # noqa: E402
from samurai_env.observation import observe  # noqa: E402
from samurai_env.rules import score  # noqa: E402
from samurai_env.rules.actions import LAY, NUM_ACTIONS  # noqa: E402
from samurai_env.rules.board import NUM_LAND  # noqa: E402
from samurai_env.rules.tiles import NUM_LAND_KINDS  # noqa: E402


def foreseen(positions):
    """Return what is foreseen in each position for each action: {action: numbers}."""
    players = positions[0].players
    found = [{} for _ in positions]
    games, land, brings = foresee(np.stack([observe(game, game.current_player) for game in positions]), players)
    for game, place, kinds in zip(games.tolist(), land.tolist(), brings, strict=True):
        for kind in range(NUM_LAND_KINDS):
            found[game][int(LAY[players]) + kind * int(NUM_LAND[players]) + place] = kinds[kind]
    return found


def played(game, action):
    """Return the game after an action, and its position if it goes on."""
    after = game.clone()
    after.apply(action)
    return after, {} if after.is_over else after.to_dict()


@pytest.mark.parametrize("players", PLAYERS)
def test_is_what_the_engine_does(players):
    ends, captures = 0, 0
    for seed in range(4):
        positions = [game.clone() for game in plies(seed, players=players) if game.phase == "play"]
        for game, found in zip(positions, foreseen(positions), strict=True):
            seat = game.current_player
            on_land = range(LAY[players], LAY[players] + NUM_LAND_KINDS * NUM_LAND[players])
            for action in set(game.legal_actions().tolist()) & set(on_land):
                after, position = played(game, action)
                taken = (after.captured - game.captured).sum(1)
                aside = (after.set_aside - game.set_aside).sum()
                if action not in found:
                    assert taken.sum() + aside == 0
                    continue
                captures += 1
                share, lacking, share_so_far, own, others, lost, majorities, most = found[action].tolist()
                assert (own, others, lost) == (taken[seat], taken.sum() - taken[seat], aside)
                standing = score(after.captured)
                held = [standing.majorities.count(other) for other in range(players)]
                assert majorities == held[seat]
                assert most == max(held[:seat] + held[seat + 1 :])
                expected = (seat in standing.winners) / len(standing.winners)
                if after.is_over or position.get("last_turn"):
                    ends += 1
                    assert (share, lacking, share_so_far) == pytest.approx((expected, 1 - expected, 0))
                else:
                    assert (share, lacking, share_so_far) == pytest.approx((0, 0, expected))
    assert captures > 300
    assert ends > 5


def test_nothing_is_foreseen_before_play():
    games = [game.clone() for game in plies(0, players=2) if game.phase != "play"]
    games = [game for game in games if not game.is_over]
    assert games
    assert not any(foreseen(games))


def test_a_network_listens_to_it():
    network = Network(3, width=8)
    positions = [game.clone() for game in plies(1, players=3) if game.phase == "play"]
    observations = torch.from_numpy(np.stack([observe(game, game.current_player) for game in positions]))
    with torch.no_grad():
        before = network(observations)[0]
        network.body.foresight[-1].bias += 1
        change = network(observations)[0] - before
    told = torch.zeros(len(positions), int(NUM_ACTIONS[3]))
    for i, found in enumerate(foreseen(positions)):
        told[i, list(found)] = 1
    assert told.any()
    assert torch.allclose(change, told, atol=1e-5)

"""The policies that come with the package."""

from __future__ import annotations

import numpy as np
import pytest
from games import PLAYERS
from test_state import run

import samurai_env
from samurai_env.agents import make_player, pretrained
from samurai_env.agents.policy import PRETRAINED
from samurai_env.arena import play
from samurai_env.rules import Game
from training.config import load_config
from training.evaluation import play_match
from training.players import batch_player


@pytest.mark.parametrize("players", PLAYERS)
def test_it_plays_to_the_end_by_its_code_and_by_itself(players):
    own = play(Game(players, seed=1), [pretrained(players)] * players)
    assert own.is_over
    assert play(Game(players, seed=1), [make_player("policy:pretrained")] * players).record() == own.record()


def test_it_is_the_policy_for_two_players_unless_told():
    assert pretrained().players == 2


def test_players_that_there_are_none_for():
    with pytest.raises(ValueError, match="players: 5; expected one of 2, 3, 4"):
        pretrained(players=5)


@pytest.mark.parametrize("players", PLAYERS)
def test_it_decides_for_a_whole_batch(players):
    vec = samurai_env.make_vec(32, players=players, seed=0)
    player = make_player("policy:pretrained")
    for _ in range(40):
        actions = player.act_batch(vec.observations, vec.action_masks)
        assert np.array_equal(actions, pretrained(players).act_batch(vec.observations, vec.action_masks))
        assert vec.action_masks[np.arange(32), actions].all()
        vec.step(actions)


@pytest.mark.parametrize(
    ("players", "against", "share"),
    [(2, "greedy", 0.8), (3, "random", 0.95), (3, "greedy", 0.3), (4, "random", 0.95), (4, "greedy", 0.2)],
)
def test_how_strong_it_is_at_least(players, against, share):
    config = load_config("configs/smoke.yaml", [f"game.players={players}"])
    outcome = play_match(batch_player("policy:pretrained"), batch_player(against), 60 * players, config)
    assert outcome.rate > share


def test_the_files_are_small():
    for players in PLAYERS:
        assert (PRETRAINED / f"{players}_players.pt").stat().st_size < 2**22


def test_it_needs_torch_and_nothing_else_of_the_training():
    program = """
import sys
for name in ("stable_baselines3", "sb3_contrib", "pydantic", "yaml", "matplotlib", "tensorboard", "tqdm"):
    sys.modules[name] = None
from samurai_env.agents import View, pretrained
from samurai_env.rules import Game
game = Game(2, seed=0)
print(game.action_to_string(pretrained(players=2).act(View(game, game.current_player))).split()[0])
"""
    assert run(program) == "hold\n"

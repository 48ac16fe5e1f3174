"""The policies that come with the package."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from games import PLAYERS, hide_anew, plies
from test_state import run

import samurai_env
from samurai_env.agents import View, make_player, pretrained
from samurai_env.agents.networks import Network
from samurai_env.agents.policy import PRETRAINED, PolicyJudge, PolicyPlayer
from samurai_env.agents.search import Positions, SearchPlayer
from samurai_env.agents.tree import judge_all
from samurai_env.arena import play
from samurai_env.observation import observe
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


# ------------------------------------------------------------------ as the judge of a search


@pytest.mark.parametrize("players", PLAYERS)
def test_a_search_with_it_plays_all_phases_and_sees_nothing_hidden(players):
    code = "search:12:policy:pretrained"
    assert play(Game(players, seed=2), [make_player(code)] * players).is_over
    for number, game in enumerate(plies(6, players=players)):
        if not game.is_over and number % 7 == 0:
            seat = game.current_player
            views = [View(one, seat) for one in (game, hide_anew(game, seat, number), hide_anew(game, seat, 1000))]
            first, *others = [make_player(code).analyse(view) for view in views]
            assert all(other == first for other in others)


@pytest.mark.parametrize("players", PLAYERS)
def test_its_value_with_the_potential_is_the_share_of_the_seat_to_move(players):
    policy = pretrained(players)
    games = [game.clone() for game in plies(4, players=players) if not game.is_over][::5]
    positions = look_at(games)
    prior, shares = PolicyJudge(policy).judge(positions)
    assert shares.sum(-1) == pytest.approx(np.ones(len(games)), abs=1e-5)
    for game, judged, of_game, of_actions in zip(games, positions.shares, shares, prior, strict=True):
        seat = game.current_player
        assert (of_actions[game.action_mask() == 0] == 0).all()
        assert of_actions.sum() == pytest.approx(1, abs=1e-4)
        assert of_actions.argmax() == policy.act(View(game, seat))
        with torch.no_grad():
            value = float(policy.network(torch.from_numpy(observe(game, seat)[None]))[1])
        captured = [sum(game.captured[other]) for other in range(players)]
        lead = captured[seat] - max(captured[:seat] + captured[seat + 1 :])
        expected = (float(judged[seat]) * players - 1) / (players - 1)
        reward = value + policy.network.potential.captures * lead + policy.network.potential.judged * expected
        own = min(max((reward * (players - 1) + 1) / players, 0), 1)
        assert of_game[seat] == pytest.approx(own, abs=1e-4)
        for other in set(range(players)) - {seat}:
            assert of_game[other] == pytest.approx((1 - own) * judged[other] / (1 - judged[seat]), abs=1e-4)


@pytest.mark.parametrize("players", PLAYERS)
def test_the_rest_is_shared_where_nobody_else_expects_anything(players):
    game = Game(players, seed=1, hands="random", figures="random")
    certain = np.zeros((1, players), np.float32)
    certain[0, game.current_player] = 1
    _, shares = PolicyJudge(pretrained(players)).judge(look_at([game])._replace(shares=certain))
    assert shares.sum() == pytest.approx(1, abs=1e-5)
    others = np.delete(shares[0], game.current_player)
    assert others == pytest.approx(np.full(players - 1, others[0]), abs=1e-5)


def look_at(games):
    """Return positions for a judge."""
    return Positions(
        np.stack([observe(game, game.current_player) for game in games]),
        np.stack([game.action_mask() for game in games]),
        np.array([game.current_player for game in games]),
        judge_all(np.stack([game.state for game in games]), games[0].players),
    )


def test_its_values_tell_who_wins():
    """Late in a game they are nearer to the result than what says that both are equal."""
    policy, losses = pretrained(2), []
    for seed in range(40):
        game, positions = Game(2, seed=seed), []
        while not game.is_over:
            positions.append(game.clone())
            game.apply(policy.act(View(game, game.current_player)))
        _, shares = PolicyJudge(policy).judge(look_at(positions[-12:-11]))
        won = np.array([1 / len(game.winners) if seat in game.winners else 0 for seat in range(2)])
        losses.append(((shares[0] - won) ** 2).sum())
    assert np.mean(losses) < 0.4  # 0.5 is to say that both are equal


def test_a_temperature_flattens_its_prior():
    game = Game(2, seed=1, hands="random", figures="random")
    sharp, flat = (PolicyJudge(pretrained(2), t).judge(look_at([game]))[0][0] for t in (1, 3))
    assert sharp.argmax() == flat.argmax()
    assert sharp.max() > flat.max()


def test_policies_that_cannot_judge():
    view = View(Game(2, seed=1, hands="random", figures="random"), 0)
    by_place = PolicyPlayer(Network(2, width=8, reward="place"))
    with pytest.raises(ValueError, match="'place'; expected 'winner'"):
        SearchPlayer(iterations=4, judge=PolicyJudge(by_place)).analyse(view)
    of_three = PolicyPlayer(Network(3, width=8))
    with pytest.raises(ValueError, match="policy for 3 players in a game of 2"):
        SearchPlayer(iterations=4, judge=PolicyJudge(of_three)).analyse(view)


@pytest.mark.parametrize("code", ["search:4:", "search:4:greedy", "search:4:policy:", "search:x:policy:pretrained"])
def test_wrong_codes_of_a_search_with_a_policy(code):
    with pytest.raises(ValueError, match="expected"):
        make_player(code)


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

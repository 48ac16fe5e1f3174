"""Players of many games at once, the pool of frozen opponents, and matches."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from games import PLAYERS

import samurai_env
from samurai_env.agents import RandomPlayer, View, make_player
from samurai_env.agents.networks import Network
from samurai_env.arena import evaluate
from training.config import load_config
from training.matches import match, outcome, play_all, rotated
from training.players import AnyBatch, PolicyBatch, RandomBatch, batch_player
from training.pool import Pool
from training.run import make_model

# ------------------------------------------------------------------ players


def games_in_play(players, steps=60, number=12):
    vec = samurai_env.make_vec(number, players=players, seed=5)
    for _ in range(steps):
        vec.step(vec.sample_actions())
    return vec


@pytest.mark.parametrize("code", ["random", "greedy", "policy", "any"])
@pytest.mark.parametrize("players", PLAYERS)
def test_batch_players_play_legally_and_as_their_generator_says(code, players):
    vec = games_in_play(players)
    network = Network(players, width=4, rounds=1)
    player = {"policy": PolicyBatch(network, deterministic=False), "any": AnyBatch(RandomPlayer())}.get(code)
    player = player or batch_player(code)
    chosen = np.array([1, 4, 7])
    first, again, other = (player.act(vec, chosen, np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert vec.action_masks[chosen, first].all()
    assert np.array_equal(first, again)
    assert vec.action_masks[chosen, other].all()


@pytest.mark.parametrize("players", PLAYERS)
def test_the_greedy_batch_plays_as_the_greedy_player(players):
    vec = games_in_play(players, number=20)
    everyone = np.arange(20)
    batched = [batch_player("greedy").act(vec, everyone, np.random.default_rng(s)) for s in range(8)]
    player = make_player("greedy")
    for i in range(20):
        single = set()
        for seed in range(30):
            player.reset(seed)
            single.add(player.act(View(vec.game(i), int(vec.seats[i]))))
        assert {int(actions[i]) for actions in batched} <= single


def test_random_draws_are_even():
    vec = games_in_play(2, number=1)
    legal = np.flatnonzero(vec.action_masks[0])
    generator = np.random.default_rng(0)
    drawn = [int(RandomBatch().act(vec, np.array([0]), generator)[0]) for _ in range(200 * len(legal))]
    counts = np.bincount(drawn, minlength=vec.num_actions)[legal]
    assert counts.sum() == len(drawn)
    assert counts.min() > 120


def test_a_players_code_that_is_none():
    with pytest.raises(ValueError, match="no such code"):
        batch_player("nobody")


# ------------------------------------------------------------------ the pool


def test_the_learners_seat_goes_round():
    pool = Pool(4, 3, 2, ["greedy"], 0.5, seed=0)
    seen = []
    for _ in range(6):
        pool.begin(np.arange(10))  # slots without an opponent are passed over
        seen.append(pool.learner_seats.tolist())
    assert seen[:3] == [[0, 1, 2, 0], [1, 2, 0, 1], [2, 0, 1, 2]]
    assert seen[3:] == seen[:3]


def test_who_is_frozen():
    pool = Pool(3, 2, 2, ["greedy"], 1.0, seed=0)
    assert not pool.is_frozen(np.array([0, 1, 0, 1])).any()  # nothing has begun
    pool.begin(np.arange(3))
    assert pool.is_frozen(np.array([0, 1, 0, 1])).tolist() == [False, False, False, False]
    assert pool.is_frozen(np.array([1, 0, 1, 0])).tolist() == [True, True, True, False]


def test_without_an_opponent_the_learner_has_all_seats():
    pool = Pool(3, 2, 2, [], 0.5, seed=0)
    pool.begin(np.arange(3))
    assert not pool.is_frozen(np.array([0, 1, 0])).any()
    pool.add(Network(2, width=4, rounds=1))
    pool.begin(np.arange(3))
    assert (pool.opponents == 0).all()


def test_the_pool_keeps_copies_and_no_more_than_its_size():
    network = Network(2, width=4, rounds=1)
    pool = Pool(8, 2, 2, ["random", "greedy"], 0.25, seed=0)
    for _ in range(5):
        with torch.no_grad():
            next(network.parameters()).add_(1)
        pool.add(network)
    assert len(pool.policies) == 2
    values = {next(policy.player.network.parameters()).sum().item() for policy in pool.policies}
    assert len(values) == 2
    counts = np.zeros(4)
    for _ in range(500):
        pool.begin(np.arange(8))
        counts += np.bincount(pool.opponents, minlength=4)
    assert counts / 4000 == pytest.approx([0.125, 0.125, 0.375, 0.375], abs=0.03)


@pytest.mark.parametrize("players", PLAYERS)
def test_each_decision_of_the_learner_is_trained_on_once_and_no_other(players):
    overrides = ["pool.share=1", "pool.scripted=[random]", "ppo.num_games=12", "ppo.rollout_steps=400"]
    model = make_model(load_config("configs/smoke.yaml", [f"game.players={players}", *overrides]))
    trained = []
    model.train = lambda: trained.append(len(model.rollout_buffer.returns))
    model.learn(2000)
    steps, own = 400 * 12 * len(trained), model.num_timesteps
    assert own / steps == pytest.approx(1 / players, abs=0.05)  # the games begin and end in their midst
    assert sum(trained) == own - model.rollout_buffer._is_open.sum()


def test_the_learner_wins_and_loses_with_its_own_seat():
    """Credit for the learner's seat: with values of zero, what arrives is what its seat was paid, game by game."""
    overrides = ["pool.share=1", "pool.scripted=[greedy]", "ppo.num_games=8", "ppo.rollout_steps=300"]
    more = ["ppo.gae_lambda=0", "ppo.capture_potential=0"]
    model = make_model(load_config("configs/smoke.yaml", [*overrides, *more]))
    act, step, arrived, expected = model._act, model.games.step, [], []
    model._act = lambda *seen: (*(part := act(*seen))[:1], part[1] * 0, part[2])

    def watched(actions):
        seats = model.pool.learner_seats.copy()
        step(actions)
        ended = np.flatnonzero(model.games.dones)
        expected.extend(model.games.rewards[ended, seats[ended]].tolist())

    model.games.step = watched
    model.train = lambda: arrived.extend(r for r in model.rollout_buffer.returns.tolist() if r)
    model.learn(3000)
    assert len(expected) > 50
    assert sorted(arrived) == sorted(expected)
    assert np.mean(expected) < -0.5  # an untrained network against greedy


def test_who_is_imitated_plays_all_seats():
    model = make_model(load_config("configs/smoke.yaml", ["pool.share=1", "imitation.steps=600"]))
    counts = []
    model.train = lambda: counts.append(model.num_timesteps)
    model.learn(2400)
    assert counts[:2] == [512, 1024]
    assert np.diff(counts)[1:].max() < 400  # then the opponents have half of the seats


# ------------------------------------------------------------------ matches

OPTIONS = {"hands": "choose", "figures": "draft", "captures": "immediate"}


def test_seats_and_deals_are_those_of_the_arena():
    """Between players that draw nothing the games are the arena's, one by one."""

    class At:
        def __init__(self, share):
            self.share = share

        def reset(self, seed):
            pass

        def act(self, view):
            legal = view.legal_actions
            return int(legal[int(self.share * (len(legal) - 1))])

    one, two = At(0.3), At(0.8)
    there = evaluate(one, [two] * 2, 30, seed=4, **OPTIONS)
    here = match(AnyBatch(one), AnyBatch(two), 30, 4, 3, OPTIONS)
    assert 0 < here.wins < 30
    assert here.wins == pytest.approx(there.wins)
    assert np.array(here.by_seat) == pytest.approx(np.array(there.by_seat))


def test_two_equal_players_are_even_and_shares_sum_to_one():
    seatings = rotated(600, 2)
    deals = np.arange(600, dtype=np.uint64)
    shares = play_all([RandomBatch(), RandomBatch()], seatings, deals, 0, OPTIONS)
    assert shares.sum(-1) == pytest.approx(np.ones(600))
    low, high = outcome(shares, seatings).interval
    assert low < 0.5 < high


def test_a_match_is_reproducible_whatever_else_is_drawn():
    outcomes = []
    for seed in (1, 2):
        np.random.seed(seed)  # noqa: NPY002
        torch.manual_seed(seed)
        outcomes.append(match(batch_player("greedy"), RandomBatch(), 40, 7, 4, OPTIONS))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0].rate > 0.9

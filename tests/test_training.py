"""Self-play training: credit by seat, the masked distribution, configurations, and the whole command."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from games import PLAYERS
from gymnasium import spaces
from sb3_contrib.common.maskable.distributions import MaskableCategorical
from stable_baselines3.common.callbacks import BaseCallback

import samurai_env
from samurai_env.agents import View, make_player
from samurai_env.agents.networks import KINDS, Network, columns
from samurai_env.agents.policy import FORMAT, VERSION, PolicyPlayer, load_network, save_network
from samurai_env.agents.potential import capture_lead
from samurai_env.arena import play
from samurai_env.rules import Game
from samurai_env.rules.actions import texts
from samurai_env.rules.board import LAND, NUM_SETTLEMENTS, SEA, SETTLEMENTS
from samurai_env.rules.tiles import FIGURES
from training.config import load_config
from training.experiments.next_state import NextStateBuffer
from training.imitation import Teacher
from training.networks import entropy, masked_log_probs, sample
from training.ppo import Linear
from training.rollout import SeatRolloutBuffer
from training.run import make_model
from training.selfplay import main

# ------------------------------------------------------------------ credit


def make_buffer(steps, games, players, gamma=1.0, gae_lambda=1.0, kind=SeatRolloutBuffer):
    return kind(
        steps,
        spaces.Box(0, 1, (1,), np.int8),
        spaces.Discrete(2),
        "cpu",
        gamma=gamma,
        gae_lambda=gae_lambda,
        n_envs=games,
        players=players,
    )


def fill(buffer, seats, values, ends, frozen=()):
    """Fill a buffer of one game; `ends` maps a step to the final rewards of all seats after it."""
    buffer.reset()
    for step, (seat, value) in enumerate(zip(seats, values, strict=True)):
        one = np.array([[step % 2]], np.int8)
        rest = (np.array([x]) for x in (seat, 0, value, 0.0, 0.0, seat in frozen))
        buffer.add(one, np.ones((1, 2), np.int8), *rest)
        rewards = np.array([ends.get(step, [0.0] * buffer.players)], np.float32)
        buffer.outcome(rewards, np.array([step in ends]))
    buffer.compute_advantages()


def test_values_come_from_the_same_seat_in_an_alternating_game():
    # Seats 0 1 0 1, then the end: seat 0 wins. With lambda 0 each decision's target is its own seat's
    # next value, with nothing of the opponent's.
    buffer = make_buffer(4, 1, 2, gae_lambda=0.0)
    fill(buffer, [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], {3: [1.0, -1.0]})
    assert buffer.returns == pytest.approx([0.3, 0.4, 1.0, -1.0])


def test_advantages_with_lambda_and_gamma_are_the_known_ones():
    gamma, lam = 0.9, 0.5
    buffer = make_buffer(5, 1, 2, gamma, lam)
    # Seat 1 moves three times running in between, and does not move last.
    fill(buffer, [0, 1, 1, 1, 0], [0.5, 0.1, 0.2, 0.3, 0.6], {4: [1.0, -1.0]})
    last0, last1 = 1.0 - 0.6, -1.0 - 0.3
    middle1 = gamma * 0.3 - 0.2 + gamma * lam * last1
    first1 = gamma * 0.2 - 0.1 + gamma * lam * middle1
    first0 = gamma * 0.6 - 0.5 + gamma * lam * last0
    assert buffer.returns - buffer.values == pytest.approx([first0, first1, middle1, last1, last0])


def test_an_open_decision_waits_for_its_successor_in_the_next_rollout():
    buffer = make_buffer(3, 1, 2, gae_lambda=0.0)
    fill(buffer, [0, 1, 0], [0.1, 0.2, 0.3], {})
    # Of seat 0 the first decision is closed by its second; the second, and seat 1's, are open.
    assert buffer.returns == pytest.approx([0.3])
    fill(buffer, [1, 1, 0], [0.4, 0.5, 0.9], {1: [1.0, -1.0]})
    # Carried: seat 0's 0.3, paid by the end although it never moved again, and seat 1's 0.2. The last
    # decision is of a new game, and open.
    assert buffer.values == pytest.approx([0.3, 0.2, 0.4, 0.5])
    assert buffer.returns == pytest.approx([1.0, 0.4, 0.5, -1.0])


def test_no_transition_mixes_two_games():
    buffer = make_buffer(4, 1, 2, gae_lambda=0.0)
    fill(buffer, [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], {1: [1.0, -1.0]})
    assert buffer.returns == pytest.approx([1.0, -1.0])


def test_a_decision_is_carried_over_as_often_as_it_takes():
    buffer = make_buffer(2, 1, 2, gae_lambda=0.0)
    fill(buffer, [0, 1], [0.1, 0.2], {})
    fill(buffer, [1, 1], [0.3, 0.4], {})
    fill(buffer, [1, 1], [0.5, 0.6], {1: [1.0, -1.0]})
    assert buffer.values == pytest.approx([0.1, 0.4, 0.5, 0.6])
    assert buffer.returns == pytest.approx([1.0, 0.5, 0.6, -1.0])


def test_frozen_opponents_are_not_trained_on_and_do_not_disturb_the_learners_credit():
    # Seat 1 is frozen, moves twice running and ends the game: seat 0 is paid for its own last decision.
    buffer = make_buffer(5, 1, 2, gae_lambda=0.0)
    fill(buffer, [0, 1, 1, 0, 1], [0.1, 9.0, 9.0, 0.4, 9.0], {4: [1.0, -1.0]}, frozen={1})
    assert buffer.values == pytest.approx([0.1, 0.4])
    assert buffer.returns == pytest.approx([0.4, 1.0])


def test_a_learners_decision_waits_over_a_rollout_of_frozen_opponents():
    buffer = make_buffer(2, 1, 3, gae_lambda=0.0)
    fill(buffer, [0, 1], [0.1, 9.0], {}, frozen={1, 2})
    assert len(buffer.returns) == 0
    fill(buffer, [2, 2], [9.0, 9.0], {}, frozen={1, 2})
    assert len(buffer.returns) == 0
    fill(buffer, [1, 0], [9.0, 0.7], {0: [-0.5, 1.0, -0.5]}, frozen={1, 2})  # a new game begins with seat 0
    assert buffer.values == pytest.approx([0.1])
    assert buffer.returns == pytest.approx([-0.5])


def test_the_control_has_the_fault_that_it_is_named_for():
    buffer = make_buffer(4, 1, 2, gae_lambda=0.0, kind=NextStateBuffer)
    fill(buffer, [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], {2: [1.0, -1.0]})
    # The opponent's next value is taken for one's own, and seat 1, which did not move last, is never paid.
    assert buffer.returns == pytest.approx([0.2, 0.3, 1.0])


def test_to_begin_a_rollout_twice_changes_nothing():
    buffer = make_buffer(3, 1, 2, gae_lambda=0.0)
    fill(buffer, [0, 1, 0], [0.1, 0.2, 0.3], {})
    buffer.reset()
    other = make_buffer(3, 1, 2, gae_lambda=0.0)
    other.restore(buffer.state())
    for one in (buffer, other):
        fill(one, [1, 1, 0], [0.4, 0.5, 0.9], {1: [1.0, -1.0]})
        assert one.returns == pytest.approx([1.0, 0.4, 0.5, -1.0])


def test_games_that_were_abandoned_are_forgotten():
    config = load_config("configs/smoke.yaml")
    model = make_model(config)
    model.learn(512)
    assert model.rollout_buffer._is_open.any()
    model.learn(256)  # SB3 starts all games anew
    assert not model.rollout_buffer._present[:2].any()


@pytest.mark.parametrize("steps", [3, 40])
@pytest.mark.parametrize("players", PLAYERS)
def test_the_rewards_that_reach_decisions_are_the_final_returns(players, steps):
    """Over 1,000 games every seat's final reward arrives once, at its own last decision, in no other place."""
    games = 50
    vec = samurai_env.make_vec(games, players=players, seed=players)
    buffer = make_buffer(steps, games, players, gae_lambda=0.0)
    paid = returned = 0.0
    decisions = ended = rollouts = 0
    allowed = np.array([0, *_rewards(players)])
    while ended < 1000:
        buffer.reset()
        rollouts += 1
        zeros = np.zeros(games, np.float32)
        for _ in range(steps):
            actions = vec.sample_actions()
            buffer.add(np.zeros((games, 1)), np.ones((games, 2)), vec.seats, actions, zeros, zeros, zeros)
            vec.step(actions)
            buffer.outcome(vec.rewards, vec.dones)
            returned += np.abs(vec.rewards).sum()
            ended += int(vec.dones.sum())
        buffer.compute_advantages()
        decisions += len(buffer.returns)
        paid += np.abs(buffer.returns).sum()
        # With all values zero a target is the final reward itself, once for each seat and game.
        assert np.abs(buffer.returns[:, None] - allowed).min(-1).max() < 1e-6
    assert paid == pytest.approx(returned, rel=1e-5)
    left_open = int(buffer._is_open.sum())
    assert left_open <= games * players
    assert decisions + left_open == rollouts * steps * games  # each decision is trained on once


def _rewards(players):
    return [(players / w - 1) / (players - 1) for w in range(1, players + 1)] + [-1 / (players - 1)]


def test_the_potential_shapes_rewards_and_sums_to_nothing():
    buffer = make_buffer(3, 1, 2)
    buffer.reset()
    for step, potential in enumerate((0.0, 0.2, 0.5)):
        ones = (np.array([x]) for x in (0, 0, 0.0, 0.0, potential))
        buffer.add(np.zeros((1, 1)), np.ones((1, 2)), *ones)
        buffer.outcome(np.array([[1.0, -1.0]]) * (step == 2), np.array([step == 2]))
    buffer.compute_advantages()
    assert buffer.returns == pytest.approx([1.0, 0.8, 0.5])


def test_the_capture_lead_is_the_observers():
    position = {"players": 3, "captured": [[1, 0, 2], [0, 1, 0], [2, 2, 0]], "hands": [["ship-1"]] * 3}
    game = Game.from_dict(position)
    seen = np.stack([samurai_env.observation.observe(game, seat) for seat in range(3)])
    assert capture_lead(seen, 3).tolist() == [-1, -3, 1]


def test_all_seats_are_trained_evenly():
    config = load_config("configs/smoke.yaml", ["game.players=3", "ppo.total_steps=6000"])
    model = make_model(config)
    counts = np.zeros(3)

    class Count(BaseCallback):
        def _on_step(self):
            return True

        def _on_rollout_end(self):
            buffer = model.rollout_buffer
            counts[:] += np.bincount(buffer._seats.ravel()[buffer._trainable], minlength=3)

    model.learn(6000, callback=Count())
    assert counts.sum() > 5000
    assert counts.min() > 0.9 * counts.max()


# ------------------------------------------------------------------ the masked distribution


def test_a_million_samples_none_of_them_masked():
    generator = torch.Generator().manual_seed(0)
    logits = torch.randn(1000, 577, generator=generator) * 10
    for _ in range(10):
        masks = torch.rand(1000, 577, generator=generator) < 0.1
        masks[:, 0] = True
        log_probs = masked_log_probs(logits, masks)
        for _ in range(100):
            assert masks.gather(1, sample(log_probs).unsqueeze(1)).all()


def test_samples_come_as_often_as_they_are_probable():
    logits, masks = torch.tensor([0.0, 3.0, 1.0, 2.0]), torch.tensor([1, 0, 1, 1])
    log_probs = masked_log_probs(logits.expand(200_000, -1), masks)
    shares = torch.bincount(sample(log_probs), minlength=4) / 200_000
    assert shares[1] == 0
    assert shares.numpy() == pytest.approx(log_probs[0].exp().numpy(), abs=0.01)


def test_one_legal_action_has_no_entropy_and_finite_gradients():
    logits = torch.randn(4, 577, requires_grad=True)
    masks = torch.zeros(4, 577, dtype=torch.int8)
    masks[:, 5] = 1
    log_probs = masked_log_probs(logits, masks)
    assert (sample(log_probs) == 5).all()
    assert (log_probs[:, 5] == 0).all()
    assert (entropy(log_probs) == 0).all()
    (entropy(log_probs).sum() + log_probs[:, 5].sum()).backward()
    assert torch.isfinite(logits.grad).all()


def test_the_entropy_counts_legal_actions_only():
    masks = torch.zeros(1, 577, dtype=torch.int8)
    masks[0, :8] = 1
    assert entropy(masked_log_probs(torch.zeros(1, 577), masks)).item() == pytest.approx(np.log(8))


def test_the_policy_agrees_with_sb3_contribs_distribution():
    model = make_model(load_config("configs/smoke.yaml"))
    games = model.env.games
    observations, masks = torch.from_numpy(games.observations.copy()), torch.from_numpy(games.action_masks.copy())
    actions, values, log_probs = model.policy(observations, action_masks=masks)
    theirs = MaskableCategorical(logits=model.policy.network(observations)[0], masks=masks)
    assert torch.allclose(log_probs, theirs.log_prob(actions), atol=1e-5)
    evaluated = model.policy.evaluate_actions(observations, actions, masks)
    for ours, other in zip(evaluated, (values, theirs.log_prob(actions), theirs.entropy()), strict=True):
        assert torch.allclose(ours, other, atol=1e-5)


# ------------------------------------------------------------------ networks and policies


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("players", PLAYERS)
def test_a_policy_file_comes_back_and_plays_legally(kind, players, tmp_path):
    network = Network(players, kind, width=8, rounds=1)
    save_network(network, tmp_path / "policy.pt")
    player = make_player(f"policy:{tmp_path / 'policy.pt'}")
    game = play(Game(players, seed=0), [player] * players)
    assert game.is_over
    sampling = PolicyPlayer(load_network(tmp_path / "policy.pt"), deterministic=False)
    games = [play(Game(players, seed=1), [sampling] * players, seed=s).record() for s in (1, 1, 2)]
    assert games[0] == games[1] != games[2]


def test_no_illegal_move_in_ten_thousand_decisions():
    player = PolicyPlayer(Network(4, "graph", width=4, rounds=1), deterministic=False)
    vec = samurai_env.make_vec(100, players=4, seed=0)
    for _ in range(100):
        actions = player.act_batch(vec.observations, vec.action_masks)
        assert vec.action_masks[np.arange(100), actions].all()
        vec.step(actions)


def test_a_batch_decides_as_single_views_do():
    player = PolicyPlayer(Network(2, "graph", width=8, rounds=1))
    vec = samurai_env.make_vec(10, players=2, seed=0)
    for _ in range(30):
        actions = player.act_batch(vec.observations, vec.action_masks)
        assert [player.act(View(vec.game(i), int(vec.seats[i]))) for i in range(10)] == actions.tolist()
        vec.step(actions)


HEADER = {"format": FORMAT, "version": VERSION}
SETTINGS = {"players": 2, "kind": "flat", "width": 4, "rounds": 1}


@pytest.mark.parametrize(
    "content",
    [
        None,
        b"",
        b"not a policy",
        {"weights": 1},
        HEADER,
        {**HEADER, "network": None, "weights": {}},
        {**HEADER, "network": {**SETTINGS, "depth": 3}, "weights": {}},
        {**HEADER, "version": VERSION - 1, "network": SETTINGS, "weights": {}},
        {**HEADER, "network": {**SETTINGS, "potential": 1}, "weights": {}},
        {**HEADER, "network": SETTINGS, "weights": None},
        {**HEADER, "network": SETTINGS, "weights": {}},
    ],
)
def test_files_that_are_no_policy(content, tmp_path):
    path = tmp_path / "policy.pt"
    if isinstance(content, dict):
        torch.save(content, path)
    elif content is not None:
        path.write_bytes(content)
    with pytest.raises(ValueError, match="expected a policy file"):
        make_player(f"policy:{path}")


def test_one_set_of_weights_serves_all_numbers_of_players():
    two = Network(2, "graph", width=8, rounds=1)
    for players in PLAYERS:
        network = two.for_players(players)
        assert all(torch.equal(a, b) for a, b in zip(two.parameters(), network.parameters(), strict=True))
        assert play(Game(players, seed=0), [PolicyPlayer(network)] * players).is_over
    with pytest.raises(ValueError, match="only a graph network"):
        Network(2, "flat", width=8, rounds=1).for_players(3)


def test_a_policy_for_other_players():
    player = PolicyPlayer(Network(2, "flat", width=4, rounds=1))
    with pytest.raises(ValueError, match="policy for 2 players in a game of 3"):
        player.act(View(Game(3, seed=0), 0))


@pytest.mark.parametrize("players", PLAYERS)
def test_a_hexs_logits_come_from_the_settlements_near_it(players):
    """The graph network puts each logit where the action table has its hex: with one round of messages, and nothing
    heard of the prospects of whole types, a settlement moves the logits of what is near it alone.
    """
    torch.manual_seed(0)
    network = Network(players, "graph", width=8, rounds=1)
    torch.nn.init.zeros_(network.body.prospects.weight)
    vec = samurai_env.make_vec(1, players=players, seed=0)
    before = torch.from_numpy(vec.observations.copy())
    for i, settlement in enumerate(SETTLEMENTS[: int(NUM_SETTLEMENTS[players])]):
        after = before.clone()
        influence = columns(players, "settlements", "influence of own on helmet")
        samurai_env.observation.split(after, players)["settlements"][0, i, influence] = 2
        changed = (network(after)[0] != network(before)[0])[0].nonzero().flatten().tolist()
        moved = {text.rpartition("@")[2] for text in map(vec.game(0).action_to_string, changed)}
        on_board = [h for h in (*LAND, *SEA, *SETTLEMENTS) if h.min_players <= players]
        assert {h.text for h in on_board if _within(h, settlement, 1)} <= moved
        assert moved <= {h.text for h in on_board if _within(h, settlement, 3)}


@pytest.mark.parametrize("players", PLAYERS)
def test_the_three_figure_types_are_treated_alike(players):
    """What is true of helmets in one position is true of rice in the same one with other names."""
    network = Network(players, "graph", width=8, rounds=2)
    vec = samurai_env.make_vec(64, players=players, seed=0)
    for _ in range(60):
        vec.step(vec.sample_actions())
    observations = torch.from_numpy(vec.observations.copy())
    names = [
        f"{segment.name} {row} {feature.name}"
        for segment in samurai_env.observation.layout(players)
        for row, feature in (
            ((row, feature) for feature in segment.features for row in range(segment.rows))
            if segment.by_feature
            else ((row, feature) for row in range(segment.rows) for feature in segment.features)
        )
    ]
    actions = texts(players)
    logits, values = network(observations)
    renamed, renamed_values = network(observations[:, [names.index(_turned(name)) for name in names]])
    assert torch.allclose(renamed, logits[:, [actions.index(_turned(name)) for name in actions]], atol=1e-5)
    assert torch.allclose(renamed_values, values, atol=1e-5)
    assert not torch.allclose(renamed, logits, atol=1e-2)


def _turned(name):
    """Return a name with each figure type in the place of another."""
    turn = dict(zip(FIGURES, (*FIGURES[1:], FIGURES[0]), strict=True))
    return re.sub("|".join(FIGURES), lambda match: turn[match.group()], name)


def _within(a, b, distance):
    q, r = a.q - b.q, a.r - b.r
    return max(abs(q), abs(r), abs(q + r)) <= distance


# ------------------------------------------------------------------ configurations and the command


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("ppo.epoch=3", "unknown key 'ppo.epoch'; known are total_steps, num_games"),
        ("speed=3", "unknown key 'speed'"),
        ("ppo.epochs=many", "ppo.epochs: 'many'"),
        ("ppo.epochs=0", "ppo.epochs: 0"),
        ("ppo.batch_size=1", "ppo.batch_size: 1; input should be greater than or equal to 2"),
        ("ppo.rollout_steps=1", "ppo.rollout_steps: 1"),
        ("ppo.gamma=1.5", r"ppo.gamma: 1.5; input should be less than or equal to 1"),
        ("game.players=5", "game.players: 5; input should be 2, 3 or 4"),
        ("ppo.learning_rate=-1", "ppo.learning_rate: -1"),
        ("network.kind=transformer", "network.kind: 'transformer'; input should be 'graph' or 'flat'"),
        ("evaluation.opponents=[nobody]", "evaluation.opponents: player 'nobody'"),
        ("pool.scripted=[nobody]", "pool.scripted: player 'nobody'"),
        ("pool.share=1.5", "pool.share: 1.5; input should be less than or equal to 1"),
        ("imitation.teacher=nobody", "imitation.teacher: player 'nobody'"),
        ("imitation.steps=1025", "imitation.steps: 1025; expected at most ppo.total_steps"),
        ("network.start=nowhere.pt", "policy 'nowhere.pt': No such file"),
        ("device=tpu", "device: 'tpu'"),
        ("ppo", "expected KEY=VALUE"),
        ("name.x=1", "'name' is no section"),
    ],
)
def test_invalid_configs_get_one_line_that_names_the_key(override, message, capsys):
    assert main(["--config", "configs/smoke.yaml", "--set", override]) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    assert re.search(message, lines[0])


@pytest.mark.parametrize("path", sorted(Path("configs").glob("*.yaml")), ids=lambda path: path.stem)
def test_the_configurations_are_right(path):
    config = load_config(path)
    assert config.name == path.stem
    named = re.search(r"_(\d)p$", path.stem)
    assert config.game.players == (int(named[1]) if named else 2)


def test_values_go_from_the_first_to_the_last():
    assert [Linear(1.0, 0.5)(remaining) for remaining in (1.0, 0.5, 0.0, -0.1)] == [1.0, 0.75, 0.5, 0.5]
    assert Linear(1.0, None)(0.3) == 1.0
    after_imitation = Linear(1.0, 0.5, start=3.0, share=0.2)
    assert [after_imitation(remaining) for remaining in (1.0, 0.9, 0.8, 0.4, 0.0)] == pytest.approx(
        [3, 2, 1, 0.75, 0.5]
    )


def test_a_run_may_begin_with_the_weights_of_another_number_of_players(tmp_path):
    start = tmp_path / "start.pt"
    network = Network(4, "graph", width=8, rounds=1)
    save_network(network, start)
    model = make_model(load_config("configs/smoke.yaml", [f"network.start={start}"]))
    pairs = zip(model.policy.network.parameters(), network.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)
    with pytest.raises(ValueError, match=r"network.start: .* does not fit this network"):
        make_model(load_config("configs/smoke.yaml", [f"network.start={start}", "network.width=4"]))


def test_config_files_that_are_none(tmp_path, capsys):
    bad = tmp_path / "bad.yaml"
    for content in ("a: [", "just text", ""):
        bad.write_text(content)
        assert main(["--config", str(bad)]) == 2
    assert main(["--config", str(tmp_path / "missing.yaml")]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 4


def test_numbers_are_read_as_people_write_them():
    config = load_config("configs/smoke.yaml", ["ppo.learning_rate=1e-3", "ppo.total_steps=10_000"])
    assert config.ppo.learning_rate == 0.001
    assert config.ppo.total_steps == 10_000


def test_a_policy_for_other_players_is_no_opponent(tmp_path, capsys):
    save_network(Network(3, "flat", width=4, rounds=1), tmp_path / "policy.pt")
    override = f"evaluation.opponents=[policy:{tmp_path / 'policy.pt'}]"
    assert main(["--config", "configs/smoke.yaml", "--set", override]) == 2
    assert "is for 3 players" in capsys.readouterr().err


def test_the_masks_of_the_games_reach_sb3_contrib():
    env = make_model(load_config("configs/smoke.yaml")).env
    assert np.array_equal(np.stack(env.env_method("action_masks")), env.games.action_masks)


def test_every_field_has_a_sentence():
    def check(model):
        for field in model.model_fields.values():
            inner = field.annotation
            if isinstance(inner, type) and hasattr(inner, "model_fields"):
                check(inner)
            else:
                assert field.description.endswith(".")

    check(type(load_config("configs/ppo.yaml")))


def test_the_command_trains_saves_and_evaluates(tmp_path):
    command = [
        sys.executable,
        "training/selfplay.py",
        "--config",
        "configs/smoke.yaml",
        "--runs",
        str(tmp_path),
    ]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "| policy | untrained |" in output
    assert "| policy | random |" in output
    assert "| untrained | random |" in output
    folder = tmp_path / "smoke"
    assert {"checkpoint.pt", "policy.pt", "config.json", "log.csv", "evaluation.md"} <= {
        path.name for path in folder.iterdir()
    }
    assert list(folder.glob("tensorboard_*/events*"))
    play(Game(2, seed=0), [make_player(f"policy:{folder / 'policy.pt'}"), make_player("random")])


def test_the_games_of_a_run_begin_at_different_points():
    model = make_model(load_config("configs/smoke.yaml", ["ppo.num_games=64"]))
    model._setup_learn(64, None)
    games = [model.games.game(i) for i in range(64)]
    assert {game.phase for game in games} == {"hands", "figures", "play"}
    assert np.array_equal(model._last_obs, model.games.observations)


def test_a_teacher_is_imitated_before_ppo_begins():
    config = load_config("configs/smoke.yaml", ["imitation.steps=8192", "ppo.total_steps=9216", "pool.share=0"])
    model = make_model(config)
    vec = samurai_env.make_vec(64, players=2, seed=1)
    for _ in range(40):
        vec.step(vec.sample_actions())
    taught = torch.from_numpy(model.teacher.teach(vec, np.arange(64))[1]).float()
    seen, masks = torch.from_numpy(vec.observations.copy()), torch.from_numpy(vec.action_masks.copy())

    def likelihood():
        with torch.no_grad():
            return float((taught * model.policy.judge(seen, masks)[1]).sum(-1).mean())

    began = []

    class Watch(BaseCallback):
        def _on_step(self):
            return True

        def _on_rollout_start(self):
            began.append("train/approx_kl" in self.logger.name_to_value)

    untaught = likelihood()
    model.learn(9216, callback=Watch())
    assert likelihood() > untaught + 0.3
    assert began == [False] * (8192 // 512 + 1) + [True]  # PPO's first update comes after all that is imitated


@pytest.mark.parametrize("code", ["greedy", "random", "search:20"])
def test_a_teacher_plays_what_it_teaches(code):
    vec = samurai_env.make_vec(32, players=3, seed=2)
    teacher = Teacher(code, steps=1, temperature=0.02, seed=0)
    for _ in range(60):
        actions, probabilities = teacher.teach(vec, np.arange(32))
        assert probabilities.sum(-1, dtype=np.float64) == pytest.approx(np.ones(32), abs=2e-3)
        assert not probabilities[vec.action_masks == 0].any()
        assert (probabilities[np.arange(32), actions] > 0).all()
        vec.step(actions)


@pytest.mark.parametrize("players", PLAYERS)
def test_training_is_reproducible_and_runs_at_every_number_of_players(players):
    def weights():
        config = load_config("configs/smoke.yaml", [f"game.players={players}"])
        model = make_model(config)
        model.learn(config.ppo.total_steps)
        return torch.cat([p.detach().flatten() for p in model.policy.network.parameters()])

    first = weights()
    assert torch.equal(first, weights())
    assert torch.isfinite(first).all()

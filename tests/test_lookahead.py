"""The experiment that asks whether a network sees what looking ahead sees: what it measures."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from samurai_env.agents.networks import Network
from samurai_env.agents.rollout import NONE
from training.experiments.lookahead import CANDIDATES, asked, find, measured, told, train


@pytest.fixture(scope="module")
def examples():
    return find(300, 2, seed=1)


def test_finds_positions_with_a_choice(examples):
    assert examples.observations.shape[0] == 300
    assert examples.actions.shape == (300, CANDIDATES)
    assert ((examples.actions != NONE).sum(-1) > 1).all()
    assert (examples.shares[examples.actions == NONE] == 0).all()
    assert np.ptp(examples.shares[examples.actions != NONE]) > 0.5


def test_measures_gains_beyond_the_greedy_action(examples):
    brings = torch.from_numpy(examples.shares).mean(-1)
    correlation, gain = measured(brings, examples, slice(None))
    there = torch.from_numpy(examples.actions != NONE)
    best = brings.masked_fill(~there, -1).amax(-1) - brings[:, 0]
    assert correlation == pytest.approx(1, abs=1e-5)
    assert gain == pytest.approx(best.mean().item(), abs=1e-6)
    assert gain > 0
    greedy = torch.zeros_like(brings)
    greedy[:, 0] = 1
    assert measured(greedy, examples, slice(None))[1] == 0
    assert measured(-brings, examples, slice(None))[0] == pytest.approx(-1, abs=1e-5)


def test_a_network_learns_what_it_is_told(examples):
    torch.manual_seed(0)
    network = Network(2, "graph", 16, 1)
    before = asked(network, examples)[0]
    train(network, examples, passes=30, batch_size=100, learning_rate=5e-3)
    assert asked(network, examples)[0] > before + 0.2
    logits, is_there = told(network, examples)
    assert logits.shape == is_there.shape == (300, CANDIDATES)

"""AgileRL loads the environment through its own vector of PettingZoo environments, and learns from Gymnasium's."""

from __future__ import annotations

from example import run


def test_the_example_of_its_vector_plays():
    assert "decisions 400 games 5" in run("agilerl_vector.py")


def test_the_example_learns_with_legal_actions_only():
    """An illegal action would raise."""
    assert run("agilerl_ppo.py").count("mean return") == 3

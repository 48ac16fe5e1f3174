"""The example for Stable-Baselines3; tests/test_sb3.py holds the rest."""

from __future__ import annotations

from example import run


def test_the_example_learns():
    assert "mean return" in run("sb3_maskable_ppo.py")

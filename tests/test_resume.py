"""A run that was stopped and goes on is, bit for bit, one that was not."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import torch
from stable_baselines3.common.callbacks import BaseCallback

from training.checkpoint import load_checkpoint, save_checkpoint
from training.config import load_config
from training.run import CHECKPOINT, LOG, Run
from training.selfplay import main

POOL = ["pool.share=0.5", "pool.every=1", "pool.size=2", "pool.scripted=[random, greedy]"]
PLANS = {
    "2 players": [],
    "with a pool": POOL,
    "3 players with a pool": [*POOL, "game.players=3", "pool.size=1"],
    "with a teacher": [*POOL, "imitation.steps=1200", "imitation.teacher=random"],
    "with a teacher that weighs": ["imitation.steps=1200", "imitation.epochs=2", "game.players=4"],
    "with a teacher that searches": ["imitation.steps=1200", "imitation.teacher=search:4"],
    "schedules and the potential": ["ppo.final_entropy_coef=0", "ppo.capture_potential=0.1", "game.reward=place"],
    "the judged potential": ["ppo.judged_potential=1", "game.players=3"],
}


def config_of(*overrides):
    return load_config("configs/smoke.yaml", ["ppo.total_steps=2400", "evaluation.every=2", *overrides])


def assert_equal(one, other, path=""):
    """Compare nested dicts and lists of tensors to the bit."""
    if isinstance(one, dict):
        assert one.keys() == other.keys(), path
        for key in one:
            assert_equal(one[key], other[key], f"{path}.{key}")
    elif isinstance(one, list):
        assert len(one) == len(other), path
        for i, (a, b) in enumerate(zip(one, other, strict=True)):
            assert_equal(a, b, f"{path}.{i}")
    elif isinstance(one, torch.Tensor):
        assert torch.equal(one, other), path
    else:
        assert one == other, path


def without_seconds(log):
    rows = [line.split(",") for line in log.read_text().splitlines()]
    column = rows[0].index("seconds")
    return [row[:column] + row[column + 1 :] for row in rows]


def stop_after(run, updates):
    """Let a run stop as by Ctrl-C in the middle of the rollout after some updates."""

    class Stop(BaseCallback):
        def _on_step(self):
            if self.model.updates == updates and not self.model.is_stopping:
                os.kill(os.getpid(), signal.SIGINT)
            return True

    learn = run.model.learn
    run.model.learn = lambda steps, callback, **more: learn(steps, [*callback, Stop()], **more)


@pytest.mark.parametrize("plan", PLANS)
def test_stopped_and_resumed_is_not_stopped(plan, tmp_path):
    config = config_of(*PLANS[plan])
    whole = Run.begin(config, tmp_path / "whole")
    assert whole.train()
    parts = Run.begin(config, tmp_path / "parts")
    for updates in (1, 2):
        stop_after(parts, updates)
        assert not parts.train()
        torch.manual_seed(99)  # nothing hangs on what the process did in between
        parts = Run.resume(parts.folder, [])
        assert parts.model.updates == updates + 1  # the update under way was finished
    assert parts.train()
    contents = [load_checkpoint(run.folder / CHECKPOINT) for run in (whole, parts)]
    for content in contents:
        assert content["model"]["updates"] >= 5
        assert content["model"]["pool"] or "pool" not in plan
        del content["seconds"], content["log"]
    assert_equal(*contents)
    logs = [without_seconds(run.folder / LOG) for run in (whole, parts)]
    assert logs[0] == logs[1]
    assert "against random" in logs[0][0]
    assert logs[0][2][-1]
    policies = [sorted(path.name for path in (run.folder / "policies").iterdir()) for run in (whole, parts)]
    assert policies[0] == policies[1]


def test_a_killed_run_goes_on_from_its_last_checkpoint(tmp_path):
    overrides = ["ppo.total_steps=3000", "evaluation.every=0", *POOL]
    command = [sys.executable, "training/selfplay.py", "--config", "configs/smoke.yaml", "--quiet", "--runs"]
    command += [str(tmp_path), *(part for override in overrides for part in ("--set", override))]
    killed = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not (tmp_path / "smoke" / CHECKPOINT).exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    killed.kill()
    killed.wait()
    resumed = Run.resume(tmp_path / "smoke", [])
    resumed.train()
    whole = Run.begin(load_config("configs/smoke.yaml", overrides), tmp_path / "whole")
    whole.train()
    assert_equal(*(load_checkpoint(run.folder / CHECKPOINT)["model"] for run in (whole, resumed)))


def test_ctrl_c_saves_and_says_how_to_go_on(tmp_path):
    command = [sys.executable, "training/selfplay.py", "--config", "configs/smoke.yaml", "--quiet", "--runs"]
    command += [str(tmp_path), "--set", "ppo.total_steps=10_000_000"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "smoke" / CHECKPOINT).exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    said = [line for line in errors.splitlines() if "--resume" in line]
    assert said == [
        f"Interrupted; to go on from what is saved: python training/selfplay.py --resume {tmp_path / 'smoke'}"
    ]
    assert "Traceback" not in errors
    assert load_checkpoint(tmp_path / "smoke" / CHECKPOINT)["model"]["steps"] > 0


def test_a_longer_run_may_follow(tmp_path, capsys):
    run = Run.begin(config_of("ppo.total_steps=512"), tmp_path)
    run.train()
    assert main(["--resume", str(run.folder), "--quiet", "--set", "ppo.total_steps=1536"]) == 0
    # The learner's decisions are counted, and in the pool's games others decide too: a rollout has no fixed number.
    trained = re.search(r"Trained ([\d,]+) decisions", capsys.readouterr().out)
    assert 1536 <= int(trained[1].replace(",", "")) < 1536 + 512


def refused(arguments, capsys):
    assert main(arguments) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    return lines[0]


@pytest.fixture
def run(tmp_path):
    run = Run.begin(config_of("ppo.total_steps=512"), tmp_path)
    run.train()
    return run


def test_checkpoints_that_are_none(run, tmp_path, capsys):
    path = run.folder / CHECKPOINT
    content = path.read_bytes()
    flipped = bytearray(content)
    flipped[len(content) // 2] ^= 1
    for bad, message in (
        (content[:-1], "damaged or cut short"),
        (content[:40], "damaged or cut short"),
        (bytes(flipped), "damaged or cut short"),
        (b"", "not one"),
        (b"PK\x03\x04", "not one"),
        (content.replace(b"checkpoint 1", b"checkpoint 9", 1), "of format 9; this version of samurai_env reads 1"),
    ):
        path.write_bytes(bad)
        assert message in refused(["--resume", str(run.folder)], capsys)
    path.unlink()
    assert "No such file" in refused(["--resume", str(run.folder)], capsys)
    assert "No such file" in refused(["--resume", str(tmp_path / "nothing")], capsys)


def test_checkpoints_of_another_run(run, tmp_path, capsys):
    other = Run.begin(config_of("ppo.total_steps=512", "game.players=3"), tmp_path / "other")
    other.train()
    os.replace(other.folder / CHECKPOINT, run.folder / CHECKPOINT)
    assert "is of another run: game.players: 3; expected 2" in refused(["--resume", str(run.folder)], capsys)


def test_what_a_resumed_run_may_not_change(run, capsys):
    message = refused(["--resume", str(run.folder), "--set", "ppo.epochs=2"], capsys)
    assert "ppo.epochs: 2; expected 1; a run that goes on may change" in message
    message = refused(["--resume", str(run.folder), "--set", "ppo.epoch=2"], capsys)
    assert "unknown key 'ppo.epoch'" in message


def test_a_state_of_another_model_changes_into_one_line(run, capsys):
    path = run.folder / CHECKPOINT
    content = load_checkpoint(path)
    del content["model"]["optimizer"]
    save_checkpoint(path, content)
    assert "the state is of another model: 'optimizer'" in refused(["--resume", str(run.folder)], capsys)


def test_a_full_disk_loses_nothing_that_was_saved(run, monkeypatch, capsys):
    before = (run.folder / CHECKPOINT).read_bytes()

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        assert main(["--resume", str(run.folder), "--quiet", "--set", "ppo.total_steps=1536"]) == 1
    assert "No space left on device; to go on from what is saved" in capsys.readouterr().err
    assert (run.folder / CHECKPOINT).read_bytes() == before
    assert main(["--resume", str(run.folder), "--quiet", "--set", "ppo.total_steps=1536"]) == 0


def test_a_second_run_of_a_name_has_a_folder_of_its_own(run, tmp_path):
    assert Run.begin(run.config, tmp_path).folder == tmp_path / "smoke-2"


def test_arrays_and_numbers_come_back(tmp_path):
    content = {"a": np.arange(3, dtype=np.int8), "b": [1, 2.5, "text", None, True], "c": {1: torch.ones(2)}}
    save_checkpoint(tmp_path / "c.pt", content)
    loaded = load_checkpoint(tmp_path / "c.pt")
    assert_equal(loaded, {"a": torch.arange(3, dtype=torch.int8), "b": content["b"], "c": content["c"]})

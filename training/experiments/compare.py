"""Train variants of a configuration, one after the other, and measure them.

    python training/experiments/compare.py --run graph --run flat network.kind=flat network.width=128 [--config FILE]

Each --run is a name and the values that it replaces, as with --set. The time of each is printed beside how strong it
became: give each as many steps as it can do in the same time.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

if __package__ in (None, ""):  # run as a script: its folder is on the path, the repository is not
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from samurai_env.markdown import table
from training.config import load_config
from training.evaluation import HEADER, play_match, row
from training.players import PolicyBatch, batch_player
from training.run import make_model


def main() -> None:
    """Train, play and print the table."""
    parser = argparse.ArgumentParser(description="Train variants of a configuration and measure them.")
    parser.add_argument("--config", default="configs/ppo.yaml")
    parser.add_argument("--run", action="append", nargs="+", required=True, metavar=("NAME", "KEY=VALUE"))
    given: Any = parser.parse_args()
    try:
        runs = [(name, load_config(given.config, changes)) for name, *changes in given.run]
    except ValueError as error:
        parser.error(str(error))
    rows = []
    for name, config in runs:
        model = make_model(config)
        began = time.monotonic()
        model.learn(config.ppo.total_steps)
        seconds = time.monotonic() - began
        policy = PolicyBatch(model.policy.network.cpu())
        for code in config.evaluation.opponents:
            outcome = play_match(policy, batch_player(code), config.evaluation.games, config)
            rows.append([*row(name, code, outcome), f"{config.ppo.total_steps:,}", f"{seconds:.0f}"])
            print(rows[-1], flush=True)
    print(table((*HEADER, "decisions", "seconds"), rows))


if __name__ == "__main__":
    main()

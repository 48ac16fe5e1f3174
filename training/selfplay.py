"""Train a policy by self-play: python training/selfplay.py --config configs/ppo.yaml"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

if __package__ in (None, ""):  # run as a script: its folder is on the path, the repository is not
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from samurai_env.files import write_text, write_whole
from training.config import load_config
from training.curves import draw
from training.evaluation import evaluation_table
from training.run import CHECKPOINT, LOG, POLICY, Run, untrained

INTERRUPTED, FAILED, REFUSED = 130, 1, 2


def finish(run: Run, progress_bar: bool) -> None:
    """Evaluate, and say where everything is."""
    print(f"\nTrained {run.model.num_timesteps:,} decisions in {run.seconds:.0f} s; policy: {run.folder / POLICY}\n")
    network = run.model.policy.network.cpu()
    table = evaluation_table(network, untrained(run.config), run.config, progress_bar)
    write_text(run.folder / "evaluation.md", table)
    picture = draw(run.folder / LOG, [], 1 / run.config.game.players)
    write_whole(run.folder / "curves.png", lambda file: picture.savefig(file, format="png", dpi=110))
    print(table)


def train(run: Run, progress_bar: bool) -> int:
    """Train, evaluate and return the exit code."""
    try:
        is_done = run.train(progress_bar)
        if is_done:
            finish(run, progress_bar)
    except KeyboardInterrupt:
        is_done = False
    except OSError as error:
        print(f"selfplay.py: {error}; {_how_to_go_on(run)}", file=sys.stderr)
        return FAILED
    if not is_done:
        print(f"\nInterrupted; {_how_to_go_on(run)}", file=sys.stderr)
    return 0 if is_done else INTERRUPTED


def _how_to_go_on(run: Run) -> str:
    if not (run.folder / CHECKPOINT).exists():
        return "nothing was saved yet"
    return f"to go on from what is saved: python training/selfplay.py --resume {run.folder}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Train a policy by self-play.")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--config", metavar="FILE", help="a YAML file, as configs/ppo.yaml")
    which.add_argument("--resume", type=Path, metavar="RUN", help="a run's folder: go on from its last checkpoint")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="replace one value")
    parser.add_argument("--runs", type=Path, default=Path("runs"), metavar="FOLDER", help="where runs are kept")
    parser.add_argument("--quiet", action="store_true", help="no progress bars")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit code."""
    given: Any = _parser().parse_args(arguments)
    try:
        if given.resume:
            run = Run.resume(given.resume, given.set)
        else:
            run = Run.begin(load_config(given.config, given.set), given.runs)
    except (ValueError, OSError) as error:
        print(f"selfplay.py: {error}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        print("\nInterrupted before the training began", file=sys.stderr)
        return INTERRUPTED
    return train(run, not given.quiet)


if __name__ == "__main__":
    sys.exit(main())

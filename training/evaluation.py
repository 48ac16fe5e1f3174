"""How strong a policy is: games against other players, seats rotated, with intervals."""

from __future__ import annotations

from functools import partial

from tqdm import tqdm

from samurai_env.agents import Player, make_player
from samurai_env.agents.networks import Network
from samurai_env.agents.policy import PolicyPlayer
from samurai_env.arena import Outcome, evaluate
from training.config import Config


def evaluation_table(network: Network, untrained: Network, config: Config, progress_bar: bool = True) -> str:
    """Return a Markdown table of a network against the untrained one and the configured players.

    With 3 or 4 players the opponents are as many of one kind. A row of the untrained network against
    random play is the baseline.
    """
    policy = PolicyPlayer(network)
    baseline = PolicyPlayer(untrained)
    rows = [
        ("untrained", baseline, "random", make_player("random")),
        ("policy", policy, "untrained", baseline),
    ]
    rows += [("policy", policy, code, make_player(code)) for code in config.evaluation.opponents]
    lines = [_row(*row, config, progress_bar) for row in rows]
    even = 1 / config.game.players
    return "\n".join(
        [
            f"Share of wins over {config.evaluation.games} games each, seats rotated; {even:.2f} is even.",
            "",
            "| player | against | share of wins | 95 % interval | worst seat |",
            "|---|---|---|---|---|",
            *lines,
            "",
        ]
    )


def _row(name: str, player: Player, against: str, opponent: Player, config: Config, progress_bar: bool) -> str:
    game, plan = config.game, config.evaluation
    outcome: Outcome = evaluate(
        player,
        [opponent] * (game.players - 1),
        plan.games,
        plan.seed,
        partial(tqdm, total=plan.games, desc=f"{name} against {against}", leave=False, disable=not progress_bar),
        hands=game.hands,
        figures=game.figures,
        captures=game.captures,
    )
    low, high = outcome.interval
    return f"| {name} | {against} | {outcome.rate:.3f} | {low:.3f} to {high:.3f} | {outcome.worst_seat:.3f} |"

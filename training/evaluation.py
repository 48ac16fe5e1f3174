"""How strong a policy is: the short form during training, and the table at its end."""

from __future__ import annotations

from tqdm import tqdm

from samurai_env.agents.networks import Network
from samurai_env.arena import Outcome
from samurai_env.markdown import table
from training.config import Config
from training.matches import match
from training.players import BatchPlayer, PolicyBatch, RandomBatch, batch_player

HEADER = ("player", "against", "share of wins", "95 % interval", "worst seat")


def play_match(
    player: BatchPlayer, opponent: BatchPlayer, games: int, config: Config, title: str = "", progress_bar: bool = False
) -> Outcome:
    """Play one player against copies of another, in the games and with the seed of a configuration."""
    with tqdm(total=games, desc=title, leave=False, disable=not progress_bar) as bar:
        options = config.game.options
        return match(player, opponent, games, config.evaluation.seed, config.game.players, options, bar.update)


def shares(network: Network, config: Config) -> dict[str, float]:
    """Return the share of wins against each configured player, in a few games; nothing of the training is touched."""
    plan, policy = config.evaluation, PolicyBatch(network)
    outcomes = {code: play_match(policy, batch_player(code), plan.short_games, config) for code in plan.opponents}
    network.train()
    return {code: outcome.rate for code, outcome in outcomes.items()}


def evaluation_table(network: Network, untrained: Network, config: Config, progress_bar: bool = True) -> str:
    """Return a Markdown table of a network against the untrained one and the configured players.

    With 3 or 4 players the opponents are as many of one kind. A row of the untrained network against
    random play is the baseline.
    """
    policy, baseline = PolicyBatch(network), PolicyBatch(untrained)
    matches: list[tuple[str, BatchPlayer, str, BatchPlayer]] = [
        ("untrained", baseline, "random", RandomBatch()),
        ("policy", policy, "untrained", baseline),
    ]
    matches += [("policy", policy, code, batch_player(code)) for code in config.evaluation.opponents]
    games = config.evaluation.games
    rows = [
        row(name, against, play_match(player, opponent, games, config, f"{name} against {against}", progress_bar))
        for name, player, against, opponent in matches
    ]
    even = 1 / config.game.players
    return f"Share of wins over {games} games each, seats rotated; {even:.2f} is even.\n\n{table(HEADER, rows)}"


def row(name: str, against: str, outcome: Outcome) -> list[object]:
    """Return the cells of a match."""
    low, high = outcome.interval
    return [name, against, f"{outcome.rate:.3f}", f"{low:.3f} to {high:.3f}", f"{outcome.worst_seat:.3f}"]

"""The options of the commands and their help."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

import samurai_env

PLAYERS_HELP = """players are codes, or NAME=CODE:
  random             uniform over the legal actions
  greedy             looks one decision ahead
  rollout:DEALS      tries actions in so many deals, everybody going on as the greedy player, as rollout:8
  search:ITERATIONS  searches, as search:400 with 400 iterations a decision
  search:SECONDSs    searches, as search:2.5s for 2.5 seconds a decision
  policy:PATH        a trained policy, a file that training/selfplay.py wrote
  policy:pretrained  the trained policy that comes with the package
  search:BUDGET:policy:PATH  searches with a trained policy in place of playouts, as search:400:policy:pretrained
"""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and whose help keeps its own lines."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **options)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where help is."""
        self.exit(2, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def new_parser() -> Parser:
    """Return the parser of the command `samurai`."""
    parser = Parser(prog="samurai", description="The board game Samurai as a reinforcement-learning environment.")
    parser.add_argument("--version", action="version", version=f"samurai-env {samurai_env.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for add in (_add_tournament, _add_bench, _add_info):
        add(commands)
    return parser


def _add_command(commands: Any, name: str, summary: str, examples: Sequence[str], text: str = "") -> Parser:
    shown = "\n".join(["examples:", *(f"  samurai {name} {example}".rstrip() for example in examples)])
    parser: Parser = commands.add_parser(name, help=summary, description=f"{summary}.", epilog=f"{text}{shown}")
    return parser


def _add_tournament(commands: Any) -> None:
    parser = _add_command(
        commands,
        "tournament",
        "play every player against every other and rate them",
        [
            "--players greedy search:400 random --games 200",
            "--players greedy mine=policy:runs/mine/policy.pt random --seats 4 --games 400",
        ],
        PLAYERS_HELP + "\nThe same command again goes on where it was interrupted.\n\n",
    )
    add = parser.add_argument
    add("--players", nargs="+", required=True, metavar="PLAYER", help="two or more of them")
    add("--seats", type=int, default=2, metavar="N", help="2, 3 or 4 at a table (default: 2)")
    add(
        "--games",
        type=int,
        default=200,
        metavar="N",
        help="games at each table, a multiple of the seats: each deal is played once in every rotation (default: 200)",
    )
    add(
        "--tables",
        default="pairs",
        metavar="KIND",
        help="pairs (default): one of a player among copies of another, for every two players; "
        "mixed: every combination of different players",
    )
    add("--seed", type=int, default=0, metavar="N", help="the deals follow from it (default: 0)")
    add("--hands", default="choose", metavar="KIND", help="choose (default) or random")
    add("--figures", default="draft", metavar="KIND", help="draft (default) or random")
    add("--captures", default="immediate", metavar="KIND", help="immediate (default) or end_of_turn")
    add("--processes", type=int, metavar="N", help="games that are played at once (default: one a core)")
    add(
        "--out",
        metavar="FOLDER",
        help="for the games and the results (default: a folder below runs/, another for each other tournament)",
    )


def _add_bench(commands: Any) -> None:
    parser = _add_command(
        commands,
        "bench",
        "measure games per second on this machine",
        ["--quick", "--only 'batch of 1,024'", "--write results.md"],
        "Beside it PettingZoo's connect four and OpenSpiel are measured, where the extra `bench` is installed.\n\n",
    )
    add = parser.add_argument
    add("--repetitions", type=int, metavar="N", help="how often each figure is measured (default: 5; with --quick 1)")
    add("--only", default="", metavar="TEXT", help="measure only the figures whose name contains this text")
    add("--quick", action="store_true", help="without the starts of new processes, which compile: about a minute")
    add("--write", metavar="FILE", help="write the page to a file too")


def _add_info(commands: Any) -> None:
    parser = _add_command(
        commands,
        "info",
        "show versions, machine, spaces, and what actions and observations mean",
        ["", "actions --players 2", "observation --players 4"],
    )
    add = parser.add_argument
    add(
        "page",
        nargs="?",
        default="overview",
        metavar="PAGE",
        help="overview (default), actions or observation: the whole tables",
    )
    add("--players", type=int, metavar="N", help="for this number of players only")

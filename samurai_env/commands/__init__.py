"""The command `samurai`. What a command needs is loaded when it is given, so that help comes at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from samurai_env.commands.parser import new_parser

BAD_INPUT = 2
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status: 2 for bad input, 130 after Ctrl-C.

    Each command is a module of its name. Its `prepare` checks all that was given, raising ValueError or OSError
    with what is wrong in it, and returns what does the work.
    """
    given = new_parser().parse_args(arguments)
    command = f"samurai {given.command}"
    try:
        try:
            work = import_module(f"samurai_env.commands.{given.command}").prepare(given)
        except (ValueError, OSError) as error:
            print(f"{command}: error: {_in_a_line(error)}", file=sys.stderr)
            return BAD_INPUT
        work()
        sys.stdout.flush()
    except KeyboardInterrupt as interrupt:
        print(f"\n{command}: interrupted{interrupt}", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of the output has gone, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def _in_a_line(error: ValueError | OSError) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split())

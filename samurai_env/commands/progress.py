"""Progress bars, where tqdm is installed (the extra `arena`) and there is a terminal to show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any


def progress_bar(name: str, leave: bool = True) -> Callable[[Iterable[Any]], Iterable[Any]]:
    """Return a function that wraps an iterable in a progress bar."""
    try:
        from tqdm import tqdm
    except ImportError:
        return iter
    return partial(tqdm, desc=name, leave=leave, disable=None, mininterval=0.5)

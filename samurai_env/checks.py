"""Checks of what comes from outside: each error names the entry, what it was and what would be right."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from samurai_env.generator import SEED_LIMIT

T = TypeVar("T")


def choice(entry: str, value: Any, options: Sequence[T]) -> T:
    """Return the option that `value` equals; bools are no numbers."""
    if not isinstance(value, (bool, np.ndarray)):
        for option in options:
            if value == option:
                return option
    names = [repr(option) for option in options]
    listed = ", ".join(names[:20]) + (f", ... ({len(names)} in all)" if len(names) > 20 else "")
    raise ValueError(f"{entry}: {value!r}; expected one of {listed}")


def whole(entry: str, value: Any, lowest: int, highest: int) -> int:
    """Return a whole number within bounds; a bool only where the bounds are bools."""
    if isinstance(value, bool) == isinstance(lowest, bool):
        try:
            number = operator.index(value)
        except TypeError:
            pass
        else:
            if lowest <= number <= highest:
                return number
    expected = "true or false" if isinstance(lowest, bool) else f"a whole number from {lowest} to {highest}"
    raise ValueError(f"{entry}: {value!r}; expected {expected}")


def number(entry: str, value: Any, lowest: float, highest: float) -> float:
    """Return a number within bounds."""
    is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if is_number and lowest <= value <= highest:
        return float(value)
    raise ValueError(f"{entry}: {value!r}; expected a number from {lowest} to {highest}")


def flag(entry: str, value: Any) -> bool:
    """Return a bool that is one."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{entry}: {value!r}; expected True or False")
    return bool(value)


def seed_in_range(entry: str, value: Any) -> int:
    """Return a seed: a whole number in [0, 2**64)."""
    return whole(entry, value, 0, SEED_LIMIT - 1)


def keys(entry: str, value: Any, known: Sequence[str]) -> None:
    """Check that `value` is an object whose keys are all known."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{entry}: {value!r}; expected an object with keys from {', '.join(known)}")
    for key in value:
        if key not in known:
            raise ValueError(f"{entry}: unknown key {key!r}; known are {', '.join(known)}")

"""How the functions of this package are compiled: Numba, cached on disk, and never stale.

Numba keys its disk cache to the file a function stands in, so a compiled function that calls one in
another file keeps running the old code after that other file has changed. Here every cache entry is
also keyed to all sources that a compiled function may call: the modules of the package itself, the rules,
outside of these the players, and those in the function's own folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core.caching import FunctionCache

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).parent


@cache
def source_hash(folder: Path) -> str:
    """Return a digest of the sources that compiled functions in `folder` may call."""
    digest = hashlib.sha256()
    parts = {PACKAGE, PACKAGE / "rules"}
    if folder not in parts:
        parts |= {PACKAGE / "agents", folder}
    for path in sorted(path for part in parts for path in part.glob("*.py")):
        digest.update(str(path).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


class SourceKeyedCache(FunctionCache):
    """Numba's disk cache with the sources as part of each key."""

    announced = False

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._sources = source_hash(Path(function.__code__.co_filename).parent)

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (*super()._index_key(sig, codegen), self._sources)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return a compiled function from the disk, or None; the first None of a process is announced."""
        found = super().load_overload(sig, target_context)
        if found is None and not SourceKeyedCache.announced:
            SourceKeyedCache.announced = True
            sys.stderr.write("samurai_env: compiling, once (20 to 60 seconds)\n")
        return found


def compiled(function: F, **options: Any) -> F:
    """Compile a function that compiled functions call."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    return numba.njit(nogil=True, error_model="numpy", **options)(function)  # type: ignore[no-any-return]


def inlined(function: F) -> F:
    """Compile a function into each of its callers.

    For what is small, and for what is handed an array: a call that hands on an array counts its references,
    which takes longer than many a loop.
    """
    return compiled(function, forceinline=True)


def entry_point(function: F) -> F:
    """Compile a function that Python calls, with a cache on disk."""
    dispatcher = compiled(function)
    if dispatcher is not function:
        with contextlib.suppress(RuntimeError):  # no folder can be written to: compile in each process
            dispatcher._cache = SourceKeyedCache(function)  # type: ignore[attr-defined]
    return dispatcher


if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]

    def borrowed(array):  # type: ignore[no-untyped-def]
        """Return the array itself, without counting references to it: for loops within a function that owns it.

        Each row that is taken and each call that hands an array on counts up and down, by atomic operations
        at which threads wait for each other; what is borrowed has no count.
        """
        return array

else:
    from numba.core import cgutils
    from numba.extending import intrinsic
    from numba.np.arrayobj import make_array

    @intrinsic
    def borrowed(typing_context, array):  # type: ignore[no-untyped-def]
        """Return the array itself, without counting references to it: for loops within a function that owns it.

        Each row that is taken and each call that hands an array on counts up and down, by atomic operations
        at which threads wait for each other; what is borrowed has no count.
        """

        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            array = make_array(signature.args[0])(context, builder, arguments[0])
            array.meminfo = cgutils.get_null_value(array.meminfo.type)
            array.parent = cgutils.get_null_value(array.parent.type)
            return array._getvalue()

        return array(array), generate

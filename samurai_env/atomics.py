"""Atomic operations on the numbers of an int64 array, which LLVM has and Numba does not offer on CPUs.

In plain Python (NUMBA_DISABLE_JIT) they are ordinary operations: only one thread may work there.
"""

from __future__ import annotations

import numba

if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]

    def load(array, i):
        """Return array[i], as other threads left it last."""
        return int(array[i])

    def store(array, i, value):
        """Set array[i]; what was written before is seen by whoever sees this."""
        array[i] = value

    def fetch_add(array, i, value):
        """Add to array[i] and return what it was before."""
        before = int(array[i])
        array[i] = before + value
        return before

else:
    from numba.core import types
    from numba.core.cgutils import get_item_pointer
    from numba.extending import intrinsic
    from numba.np.arrayobj import make_array

    def _pointer(context, builder, signature, arguments):
        array_type = signature.args[0]
        array = make_array(array_type)(context, builder, arguments[0])
        return get_item_pointer(context, builder, array_type, array, [arguments[1]])

    @intrinsic
    def load(typing_context, array, i):
        """Return array[i], as other threads left it last."""

        def generate(context, builder, signature, arguments):
            pointer = _pointer(context, builder, signature, arguments)
            return builder.load_atomic(pointer, "seq_cst", 8)

        return types.int64(array, types.int64), generate

    @intrinsic
    def store(typing_context, array, i, value):
        """Set array[i]; what was written before is seen by whoever sees this."""

        def generate(context, builder, signature, arguments):
            pointer = _pointer(context, builder, signature, arguments)
            builder.store_atomic(arguments[2], pointer, "seq_cst", 8)

        return types.void(array, types.int64, types.int64), generate

    @intrinsic
    def fetch_add(typing_context, array, i, value):
        """Add to array[i] and return what it was before."""

        def generate(context, builder, signature, arguments):
            pointer = _pointer(context, builder, signature, arguments)
            return builder.atomic_rmw("add", pointer, arguments[2], "seq_cst")

        return types.int64(array, types.int64, types.int64), generate

"""Sets of up to 64 things as the bits of one word (uint64), and longer sets as rows of words."""

from __future__ import annotations

import numba
import numpy as np

from samurai_env.compiled import inlined

WORD = 64
NO_BITS = np.uint64(0)
_ONE = np.uint64(1)


def words_for(number: int) -> int:
    """Return how many words hold a set of `number` things."""
    return -(-number // WORD)


def word_of(flags: np.ndarray) -> np.uint64:
    """Return the word whose bits are those of up to 64 truth values."""
    return np.uint64(sum(1 << i for i, flag in enumerate(flags) if flag))


@inlined
def bit(i):
    """Return the word with bit i alone, 0 <= i < 64."""
    return _ONE << np.uint64(i)


@inlined
def has(words, i):
    """Whether a row of words holds i."""
    return (words[i >> 6] & bit(i & 63)) != NO_BITS


@inlined
def add(words, i):
    """Put i into a row of words."""
    words[i >> 6] |= bit(i & 63)


@inlined
def add_from(words, first, word):
    """Put the bits of a word into a row of words, bit 0 at `first`; what lies beyond the row must be empty."""
    at, shift = first >> 6, np.uint64(first & 63)
    words[at] |= word << shift
    # In two steps, since a shift by 64 is undefined.
    beyond = (word >> _ONE) >> (np.uint64(WORD - 1) - shift)
    if beyond != NO_BITS:
        words[at + 1] |= beyond


@inlined
def nth(word, n):
    """Return the place of the n-th bit of a word, counted from 0; it must have more than n."""
    at = 0
    for half in (32, 16, 8, 4, 2, 1):
        ones = popcount(word & (bit(half) - _ONE))
        if n >= ones:
            n -= ones
            word >>= np.uint64(half)
            at += half
    return at


# ------------------------------------------------------------------ what LLVM has and Numba does not offer


if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]

    def popcount(word):
        """Return the number of bits of a word."""
        return int(word).bit_count()

    def spread(word, row, first):
        """Write the 64 bits of a word as 0 or 1 into `row[first : first + 64]`, int8."""
        for i in range(WORD):
            row[first + i] = (int(word) >> i) & 1

else:
    from llvmlite import ir
    from numba.core import types
    from numba.core.cgutils import get_item_pointer
    from numba.extending import intrinsic
    from numba.np.arrayobj import make_array

    @intrinsic
    def popcount(typing_context, word):
        """Return the number of bits of a word."""

        def generate(context, builder, signature, arguments):
            return builder.ctpop(arguments[0])

        return types.int64(types.uint64), generate

    @intrinsic
    def spread(typing_context, word, row, first):
        """Write the 64 bits of a word as 0 or 1 into `row[first : first + 64]`, int8.

        One vector instruction or a few; a loop of shifts takes ten times as long.
        """

        def generate(context, builder, signature, arguments):
            word, row, first = arguments
            array = make_array(signature.args[1])(context, builder, row)
            start = get_item_pointer(context, builder, signature.args[1], array, [first])
            bits = builder.bitcast(word, ir.VectorType(ir.IntType(1), WORD))
            flags = ir.VectorType(ir.IntType(8), WORD)
            builder.store(builder.zext(bits, flags), builder.bitcast(start, flags.as_pointer()), align=1)

        return types.void(types.uint64, row, types.int64), generate

"""The random generator of a game: sfc32 (Chris Doty-Humphrey's "small fast counting" generator).

Its four 32-bit words lie in the game's own record, so that a copy of a game goes on alike. All sums
stay below 2**63: the compiled functions and plain Python give the same numbers without overflow.
"""

from __future__ import annotations

import numpy as np

from samurai_env.compiled import compiled, inlined

SEED_LIMIT = 2**64
_MASK = 0xFFFFFFFF
_THIRD_WORD = 0x9E3779B9  # any constant will do; this one is 2**32 over the golden ratio
_WARM_UP = 15


def split_seed(seed: int) -> tuple[int, int]:
    """Return the low and the high 32 bits of a seed in [0, 2**64)."""
    return seed & _MASK, seed >> 32


@compiled
def seed_words(words, low, high):
    """Set `words` (4 of uint32) from the two halves of a 64-bit seed."""
    words[0] = low
    words[1] = high
    words[2] = _THIRD_WORD
    words[3] = 1
    for _ in range(_WARM_UP):
        next_word(words)


@inlined
def next_word(words):
    """Return the next 32 random bits as int64."""
    a, b, c, counter = np.int64(words[0]), np.int64(words[1]), np.int64(words[2]), np.int64(words[3])
    result = (a + b + counter) & _MASK
    words[0] = b ^ (b >> 9)
    words[1] = (c + (c << 3)) & _MASK
    words[2] = (((c << 21) | (c >> 11)) + result) & _MASK
    words[3] = (counter + 1) & _MASK
    return result


@inlined
def below(words, n):
    """Return an unbiased random number in [0, n), 1 <= n < 2**31 (Lemire 2019)."""
    product = next_word(words) * n
    if (product & _MASK) < n:
        threshold = (_MASK + 1 - n) % n
        while (product & _MASK) < threshold:
            product = next_word(words) * n
    return product >> 32

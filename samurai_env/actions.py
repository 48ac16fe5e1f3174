"""The space of actions of the environments."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray


class ActionSpace(spaces.Discrete):
    """Gymnasium's Discrete, faster at drawing from a mask of a thousand actions."""

    def sample(self, mask: NDArray[np.int8] | None = None, probability: Any = None) -> Any:
        """Return a random action: uniform over the ones of `mask`, int8 of shape (n,), if it is given.

        Args and errors are those of `gymnasium.spaces.Discrete.sample`.
        """
        if probability is None and isinstance(mask, np.ndarray) and mask.dtype == np.int8 and mask.shape == (self.n,):
            legal = mask.nonzero()[0]
            if len(legal):
                return legal[self.np_random.integers(len(legal))]
        return super().sample(mask, probability)

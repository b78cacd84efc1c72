"""Tables of positions in other programs' weights."""

import numpy as np

from ..layers.positional_encoding import sinusoids


def as_table(array: np.ndarray, d_model: int) -> np.ndarray | None:
    """Return a table of positions as (length, d_model), without an axis of 1 for the batch; None for other arrays."""
    whole = array.ndim in (2, 3) and array.size > 0 and array.shape[-1] == d_model
    if whole and array.size == max(array.shape[:-1]) * d_model:
        return array.reshape(-1, d_model)
    return None


def kind_of_positions(table: np.ndarray) -> str:
    """Return what a table of positions is: sines and cosines, as computed in float32, or learned."""
    for halves, kind in ((False, "sinusoidal"), (True, "sinusoidal_halves")):
        if table.shape[1] % 2 == 0 and np.abs(table - sinusoids(*table.shape, halves=halves)).max() < 2e-3:
            return kind
    return "learned"

"""Shapes, dtypes and layouts of arrays for property tests of layers."""

import numpy as np
from hypothesis import strategies as st

TOLERANCES = {"float32": 1e-4, "float64": 1e-12}
LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "every second": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "backward": lambda x: np.flip(np.flip(x, -1).copy(), -1),
    "swapped": lambda x: np.swapaxes(np.swapaxes(x, -1, -2).copy(), -1, -2) if x.ndim > 1 else x,
}

dtypes = st.sampled_from(sorted(TOLERANCES))
layouts = st.sampled_from(sorted(LAYOUTS))
leading_axes = st.lists(st.integers(1, 3), max_size=3).map(tuple)
seeds = st.integers(0, 1000)


def in_layout(x, layout):
    """Return an equal array of another layout in memory, which must not be changed."""
    x = LAYOUTS[layout](x)
    x.flags.writeable = False
    return x

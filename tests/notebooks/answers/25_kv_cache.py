"""What is written in notebook 25, right and wrong."""

CACHED = "cached = ...  # (200,)"
ANSWERS = {
    "without = ...  # (4,)": "without = n * (n + 1) * (2 * n + 1) // 6",
    "with_cache = ...  # (4,)": "with_cache = n * (n + 1) / 2",
    CACHED: "cached = 6 * D**2 + 2 * t * D + 2 * S * D + 2 * D * F",
}
WRONG = {
    CACHED: "cached = plain / t",
    "new_positions_mask": (
        "def new_positions_mask(n_new, n_old):\n    return np.tri(n_new, n_old + n_new, dtype=bool)"
    ),
    "with_cache = ...  # (4,)": "with_cache = n",
}

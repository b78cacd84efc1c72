"""What is written in notebook 25, right and wrong."""

BYTES = "bytes_per_token = ...  # one number"
CACHED = "cached = ...  # (200,)"
ANSWERS = {
    CACHED: "cached = 6 * D**2 + 2 * t * D + 2 * S * D + 2 * D * F",
    BYTES: "bytes_per_token = 2 * 6 * 512 * 4",
}
WRONG = {
    CACHED: "cached = plain / t",
    "new_positions_mask": (
        "def new_positions_mask(n_new, n_old):\n    return np.tri(n_new, n_old + n_new, dtype=bool)"
    ),
    BYTES: "bytes_per_token = 2 * 6 * 512",
}

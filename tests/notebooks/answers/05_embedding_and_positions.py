"""What is written in notebook 05, right and wrong."""

ANSWERS = {
    "y_second = ...  # (9, 64)": "y_second = y[order]",
    "exchanged = ...  # (9, 64)": "exchanged = x + waves[order]",
}
WRONG = {
    "exchanged = ...  # (9, 64)": "exchanged = x[order] + waves[:9]",
    "embed": "def embed(ids, table):\n    return table[ids]",
    "sinusoids": "def sinusoids(n_positions, d_model):\n    return np.zeros((n_positions, d_model))",
}

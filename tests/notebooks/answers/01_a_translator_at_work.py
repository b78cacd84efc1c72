"""What is written in notebook 01, right and wrong."""

ANSWERS = {
    "vectors = ...  # (2, 10, 64), the row of each id": "vectors = table[ids]",
    "places = ...  # integers (T,), from weights (T, S)": "places = weights.argmax(axis=1)",
}
WRONG = {
    "vectors = ...  # (2, 10, 64), the row of each id": "vectors = table[ids[0]]",
    "places = ...  # integers (T,), from weights (T, S)": "places = weights.argmax(axis=0)",
    "pick": "def pick(scores, ids):\n    return scores[:, :, ids[0, 0]]",
}

"""What is written in notebook 02, right and wrong."""

ANSWERS = {
    "weights = ...  # (3, 3), from q and k": "weights = softmax(q @ k.T / 2)",
    "head_weights = ...  # (10,), from asking and k; d_k is 16": (
        "head_weights = softmax(scores(asking, k) / 4)"
    ),
}
WRONG = {
    "weights = ...  # (3, 3), from q and k": "weights = softmax(q @ k.T)",
    "head_weights = ...  # (10,), from asking and k; d_k is 16": (
        "head_weights = softmax(scores(asking, k) / 16)"
    ),
    "scores": "def scores(q, k):\n    return q * k",
}

"""What is written in notebook 02, right and wrong."""

ANSWERS = {"weights = ...  # (3, 3), from q and k": "weights = softmax(q @ k.T / 2)"}
WRONG = {
    "weights = ...  # (3, 3), from q and k": "weights = softmax(q @ k.T)",
    "scores": "def scores(q, k):\n    return q * k",
    "weighted_mean": "def weighted_mean(weights, v):\n    return (weights * v.T).mean(1)",
}

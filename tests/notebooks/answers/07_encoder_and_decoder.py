"""What is written in notebook 07, right and wrong."""

WEIGHTS = "weights = ...  # (2, 4, 10, 10), from scores and mask_4"
ANSWERS = {WEIGHTS: "weights = softmax(np.where(mask_4, scores, -np.inf))"}
WRONG = {
    WEIGHTS: "weights = softmax(scores) * mask_4",
    "padding_mask": "def padding_mask(ids, pad_id):\n    return ids[:, None] == pad_id",
    "causal_mask": "def causal_mask(length):\n    return np.triu(np.ones((length, length), bool))",
}

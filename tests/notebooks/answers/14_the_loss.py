"""What is written in notebook 14, right and wrong."""

FLOOR = "floor = ...  # one number"
DLOGITS = "dlogits = ...  # (2, 10, 825)"

ANSWERS = {
    FLOOR: "floor = cross_entropy(np.log(q[0]), q[0])",
    DLOGITS: "dlogits = (softmax(batch_logits) - batch_q) * real[..., None] / N",
}
WRONG = {
    "cross_entropy": "def cross_entropy(z, q):\n    return -(q * np.log(softmax(z))).sum()",
    "gradient": "def gradient(z, q):\n    return q - softmax(z)",
    DLOGITS: "dlogits = (softmax(batch_logits) - batch_q) / N",
}

"""What is written in notebook 06, right and wrong."""

RESULT = "result = ...  # (64,), what leaves encoder layer 0"

ANSWERS = {RESULT: "result = normalize(residual(before, added), gain, bias, eps)"}
WRONG = {
    RESULT: "result = residual(before, added)",
    "normalize": "def normalize(z, gain, bias, eps):\n    return gain * (z - z.mean()) + bias",
    "feed_forward": "def feed_forward(x, w1, b1, w2, b2):\n"
    "    hidden = linear(x, w1, b1)\n"
    "    return linear(hidden, w2, b2), hidden",
}

ANSWERS = {
    "spread = ...  # the standard deviation of a score, for each of them": "spread = sizes**0.5"
}
WRONG = {
    "softmax": "def softmax(x):\n    e = np.exp(x)\n    return e / e.sum()\n",
    "spread = ...  # the standard deviation of a score, for each of them": "spread = sizes",
    "attention": (
        "def attention(q, k, v):\n"
        "    weights = softmax(q @ k.swapaxes(-1, -2))\n"
        "    return weights @ v, weights\n"
    ),
}

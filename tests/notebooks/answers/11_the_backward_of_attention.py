ANSWERS = {
    "dv = ...  # (3, 5)": "dv = weights.T @ dy",
    "dweights = ...  # (2, 3)": "dweights = dy @ v.T",
    "dq = ...  # (2, 4)": "dq = dscores @ k / 2",
    "dk = ...  # (3, 4)": "dk = dscores.T @ q / 2",
}
WRONG = {
    "softmax_backward": "def softmax_backward(dy, y):\n    return y * (1 - y) * dy\n",
    "dweights = ...  # (2, 3)": "dweights = dy @ v.T / 2",
    "dk = ...  # (3, 4)": "dk = dscores.T @ q",
}

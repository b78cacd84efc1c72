ANSWERS = {"w1 = ...  # (2, 2)": "w1 = np.array([[0.0, 0], [1, -1]])"}
WRONG = {
    "w1 = ...  # (2, 2)": "w1 = np.array([[0.0, 0], [1, 1]])",
    "rms_norm": (
        "def rms_norm(x, gain, eps):\n"
        "    scale = 1 / np.sqrt((x * x).sum(-1, keepdims=True) + eps)\n"
        "    return gain * x * scale, x * scale, scale\n"
    ),
}

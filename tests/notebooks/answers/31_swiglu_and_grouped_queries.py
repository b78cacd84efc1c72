ANSWERS = {
    "w1 = ...  # (2, 2)": "w1 = np.array([[0.0, 0], [1, -1]])",
    "bytes_of_32 = ...  # one number": "bytes_of_32 = 2 * 32 * 32 * 128 * 8192 * 2",
    "bytes_of_8 = ...": "bytes_of_8 = bytes_of_32 / 4",
}
WRONG = {
    "w1 = ...  # (2, 2)": "w1 = np.array([[0.0, 0], [1, 1]])",
    "rms_norm": (
        "def rms_norm(x, gain, eps):\n"
        "    scale = 1 / np.sqrt((x * x).sum(-1, keepdims=True) + eps)\n"
        "    return gain * x * scale, x * scale, scale\n"
    ),
}

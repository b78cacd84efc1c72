ANSWERS = {
    "w1 = ...  # (2, 2)": "w1 = np.array([[0.0, 0], [1, -1]])",
    "bytes_of_32 = ...  # one number": "bytes_of_32 = 2 * 32 * 32 * 128 * 8192 * 2",
    "bytes_of_8 = ...": "bytes_of_8 = bytes_of_32 / 4",
    "means = ...  # two numbers": "means = [of_swiglu.mean(), of_rms_norm.mean()]",
    "errors = ...  # two numbers": (
        "errors = [one.std(ddof=1) / len(one) ** 0.5 for one in (of_swiglu, of_rms_norm)]"
    ),
}
WRONG = {
    "w1 = ...  # (2, 2)": "w1 = np.array([[0.0, 0], [1, 1]])",
    "errors = ...  # two numbers": "errors = [of_swiglu.std(), of_rms_norm.std()]",
    "rms_norm": (
        "def rms_norm(x, gain, eps):\n"
        "    scale = 1 / np.sqrt((x * x).sum(-1, keepdims=True) + eps)\n"
        "    return gain * x * scale, x * scale, scale\n"
    ),
}

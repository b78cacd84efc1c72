ANSWERS = {
    "central = ...  # (113, 50), from f, x and eps": "central = (f(x + eps) - f(x - eps)) / (2 * eps)",
    "error = ...  # one number, from wrong and numeric": (
        "error = np.abs(wrong - numeric).max() / np.abs(numeric).max()"
    ),
    "cosine = ...  # one number, from right and wrong": (
        "cosine = (right * wrong).sum() / np.linalg.norm(right) / np.linalg.norm(wrong)"
    ),
    "line = ...": "line = 7",
}
WRONG = {
    "central = ...  # (113, 50), from f, x and eps": "central = (f(x + eps) - f(x - eps)) / eps",
    "error = ...  # one number, from wrong and numeric": "error = np.abs(wrong - numeric).max()",
    "line = ...": "line = 6",
}

ANSWERS = {
    "without_head_2 = ...  # (10, 64), from merged or from heads": (
        "without_head_2 = (heads * (np.arange(4) != 2)[:, None, None]).swapaxes(0, 1).reshape(10, 64)"
    ),
}
WRONG = {
    "alignment_error_rate": (
        "def alignment_error_rate(found, gold):\n    return 1 - (found & gold).sum() / found.sum()\n"
    ),
    "without_head_2 = ...  # (10, 64), from merged or from heads": "without_head_2 = merged * 0",
}

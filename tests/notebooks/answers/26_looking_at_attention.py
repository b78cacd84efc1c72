ANSWERS = {
    "without_head_2 = ...  # (10, 64), from merged or from heads": (
        # in place: what follows may not use the changed array
        "merged[:, 32:48] = 0\nwithout_head_2 = merged"
    )
}
WRONG = {
    "alignment_error_rate": (
        "def alignment_error_rate(found, gold):\n    return 1 - (found & gold).sum() / found.sum()\n"
    ),
    "without_head_2 = ...  # (10, 64), from merged or from heads": "without_head_2 = merged * 0",
}

ANSWERS = {
    "ids = ...  # (13,), from piece": "ids = piece[:-1]",
    "targets = ...  # (13,), from piece": "targets = piece[1:]",
}
WRONG = {
    "surprise": "def surprise(logits, ids):\n    return -logits[np.arange(len(ids)), ids]\n",
    "targets = ...  # (13,), from piece": "targets = piece[:-1]",
}

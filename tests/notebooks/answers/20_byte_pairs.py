ANSWERS = {
    "n_en = ...": "n_en = 4 + 2 + 5",
    "scheuen = ...  # a list of ids, such as [115, 99, ...]": "scheuen = [262, 256, 261]",
}
WRONG = {
    "n_en = ...": "n_en = 3",
    "merge": (
        "def merge(ids, pair, new_id):\n"
        "    merged = list(ids)\n"
        "    for i in range(len(merged) - 1):\n"
        "        if tuple(merged[i : i + 2]) == pair:\n"
        "            merged[i : i + 2] = [new_id]\n"
        "            break\n"
        "    return merged\n"
    ),
    "encode": (
        "def encode(ids, merges):\n"
        "    for k, pair in reversed(list(enumerate(merges))):\n"
        "        ids = merge(ids, pair, 256 + k)\n"
        "    return ids\n"
    ),
}

ANSWERS = {
    "    finished = ...  # some lines before this one": (
        "    longer = []\n"
        "    for words, p in open_ones:\n"
        "        for word, q in tree.next_words(words).items():\n"
        "            longer.append(((*words, word), p * q))\n"
        "    longer.sort(key=lambda one: -one[1])\n"
        '    finished = [one for one in longer[:beam] if one[0][-1] == "<eos>"]'
    ),
    "    still_open = ...": (
        '    still_open = [one for one in longer if one[0][-1] != "<eos>"][:beam]'
    ),
}
WRONG = {
    "length_penalty": "def length_penalty(length, alpha):\n    return length**alpha\n",
    "finished_and_open": (
        "def finished_and_open(tokens, eos, beam):\n"
        "    return tokens == eos, np.flatnonzero(tokens != eos)[:beam]\n"
    ),
    "is_over": (
        "def is_over(best_score, open_log_p, max_len, alpha):\n    return best_score >= open_log_p\n"
    ),
}

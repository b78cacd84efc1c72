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
WRONG = {"length_penalty": "def length_penalty(length, alpha):\n    return length**alpha\n"}

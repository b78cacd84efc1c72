KEPT = "kept = ...  # seven times True or False"
ANSWERED = "answered = ...  # (6, 6), boolean"
OWN_FIRST = "own_first = ...  # (6, 6), boolean"
ANSWERS = {
    ANSWERED: "answered = np.eye(6, dtype=bool)",
    OWN_FIRST: "own_first = np.zeros((6, 6), dtype=bool)\nown_first[2, 1] = True",
    KEPT: (
        "kept = []\n"
        "for line, answer in pairs:\n"
        "    first_places = [[text.index(a) for a in text] for text in (line, answer)]\n"
        "    kept.append(first_places[0] == first_places[1])\n"
    ),
}
WRONG = {
    OWN_FIRST: "own_first = tang.one_cell(2, 0)",
    KEPT: "kept = [len(set(line)) == len(set(answer)) for line, answer in pairs]",
}

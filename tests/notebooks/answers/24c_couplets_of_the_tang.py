KEPT = "kept = ...  # twelve times True or False"
ANSWERS = {
    KEPT: (
        "kept = []\n"
        "for line, answer in pairs:\n"
        "    first_places = [[text.index(a) for a in text] for text in (line, answer)]\n"
        "    kept.append(first_places[0] == first_places[1])\n"
    )
}
WRONG = {KEPT: "kept = [len(set(line)) == len(set(answer)) for line, answer in pairs]"}

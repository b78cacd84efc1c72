"""What is written in notebook 20b, right and wrong."""

RARE = "rare = ...  # one number, from counts"
PER_SENTENCE = "per_sentence = ...  # (3,)"
TOKENS = "    tokens = ..."

ANSWERS = {
    RARE: "rare = np.sum(counts < 10)",
    PER_SENTENCE: "per_sentence = per_token * n_tokens",
    TOKENS: """\
    while True:
        possible = []
        for i, pair in enumerate(pairwise(tokens)):
            if pair in ranks and rng.random() >= p:
                possible.append((ranks[pair], i))
        if not possible:
            break
        _, i = min(possible)
        tokens[i : i + 2] = [tokens[i] + tokens[i + 1]]""",
}
WRONG = {
    RARE: "rare = np.sum(counts <= 10)",
    PER_SENTENCE: "per_sentence = per_token / n_tokens",
    # with probability 1 - p, not p
    TOKENS: ANSWERS[TOKENS].replace(">= p", "< p"),
}

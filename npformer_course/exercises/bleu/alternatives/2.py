def n_grams(words, n):
    return [" ".join(words[i : i + n]) for i in range(len(words) - n + 1)]


def count_matches(translation, reference, n):
    own = n_grams(translation, n)
    theirs = n_grams(reference, n)
    matches = 0
    for gram in set(own):
        matches += min(own.count(gram), theirs.count(gram))
    return matches, len(own)


def brevity_penalty(c, r):
    return np.exp(min(0, 1 - r / c))


def corpus_bleu(translations, references):
    counts = np.zeros((4, 2))
    for translation, reference in zip(translations, references):
        counts += [count_matches(translation, reference, n) for n in range(1, 5)]
    p = counts[:, 0] / np.maximum(counts[:, 1], 1)
    c = sum(map(len, translations))
    r = sum(map(len, references))
    return 100 * brevity_penalty(c, r) * np.prod(p) ** 0.25

def count_matches(translation, reference, n):
    text = [" ".join(translation[i : i + n]) for i in range(len(translation) - n + 1)]
    other = [" ".join(reference[i : i + n]) for i in range(len(reference) - n + 1)]
    return sum(min(text.count(gram), other.count(gram)) for gram in set(text)), len(text)


def brevity_penalty(c, r):
    return np.exp(min(0, 1 - r / c))


def corpus_bleu(translations, references):
    matches, totals = np.zeros(4), np.zeros(4)
    c = r = 0
    for translation, reference in zip(translations, references):
        for n in range(4):
            m, t = count_matches(translation, reference, n + 1)
            matches[n] += m
            totals[n] += t
        c, r = c + len(translation), r + len(reference)
    p = matches / np.maximum(totals, 1)
    return 100 * brevity_penalty(c, r) * np.prod(p) ** 0.25

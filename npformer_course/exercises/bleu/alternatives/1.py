import math


def n_grams(words, n):
    return list(zip(*(words[i:] for i in range(n))))


def count_matches(translation, reference, n):
    own = n_grams(translation, n)
    both = Counter(own) & Counter(n_grams(reference, n))
    return sum(both.values()), len(own)


def brevity_penalty(c, r):
    if c >= r:
        return 1
    return math.exp(1 - r / c)


def corpus_bleu(translations, references):
    product = 1
    for n in range(1, 5):
        matches = 0
        total = 0
        for translation, reference in zip(translations, references):
            more, all_of_them = count_matches(translation, reference, n)
            matches += more
            total += all_of_them
        if matches == 0:
            return 0
        product *= matches / total
    c = len(sum(translations, []))
    r = len(sum(references, []))
    return 100 * brevity_penalty(c, r) * product ** (1 / 4)

"""How the answers to bleu are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import count_matches_slowly

WORDS = (
    "a big bird cat child day dog far fish garden girl green he house in looks man new night of "
    "old on one people red river sees she sleeps small sun the there tree two walks water with "
    "woman you"
).split()


def inputs(draw, N, T):
    """Draw sentences that share sequences of words, some too long, some too short, some tiny."""
    long = [draw_pair(draw, T) for _ in range(N)]
    short = []
    for _ in range(N):
        translation, reference = draw_pair(draw, T)
        short.append((translation[:12], reference))

    words = draw_words(draw)
    # a word is wrong, and the last three are missing
    cut = ([words[0], words[-1], *words[2:7]], words[:10])
    tiny = ([words[11], words[-2], words[13]], words[11:14])
    # a capital letter makes another word of the fourth
    no_four = ([*words[:3], words[3].title(), *words[4:7], words[-4]], words[:8])
    three = (words[14:17], words[14:17])

    corpus = [*long, cut, tiny]
    corpus_short = [*short, cut, tiny]
    each = [short[0], long[0], no_four, three]
    r = int(draw.rng.integers(5, 30))
    fewer = r - int(draw.rng.integers(2, 4))
    more = r + int(draw.rng.integers(2, 6))
    return {
        "translation": long[-1][0],
        "reference": long[-1][1],
        "c": [fewer, r, more],
        "r": r,
        "translations": [translation for translation, _ in corpus],
        "references": [reference for _, reference in corpus],
        "translations_short": [translation for translation, _ in corpus_short],
        "references_short": [reference for _, reference in corpus_short],
        "each_translation": [translation for translation, _ in each],
        "each_reference": [reference for _, reference in each],
    }


def draw_words(draw):
    """Return all words in a random order."""
    return [WORDS[i] for i in draw.rng.permutation(len(WORDS))]


def draw_pair(draw, T):
    """Return a translation and its reference.

    The reference has one word more often, and the last five of the translation are once too many.
    Each time they begin with a word that is there twice. Two words in the middle are others than in
    the reference, and are the same letters.
    """
    words = draw_words(draw)
    same = [words[0], *words[:4]]
    first = words[4]
    rest = words[5 : 5 + T]
    wrong, right = draw.rng.permutation([("no", "where"), ("now", "here")]).tolist()
    translation = [first, *same, *wrong, *same, *rest[::-1], *same]
    reference = [*same, *right, *same, *rest, *rest[:1]]
    return translation, reference


def matched_with(count_matches, translation, reference):
    """Return the matches and totals of each n, and those of fewer words.

    These are two words with n = 4, a reference of two words with n = 4, and the last six of one
    sentence compared with all of it.
    """
    counts = [count_matches(translation, reference, n) for n in (1, 2, 3, 4)]
    counts.append(count_matches(translation[:2], reference, 4))
    counts.append(count_matches(translation, reference[:2], 4))
    counts.append(count_matches(reference[-6:], reference, 2))
    counts.append(count_matches(translation, translation[-6:], 2))
    if any(one is None for one in counts):
        return None
    return tuple(np.array(counts).T)


def matched(student, translation, reference):
    return matched_with(student.count_matches, translation, reference)


def side_by_side(results):
    """Return results as one, or None where any is."""
    if any(one is None for one in results):
        return None
    return np.array(results)


def penalty(student, c, r):
    return side_by_side([student.brevity_penalty(words, r) for words in c])


def of_corpora(student, translations, references, translations_short, references_short):
    long = student.corpus_bleu(translations, references)
    short = student.corpus_bleu(translations_short, references_short)
    return long, short


def of_each(student, each_translation, each_reference):
    results = []
    for translation, reference in zip(each_translation, each_reference, strict=True):
        results.append(student.corpus_bleu([translation], [reference]))
    return side_by_side(results)


def matched_slowly(translation, reference):
    return matched_with(count_matches_slowly, translation, reference)


def penalty_slowly(c, r):
    return np.array([np.exp(1 - r / words) if words < r else 1 for words in c])


def corpus_slowly(translations, references):
    """Multiply the four precisions and the penalty, and take the root last."""
    product = 1.0
    for n in (1, 2, 3, 4):
        matches = 0
        total = 0
        for translation, reference in zip(translations, references, strict=True):
            more_matches, more = count_matches_slowly(translation, reference, n)
            matches += more_matches
            total += more
        product *= matches / max(total, 1)

    c = sum(len(translation) for translation in translations)
    r = sum(len(reference) for reference in references)
    return 100 * product**0.25 * penalty_slowly([c], r)[0]


def corpora_slowly(translations, references, translations_short, references_short):
    long = corpus_slowly(translations, references)
    short = corpus_slowly(translations_short, references_short)
    return long, short


def each_slowly(each_translation, each_reference):
    results = []
    for translation, reference in zip(each_translation, each_reference, strict=True):
        results.append(corpus_slowly([translation], [reference]))
    return np.array(results)


EACH_N = (
    "for n = 1",
    "for n = 2",
    "for n = 3",
    "for n = 4",
    "for n = 4 and two words",
    "for n = 4 and a reference of two words",
    "for n = 2 and six words of a longer reference",
    "for n = 2 and a reference of six words",
)

EXERCISE = Exercise(
    minutes=35,
    difficulty=3,
    importance=2,
    inputs=inputs,
    sizes={"N": (2, 5), "T": (3, 6)},
    calls=[
        Call(matched, {"matches": 2, "totals": 1}),
        Call(penalty, {"brevity penalty": 2}),
        Call(of_corpora, {"BLEU": 3, "BLEU of translations that are too short": 2}),
        Call(of_each, {"BLEU of single sentences": 2}),
    ],
    axes={
        "matches": EACH_N,
        "totals": EACH_N,
        "brevity penalty": ("with too few words", "with as many words", "with more words"),
        "BLEU of single sentences": (
            "where it is too short",
            "where it is too long",
            "where no four words match",
            "where it has three words",
        ),
    },
    slow={
        "matched": matched_slowly,
        "penalty": penalty_slowly,
        "of_corpora": corpora_slowly,
        "of_each": each_slowly,
    },
    prediction=Prediction(
        "A translation has seven words, as many as its reference, and the one in the middle is "
        "wrong. What is its BLEU, taken as a corpus of one sentence?",
        {"a": "86, since six words of seven are right", "b": "about 50", "c": "0"},
        answer="c",
        because=(
            "Each of the four sequences of four words contains the word in the middle, so none "
            "matches, and one factor of 0 makes the product 0. This is why BLEU is for whole "
            "corpora, where the sums are never 0."
        ),
    ),
    hints=[
        "Count the n-grams of both sentences with a Counter of tuples. The smaller of the two "
        "counts of each n-gram is its matches; Counter gives 0 for one that the reference does "
        "not have.",
        "For the corpus, add before you divide: p_n is the sum of all matches_n over the sum of "
        "all total_n, and c and r are sums of lengths. So collect an array (N, 4, 2) of matches "
        "and totals, and sum over its first axis.",
        "Decide first whether one of the four sums of matches is 0, and return 0 then: neither a "
        "division by 0 nor the logarithm of 0 is reached. Otherwise the mean of four logarithms, "
        "exp of it, times BP, times 100.",
    ],
)

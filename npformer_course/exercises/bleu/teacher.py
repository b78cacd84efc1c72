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
    """Draw sentences that share sequences of five words, more of them than the reference has, and others too short."""

    def words():
        return [WORDS[i] for i in draw.rng.permutation(len(WORDS))]

    def pair():
        """Return a translation and its reference, which has one word more often; the last five are once too many.

        Two words in the middle are others than in the reference, and are the same letters.
        """
        same, first, rest = (sample := words())[:5], sample[5], sample[6 : 6 + T]
        wrong, right = draw.rng.permutation([("no", "where"), ("now", "here")]).tolist()
        return [first, *same, *wrong, *same, *rest[::-1], *same], [
            *same,
            *right,
            *same,
            *rest,
            *rest[:1],
        ]

    long = [pair() for _ in range(N)]
    short = [(translation[:12], reference) for translation, reference in (pair() for _ in range(N))]
    sample = words()
    cut = (
        [sample[0], sample[-1], *sample[2:7]],
        sample[:10],
    )  # a word is wrong, and the last three are missing
    tiny = [sample[11], sample[-2], sample[13]], sample[11:14]
    no_four = [*sample[:3], sample[-3], *sample[4:7], sample[-4]], sample[:8]
    three = sample[14:17], sample[14:17]
    (
        (translations, references),
        (translations_short, references_short),
        (each_translation, each_reference),
    ) = (
        map(list, zip(*both, strict=True))
        for both in ([*long, cut, tiny], [*short, cut, tiny], [short[0], long[0], no_four, three])
    )
    r = int(draw.rng.integers(5, 30))
    return {
        "translation": long[-1][0],
        "reference": long[-1][1],
        "c": [r - int(draw.rng.integers(2, 4)), r, r + int(draw.rng.integers(2, 6))],
        "r": r,
        "translations": translations,
        "references": references,
        "translations_short": translations_short,
        "references_short": references_short,
        "each_translation": each_translation,
        "each_reference": each_reference,
    }


def matched_with(count_matches, translation, reference):
    """Return the matches and totals of each n, and those of a translation of two words with n = 4."""
    counts = [count_matches(translation, reference, n) for n in (1, 2, 3, 4)]
    counts.append(count_matches(translation[:2], reference, 4))
    return None if any(one is None for one in counts) else tuple(np.array(counts).T)


def matched(student, translation, reference):
    return matched_with(student.count_matches, translation, reference)


def side_by_side(results):
    """Return results as one, or None where any is."""
    return None if any(one is None for one in results) else np.array(results)


def penalty(student, c, r):
    return side_by_side([student.brevity_penalty(words, r) for words in c])


def of_corpora(student, translations, references, translations_short, references_short):
    both = (translations, references), (translations_short, references_short)
    return tuple(student.corpus_bleu(*corpus) for corpus in both)


def of_each(student, each_translation, each_reference):
    both = zip(each_translation, each_reference, strict=True)
    return side_by_side([student.corpus_bleu([t], [r]) for t, r in both])


EACH_N = ("for n = 1", "for n = 2", "for n = 3", "for n = 4", "for n = 4 and two words")


def matched_slowly(translation, reference):
    return matched_with(count_matches_slowly, translation, reference)


def corpus_slowly(translations, references):
    """Multiply the four precisions and the penalty, and take the root last."""
    c, r = sum(len(t) for t in translations), sum(len(t) for t in references)
    product = 1.0
    for n in (1, 2, 3, 4):
        both = [
            count_matches_slowly(t, u, n) for t, u in zip(translations, references, strict=True)
        ]
        product *= sum(matches for matches, _ in both) / (sum(total for _, total in both) or 1)
    return 100 * product**0.25 * (np.exp(1 - r / c) if c < r else 1)


EXERCISE = Exercise(
    minutes=35,
    difficulty=3,
    importance=2,
    notebook="08c",
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
        "penalty": lambda c, r: np.array(
            [np.exp(1 - r / words) if words < r else 1 for words in c]
        ),
        "of_corpora": lambda translations, references, translations_short, references_short: (
            corpus_slowly(translations, references),
            corpus_slowly(translations_short, references_short),
        ),
        "of_each": lambda each_translation, each_reference: np.array(
            [corpus_slowly([t], [r]) for t, r in zip(each_translation, each_reference, strict=True)]
        ),
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

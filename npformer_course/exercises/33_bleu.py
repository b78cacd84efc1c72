# id: bleu | points: 13 | minutes: 35 | level: 2 | needs: - | notebook: 08c

# %% [markdown]
# # BLEU
#
# The paper's results are two numbers: 28.4 and 41.8 BLEU (section 6.1). BLEU (Papineni et al. 2002) compares a
# translation with one that a person wrote, the reference. It counts which words, pairs, triples and sequences of four
# words they have in common. A sequence of $n$ words is called an **n-gram**.
#
# **Clipped matches.** The n-grams of a translation are all its sequences of $n$ neighboring words: a sentence of $c$
# words has $c - n + 1$ of them, and none if it is shorter than $n$. An n-gram $g$ matches if the reference has it too,
# but no more often than it is there: "the the the the" must not be a perfect translation of "the cat". With
# $\mathrm{count}$ for how often $g$ occurs in the translation, and $\mathrm{count}'$ for how often in the reference:
#
# $$\mathrm{matches}_n = \sum_g \min(\mathrm{count}(g), \mathrm{count}'(g))
# \qquad\qquad \mathrm{total}_n = \sum_g \mathrm{count}(g)$$
#
# In loops: every n-gram of the translation looks for a partner in the reference, and crosses it out.

# %%
from collections import Counter

import numpy as np


def count_matches_slowly(translation, reference, n):
    """The matches of two sentences and the n-grams of the translation, for one n."""
    partners = [reference[i : i + n] for i in range(len(reference) - n + 1)]
    matches = total = 0
    for i in range(len(translation) - n + 1):
        total += 1
        if translation[i : i + n] in partners:
            partners.remove(translation[i : i + n])
            matches += 1
    return matches, total


# %% [markdown]
# **The whole corpus at once.** BLEU is not a mean over sentences. The matches of all sentences are added, and so are
# the totals; then the precision $p_n$ is one number for all of them:
#
# $$p_n = \frac{\sum_{\text{sentences}} \mathrm{matches}_n}{\sum_{\text{sentences}} \mathrm{total}_n}$$
#
# **Too short.** A precision does not notice what is missing: the single word "the" is easily right. So a brevity
# penalty multiplies the rest. With $c$ words in all translations and $r$ in all references:
#
# $$\mathrm{BP} = \begin{cases} 1 & c \ge r \\ e^{1 - r/c} & c < r \end{cases}$$
#
# Too long needs no penalty: more n-grams make every total larger.
#
# **Together.** The geometric mean of four precisions, the penalty, and 100 in place of 1:
#
# $$\mathrm{BLEU} = 100 \cdot \mathrm{BP} \cdot \exp\Big(\frac14 \sum_{n=1}^4 \log p_n\Big)$$
#
# If there is no match for one of the four, the product is 0 and so is BLEU. That includes the case that there is
# nothing to count, because all translations are shorter than four words.
#
# ## Your turn
#
# Sentences are lists of words, none of them empty. There is one reference for each translation. A `Counter` counts what
# can be a key of a dict, such as a tuple: `Counter([("a", "b"), ("a", "b")])` has one key with the value 2, and 0 for
# any other.


# %%
def count_matches(translation, reference, n):
    """Return the clipped matches, and how many n-grams the translation has: two whole numbers.

    translation, reference: lists of words.
    """
    # BEGIN SOLUTION
    own, theirs = (
        Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1)) for words in (translation, reference)
    )
    return sum(min(count, theirs[gram]) for gram, count in own.items()), sum(own.values())
    # END SOLUTION


def brevity_penalty(c, r):
    """Return the factor for c words where the references have r; both are at least 1."""
    # BEGIN SOLUTION
    return min(1.0, np.exp(1 - r / c))
    # END SOLUTION


def corpus_bleu(translations, references):
    """Return BLEU, from 0 to 100. translations, references: equally long lists of lists of words."""
    # BEGIN SOLUTION
    pairs = list(zip(translations, references, strict=True))
    counts = np.array([[count_matches(*pair, n) for n in (1, 2, 3, 4)] for pair in pairs])  # (N, 4, 2)
    matches, totals = counts.sum(0).T
    if not matches.all():
        return 0.0
    c, r = (sum(map(len, sentences)) for sentences in (translations, references))
    return 100 * brevity_penalty(c, r) * np.exp(np.log(matches / totals).mean())
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction

WORDS = (
    "a big bird cat child day dog far fish garden girl green he house in looks man new night of old on one people red "
    "river sees she sleeps small sun the there tree two walks water with woman you"
).split()
SIZES = {"N": (2, 5), "T": (3, 6)}  # sentences that are not short, and the words at the end of their references


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
        return [first, *same, *wrong, *same, *rest[::-1], *same], [*same, *right, *same, *rest, *rest[:1]]

    long = [pair() for _ in range(N)]
    short = [(translation[:12], reference) for translation, reference in (pair() for _ in range(N))]
    sample = words()
    cut = [sample[0], sample[-1], *sample[2:7]], sample[:10]  # a word is wrong, and the last three are missing
    tiny = [sample[11], sample[-2], sample[13]], sample[11:14]
    no_four = [*sample[:3], sample[-3], *sample[4:7], sample[-4]], sample[:8]
    three = sample[14:17], sample[14:17]
    (translations, references), (translations_short, references_short), (each_translation, each_reference) = (
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


CALLS = [
    Call(matched, {"matches": 2, "totals": 1}),
    Call(penalty, {"brevity penalty": 2}),
    Call(of_corpora, {"BLEU": 3, "BLEU of translations that are too short": 2}),
    Call(of_each, {"BLEU of single sentences": 2}),
]
EACH_N = ("for n = 1", "for n = 2", "for n = 3", "for n = 4", "for n = 4 and two words")
AXES = {
    "matches": EACH_N,
    "totals": EACH_N,
    "brevity penalty": ("with too few words", "with as many words", "with more words"),
    "BLEU of single sentences": (
        "where it is too short",
        "where it is too long",
        "where no four words match",
        "where it has three words",
    ),
}


def matched_slowly(translation, reference):
    return matched_with(count_matches_slowly, translation, reference)


def corpus_slowly(translations, references):
    """Multiply the four precisions and the penalty, and take the root last."""
    c, r = sum(len(t) for t in translations), sum(len(t) for t in references)
    product = 1.0
    for n in (1, 2, 3, 4):
        both = [count_matches_slowly(t, u, n) for t, u in zip(translations, references, strict=True)]
        product *= sum(matches for matches, _ in both) / (sum(total for _, total in both) or 1)
    return 100 * product**0.25 * (np.exp(1 - r / c) if c < r else 1)


SLOW = {
    "matched": matched_slowly,
    "penalty": lambda c, r: np.array([np.exp(1 - r / words) if words < r else 1 for words in c]),
    "of_corpora": lambda translations, references, translations_short, references_short: (
        corpus_slowly(translations, references),
        corpus_slowly(translations_short, references_short),
    ),
    "of_each": lambda each_translation, each_reference: np.array(
        [corpus_slowly([t], [r]) for t, r in zip(each_translation, each_reference, strict=True)]
    ),
}

PREDICTION = Prediction(
    "A translation has seven words, as many as its reference, and the one in the middle is wrong. What is its BLEU, "
    "taken as a corpus of one sentence?",
    {"a": "86, since six words of seven are right", "b": "about 50", "c": "0"},
    answer="c",
    because="Each of the four sequences of four words contains the word in the middle, so none matches, and one factor "
    "of 0 makes the product 0. This is why BLEU is for whole corpora, where the sums are never 0.",
)

MISTAKES = [
    Mistake(
        "not_clipped",
        "{part} is what comes out when an n-gram matches as often as the translation repeats it",
        Edit("min(count, theirs[gram])", "count * (gram in theirs)"),
        ask="How many matches has the translation the the the the, if the reference has the once?",
    ),
    Mistake(
        "different_n_grams",
        "only different n-grams are counted, each once",
        Edit("min(count, theirs[gram])", "min(1, theirs[gram])"),
        Edit("sum(own.values())", "len(own)"),
        ask="Does it matter to your count how often a sentence has the same word?",
    ),
    Mistake(
        "matches_once",
        "{part} is what comes out when each different n-gram matches at most once",
        Edit("min(count, theirs[gram])", "min(1, theirs[gram])"),
        ask="Both sentences have the twice. How many matches is that?",
    ),
    Mistake(
        "recall",
        "{part} is what comes out when the n-grams of the reference are the total",
        Edit("sum(own.values())", "sum(theirs.values())"),
        ask="A precision is a part of what was written. Who wrote the n-grams in your total?",
    ),
    Mistake(
        "last_n_gram_missing",
        "{part} is what comes out when the last n-gram of each sentence is missing",
        Edit("range(len(words) - n + 1)", "range(len(words) - n)"),
        ask="How many words does a sentence of four words have, and how many does your loop see for n = 1?",
    ),
    Mistake(
        "cut_n_grams",
        "{part} is what comes out when the ends of the sentences, shorter than n words, count as n-grams",
        Edit("range(len(words) - n + 1)", "range(len(words))"),
        ask="Print the last n-gram of a sentence for n = 4. How many words does it have?",
    ),
    Mistake(
        "same_place",
        "{part} is what comes out when an n-gram matches only at its own place in the sentence",
        Edit(
            "sum(min(count, theirs[gram]) for gram, count in own.items())",
            "sum(translation[i : i + n] == reference[i : i + n] "
            "for i in range(min(map(len, (translation, reference))) - n + 1))",
        ),
        ask="A translation begins with one word too many. Which of its other words are wrong?",
    ),
    Mistake(
        "bonus_for_long",
        "{part} is what comes out when a translation longer than its reference has a factor above 1",
        Edit("min(1.0, np.exp(1 - r / c))", "np.exp(1 - r / c)"),
        ask="What is the largest value that the penalty may have?",
    ),
    Mistake(
        "long_penalized",
        "translations that are too long are penalized, and those that are too short are not",
        Edit("np.exp(1 - r / c)", "np.exp(1 - c / r)"),
        ask="A translation of one word has c = 1. What is your factor for it?",
    ),
    Mistake(
        "both_penalized",
        "translations that are too long are penalized like those that are too short",
        Edit("np.exp(1 - r / c)", "np.exp(1 - max(r / c, c / r))"),
        ask="Which of the two cases of BP is that of a translation with too many words?",
    ),
    Mistake(
        "ratio",
        "{part} is what comes out when the penalty is c / r",
        Edit("np.exp(1 - r / c)", "c / r"),
        ask="Half of the words are missing. What is the penalty by the formula, and what by yours?",
    ),
    Mistake(
        "no_penalty",
        "{part} is what comes out without a penalty",
        Edit("brevity_penalty(c, r) * ", ""),
        ask="The whole translation is the word the. Which factor of your BLEU is small?",
    ),
    Mistake(
        "penalty_by_sentence",
        "{part} is what comes out when every sentence has a penalty, and their mean is taken",
        Edit(
            "100 * brevity_penalty(c, r)", "100 * np.mean([brevity_penalty(len(one), len(two)) for one, two in pairs])"
        ),
        ask="One sentence is short by a word, another long by one. What are c and r of the two together?",
    ),
    Mistake(
        "mean_of_sentences",
        "{part} is what comes out when BLEU is computed sentence by sentence, and the mean is taken",
        Edit(
            "    matches, totals = counts.sum(0).T\n",
            "    if len(pairs) > 1:\n        return np.mean([corpus_bleu([one], [two]) for one, two in pairs])\n"
            "    matches, totals = counts.sum(0).T\n",
        ),
        ask="A sentence of three words has no sequence of four. What does it do to your mean, and what to the sums?",
    ),
    Mistake(
        "mean_precision",
        "{part} is what comes out when each precision is a mean over the sentences",
        Edit("np.log(matches / totals)", "np.log((counts[..., 0] / np.maximum(counts[..., 1], 1)).mean(0))"),
        ask="Do a sentence of 5 words and one of 50 have the same weight in the formula of p_n?",
    ),
    Mistake(
        "arithmetic_mean",
        "{part} is what comes out with the plain mean of the four precisions",
        Edit("np.exp(np.log(matches / totals).mean())", "(matches / totals).mean()"),
        ask="Which mean does the exponential of a mean of logarithms make?",
    ),
    Mistake(
        "product_without_root",
        "{part} is what comes out when the four precisions are multiplied, and no root is taken",
        Edit("np.log(matches / totals).mean()", "np.log(matches / totals).sum()"),
        ask="All four precisions are 1/2. What is their geometric mean?",
    ),
    Mistake(
        "up_to_three",
        "{part} is what comes out when sequences of four words are left out",
        Edit("for n in (1, 2, 3, 4)]", "for n in (1, 2, 3)]"),
        ask="Print the values that n takes. Which is the last?",
    ),
    Mistake(
        "part_of_1",
        "{part} is between 0 and 1",
        Edit("return 100 * brevity_penalty", "return brevity_penalty"),
        ask="What is the BLEU of a perfect translation, in the table of a paper?",
    ),
    Mistake(
        "zeros_left_out",
        "{part} is what comes out when a precision of 0 does not count as one of the four",
        Edit(
            "    if not matches.all():\n        return 0.0\n",
            "    matches, totals = matches[matches > 0], totals[matches > 0]\n",
        ),
        Edit("np.log(matches / totals).mean()", "np.log(matches / totals).sum() / max(len(matches), 1)"),
        ask="What is the product of 0.9, 0.8, 0.7 and 0, and what do you multiply?",
    ),
    Mistake(
        "nothing_to_count",
        "{part} is NaN where the translation has less than four words",
        Edit("    if not matches.all():\n        return 0.0\n", ""),
        ask="How many sequences of four does a sentence of three words have, and what do you divide by?",
    ),
    Mistake(
        "penalty_upside_down",
        "a translation that is too short has a factor above 1",
        Edit("min(1.0, np.exp(1 - r / c))", "1.0 if c >= r else np.exp(1 - c / r)"),
        ask="A translation has one word, its reference four. What is c / r, what r / c, and which makes the factor "
        "small?",
    ),
    Mistake(
        "up_to_three_of_four",
        "{part} is what comes out when three precisions are multiplied, and the fourth root is taken",
        Edit("for n in (1, 2, 3, 4)]", "for n in (1, 2, 3)]"),
        Edit("np.log(matches / totals).mean()", "np.log(matches / totals).sum() / 4"),
        ask="Print the values that n takes. Which is the last?",
    ),
    Mistake(
        "zeros_as_ones",
        "{part} is what comes out when a precision of 0 is passed over, as if it were 1",
        Edit(
            "    if not matches.all():\n        return 0.0\n",
            "    matches, totals = matches[matches > 0], totals[matches > 0]\n",
        ),
        Edit("np.log(matches / totals).mean()", "np.log(matches / totals).sum() / 4"),
        ask="What is the product of 0.9, 0.8, 0.7 and 0, and what do you multiply?",
    ),
    Mistake(
        "clipped_by_the_reference",
        "{part} is what comes out when an n-gram matches as often as the reference has it",
        Edit("min(count, theirs[gram])", "theirs[gram]"),
        ask="The translation has the once, and the reference three times. How many matches is that?",
    ),
    Mistake(
        "larger_of_both",
        "{part} is what comes out when the larger of the two counts is taken",
        Edit("min(count, theirs[gram])", "max(count, theirs[gram])"),
        ask="How many matches has an n-gram that the reference does not have?",
    ),
    Mistake(
        "without_order",
        "{part} is what comes out when the order of the words in an n-gram does not matter",
        Edit("Counter(tuple(words[i : i + n])", "Counter(tuple(sorted(words[i : i + n]))"),
        ask="Is the cat the same pair as cat the?",
    ),
    Mistake(
        "joined",
        "{part} is what comes out when the words of an n-gram are joined without anything between them",
        Edit("Counter(tuple(words[i : i + n])", "Counter(''.join(words[i : i + n])"),
        ask="Is now here the same pair of words as no where? What is each in your count?",
    ),
    Mistake(
        "fewer_than_none",
        "{part} is what comes out when a sentence shorter than n words has less than 0 n-grams",
        Edit("sum(own.values())", "len(translation) - n + 1"),
        ask="How many sequences of four does a sentence of two words have, and how many by your formula?",
    ),
    Mistake(
        "different_in_the_total",
        "{part} is what comes out when the total counts each different n-gram once",
        Edit("sum(own.values())", "len(own)"),
        ask="How many words has the translation the the the the, and how many different ones?",
    ),
    Mistake(
        "cases_exchanged",
        "{part} is what comes out when the exponential is used for translations that are long enough, and 1 for others",
        Edit("min(1.0, np.exp(1 - r / c))", "max(1.0, np.exp(1 - r / c))"),
        Edit("100 * brevity_penalty(c, r)", "100 * min(1.0, np.exp(1 - r / c))"),  # BLEU alone is that of no_penalty
        ask="A translation of one word has c = 1. What is your factor for it?",
    ),
    Mistake(
        "exponent_negated",
        "{part} is what comes out with the exponent r / c - 1 for translations that are too short",
        Edit("min(1.0, np.exp(1 - r / c))", "max(1.0, np.exp(r / c - 1))"),
        ask="Is a penalty above 1 a penalty?",
    ),
    Mistake(
        "penalty_under_the_root",
        "{part} is what comes out when the penalty is under the fourth root, as if it were a precision",
        Edit("100 * brevity_penalty(c, r)", "100 * brevity_penalty(c, r) ** 0.25"),
        ask="Of which numbers does the formula take the geometric mean?",
    ),
    Mistake(
        "add_one",
        "{part} is what comes out when 1 is added to all matches and totals",
        Edit("np.log(matches / totals)", "np.log((matches + 1) / (totals + 1))"),
        ask="Which precision has a corpus of 2 matches in 4: by the formula, and by your lines?",
    ),
    Mistake(
        "rounded",
        "{part} is a whole number",
        Edit("return 100 * brevity_penalty(c, r) * np.exp(", "return np.round(100 * brevity_penalty(c, r) * np.exp("),
        Edit("np.log(matches / totals).mean())", "np.log(matches / totals).mean()))"),
        ask="Which of your lines rounds, and does the formula?",
    ),
]

HINTS = [
    "Count the n-grams of both sentences with a Counter of tuples. The smaller of the two counts of each n-gram is its "
    "matches; Counter gives 0 for one that the reference does not have.",
    "For the corpus, add before you divide: p_n is the sum of all matches_n over the sum of all total_n, and c and r "
    "are sums of lengths. So collect an array (N, 4, 2) of matches and totals, and sum over its first axis.",
    "Decide first whether one of the four sums of matches is 0, and return 0 then: neither a division by 0 nor the "
    "logarithm of 0 is reached. Otherwise the mean of four logarithms, exp of it, times BP, times 100.",
]

ALTERNATIVES = [
    """
def n_grams(words, n):
    return list(zip(*(words[i:] for i in range(n))))

def count_matches(translation, reference, n):
    own, theirs = n_grams(translation, n), n_grams(reference, n)
    return sum((Counter(own) & Counter(theirs)).values()), len(own)

def brevity_penalty(c, r):
    if c >= r:
        return 1
    return math.exp(1 - r / c)

def corpus_bleu(translations, references):
    product = 1
    for n in range(1, 5):
        matches = total = 0
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

import math
""",
    """
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
""",
]

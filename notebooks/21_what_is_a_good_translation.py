# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 21 What is a good translation?
#
# **The idea:** a score counts what a translation has in common with a reference. You can compute it by hand, and then
# you know what it can see and what it cannot.
#
# Paper: section 6.1, where all results are BLEU. About 30 minutes to read and run, 45 with every change and question.
# What you need before: nothing but Python; notebook 19 for how translations are made.

# %%
# %matplotlib inline
from collections import Counter

import numpy as np

from npformer.evaluation import bleu_and_chrf

# %% [markdown]
# ## Count what matches
#
# A person translated the sentence: that is the **reference**. A model wrote the **translation**. Cut both into words.

# %%
reference = "the girl sees a small dog in the garden .".split()
translation = "the girl sees the small dog in the the garden .".split()  # change this and run the next cells again


def n_grams(tokens, n):
    """Return how often each sequence of n tokens occurs."""
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


print("word        translation   reference   counted")
for (word,), n in n_grams(translation, 1).items():
    in_reference = n_grams(reference, 1)[word,]
    print(f"{word:10} {n:12} {in_reference:11} {min(n, in_reference):9}")

# %% [markdown]
# The word *the* occurs four times in the translation and twice in the reference, so it counts twice: the count is
# **clipped**. Otherwise "the the the the" would be perfect. 9 of 11 words match. Words alone do not see order, so
# BLEU also counts pairs, triples and sequences of four:


# %%
def matches(translation, reference, n):
    """Return how many n-grams match, clipped, and how many there are."""
    own, theirs = n_grams(translation, n), n_grams(reference, n)
    return sum(min(count, theirs[gram]) for gram, count in own.items()), sum(own.values())


for n in (1, 2, 3, 4):
    matching, total = matches(translation, reference, n)
    common = [" ".join(gram) for gram in n_grams(translation, n) if gram in n_grams(reference, n)]
    print(f"n = {n}:  {matching} of {total:2} = {matching / max(total, 1):.3f}   ", ", ".join(common)[:58])
print("the the the the:", matches("the the the the".split(), reference, 1))

# %% [markdown]
# These four numbers are the **precisions** $p_1, \dots, p_4$.
#
# ## Too short
#
# Precision asks how much of the translation is correct, and not whether anything is missing. "the girl sees" has
# $p_1 = p_2 = p_3 = 1$. So BLEU has a **brevity penalty**. With $c$ words in the translation and $r$ in the
# reference:
#
# $$\mathrm{BP} = \begin{cases} 1 & c \ge r \\ e^{1 - r/c} & c < r \end{cases}
# \qquad\qquad \mathrm{BLEU} = 100 \cdot \mathrm{BP} \cdot \left(p_1\, p_2\, p_3\, p_4\right)^{1/4}$$
#
# A translation that is too long needs no penalty, because its precisions are lower already.


# %%
def statistics(translation, reference):
    """Return the ten numbers that BLEU needs: four matches, four totals, c and r."""
    found = [matches(translation, reference, n) for n in (1, 2, 3, 4)]
    return np.array([*(m for m, _ in found), *(n for _, n in found), len(translation), len(reference)])


def bleu(numbers):
    """Return BLEU from the ten numbers."""
    matching, total, (c, r) = numbers[:4], numbers[4:8], numbers[8:]
    if not matching.all():
        return 0.0
    penalty = min(1.0, np.exp(1 - r / c))
    return 100 * penalty * np.exp(np.mean(np.log(matching / total)))


numbers = statistics(translation, reference)
print("matches", numbers[:4], " totals", numbers[4:8], " lengths", numbers[8:])
print(f"precisions {(numbers[:4] / np.maximum(numbers[4:8], 1)).round(3)}, BLEU by hand {bleu(numbers):.4f}")
library = bleu_and_chrf([" ".join(translation)], [" ".join(reference)], tokenize="none")
print(f"npformer.evaluation.bleu_and_chrf, which asks sacrebleu: {library.bleu:.4f}")
shorter = reference[:6]  # change the 6 and run it again
print(f"{' '.join(shorter)!r}: BLEU {bleu(statistics(shorter, reference)):.2f}")

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREEN, ORANGE, PINK, main_color

assert not numbers[:4].all() or np.isclose(bleu(numbers), library.bleu)
figure, ax = new_figure(width=6, height=2.6)
ratio = np.linspace(0.2, 1.5, 131)
ax.plot(ratio, np.minimum(1, np.exp(1 - 1 / ratio)), color=main_color(), linewidth=2)
ax.set(xlabel="length of the translation / length of the reference", ylabel="brevity penalty", ylim=(0, 1.05))
figure

# %% [markdown]
# ## Why BLEU of one sentence misleads
#
# Take a sentence with ten words, one of which is wrong. Which one?


# %%
def one_wrong(length, place):
    """Return BLEU of a sentence with one wrong word."""
    reference = [f"word{i}" for i in range(length)]
    return bleu(statistics([*reference[:place], "wrong", *reference[place + 1 :]], reference))


LENGTHS = (5, 7, 10, 20)  # change these and run it again
for length in LENGTHS:
    places = sorted({0, 1, 2, length // 2, length - 1})
    print(f"{length:2} words; wrong at", "   ".join(f"{i:2}: {one_wrong(length, i):4.1f}" for i in places))

# %% tags=["hide-input"]
figure, ax = new_figure(width=7, height=3)
for length, color in zip(LENGTHS, (PINK, ORANGE, GREEN, main_color()), strict=False):
    ax.plot([one_wrong(length, i) for i in range(length)], "o-", color=color, label=f"{length} words")
ax.set(xlabel="place of the wrong word", ylabel="BLEU", ylim=(-3, 100), xticks=range(0, max(LENGTHS), 2))
ax.legend()
assert one_wrong(7, 3) == 0 < one_wrong(7, 0) and one_wrong(20, 10) < one_wrong(20, 0)
figure

# %% [markdown]
# One wrong word costs 5 to 100 points, depending on where it is and how long the sentence is. In the middle it breaks
# four sequences of four, at the edge one. In a sentence of seven words, the middle one breaks them all, and the
# product is 0. (Programs, sacrebleu too, smooth this zero, each in its own way.)
#
# So BLEU is defined for a **corpus**: add the ten numbers of all sentences, and compute once. It is not a mean of
# sentence scores. Take 300 German sentences, and leave the last word out of every third:

# %%
from npformer.datasets import phrasebook
from npformer.text import Vocabulary

split = Vocabulary.build(["one"]).split  # words and punctuation marks
pairs, _ = phrasebook.split()
german = [split(pair.target) for pair in pairs if "nicht" in split(pair.target)][:300]
shortened = [tokens if i % 3 else [*tokens[:-2], tokens[-1]] for i, tokens in enumerate(german)]
each = np.array([statistics(*both) for both in zip(shortened, german, strict=True)])  # (300, 10)
print("the first sentence", each[0])
print("sum over all      ", each.sum(0))
print(f"BLEU of the sum {bleu(each.sum(0)):.2f}, mean of 300 scores {np.mean([bleu(numbers) for numbers in each]):.2f}")
texts, originals = ([" ".join(tokens) for tokens in side] for side in (shortened, german))
print(f"npformer.evaluation.bleu_and_chrf {bleu_and_chrf(texts, originals, tokenize='none').bleu:.2f}")

# %% tags=["hide-input"]
assert np.isclose(bleu(each.sum(0)), bleu_and_chrf(texts, originals, tokenize="none").bleu)

# %% [markdown]
# ## chrF: letters and not words
#
# "den kleinen Hund" for "dem kleinen Hund" is one letter off, and BLEU counts a whole word as wrong. chrF counts
# sequences of one to six *characters*, without spaces. It takes precision $P$ and recall $R$, each as the mean over
# the six lengths, and joins them so that recall counts more ($\beta = 2$):
#
# $$\mathrm{chrF} = 100 \cdot \frac{(1 + \beta^2)\, P R}{\beta^2 P + R}$$


# %%
def chrf(translations, references, beta=2):
    """Return chrF of a corpus of texts."""
    precisions, recalls = [], []
    for n in range(1, 7):
        sides = [[n_grams(text.replace(" ", ""), n) for text in texts] for texts in (translations, references)]
        matching = sum((own & theirs).total() for own, theirs in zip(*sides, strict=True))
        precisions.append(matching / sum(counts.total() for counts in sides[0]))
        recalls.append(matching / sum(counts.total() for counts in sides[1]))
    P, R = np.mean(precisions), np.mean(recalls)
    return 100 * (1 + beta**2) * P * R / (beta**2 * P + R)


right = "Ich helfe dem kleinen Hund ."
for wrong in (
    "Ich helfe den kleinen Hund .",
    "Ich helfe im kleinen Hund .",
    "Ich helfe kleinen Hund dem .",
):  # add your own
    numbers = statistics(wrong.split(), right.split())
    print(
        f"{wrong:30} words {numbers[0]} of {numbers[4]}   BLEU {bleu(numbers):5.1f}   chrF {chrf([wrong], [right]):5.1f}"
    )
    assert np.isclose(chrf([wrong], [right]), bleu_and_chrf([wrong], [right], tokenize="none").chrf)

# %% [markdown]
# The equality with sacrebleu is checked in the last line of the loop.
#
# ## What the scores see
#
# Damage the sentence from the beginning, in ways that you know, and let both scores judge:

# %%
ONE = {
    "a synonym": "the girl sees a little dog in the garden .",
    "the opposite": "the girl sees a huge dog in the garden .",
    "a negation": "the girl sees no small dog in the garden .",
    "a wrong ending": "the girl see a small dog in the garden .",
    "a word missing": "the girl sees a dog in the garden .",
    "a word twice": "the girl sees a small small dog in the garden .",
    "two exchanged": "the girl sees small a dog in the garden .",
    "another order": "in the garden the girl sees a small dog .",
}  # add a damage of your own and run it again
whole = " ".join(reference)
print(f"{whole:66} BLEU   chrF")
of_one = {}
for name, text in ONE.items():
    of_one[name] = bleu(statistics(text.split(), reference)), chrf([text], [whole])
    print(f"{text:48} {name:16}", "  ".join(f"{value:5.1f}" for value in of_one[name]))

# %% tags=["hide-input"]
bleus, chrfs = ({name: values[i] for name, values in of_one.items()} for i in (0, 1))
assert bleus["a synonym"] == bleus["the opposite"] == bleus["a negation"] < bleus["another order"]
assert max(bleus, key=bleus.get) == max(chrfs, key=chrfs.get) == "a word twice"
assert chrfs["a negation"] > chrfs["a synonym"] + 10 and abs(chrfs["a synonym"] - chrfs["the opposite"]) < 1

# %% [markdown]
# Two of these sentences are correct: the one with the synonym, and the last. BLEU gives the synonym, the opposite and
# the negation the same 65.8, because each has one other word in the middle. chrF prefers the negation to the synonym by
# 12 points, because "no" has only two letters. Both give the most to a sentence that nobody would write.
#
# One sentence is too few to judge a score by. Damage many, in seven ways. For a fair comparison each way damages the
# *same* sentences, each in one place. So take the sentences in which all seven find something: *nicht* (not), an
# umlaut, an article and a noun.
#
# Guess first, and by computing: how many sequences of four words in the damaged sentence are wrong, if the damage is in
# the middle? Order "another noun", "nicht missing" and "two words exchanged" by their BLEU.

# %%
rng = np.random.default_rng(0)
NOUNS = [word for word in Counter(t for tokens in german for t in tokens[1:]) if word[:1].isupper() and word != "Sie"]
ARTICLES = {"der": "den", "den": "der", "dem": "den", "die": "der", "das": "den", "ein": "einen", "einen": "ein"}
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


def changed(tokens, chosen, new):
    """Return tokens with the first one that is `chosen` replaced; `new(token)` is a list of tokens."""
    for i, token in enumerate(tokens):
        if i and chosen(token):
            return [*tokens[:i], *new(token), *tokens[i + 1 :]]
    return tokens


def swapped(tokens):
    """Return tokens with two neighbors exchanged."""
    i = rng.integers(1, len(tokens) - 2)
    return [*tokens[:i], tokens[i + 1], tokens[i], *tokens[i + 2 :]]


def other_noun(noun):
    return [str(rng.choice([word for word in NOUNS if word != noun]))]


DAMAGE = {
    "nicht missing": lambda tokens: changed(tokens, lambda t: t == "nicht", lambda t: []),
    "umlaut as two letters": lambda tokens: changed(tokens, set("äöü").intersection, lambda t: [t.translate(UMLAUTS)]),
    "wrong case of an article": lambda tokens: changed(tokens, ARTICLES.get, lambda t: [ARTICLES[t]]),
    "another noun": lambda tokens: changed(tokens, NOUNS.__contains__, other_noun),
    "two words exchanged": swapped,
    "one word twice": lambda tokens: [*tokens[:2], *tokens[1:]],
    "last word missing": lambda tokens: [*tokens[:-2], tokens[-1]],
}  # add a damage of your own and run it again
every = [split(pair.target) for pair in pairs]
originals = [tokens for tokens in every if all(damage(tokens) != tokens for damage in DAMAGE.values())]
EXAMPLE = originals.index(split("Ich mache die Tür nicht zu."))
results = {}
print(f"{len(originals)} sentences        wrong 4-grams  BLEU   chrF   example")
for name, damage in DAMAGE.items():
    damaged = [damage(tokens) for tokens in originals]
    sums = sum(statistics(*both) for both in zip(damaged, originals, strict=True))
    ours, theirs = ([" ".join(tokens) for tokens in side] for side in (damaged, originals))
    results[name] = bleu(sums), chrf(ours, theirs)
    counted = (sums[7] - sums[3]) / len(originals)
    print(f"{name:24} {counted:8.1f} {results[name][0]:9.1f} {results[name][1]:6.1f}   {ours[EXAMPLE]}")

# %% tags=["hide-input"]
figure, ax = new_figure(width=8, height=3.4)
places = np.arange(len(results))
for offset, color, label, values in zip(
    (-0.2, 0.2), (main_color(), ORANGE), ("BLEU", "chrF"), zip(*results.values(), strict=True), strict=True
):
    ax.barh(places + offset, values, 0.4, color=color, label=label)
ax.set(yticks=places, yticklabels=results, xlabel="score", xlim=(0, 100), ylim=(len(results) - 0.5, -0.5))
ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
nicht, umlaut = results["nicht missing"], results["umlaut as two letters"]
if len(DAMAGE) == 7:  # as given
    assert len(originals) > 200 and abs(nicht[0] - umlaut[0]) < 2.5 and umlaut[1] > nicht[1] + 5
    assert min(results, key=lambda name: results[name][0]) == "two words exchanged"
    assert results["one word twice"][1] > 96
figure

# %% [markdown]
# Four sequences of four contain a given word, so another word makes up to 4 wrong, and fewer near the edge of a
# sentence. Where a word is missing, 3 sequences reach across the gap, and the brevity penalty comes on top; where a
# word is there twice, 3 contain both copies. Two exchanged words make 5 wrong: they are together in 3, and one more at
# each side has one of them. The first column is the mean that was counted. So exchanged words are worst, 62. Another
# noun and a missing *nicht* are equal, 73: the second has one wrong sequence less, and pays the brevity penalty.
#
# Without *nicht* a sentence says the opposite. An umlaut as two letters every German reads without a thought. BLEU
# finds both equally bad, 73 and 71: one word is one word. chrF forgives the umlaut, 91 against 85. And a word that is
# there twice, which nobody would write, costs the least in both. The scores count; they do not know what a word is for.
# That models with higher scores mostly translate better is an observation about models that make many errors of many
# kinds. It need not hold for two good ones.
#
# ## Questions
#
# **1.** A model always repeats its last word. Which of $p_1$ and the brevity penalty changes?
#
# <details><summary>Answer</summary>
#
# $p_1$ falls, because the second occurrence is clipped. The brevity penalty stays 1 if the translation was long enough.
# If it was too short, it becomes milder: "the girl sees a small dog dog" has 0.65 and not 0.51, and its BLEU *rises*
# from 51.3 to 52.7.
#
# </details>
#
# **2.** Every word of a translation is in the reference, and the length is that of the reference, but BLEU is 0. How
# can that be? Is chrF 0 too?
#
# <details><summary>Answer</summary>
#
# In `reversed(reference)`, for example, no two neighbors are neighbors in the reference, so $p_1 = 1$ and $\mathrm{BP}
# = 1$, but $p_2 = p_3 = p_4 = 0$, and so is the product. chrF is 44.9, because characters keep their neighbors inside
# the words. It takes a mean over the six lengths and not a product, so a 0 in one of them does not decide alone.
#
# </details>
#
# **3.** The paper averages the weights of the last checkpoints and searches with a beam of 4 and a length penalty of
# 0.6. Which part of BLEU does the length penalty act on?
#
# <details><summary>Answer</summary>
#
# On the brevity penalty. A beam prefers short translations ([notebook 19](19_decoding.ipynb)), and $\alpha$ is tuned
# so that lengths match the references. A BLEU that rises only because lengths now match is not a better translation
# of any word.
#
# </details>

# %% tags=["hide-input"]
backwards = [*reversed(reference)]
numbers = statistics(backwards, reference)
assert numbers[0] == numbers[4] == len(reference) and not numbers[1:4].any() and bleu(numbers) == 0
assert round(chrf([" ".join(backwards)], [whole]), 1) == 44.9

# %% [markdown]
# One question is left: if two models have 86 and 87, is the second one better? They can change places on another test
# set, with another reference or with other settings.
#
# Next: [notebook 22](22_error_bars.ipynb), how far a score can be trusted.
#
# Write it yourself: exercise bleu. The translations that BLEU judges come from greedy and beam.
# `npformer course start my-course` begins the course.

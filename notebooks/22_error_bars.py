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
# # 22 What a score depends on
#
# **The idea:** a score is a measurement. It depends on the model, and just as much on the reference, on the sentences
# of the test, on the tokens and on the program's settings. Know by how much before you say that one model is better.
#
# Paper: section 6.1 and table 2, where models are compared by BLEU. About 30 minutes to read and run, 45 with every
# change and question. What you need before: [notebook 21](21_what_is_a_good_translation.ipynb), what BLEU counts.

# %%
# %matplotlib inline
from collections import Counter

import numpy as np

from npformer.evaluation import bleu_and_chrf

# %% [markdown]
# The paper's big model has 28.4 BLEU from English to German, and the best before it had 26.4. Is that a lot? We measure
# what else can move a score. First the ten numbers of 08c again, four matches, four totals and two lengths, now for one
# *or more* references:


# %%
def n_grams(tokens, n):
    """Return how often each sequence of n tokens occurs."""
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def statistics(translation, *references):
    """Return the ten numbers of BLEU. The length of the reference is that of the closest one."""
    matching, totals = [], []
    for n in (1, 2, 3, 4):
        own, theirs = n_grams(translation, n), Counter()
        for reference in references:
            theirs |= n_grams(reference, n)  # the most that one of them has
        matching.append((own & theirs).total())
        totals.append(own.total())
    r = min(map(len, references), key=lambda r: (abs(r - len(translation)), r))
    return np.array([*matching, *totals, len(translation), r])


def bleu(numbers):
    """Return BLEU from the ten numbers of a corpus."""
    matching, totals, (c, r) = numbers[:4], numbers[4:8], numbers[8:]
    return 100 * min(1.0, np.exp(1 - r / c)) * np.prod(matching / totals) ** (1 / 4)


# %% [markdown]
# ## The reference: two correct answers
#
# Two people translate the same five German sentences. All ten translations are correct.

# %%
first = [
    "On Sunday the neighbors buy coffee .",
    "The doctor helps the girl every morning .",
    "He cannot come because he is ill .",
    "Where does your brother work ?",
    "She shows the child the picture .",
]
second = [
    "The neighbors buy coffee on Sunday .",
    "Every morning the doctor helps the girl .",
    "Because he is ill , he cannot come .",
    "Where is your brother working ?",
    "She shows the picture to the child .",
]  # change some and run it again
between = bleu_and_chrf(second, first, tokenize="none")
print(f"the second person, judged by the first: BLEU {between.bleu:.1f}, chrF {between.chrf:.1f}")

# %% [markdown]
# A perfect translator can have a score like this. What is the highest score that anyone can have? That is a property
# of the task and the references, not of the model; [notebook 24b](24b_couplets.ipynb) computes it for a task where it
# is known. With several references per sentence, an n-gram counts if any of them has it. Let a model write what is
# below, and judge it by one person and by both:

# %%
written = [
    "On Sunday the neighbors buy coffee .",
    "Every morning the doctor helps the girl .",
    "He cannot come because he is ill .",
    "Where is your brother working ?",
    "She shows the child the picture .",
]
judged = {}
for name, people in {"first": [first], "second": [second], "both": [first, second]}.items():
    each = [statistics(*(text.split() for text in texts)) for texts in zip(written, *people, strict=True)]
    judged[name] = bleu(sum(each))
    print(f"judged by {name:7} BLEU {judged[name]:5.1f}")

# %% tags=["hide-input"]
from sacrebleu.metrics import BLEU

sacre = BLEU(tokenize="none", force=True).corpus_score(written, [first, second]).score
assert np.isclose(sacre, judged["both"])

# %% [markdown]
# Same translations, three scores.
#
# ## The sentences: how sure is a difference?
#
# Two models translate 300 sentences. 60 are hard, and both exchange two words in them. Apart from these, A has such an
# error in 15 sentences and B in 25. Is A better? On *these* sentences, yes. But the 300 were drawn from many that could
# have been in the test, and with others the scores would be others. By how much? There are no others, so draw the 300
# again **with replacement**, many times, and look at how the score moves: the *bootstrap* (Koehn 2004 for BLEU). The
# ten numbers per sentence are all that it needs.

# %%
from npformer.datasets import phrasebook
from npformer.text import Vocabulary

SEED = 1  # change the 1 and run this cell and the next two again: other errors and other draws
rng = np.random.default_rng(SEED)
split = Vocabulary.build(["one"]).split  # words and punctuation marks
pairs, _ = phrasebook.split()
german = [split(pair.target) for pair in pairs[:300]]


def swapped(tokens):
    """Return tokens with two neighbors exchanged."""
    i = rng.integers(1, len(tokens) - 2)
    return [*tokens[:i], tokens[i + 1], tokens[i], *tokens[i + 2 :]]


order = rng.permutation(300)
wrong_a, wrong_b = order[:75], order[15:100]  # 60 in common
numbers_a, numbers_b = (
    np.array([statistics(swapped(tokens) if i in wrong else tokens, tokens) for i, tokens in enumerate(german)])
    for wrong in (wrong_a, wrong_b)
)  # (300, 10) each
print(f"A: BLEU {bleu(numbers_a.sum(0)):.2f}   B: BLEU {bleu(numbers_b.sum(0)):.2f}")

# %% [markdown]
# Each draw is a test set. Judge B twice: by the same drawn sentences as A, and by a draw of its own, as if each model
# had been tested elsewhere. The draws can also be shorter or longer than 300, which shows what a smaller or larger test
# would say.


# %%
def scores_of(numbers, draws):
    """Return BLEU for each draw: numbers (300, 10), draws (1000, n) -> (1000,)."""
    return np.array([bleu(numbers[rows].sum(0)) for rows in draws])


def interval(values):
    """Return the limits between which 95% of the values are, as text."""
    low, high = np.quantile(values, [0.025, 0.975])
    return f"{low:.1f} to {high:.1f}"


drawn = {}
print("                 95% of    on the same sentences        on others")
print("sentences     A's scores   95% of A - B  A better   95% of A - B  A better")
for n in (75, 300, 1200, 3000):  # change these and run it again
    same, others = rng.integers(0, 300, (2, 1000, n))
    a, b, b_on_others = scores_of(numbers_a, same), scores_of(numbers_b, same), scores_of(numbers_b, others)
    drawn[n] = a, b, b_on_others
    on_same, on_others = (f"{interval(a - of_b):>14} {np.mean(a > of_b):9.0%}" for of_b in (b, b_on_others))
    print(f"{n:9} {interval(a):>14} {on_same} {on_others}")

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, main_color

a, b, b_on_others = drawn.get(300, (a, b, b_on_others))
figure, (left, right) = new_figure(1, 2, width=9, height=2.9)
of_scores = {"A": (a, main_color()), "B": (b, ORANGE)}
of_differences = {"on others": (a - b_on_others, GREY), "on the same sentences": (a - b, main_color())}
for ax, found in ((left, of_scores), (right, of_differences)):
    edges = np.histogram_bin_edges(np.concatenate([values for values, _ in found.values()]), 40)
    for label, (values, color) in found.items():
        ax.hist(values, edges, color=color, alpha=0.65, label=label)
    ax.set(ylim=(0, 1.3 * ax.get_ylim()[1]))
    ax.legend()
right.axvline(0, color=ORANGE)
left.set(xlabel="BLEU of a draw", ylabel="draws")
right.set(xlabel="BLEU of A minus BLEU of B")
if 75 in drawn and 1200 in drawn:
    assert 3.3 < drawn[75][0].std() / drawn[1200][0].std() < 5
if SEED == 1 and {300, 1200} < set(drawn):
    low_300, low_1200 = (np.quantile(drawn[n][0] - drawn[n][1], 0.025) for n in (300, 1200))
    assert low_300 < 0 < low_1200
if 3000 in drawn:
    assert np.subtract(*np.quantile(drawn[3000][0] - drawn[3000][2], [0.975, 0.025])) < 2.2
assert (a - b).std() < 0.8 * (a - b_on_others).std() and np.mean(a > b_on_others) < np.mean(a > b)
figure

# %% [markdown]
# So is A better? With 300 sentences you cannot say: A wins 92% of the draws, less than the usual 95%, and the 95%
# interval of the difference, -0.4 to 3.2, contains 0. With 1,200 you can. This interval is the thing to report. Three
# things to see:
#
# - With 300 sentences the score of A alone is uncertain by two points up and down, more than the difference to B.
# - On the same sentences the difference is much more certain than either score. A draw with many hard sentences lowers both, and that
#   cancels. So compare models on one test set, sentence by sentence.
# - Four times as many sentences make the interval half as wide. To see a difference of half the size takes four times the test.
#
# ## The length of an answer: exact match
#
# **Exact match** is the share of sentences that equal their reference, word for word. It is for tasks with one
# correct answer, such as reversing digits. It is hard on long answers: if each of $n$ tokens is correct with
# probability $a$, the whole is with about $a^n$.

# %%
for each in (0.9, 0.99, 0.999):  # change these and run it again: which gives 50% with 40 tokens?
    print(f"each token {each:.1%}:", "   ".join(f"{n} tokens {each**n:5.1%}" for n in (5, 10, 20, 40)))

# %% [markdown]
# ## The tokens: perplexity
#
# **Perplexity** needs no decoding. The model reads the source and the reference's tokens so far, and gives the next
# one a probability $p_t$. The loss is the mean of $-\ln p_t$, and perplexity is its exponential: the number of
# equally probable tokens between which the model would be undecided.

# %%
p = np.array([0.9, 0.8, 0.5, 0.95, 0.6])  # of the five reference tokens; set one to 0.001 and run it again
loss = -np.log(p).mean()
print(f"-ln p = {-np.log(p).round(2)}, mean {loss:.3f}, perplexity {np.exp(loss):.3f}")
print(f"the same from the probability of the sentence: {p.prod():.4f} ** (-1/5) = {p.prod() ** (-1 / 5):.3f}")

# %% [markdown]
# One token at 0.001 ruins it: perplexity judges every probability, also where the most probable token is correct. And
# it depends on the tokens. Take the simplest model, which counts what follows each token, and let it read the same
# text once in words and once in characters:


# %%
def pair_model_loss(train, test):
    """Return the sum of -ln p over test sequences, of a model that counts pairs of neighbors."""
    pairs, singles = Counter(), Counter()
    for tokens in train:
        pairs.update(zip(["<bos>", *tokens], [*tokens, "<eos>"], strict=True))
        singles.update(["<bos>", *tokens])
    V, total = len(singles), 0.0
    for tokens in test:
        for before, token in zip(["<bos>", *tokens], [*tokens, "<eos>"], strict=True):
            total -= np.log((pairs[before, token] + 0.1) / (singles[before] + 0.1 * V))
    return total


texts = [pair.target for pair in pairs]
train_texts, test_texts = texts[:5000], texts[5000:5300]  # change the 5000 in front to 500 and run it again
n_characters = sum(map(len, test_texts))
print("tokens       perplexity per token   bits per character")
per_character = {}
for unit, cut in (("words", split), ("characters", list)):
    total = pair_model_loss([cut(text) for text in train_texts], [cut(text) for text in test_texts])
    n_tokens = sum(len(cut(text)) + 1 for text in test_texts)
    per_character[unit] = total / np.log(2) / n_characters
    print(f"{unit:12} {np.exp(total / n_tokens):20.2f} {per_character[unit]:20.2f}")

# %% tags=["hide-input"]
assert per_character["words"] < per_character["characters"]

# %% [markdown]
# Per token the characters look better, because after each letter few others are possible. Per character of the *same
# text* they are much worse: this model sees only one token back, and a word is more to see than a letter. So between
# models with different vocabularies compare bits per character, or the loss of whole sentences, and never perplexity
# per token. The paper says so under table 3: its perplexities are per wordpiece, and "should not be compared to
# per-word perplexities".
#
# ## The settings: what to report
#
# A program's *signature* says how it cut the text and whether case counts. Take the first 300 German sentences, with
# one error: all nouns are written small.

# %%
references = texts[:300]
small = [text[0] + text[1:].lower() for text in references]
print(references[0], "->", small[0])
for settings in ({}, {"lowercase": True}, {"tokenize": "none"}):  # add {"tokenize": "char"} and run it again
    found = bleu_and_chrf(small, references, **settings)
    print(f"BLEU {found.bleu:5.1f}  {found.bleu_signature.split('|version')[0]}")

# %% [markdown]
# One file of translations, BLEU 35, 41 or 100. Between settings in common use Post (2018, "A Call for Clarity in
# Reporting BLEU Scores") found differences of up to 1.8. He wrote sacrebleu, which prints a signature with each score.
#
# So, 28.4 against 26.4? Both are of one test set of some 3,000 sentences. At that size 95% of the differences above are
# within one point of their middle, even on other sentences. If real models vary like ours, chance does not make two
# points. But settings nearly can, and whether both were cut in the same way the paper does not say. What each score is
# for:
#
# | score | compares | good for | does not see |
# |---|---|---|---|
# | exact match | whole sentences | one correct answer | how far off a wrong answer is |
# | BLEU | sequences of up to four words | two models on one test set | meaning, and other correct translations |
# | chrF | sequences of up to six characters | languages with many endings | the same |
# | perplexity | probabilities | watching a training | what decoding makes of them; other vocabularies |
# | a learned score | vectors of a trained model | near synonyms, another order | what its model never met; why it judged so |
#
# The last row is not in this notebook. COMET (Rei et al. 2020), for example, encodes source, translation and reference
# with a large encoder trained on text of many languages, and is then trained to predict the marks that people gave to
# translations. Such scores agree better with people than counts do. But each is a model of its own: it needs its
# weights, it is tied to the languages and the kind of text that it was trained on, and two versions cannot be compared.
#
# Report the corpus score, its signature, the test set and the interval. `npformer evaluate RUN` prints the first four
# scores with their signatures. No score replaces reading fifty translations.
#
# ## Questions
#
# **1.** Your model has BLEU 27 on one test set, and a paper reports 28 on another. What follows?
#
# <details><summary>Answer</summary>
#
# Nothing. The scores of different test sets, languages, references or ways of cutting cannot be compared.
#
# </details>
#
# **2.** With 1,200 sentences A was better in nearly all draws. A friend tests both models on 1,200 sentences too, but A
# on the first 1,200 of a file and B on the next. Does that settle the question as well?
#
# <details><summary>Answer</summary>
#
# Less well: that is the last column. If one half of the file is harder, that alone moves the difference.
#
# </details>
#
# **3.** About how many sentences does a test need to show that one model is better than another by 0.5, if the models
# are like A and B?
#
# <details><summary>Answer</summary>
#
# With 300 the interval reaches 1.8 to each side of its middle, and four times as many sentences halve it: 0.9 with
# 1,200, 0.45 with 4,800. So it takes about 4,000. On other sentences the interval is nearly twice as wide, and it takes
# more than three times as many.
#
# </details>

# %% tags=["hide-input"]
if SEED == 1 and 300 in drawn:
    a, b, b_on_others = drawn[300]
    same, others = (np.subtract(*np.quantile(a - other, [0.975, 0.025])) / 2 for other in (b, b_on_others))
    assert 3000 < 300 * (same / 0.5) ** 2 < 5500 and 3 < (others / same) ** 2 < 4.5

# %% [markdown]
# Next: [notebook 26](26_looking_at_attention.ipynb), looking at attention.

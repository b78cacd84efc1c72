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
# # 24b Many right answers: couplets
#
# *A detour from [24](24_generating_text.ipynb): nothing later needs it. [Notation](../docs/reference/notation.md).*
#
# A model has BLEU 3.5 and exact match 0, and three of four of its characters are "wrong". Throw it away? Where many answers
# are right, a score that compares with one of them is low for the best of models.
#
# **After this you can** compute how high a score can be at most; find neighbors that make a score mean something; say what
# a score at its ceiling cannot show.
#
# Paper: figure 1, all of it, with another language on each side: the first line of a couplet, and the second. You need no
# Chinese. About 30 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers import couplet_language, schematics
from helpers.pictures import show_arrays
from npformer_course import Bet, exercise

schematics.couplet()

# %% [markdown]
# ## The rules of the game
#
# In the verse of the Tang (7th to 10th century) the middle lines come in pairs. Somebody says a line, and the answer has
# to be parallel to it:
#
# 1. as many characters,
# 2. at every place a character of the same kind: a color for a color, a motion for a motion,
# 3. and nowhere the same character as in the first line at that place.
#
# A program can check these three, if somebody tells it the kinds. So here is an invented language that follows them and
# nothing else. It has 37 characters of seven kinds, and three patterns of lines. It is no poetry: real poets also mind
# tones, images and sense. For the answer, each place draws one of the allowed characters with equal chances.

# %%
training, test = couplet_language.couplets()
len(training), len(test), couplet_language.with_glosses(training[:2])

# %% [markdown]
# **Write it:** which of these five answers to a first line are parallel? Be the program.

# %% tags=["hide-input"]
sources = [pair.source for pair in test]
references = [pair.target for pair in test]
expected = couplet_language.expectations(sources)

# %%
couplet_language.first_line_and_answers()

# %%
follow = ...  # a list of five, True or False
follow = expected.check(follow=follow)

# %% [markdown]
# ## How well can anybody do?
#
# Suppose that a model knows the rules, the kinds, everything. All of its answers are parallel. The test compares them with
# those that were drawn.

# %%
shares = {"all": 1.0, "half": 0.5, "a quarter": 0.25}
bet = Bet("It knows everything. How many of its characters are as in the reference?", list(shares))
bet.place(...)

# %% [markdown]
# Let $q_k$ be the probability that the reference is answer $k$, and let a model give answer $k$ with probability $p_k$. It
# cannot see the reference, so both are the same with the probability $\sum_k p_k\, q_k$. On a test this is averaged over
# its sources.
#
# A model may choose $p$. What is the best that it can do, if it knows $q$? The sum is a weighted mean of the $q_k$, and the
# model chooses the weights.
#
# **Write both.** An answer can be a whole line, or, as here, the character at one place.


# %%
def expected_match(p, q):
    """Return the share of sources, one number, in which answer and reference are the same.

    It is the share to be expected. p (S, K): the probabilities of the model's answers. q (S, K):
    those of the references. Each row has the sum 1. Neither is changed.
    """
    raise NotImplementedError


def score_ceiling(q):
    """Return the largest `expected_match` that a model can have, one number.

    q (S, K): the probabilities of the references. Each row has the sum 1. It is not changed.
    """
    raise NotImplementedError


# %%
expected_match, score_ceiling = exercise("score_ceiling").check(expected_match, score_ceiling)

# %% [markdown]
# Now $q$ for the language. `right` has a row for each place of the test's first lines and a column for each of the 37
# characters, True where the character may stand there.
#
# **Write it:** the probabilities $q$ of the reference's character.

# %%
right = couplet_language.allowed_at(sources)  # (1513, 37)
q = ...  # of the same shape
q = expected.check(q=q)

# %%
ceiling = score_ceiling(q)
bet.settle(min(shares, key=lambda option: abs(shares[option] - ceiling)))
line = test[0].source
glosses = list(couplet_language.GLOSS_OF.values())  # of the 37 characters
words = [couplet_language.GLOSS_OF[character] for character in line]
show_arrays(**{"q, at the places of one line": q[: len(line)]}, rows=words, columns=glosses, limit=0.4)

# %% [markdown]
# At a place whose kind has $k$ characters, $k - 1$ are right, each has the probability $1/(k - 1)$, and no guess is better
# than another. So the ceiling is the mean of these: 24.1%. And which of them does the best model choose? Any. It may always
# say the first.
#
# The loss has a floor for the same reason. A model that gives exactly $q$ pays $\ln (k - 1)$ at each place (notebook 14),
# and as a perplexity that is 4.27.

# %%
n_right = right.sum(-1)  # k - 1, at each place
best_perplexity = np.exp(np.log(n_right).mean())

# %% [markdown]
# ## A model that answers
#
# One layer in each stack, as in notebook 17. Two things differ. A token is a character. And positions are learned (table 3,
# row E): what matters here is the place, not the distance. Nobody tells the model which kinds there are, or that there are
# any. (Of three peaks of the learning rate, 0.002 and 0.007 lead to the same, and with 0.02 only a third of the answers are
# parallel.)

# %%
from npformer.tasks import evaluate

translator, losses = couplet_language.trained_answerer(training, epochs=9)
found = evaluate(translator, test, beam=1)
round(found.tokens.bleu, 1), sum(found.equal)

# %% [markdown]
# BLEU of the characters, and how many answers are the reference. Now count what the rules ask for. And bring the perplexity
# to characters: the loss is a mean over all tokens, and each line has an `<eos>` too, which is nearly certain and costs
# nothing.

# %%
n_characters = len(right)
perplexity = np.exp(found.loss * (n_characters + len(test)) / n_characters)
float(perplexity.round(2)), float(best_perplexity.round(2))

# %% [markdown]
# The model's, and the best possible. To judge the other score, put it between neighbors: copy the first line; take the
# answer to another first line of the same length; draw any allowed characters, as the couplets were made.

# %%
answers = {"the model": found.translations, **couplet_language.simple_answers(test)}
at_place = {}
by_rules = {}
for name, lines in answers.items():
    at_place[name] = couplet_language.share_at_place(lines, references)
    by_rules[name] = np.mean([couplet_language.is_parallel(*both) for both in zip(sources, lines, strict=True)])

# %% tags=["hide-input"]
couplet_language.draw_answers(at_place, by_rules, ceiling, n_characters)

# %% [markdown]
# All answers of the model are parallel. It found out the seven kinds, and which character is of which, from couplets and
# nothing else, as a child learns the color words from verse. Its answers are as good as anybody's can be, and its
# probabilities nearly: a perplexity of 4.7 is 10% above the best. Model and rules cannot be told apart by their orange bars:
# a black line is two standard errors long in each direction (notebook 22), and both reach the dashed line.
#
# "Another line's answer" is worth a second look. Only one in seven is parallel, yet it has about two thirds of the model's
# orange bar, because the same kinds are often at the same place. A score without such a neighbor says little.
#
# Can a bad model be told from a good one? Draw 800 couplets instead of 4,000. The test stays about as large, and its error
# bars as long, but only 500 couplets are left to learn from. In 60 epochs, about as long a training, the model learns these
# by heart: its training loss falls below 0.5. On the test its perplexity is 13.7 instead of 4.7, and 88% of its answers are
# parallel. Yet 25.5% of its characters are as in the reference, within two standard errors (2 points) of the 24.1% that
# can be expected of the best. It mostly answers with a character of the right kind, with far too much confidence, and the
# score that compares with one answer sees nothing of this.
#
# ## Whole lines
#
# Exact match asks for all places at once. They were drawn independently.
#
# **Write it:** the exact match that the best model can expect, the mean over the lines of the test. `sources` are
# the first lines, and `couplet_language.allowed(character)` has the right answers for a character.

# %%
whole = ...  # one number; lines before it may help
whole = expected.check(whole=whole)

# %%
f"one in {1 / whole:,.0f}"

# %% [markdown]
# The best of all models, asked for each of the 257 lines once, has most probably no match. An exact match of 0 is what to
# expect, and says nothing.
#
# ## Two questions
#
# **1.** In this language a character of the reference that is somewhere in a parallel answer is always at its own place.
# Why? And why not in real verse ([notebook 24c](24c_couplets_of_the_tang.ipynb))?
#
# <details><summary>Answer</summary>
#
# No pattern has the same kind twice. When the answer is parallel, a character that it shares with the reference can only
# be at the same place. In a real line, hills may come at the first place or at the fourth.
#
# </details>
#
# **2.** A lazy answerer knows one character of each kind, and a second for when the first line has that one. What are its
# share of characters as in the reference, its share of parallel lines, and its perplexity?
#
# <details><summary>Answer</summary>
#
# About 24% and 100%, like the model and like the rules: any allowed character has the same chance to be that of the
# reference. Its perplexity is infinite, because it gives all others a probability of 0. The first score cannot tell who
# knows one answer from who knows them all. Perplexity can, so print both.
#
# </details>

# %% [markdown]
# **You can now**
#
# - compute how high a score can be, before you compute the score;
# - say what a score that is at its ceiling shows, and what it cannot show;
# - find neighbors that make a score mean something.
#
# Back to the path: [notebook 25](25_kv_cache.ipynb). Or another detour: [24c](24c_couplets_of_the_tang.ipynb), what such
# a model looks at, and what it makes of real verse. Exercise: score_ceiling.

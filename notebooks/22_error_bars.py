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
# # 22 Error bars: what a score depends on
#
# *Part III, Use it. Before: [21](21_what_is_a_good_translation.ipynb). Next: [23](23_language_modeling.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# Somebody removes a head from a translator, and its score falls from 97.0 to 96.3. Did the head do something, or were the
# sentences of the test unlucky? A score is a measurement, and a measurement without an error says little.
#
# **After this you can** say how far a score would move with other sentences; compare two models so that the error is
# small; say how many sentences a test needs.
#
# Paper: section 6.1, table 2. About 40 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers.compare import compare
from helpers.schematics import bootstrap
from helpers.two_translators import all_scores, sentence_scores, with_head, without_head
from npformer.datasets import phrasebook
from npformer_course import Bet, exercise

bootstrap()

# %% [markdown]
# ## How far does one score move?
#
# Translator A is made like the one of notebook 21: seven values in each row of a matrix, here up to 0.9 of the largest
# number. B is the same, without head 0 of encoder layer 0. Both translate the 500 held-out sentences. Each translation gets
# a score of its own, the chrF of that sentence, and the score of a translator is the mean.

# %%
_, held_out = phrasebook.split()
sources = [pair.source for pair in held_out]
references = [pair.target for pair in held_out]
texts_a = with_head().translate(sources, beam=1)
texts_b = without_head().translate(sources, beam=1)
a = sentence_scores(texts_a, references)  # (500,)
b = sentence_scores(texts_b, references)
compare(a.mean() - b.mean(), 0.63, "mean of A less mean of B", tolerance=0.05)

# %% tags=["hide-input"]
from helpers import error_bars

error_bars.draw_scores(a, b)

# %% [markdown]
# So many sentences have which score (note the logarithmic axis). More than four in five are perfect, and a few are a
# disaster. How far is a sentence from the mean, typically? That is the **standard deviation** $s$, the root of the mean
# square of $a_i - \bar a$: here `a.std()`, 11.1.
#
# Another test would have other sentences, and its mean would be another. By how much? Let $n$ sentences be drawn, each
# independently of the others. The variance of *one* score is $s^2$. Variances of independent numbers add up (notebook 03),
# so the variance of a sum of $n$ scores is $n s^2$. The mean is this sum divided by $n$, and dividing by $n$ divides a
# standard deviation by $n$.
#
# **Write it:** the standard deviation of the mean of all scores in `a`. It is called the **standard error** of the mean.

# %% tags=["hide-input"]
expected = error_bars.expectations(a, b)

# %%
error = ...  # one number, from a
error = expected.check(error=error)

# %% [markdown]
# Is that so? Usually nobody can know, since there are no other sentences. Here there are: the phrasebook has 20,500 pairs,
# and both translators have done them all, in a minute on another day. (20,000 of them are those from which the translator
# learned. To ask how good it is with them would be cheating. To ask how the mean of *some* differs from the mean of *all*
# is fair.) So draw 1,000 other tests of 500 sentences.

# %%
all_a, all_b = all_scores()  # (20500,) each
rng = np.random.default_rng(0)
tests = rng.integers(20_500, size=(1000, 500))  # each row is a test
means = all_a[tests].mean(-1)  # (1000,)

# %% tags=["hide-input"]
error_bars.draw_means(means, all_a.mean(), error)

# %% [markdown]
# The formula, which has seen 500 sentences, knows how far apart the means of other tests are. The means are heaped up in
# the shape of a bell, although the scores of sentences are not: that is so for means of many independent numbers. Then two
# thirds of all tests are within one standard error of the truth, and 95% within two (exactly, 1.96).
#
# So report *97.0, with a standard error of 0.5*. And now A has 97.0, and B 96.3?
#
# ## Draw again
#
# Both have seen the same sentences. So look at one number per sentence, $a_i - b_i$. Its mean is 0.63. Its standard error
# could be computed as above. But not every score is a mean, and there is a way that needs no formula. It is in the picture
# at the top: take the test for the whole world, and draw new tests from it, **with replacement**, so that some sentences
# come twice and others not at all. This is the **bootstrap** (Efron 1979; Koehn 2004 for translations). How the mean moves
# from draw to draw shows how it would move from test to test.
#
# An **interval** at the level 0.95 leaves out the lowest 2.5% of the drawn means and the highest 2.5%. In general, with
# $Q(x)$ for the quantile of the share $x$ (`np.quantile(means, x)`):
#
# $$\mathrm{low} = Q\left(\tfrac{1 - \mathrm{level}}{2}\right), \qquad
#   \mathrm{high} = Q\left(1 - \tfrac{1 - \mathrm{level}}{2}\right)$$
#
# **Write both.** `draws` has a row of indices for each drawn test, so nothing is random in your functions.


# %%
def drawn_differences(a, b, draws):
    """Return the mean of a - b in each draw: (R,).

    a, b (N,): the scores of the sentences. draws (R, N): indices from 0 to N - 1. None of them is
    changed.
    """
    raise NotImplementedError


def bootstrap_interval(a, b, draws, level):
    """Return low and high, two numbers: the share `level` of the drawn means is between them.

    a, b (N,) and draws (R, N): as above. level: such as 0.95. None of them is changed.
    """
    raise NotImplementedError


# %%
drawn_differences, bootstrap_interval = exercise("bootstrap_interval").check(drawn_differences, bootstrap_interval)

# %%
draws = rng.integers(500, size=(1000, 500))
low, high = bootstrap_interval(a, b, draws, 0.95)

# %% tags=["hide-input"]
error_bars.draw_interval(drawn_differences(a, b, draws), low, high, "mean of a - b in a draw")

# %% [markdown]
# The interval goes from -0.1 to 1.4, and 0 is inside. On *these* sentences A is better. With others it could be the
# other way round, so 500 sentences do not show that the head does anything. Nor do they show that it does nothing: a
# difference of 1.4 would fit as well. With 2,000 sentences the interval would be half as wide, and they would show it *if*
# the difference stayed 0.63. Whether it stays, only other sentences can tell.
#
# What does "95%" promise? The whole phrasebook knows the truth: there A is better by 0.68. Our test was a little unlucky
# with its 0.63. Take 100 other tests of 500 sentences, as 100 other people might have done, and let each compute its
# interval.

# %%
bet = Bet("In about how many of 100 tests is the whole interval above 0?", [20, 50, 80, 95])
bet.place(...)

# %%
truth = (all_a - all_b).mean()
intervals = []
for test in tests[:100]:
    intervals.append(bootstrap_interval(all_a[test], all_b[test], draws, 0.95))
n_above = sum(low > 0 for low, _ in intervals)
bet.settle(min(bet.options, key=lambda n: abs(n - n_above)))  # the nearest

# %% tags=["hide-input"]
error_bars.draw_intervals(intervals, truth)

# %% [markdown]
# Two different things. Nearly all intervals contain the true difference, the dashed line: 93 of these 100 do. That is
# what 95% promises, nearly: with 5,000 tests instead of 100 it is 94%. But only about half of them exclude 0 (blue). The
# others (gray) belong to people who say "no difference was found", with a true difference in front of them.
# How often a test finds what is there is its **power**. That of this test is one half.
#
# ## The same sentences
#
# Suppose that A and B had been scored on *different* sentences, 500 each, as it is when you compare with somebody else's
# number. Then the two means are independent, and the error of their difference is larger than that of either.
#
# **Write it:** the standard error of $\bar a - \bar b$ in this case. (Is the variance of a difference of two independent
# numbers the difference of their variances?)

# %%
apart = ...  # one number, from a and b
apart = expected.check(apart=apart)

# %%
other_draws = rng.integers(500, size=(1000, 500))
same = drawn_differences(a, b, draws)
on_others = a[draws].mean(-1) - b[other_draws].mean(-1)

# %% tags=["hide-input"]
error_bars.draw_paired(same, on_others)

# %% [markdown]
# Your formula says 0.70, the draws 0.68, and on the same sentences it is 0.39. Where does the rest go? A draw with many hard sentences pulls down A
# and B, and in the difference that cancels. In 441 of the 500 sentences both have the very same score. A comparison of
# pairs is called **paired**, and here it is worth three times as many sentences, for nothing. So keep the score of every
# sentence, and never compare two means if you can compare two lists.
#
# ## How many sentences?
#
# So plan the test before you make it. Let $\delta$ be the true difference and $s$ the standard deviation of $a_i - b_i$.
# The mean of a test is around $\delta$, with an error of $e = s/\sqrt n$. To exclude 0 it must be above $1.96\, e$. If
# $\delta$ were just that, half of all tests would fall below it. For 80% of them to be above, $\delta$ has to be another
# $0.84\, e$ higher, because 80% of a bell are above its middle less 0.84 standard deviations:
#
# $$\delta = (1.96 + 0.84)\, \frac{s}{\sqrt n}$$
#
# **Write it:** the number of sentences $n$ for a power of 80%, with $\delta$ and $s$ of the whole phrasebook.

# %%
delta = truth
s = (all_a - all_b).std()
needed = ...  # one number
needed = expected.check(needed=needed)

# %%
shares = error_bars.shares_shown(all_a - all_b, rng)  # of tests of 250 to 4,000 sentences, the share that excludes 0

# %% tags=["hide-input"]
error_bars.draw_power(shares, needed)

# %% [markdown]
# The curve is counted: for each size 400 tests were drawn. It crosses 80% near your line, at about 1,100 sentences. For a
# true difference of 0.5 it would be 2,100, and 5,600 for each translator if they had *different* sentences. For half of a
# difference you need four times as many, since $n$ goes with $1/\delta^2$.
#
# And BLEU, which is no mean of sentences? Draw sentences, add up *their* matches, totals and lengths, and compute BLEU of
# the sums. The bootstrap does not care.

# %%
bleu_a = error_bars.drawn_bleu(texts_a, references, draws)  # (1000,)
bleu_b = error_bars.drawn_bleu(texts_b, references, draws)
low, high = np.quantile(bleu_a - bleu_b, [0.025, 0.975])

# %% tags=["hide-input"]
error_bars.draw_interval(bleu_a - bleu_b, low, high, "BLEU of A less BLEU of B in a draw")

# %% [markdown]
# By BLEU A is better by 2.0, with an interval from 0.3 to 3.5, and the same 500 sentences *do* show it. Both scores are
# right: they measure different things. So decide which score counts *before* you look. Anyone who tries five and reports
# the one that shows something has not tested anything.
#
# And the 2 points of table 2, 28.4 BLEU against 26.4? With the 3,000 sentences of that test our pair would have an error
# of 0.3. If news were like the phrasebook, the choice of sentences would not make such a difference. Another seed might
# (22b). And no interval covers whether both texts were cut into words alike, which can move BLEU by a point or two (Post
# 2018).
#
# ## Three questions
#
# **1.** A friend has the same 500 sentences, draws tests of 4,000 sentences from them, and finds an interval from 0.4 to
# 0.9. "With 4,000 it is significant." Is it?
#
# <details><summary>Answer</summary>
#
# No. There are 500 sentences, however often they are drawn. Draws of 4,000 show how *wide* the interval of a test of 4,000
# would be. They take its middle, 0.63, from the 500 as if it were the truth. So never draw more than $n$.
#
# </details>
#
# **2.** A wins in 95% of the draws. Is that the same as an interval at the level 0.95 without 0?
#
# <details><summary>Answer</summary>
#
# No. The interval leaves out 2.5% on either side, so it excludes 0 when A wins in more than 97.5%. The interval asks
# whether they *differ*, without a guess who is better. To count wins asks for one side only.
#
# </details>
#
# **3.** You remove each of the 24 heads in turn and compute 24 intervals. One of them excludes 0. What have you found?
#
# <details><summary>Answer</summary>
#
# Perhaps a head that matters. But if none mattered, each interval would still miss 0 with a chance of 5%, so among 24
# there would be one, on average. The one that stands out was chosen *because* it stands out. Test it again, on other
# sentences. (Detour 22b has 20 rows at once.)
#
# </details>

# %% [markdown]
# **You can now**
#
# - give a score with its standard error, and a difference with its interval;
# - compare two models on the same sentences, and say why;
# - plan a test that is large enough for what you look for.
#
# Next: [notebook 23](23_language_modeling.ipynb), a model whose text is its own label. Detour:
# [22b](22b_table_3.ipynb), the paper's table 3 in miniature, where the error comes from the seed and not from the sentences.

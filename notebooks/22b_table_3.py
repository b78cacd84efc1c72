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
# # 22b Reading table 3
#
# *A detour from [22](22_error_bars.ipynb): nothing later needs it. [Notation](../docs/reference/notation.md).*
#
# Table 3 of the paper changes one thing at a time, and every row is one run. Which of its differences would you find
# again with another seed?
#
# **After this you can** say which differences of a table with three seeds are more than chance; ask for more where you
# look at many rows; say how many seeds a difference needs.
#
# Paper: section 6.2, table 3. About 30 minutes with its writing. Nothing is trained: the results are those of
# `docs/explanation/results.md`, of 63 runs that took half an hour together. `npformer ablate` trains such a table
# again.

# %%
# %matplotlib inline
import numpy as np

from helpers import table_3
from helpers.schematics import three_seeds
from npformer_course import Bet

rng = np.random.default_rng(0)
base, rows = table_3.read_table()
expected = table_3.expectations(base, rows)
three_seeds()

# %% [markdown]
# ## Three seeds
#
# The base model is small (3+3 layers, $d_{model} = 64$, 8 heads), and it learns 1,000 pairs of the phrasebook: so few
# that it is far from perfect and differences show. Each other row changes one thing: A the number of heads, B $d_k$, C
# sizes, D dropout and label smoothing, E positions. F, initial weights, is not in the paper. A row has the mean and the
# standard deviation of BLEU over the seeds 0, 1 and 2, and the paper's BLEU.
#
# In notebook 22 the error came from the sentences. Here it comes from the *seed*: other random parameters, another
# order of the batches, and also other sentences of the phrasebook to learn from and to be tested on. The formulas stay.
# A mean of $n = 3$ runs is uncertain by about $s / \sqrt{n}$. Take the runs of two rows as independent (question 2
# comes back to this).
#
# **Write it:** the standard error of the difference between each row and base.

# %%
deviations = np.array([row.deviation for row in rows])  # (20,)
errors = ...  # (20,), from deviations and base.deviation
errors = expected.check(errors=errors)

# %% [markdown]
# In notebook 22 an interval was 1.96 errors wide to each side. There $s$ was computed from 500 sentences. Computed from
# three runs, it is often far too small. How wide must the interval be then? Draw both rows from the *same*
# distribution, many times, and see how many errors the difference has by chance, in 95% of the cases.

# %%
limits = {}
for n_seeds in (2, 3, 5, 10, 100):
    limits[n_seeds] = np.quantile(abs(table_3.t_values(n_seeds, rng)), 0.95)
table_3.draw_limits(limits)

# %%
differences = np.array([row.bleu for row in rows]) - base.bleu
widths = limits[3] * errors
clear = [row for row, difference, width in zip(rows, differences, widths, strict=True) if abs(difference) > width]
table_3.draw_differences(base, rows, widths, clear)

# %% [markdown]
# With three seeds it takes 2.8 errors. The bars are as wide as that, and blue rows exclude 0. One head seems better than
# eight, by this interval alone. Of four heads and of four layers it cannot tell: 0 is inside.
#
# The largest effect by far is `init per_head`. $W^Q$, $W^K$ and $W^V$ are there drawn head by head, each part as a
# matrix (64, 8) of its own. By Glorot's rule it then has the variance $2/(64 + 8)$. The other rows start with half of
# Glorot's $2/(64 + 64)$ in these three, so this is 3.6 times as much. Nothing else was changed: `init glorot_normal`,
# the same normal distribution with the variance of base, is 0.4 from base.
#
# ## The bars are a guess, too
#
# Their lengths differ, because the standard deviations do: they go from 0.4 to 5.0. Do some models really depend less
# on their seed? Draw three numbers with a standard deviation of 1.5, many times, and compute $s$ of each three.

# %%
true = 1.5  # change it
drawn = rng.normal(0, true, (100_000, 3)).std(-1, ddof=1)
table_3.draw_deviations(base, rows, drawn, true)

# %% [markdown]
# A *single* true value near 1.5 explains all orange dots except one. It gives 0.4 or less once in fifteen times, so one
# or two of 21 rows would have it by chance. Such a row may be lucky and not steady, and it has a short bar and looks
# clear. A better guess is one $s$ for all rows. One is left out, the 5.0 of `init per_head`, which 1.5 gives about once
# in 70,000 times.
#
# **Write it:** one standard deviation from all those in `ordinary`. What may be averaged, deviations or variances?

# %%
ordinary = table_3.ordinary_deviations(base, rows)  # (20,)
s = ...  # one number
s = expected.check(s=s)

# %% [markdown]
# This $s$ rests on 60 runs, so the limit is 2 errors again: chance goes beyond it with a probability of
# 0.05. A difference of one row is then clear above $2\, s \sqrt{2/3} = 2.7$ BLEU.
#
# But there are 20 rows. If all were equal to base in truth, each would look different with probability 0.05, so one of
# them would, on average. What to do? The probability that *any* row looks different is at most the sum of the 20. So
# ask for 0.05 / 20 of each, and the sum is 0.05 again. This is the **Bonferroni correction**. Here it means 3.2 errors,
# or 4.4 BLEU. The row with one head is at 4.0, between the two limits. Had you asked about this one row before the
# experiment, the answer would be clear. Picked out of 20 because it surprises, it is a reason for more seeds.
#
# All 20 comparisons have the *same* three runs of base in them. Does that matter? Draw 20 rows that in truth equal
# base, once with one base for all and once with a base for each.

# %%
bet = Bet("Five or more of 20 equal rows look different: where more often?", ["one base", "20 bases", "equal"])
bet.place(...)

# %%
one_row = 2 * s * np.sqrt(2 / 3)
n_different = {}  # (50000,) each: how many of the 20 rows
for name, n_bases in (("one base", 1), ("20 bases", 20)):
    of_rows = rng.normal(0, s / np.sqrt(3), (50_000, 20))
    of_bases = rng.normal(0, s / np.sqrt(3), (50_000, n_bases))
    n_different[name] = (abs(of_rows - of_bases) > one_row).sum(-1)

five = {name: np.mean(counts >= 5) for name, counts in n_different.items()}
more = max(five, key=five.get)
bet.settle(more if five[more] > 1.1 * min(five.values()) else "equal")
table_3.draw_counts(n_different)

# %% [markdown]
# On average 0.9 rows look different, in both. (0.05 of 20 would be 1; here 2 errors is the limit, and a bell is beyond
# 2 with 0.046.) But with one base the errors come in groups: mostly none, and sometimes five at once. When its three
# runs are unlucky, all rows look better together. So give base more seeds than any row.
#
# ## Against the paper
#
# The paper's rows are on 4.5 million pairs. Do both tables agree? For each row that both have, here is the paper's
# difference from its base and ours.

# %%
clear = [row for row in rows if abs(row.bleu - base.bleu) > one_row]
table_3.draw_against_paper(base, rows, clear, one_row)

# %% [markdown]
# The correlation of their ranks is 0.56: both tables order the rows similarly, but far from equally. The large effects
# agree: narrow keys, few layers, a narrow model and no dropout hurt, a wider model helps. The orange dots do not agree:
# they are beyond 2.7 here, the limit of one row (the bars), and 0.1 or less, or the other way, in the paper. One head,
# the worst of the paper's rows A, is the best of the rows A here, but below the limit of 20 rows. Learned positions and 16 heads are no different from base there (0.1 and 0), and 5 points
# worse here.
#
# What does it mean when a small experiment contradicts the paper? Not that the paper is wrong. The settings differ in
# size, data, language and length of training, and a conclusion holds where it was measured. Causes are quickly found:
# with 1,000 pairs and $d_k = 8$ a head may be too narrow to distinguish the words. That is a guess, as in row A the
# number of heads changes together with $d_k$. A cause is known when an experiment varies it and nothing else.
#
# ## What three seeds can tell
#
# - Differences above 4.4 BLEU are hardly chance, in this setting, whichever row you look at.
# - A difference between 2.7 and that counts if you had asked about this row beforehand.
# - Smaller ones are not clear. That does not mean *equal*: three runs cannot tell.
# - Nothing about other sizes or data.
#
# How many seeds would show that four layers are better by 0.8, if they are? In notebook 22 it was $n = (2.8\, s /
# \delta)^2$ sentences, where $s$ was that of the *difference*. Here $s$ is that of the runs of a row, and the
# difference has the variances of two rows in it.
#
# **Write it:** the number of seeds for each row, as a formula.

# %%
delta = 0.8
seeds = ...  # one number, from s and delta
seeds = expected.check(seeds=seeds)

# %% [markdown]
# It is 68. For the +4.0 of one head the formula says 3, and drawing, with limits like those above, says 4. Take that
# with care: the 4.0 was chosen *because* it surprised, and such a difference is probably too large.
#
# More than half of the paper's rows are within 0.4 BLEU of its base. How far their scores move from seed to seed the
# paper does not say. To know $s$, each row would need several runs, and one run of its base model took 12 hours on 8
# GPUs. With three seeds per row, 20 such rows would take a month.
#
# ## Three questions
#
# **1.** Label smoothing of 0.2 has a higher BLEU than base and a higher (worse) perplexity. Is that a contradiction?
#
# <details><summary>Answer</summary>
#
# No. Smoothing trains the model to keep probability for all tokens (notebook 14), so a right token of which it is sure
# gets less, and perplexity rises. BLEU asks only which sentence is best. The paper says so in section 5.4. But +1.1
# BLEU is not clear here.
#
# </details>
#
# **2.** All rows used the seeds 0, 1 and 2. If seed 2 draws sentences that are hard for every model, what does a comparison
# by seeds gain?
#
# <details><summary>Answer</summary>
#
# What notebook 22 gained from the same sentences: take the differences seed by seed, and what a seed does to both rows
# cancels. It needs the single results. A table of means and standard deviations has thrown them away; keep them.
#
# </details>
#
# **3.** You try 20 settings with one seed each, and publish the best. What will happen to its score with a new seed?
#
# <details><summary>Answer</summary>
#
# It will most probably fall. Of 20 equal settings with a standard deviation of 1.7 the best is about 1.9 standard
# deviations, or 3 BLEU, above the mean, by chance. Choose on one set with several seeds, and report on another.
#
# </details>

# %% [markdown]
# **You can now**
#
# - say which differences of a table are more than chance, and for whom;
# - say why three equal bars may be luck, and why one base for all rows is a risk;
# - plan the number of seeds.
#
# Back to the path: [notebook 23](23_language_modeling.ipynb), a language model. `npformer ablate --rows A --seeds 5`
# measures a row with five seeds.

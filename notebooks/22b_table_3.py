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
# **After this you can** say which differences of a table with three seeds are more than chance; compare rows seed by
# seed, and say what that gains; ask for more where you look at many rows; say how many seeds a difference needs.
#
# Paper: section 6.2, table 3. About 30 minutes with its writing. Nothing is trained: the results are those of
# `docs/explanation/results.md`, of 63 runs of a minute and a half each. `npformer ablate` trains such a table again.

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
# sizes, D dropout and label smoothing, E positions. F, initial weights, is not in the paper. A row has BLEU of the seeds
# 0, 1 and 2, their mean and standard deviation, and the paper's BLEU.
#
# In notebook 22 the error came from the sentences. Here it comes from the *seed*: other random parameters, another
# order of the batches, and also other sentences of the phrasebook to learn from and to be tested on. The formulas stay.
# A mean of $n = 3$ runs is uncertain by about $s / \sqrt{n}$. Take the runs of two rows as independent, for now.
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
# With three seeds it takes 2.8 errors. The bars are as wide as that, and blue rows exclude 0: only four of 20. One head
# is better than eight by 5.1, and even that is not clear. Must it stay like this?
#
# The largest effect by far is `init per_head`. $W^Q$, $W^K$ and $W^V$ are there drawn head by head, each part as a
# matrix (64, 8) of its own. By Glorot's rule it then has the variance $2/(64 + 8)$. The other rows start with half of
# Glorot's $2/(64 + 64)$ in these three, so this is 3.6 times as much. Nothing else was changed: `init glorot_normal`,
# the same normal distribution with the variance of base, loses nothing.
#
# ## The same seeds
#
# Here are the single runs of the rows that are not far below the others.

# %%
table_3.draw_by_seed(base, rows)

# %% [markdown]
# Nearly every row is worst with seed 1. A seed draws the same sentences for all rows, and those of seed 1 are hard for
# every model. So runs of two rows are *not* independent: most of $s$ is what a seed does to all of them. It was the same
# in notebook 22, where both translators read the same sentences: subtract first, seed by seed, and what is common cancels.
#
# **Write it:** the standard error of the mean of each row's three differences. With so few numbers the sum of squares is
# divided by $n - 1$: `ddof=1`, as in the table.

# %%
by_seed = table_3.differences_by_seed(base, rows)  # (20, 3): BLEU minus that of base
paired = ...  # (20,), from by_seed
paired = expected.check(paired=paired)

# %%
drawn = rng.normal(size=(100_000, 3))  # three differences that are 0 in truth
t = drawn.mean(-1) / (drawn.std(-1, ddof=1) / np.sqrt(3))
limit = np.quantile(abs(t), 0.95)

widths = limit * paired
clear = [row for row, mean, width in zip(rows, by_seed.mean(-1), widths, strict=True) if abs(mean) > width]
print(f"{limit:.1f} errors; {len(clear)} of {len(rows)} rows are clear")
table_3.draw_differences(base, rows, widths, clear)

# %% [markdown]
# Three differences know less of their $s$ than six runs, so it takes 4.3 errors. Yet most bars are far shorter, and 12
# rows are clear. One head is better by 5.3, 5.4 and 4.7.
#
# ## The bars are a guess, too
#
# Their lengths differ, because the standard deviations do: they go from 0.4 to 3.1. Do some changes really depend less
# on the seed? Draw three numbers with a standard deviation of 1.5, many times, and compute $s$ of each three.

# %%
true = 1.5  # change it
drawn = rng.normal(0, true, (100_000, 3)).std(-1, ddof=1)
table_3.draw_deviations(by_seed.std(-1, ddof=1), drawn, true)

# %% [markdown]
# A *single* true value near 1.5 explains all orange dots. It gives 0.4 or less once in fifteen times, so one or two of
# 20 rows would have it by chance. Such a row may be lucky and not steady, and it has a short bar and looks clear. And
# $d_k = 2$, whose differences are -9.5, -6.3 and -4.1, has a long bar, and looks as if it could be 0. A better guess is one
# $s$ for all rows.
#
# **Write it:** one standard deviation from all those in `own`. What may be averaged, deviations or variances?

# %%
own = by_seed.std(-1, ddof=1)  # (20,)
s = ...  # one number
s = expected.check(s=s)

# %% [markdown]
# This $s$ rests on 60 differences, so the limit is 2 errors again: chance goes beyond it with a probability of
# 0.05. A difference of one row is then clear above $2\, s / \sqrt{3} = 1.7$ BLEU. Without pairing it would be 4.6.
#
# But there are 20 rows. If all were equal to base in truth, each would look different with probability 0.05, so one of
# them would, on average. What to do? The probability that *any* row looks different is at most the sum of the 20. So
# ask for 0.05 / 20 of each, and the sum is 0.05 again. This is the **Bonferroni correction**. Here it means 3.2 errors,
# or 2.7 BLEU. No dropout, few heads and learned positions are beyond it. Weights drawn by `glorot_normal` are better by
# 2.4, between the two limits. Had you asked about this one row before the experiment, the answer would be clear. Picked
# out of 20 because it surprises, it is a reason for more seeds.
#
# All 20 comparisons have the *same* three runs of base in them. Does that matter? Draw 20 rows that in truth equal
# base, once with one base for all and once with a base for each. (A difference has the variances of two runs in it, so
# that of a run is half of $s^2$.)

# %%
bet = Bet("Five or more of 20 equal rows look different: where more often?", ["one base", "20 bases", "equal"])
bet.place(...)

# %%
one_row = 2 * s / np.sqrt(3)
of_run = s / np.sqrt(2)
n_different = {}  # (50000,) each: how many of the 20 rows
for name, n_bases in (("one base", 1), ("20 bases", 20)):
    of_rows = rng.normal(0, of_run / np.sqrt(3), (50_000, 20))
    of_bases = rng.normal(0, of_run / np.sqrt(3), (50_000, n_bases))
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
clear = [row for row, mean in zip(rows, by_seed.mean(-1), strict=True) if abs(mean) > one_row]
table_3.draw_against_paper(base, rows, clear, one_row)

# %% [markdown]
# The correlation of their ranks is 0.54: both tables order the rows similarly, but far from equally. The large effects
# agree: narrow keys, few layers, a narrow model and no dropout hurt, a wider model helps. The orange dots do not agree:
# they are beyond 1.7 here, the limit of one row (the bars), and 0.1 or less, or the other way, in the paper. One head,
# the worst of the paper's rows A, is the best of the rows A here. Learned positions and 16 heads are no different from
# base there (0.1 and 0), and 3 points worse here.
#
# What does it mean when a small experiment contradicts the paper? Not that the paper is wrong. The settings differ in
# size, data, language and length of training, and a conclusion holds where it was measured. Causes are quickly found:
# with 1,000 pairs and $d_k = 8$ a head may be too narrow to distinguish the words. That is a guess, as in row A the
# number of heads changes together with $d_k$. A cause is known when an experiment varies it and nothing else.
#
# ## What three seeds can tell
#
# - Differences above 2.7 BLEU are hardly chance, in this setting, whichever row you look at.
# - A difference between 1.7 and that counts if you had asked about this row beforehand.
# - Smaller ones are not clear. That does not mean *equal*: three runs cannot tell.
# - Nothing about other sizes or data.
#
# How many seeds would show a difference of 0.8, if there is one? In notebook 22 it was $n = (2.8\, s / \delta)^2$
# sentences, where $s$ was that of the *difference*. Here it is the same, with seeds.
#
# **Write it:** the number of seeds for each row, as a formula.

# %%
delta = 0.8
seeds = ...  # one number, from s and delta
seeds = expected.check(seeds=seeds)

# %% [markdown]
# It is 27, rounded up. Without pairing it would be about 200, of each row.
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
# gets less, and perplexity rises. BLEU asks only which sentence is best. The paper says so in section 5.4. But +2.4
# BLEU is between the limits of one row and of 20.
#
# </details>
#
# **2.** Somebody gives you a table of means and standard deviations, as many papers do, and says that all rows had the same
# three seeds. Can you compare its rows seed by seed?
#
# <details><summary>Answer</summary>
#
# No. That needs the single results, and the table has thrown them away. From its standard deviations you get the wide
# bars of the first picture. So publish the single results.
#
# </details>
#
# **3.** You try 20 settings with one seed each, and publish the best. What will happen to its score with a new seed?
#
# <details><summary>Answer</summary>
#
# It will most probably fall. Of 20 equal settings, each with a seed of its own and so with a standard deviation of 2.9,
# the best is about 1.9 standard deviations, or 5 BLEU, above the mean, by chance. With the same seed for all it is still
# 2. Choose on one set with several seeds, and report on another.
#
# </details>

# %% [markdown]
# **You can now**
#
# - say which differences of a table are more than chance, and for whom;
# - compare rows seed by seed, and say why it needs fewer seeds;
# - say why three equal numbers may be luck, and why one base for all rows is a risk;
# - plan the number of seeds.
#
# Back to the path: [notebook 23](23_language_modeling.ipynb), a language model. `npformer ablate --rows A --seeds 5`
# measures a row with five seeds.

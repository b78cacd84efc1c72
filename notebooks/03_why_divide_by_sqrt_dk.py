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
# # 03 Softmax, and why divide by the root of d_k
#
# *Part I, See it. Before: [02](02_attention_by_hand.ipynb). Next: [04](04_many_heads.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# Notebook 02 left two steps open: softmax, and the division by $\sqrt{d_k}$. The second looks like a detail. Without it
# a head of many features gives one word everything, by luck, before the model has learned a thing.
#
# **After this you can** turn any scores into weights, also those for which the plain formula fails; say how large a
# score is when you know $d_k$; write equation 1 of the paper.
#
# Paper: section 3.2.1. About 30 minutes with its writing.

# %%
# %matplotlib inline
import math

import numpy as np

from helpers.pictures import show_arrays
from helpers.schematics import softmax_and_scale
from npformer_course import Bet, exercise

softmax_and_scale()

# %% [markdown]
# ## From scores to weights
#
# Scores can be of any size and sign. Weights must be positive and sum to 1, and a higher score must get a larger weight.
# **Softmax** does this in two steps. Take $e$ to the power of each score: now all are positive. Divide by their sum: now
# the sum is 1.
#
# $$\mathrm{softmax}(s)_j = \frac{e^{s_j}}{\sum_i e^{s_i}}$$
#
# A word that scores 1 more than another gets $e \approx 2.7$ times its weight.
#
# Now add 1000 to all scores of a row. Every exponential becomes $e^{1000}$ times as large, the sum too, and the fraction
# is what it was: only *differences* of scores count. But a computer cannot get there. The largest float64 is about
# $10^{308}$, `np.exp(1000)` is `inf`, and `inf / inf` is not a number.
#
# **Write it** so that this cannot happen. You may subtract any one number from all scores of a row. Which number makes
# every exponential safe? The scores of a row lie along the last axis, and the axes before it can be any.
# (`keepdims=True` keeps the axis that `max` or `sum` would drop.)


# %%
def softmax(x):
    """Return the weights of the scores x (..., S), of the same shape.

    They are positive, with sum 1 along the last axis.
    """
    raise NotImplementedError


# %%
softmax = exercise("softmax").check(softmax)

# %% [markdown]
# If a check fails and you are stuck: `exercise("softmax").hint()` gives a hint, and `exercise("softmax").why()` says more
# about what is wrong. Every exercise has both.

# %%
scores = np.array([[2.0, 1, 0], [1002, 1001, 1000], [4, 2, 0], [20, 10, 0]])
show_arrays("softmax scores = weights", scores=scores, weights=softmax(scores), limit=20)

# %% [markdown]
# Each row is a case. The first two have the same weights. In the third the scores are twice as far apart, and the first
# word gains. In the last they are 10 apart: each word has $e^{10} = 22026$ times the weight of the next, and softmax is
# no longer a mean. It picks one word.
#
# So everything depends on how far apart scores are. How far is that?
#
# ## How far apart are scores?
#
# Before training, queries and keys are random numbers. Let all their features be independent, with mean 0 and variance
# 1, as footnote 4 of the paper does. A score is the sum of $d_k$ products $q_i k_i$. Each product has mean 0, and since
# $q_i$ and $k_i$ are independent, it has the variance $\mathrm{E}[q_i^2]\, \mathrm{E}[k_i^2] = 1$. And the variances of
# independent terms add up.
#
# **Write it**: the standard deviation of a score, that is, its typical distance from 0, for each $d_k$ in `sizes`.

# %%
sizes = np.array([1, 4, 16, 64, 256])  # values of d_k
spread = ...  # the standard deviation of a score, for each of them

# %% [markdown]
# Measure it: 1,000 random queries, with 10 random keys each. For a smaller $d_k$ take fewer features of them.

# %%
rng = np.random.default_rng(0)
queries = rng.normal(size=(1000, 1, 256))
keys = rng.normal(size=(1000, 10, 256))
raw = {}  # the scores by d_k, (1000, 1, 10) each
for d_k in sizes:
    raw[d_k] = queries[..., :d_k] @ keys[..., :d_k].swapaxes(-1, -2)

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import ORANGE, ink, main_color

figure, ax = new_figure(width=6.5, height=3.4)
shift = np.random.default_rng(1).uniform(-0.3, 0.3, size=300)
for place, d_k in enumerate(sizes):
    measured = raw[d_k].std()
    ax.scatter(place + shift, raw[d_k].ravel()[:300], s=6, alpha=0.35, color=main_color(), linewidth=0)
    ax.hlines([-measured, measured], place - 0.38, place + 0.38, color=ink(), linewidth=1.5)
    ax.annotate(f"{measured:.1f}", (place + 0.4, measured), va="center", fontsize=9)
if spread is not ...:
    for sign in (-1, 1):
        ax.plot(range(len(sizes)), sign * np.array(spread), "--", color=ORANGE, label="yours" if sign == 1 else None)
    ax.legend(loc="upper left")
ax.set_xticks(range(len(sizes)), sizes)
ax.set(xlabel="d_k", ylabel="score", xlim=(-0.6, len(sizes) - 0.3))
figure

# %% [markdown]
# A dot is a score, and the black lines are at the measured standard deviation, above and below 0. Your curve, once
# written, is dashed: it should meet all of them.
#
# A head of the translator has $d_k = 16$. Before training, its scores are typically 4 away from 0. What does softmax
# make of ten of them? Take the largest of the ten weights, and the mean of it over all queries:

# %%
bet = Bet("d_k = 16, ten random keys, not divided: the largest weight, on average?", ["0.3", "0.5", "0.7"])
bet.place(...)

# %%
weights = softmax(raw[16])
largest = weights.max(-1).mean()
bet.settle(f"{largest:.1f}")
show_arrays(**{"weights of eight queries": weights[:8, 0]})

# %% [markdown]
# The mean is 0.73, where an even share would be 0.1. With $d_k = 64$, as in the paper, it is 0.87. The head looks at one
# word for no reason: nobody has learned anything yet.
#
# **Question.** Choose a query and move $d_k$ from 1 to 256. Does the largest weight grow at every step? (Each doubling
# adds new features, and with them luck: only on average it grows.) At $d_k = 64$, which of the eight queries still
# hesitate, and what do their two highest scores have in common? Finally, tick *divide by √d_k*.

# %% tags=["hide-input"]
from helpers.live_figures import live_saturation

live_saturation(queries[:8, 0], keys[:8])

# %% [markdown]
# <details><summary>Answer</summary>
#
# It does not: query 0 has 0.71 at $d_k = 64$ and 0.55 at 128. At $d_k = 64$ the queries 0 and 5 hesitate most. Their two
# highest scores are less than 1 apart, so the first word gets less than $e$ times the weight of the second.
#
# </details>
#
# ## Equation 1
#
# Dividing every score by $\sqrt{d_k}$, its standard deviation (the tick box), leaves scores that are typically 1 away
# from 0, for every $d_k$. Now you know every letter of equation 1:
#
# $$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V$$
#
# **Write it**, with your softmax. Sentences and heads will be axes before the last two. Then $K^\top$ is
# `k.swapaxes(-1, -2)`, and `@` multiplies what is in the last two axes and lets the others pass.


# %%
def attention(q, k, v):
    """Return the result of scaled dot-product attention and its weights, in this order.

    They are y (..., T, d_v) and weights (..., T, S), of q (..., T, d_k), k (..., S, d_k) and v
    (..., S, d_v). The axes before the last two are the same in q, k and v; there may be none. None
    of the inputs is changed.
    """
    raise NotImplementedError


# %%
attention = exercise("attention").check(attention)

# %%
divided = []
not_divided = []
for d_k in sizes:
    _, weights = attention(queries[..., :d_k], keys[..., :d_k], keys)
    divided.append(weights.max(-1).mean())
    not_divided.append(softmax(raw[d_k]).max(-1).mean())

# %% tags=["hide-input"]
figure, ax = new_figure(width=5.5, height=3)
ax.plot(range(len(sizes)), not_divided, "s--", color=ORANGE, label="not divided")
ax.plot(range(len(sizes)), divided, "o-", color=main_color(), label="divided")
ax.axhline(0.1, color=ink(), linestyle=":", label="all equal")
ax.set_xticks(range(len(sizes)), sizes)
ax.set(xlabel="d_k", ylabel="largest of ten weights, mean", ylim=(0, 1))
ax.legend()
figure

# %% [markdown]
# With the division the largest weight is about 0.3 for every $d_k$: all words have a say at the start, and the model can
# learn whom to prefer. Without it, a head of 64 features begins with its mind made up. The paper only *suspects* that
# this makes learning hard ("We suspect that for large values of $d_k$ ..."). Notebook 11 measures it.
#
# ## A real head
#
# The head of notebook 02 has $d_k = 16$, so it divides by 4. Run `attention` on its queries, keys and values of the
# sentence. Then softmax on the same scores, not divided.

# %%
from helpers.course_sentence import CourseSentence, tally

sentence = CourseSentence()
layer = sentence.attention("encoder.layers.1.self_attention")
q = layer["q"][1]  # (10, 16), of head 1
k = layer["k"][1]
y, weights = attention(q, k, layer["v"][1])
sharp = softmax(q @ k.T)

# %% tags=["hide-input"]
from npformer.visualization.plots import plot_attention
from npformer.visualization.plots.colors import ROLES

figure, axes = new_figure(2, 1, width=5.5, height=5.6)
divided_by = f"divided by {math.sqrt(q.shape[-1]):g}"
words = sentence.source_words
asking = slice(1, 6)  # turn off the new radio
plot_attention(axes[0], weights[asking], words[asking], words, title=divided_by, colorbar=False, digits=2)
plot_attention(axes[1], sharp[asking], words[asking], words, title="not divided", colorbar=False, digits=2)
for ax in axes:
    ax.set_xlabel("key", color=ROLES["key"])
    ax.set_ylabel("query", color=ROLES["query"])
figure

# %% [markdown]
# These are the five queries of "turn off the new radio". With the division "turn" takes 0.57 of its mean from "off",
# and the rest from the other words. Without it, "off" has everything, and three more rows give one word 0.85 or more.
#
# These scores are not random any more. Within a row their standard deviation is 5.6, more than the 4 of 16 random
# features: the model has learned where it pays to settle on one word. And a model that is trained without the factor
# would have other queries and keys. So the lower map is not what such a model looks like. It is what the division does
# to *these* scores.
#
# Neither softmax nor the division has a parameter. What is learned is still only what makes queries, keys and values,
# and, if you count notebook 01, the table of vectors:

# %%
tally("embedding", "w_query", "w_key", "w_value")

# %% [markdown]
# ## Three questions
#
# **1.** Why the root? What would happen if scores were divided by $d_k$ itself?
#
# <details><summary>Answer</summary>
#
# Their standard deviation would be $\sqrt{d_k} / d_k = 1/\sqrt{d_k}$: the more features, the closer to 0, and the more
# equal the weights. At $d_k = 256$ the largest of ten would be about 0.11. Every word would have the same say, which is
# as useless as one word having it all.
#
# </details>
#
# **2.** You read that the factor is there "to prevent overflow" in the exponentials. Is it?
#
# <details><summary>Answer</summary>
#
# No. Your softmax does not overflow, whatever the scores are, with or without the factor. Overflow is a matter of
# floats, the factor one of how sharply a head chooses.
#
# </details>
#
# **3.** A model multiplies by $W^Q$ to get its queries. Could it learn to do without the factor?
#
# <details><summary>Answer</summary>
#
# Yes: a $W^Q$ that is divided by $\sqrt{d_k}$ gives the same scores. In the same way it can undo the factor. So the
# factor does not change what a model can compute. It decides where learning starts.
#
# </details>

# %% [markdown]
# **You can now**
#
# - turn scores of any size into weights;
# - say that a score of $d_k$ random features is typically $\sqrt{d_k}$ away from 0, and what softmax makes of that;
# - compute attention as the paper writes it, for any number of queries, keys and sentences.
#
# Next: [notebook 04](04_many_heads.ipynb), why one such mean is not enough.
# Detour: [03b](03b_additive_attention.ipynb), scores by addition, and hiding a word by $-\infty$ or by $-10^9$.

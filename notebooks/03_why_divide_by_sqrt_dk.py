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
# # 03 Why divide by the root of d_k
#
# **The idea:** the dot product of two vectors spreads wider the longer they are. Softmax turns a wide spread into a
# single 1, and there its gradient is almost zero. Dividing by $\sqrt{d_k}$ keeps the spread at 1 for every $d_k$.
#
# Paper: section 3.2.1, the last two paragraphs and footnote 4. Code: the line with `math.sqrt` in
# `npformer/layers/attention.py`.
#
# **What you need before:** notebook 02, attention by hand.
# About 25 minutes to read and run, 45 with every change and question.

# %%
# %matplotlib inline
import math

import numpy as np

rng = np.random.default_rng(0)
sizes = [1, 4, 16, 64, 256, 512]  # values of d_k

# %% [markdown]
# ## The law
#
# Let the $d_k$ numbers of a query and of a key be independent, with mean 0 and variance 1. A product $q_i k_i$ of two
# of them has mean $0$ and variance $\mathrm{E}[q_i^2] \mathrm{E}[k_i^2] = 1$. The dot product is a sum of $d_k$ such
# products, and variances of independent things add up:
#
# $$\mathrm{Var}(q \cdot k) = \sum_{i=1}^{d_k} \mathrm{Var}(q_i k_i) = d_k$$
#
# So the standard deviation, the typical size of a score, is $\sqrt{d_k}$. Measure it: 2,000 queries, 10 keys for each.

# %%
queries = {d_k: rng.normal(size=(2000, 1, d_k)) for d_k in sizes}
keys = {d_k: rng.normal(size=(2000, 10, d_k)) for d_k in sizes}  # put 2 * before rng and run it again: the check fails
raw = {d_k: (queries[d_k] @ keys[d_k].swapaxes(-1, -2))[:, 0] for d_k in sizes}  # (2000, 10) each
for d_k, scores in raw.items():
    mean, variance = scores.mean(), scores.var()
    print(f"d_k {d_k:>3}   mean {mean:5.2f}   variance {variance:5.1f}   variance / d_k {variance / d_k:.2f}")
    assert abs(variance / d_k - 1) < 0.05 and abs(mean) < 0.1 * math.sqrt(d_k)

# %% tags=["hide-input"]
from helpers.pictures import plot_distributions
from npformer.visualization.plots import new_figure

figure, axes = new_figure(1, 2, width=9, height=3.2)
plot_distributions(axes[0], {f"{d_k}": raw[d_k] for d_k in sizes[1:]}, log=False)
plot_distributions(axes[1], {f"{d_k}": raw[d_k] / math.sqrt(d_k) for d_k in sizes[1:]}, log=False)
axes[0].set(title="scores", ylabel="d_k", xlim=(-60, 60))
axes[1].set(title="scores divided by the root of d_k", xlim=(-60, 60))
figure

# %% [markdown]
# Both pictures have the same axis. On the left the scores spread out as $d_k$ grows; on the right they do not.
#
# ## Softmax saturates
#
# The weights depend on the *differences* of scores: one score that is 5 above another gets $e^5 = 148$ times its
# weight. Two measures of how decided a row of 10 weights is:
#
# - the **largest weight**: 0.1 when all are equal, 1 when one word has everything;
# - the **entropy** $-\sum_j w_j \ln w_j$: $\ln 10 = 2.30$ when all are equal, 0 when one has everything. $e$ to the
#   power of the entropy is, roughly, the number of words that are looked at.


# %%
from npformer.layers import Softmax


def weights_of(scores):
    return Softmax().forward(scores)


def entropy(weights):
    return -(weights * np.log(np.maximum(weights, 1e-300))).sum(-1)


divided = {d_k: weights_of(raw[d_k] / math.sqrt(d_k)) for d_k in sizes}  # change the root to d_k and run it again
as_it_is = {d_k: weights_of(raw[d_k]) for d_k in sizes}
print("         largest weight       words looked at")
print(" d_k   divided   as it is   divided   as it is")
for d_k in sizes:
    largest = [weights[d_k].max(-1).mean() for weights in (divided, as_it_is)]
    seen = [np.exp(entropy(weights[d_k]).mean()) for weights in (divided, as_it_is)]
    print(f"{d_k:>4}  {largest[0]:8.2f}  {largest[1]:9.2f}  {seen[0]:8.1f}  {seen[1]:9.1f}")
assert as_it_is[512].max(-1).mean() > 0.94 and np.exp(entropy(as_it_is[512]).mean()) < 1.2
assert all(divided[d_k].max(-1).mean() < 0.33 for d_k in sizes)

# %% tags=["hide-input"]
figure, axes = new_figure(1, 2, width=9, height=3)
for name, weights, style in (("divided", divided, "o-"), ("as it is", as_it_is, "s--")):
    axes[0].plot(sizes, [weights[d_k].max(-1).mean() for d_k in sizes], style, label=name)
    axes[1].plot(sizes, [entropy(weights[d_k]).mean() for d_k in sizes], style, label=name)
axes[0].axhline(0.1, color="grey", linestyle=":", label="all equal")
axes[1].axhline(math.log(10), color="grey", linestyle=":", label="all equal")
axes[0].set(xscale="log", xlabel="d_k", ylabel="largest weight", ylim=(0, 1))
axes[1].set(xscale="log", xlabel="d_k", ylabel="entropy (nats)", ylim=(0, 2.5))
for ax in axes:
    ax.set_xticks(sizes, sizes)
    ax.minorticks_off()
    ax.legend()
figure

# %% [markdown]
# That the scores are *random* is the point. Before training a model knows nothing, yet without the factor a head of 64
# numbers with variance 1 gives one word 0.86 of its attention, for no reason. (In npformer's own layer it is 0.73: see
# below.)
#
# ## And its gradient vanishes
#
# Could training not undo that? The gradient of softmax is
#
# $$\frac{\partial w_i}{\partial s_j} = w_i (1[i = j] - w_j)$$
#
# If one weight is 1 and the others are 0, every entry of this matrix is 0: $1 \cdot (1 - 1)$, $0 \cdot (0 - 1)$, and so
# on. Nothing comes back to the scores. Send a random gradient of the same size back through `Softmax.backward` and
# measure how long it is when it arrives. The median is what happens to a typical query.

# %%
upstream = rng.normal(size=(2000, 10))


def arriving(scores):
    softmax = Softmax()
    softmax.forward(scores)
    return np.linalg.norm(softmax.backward(upstream), axis=-1)


gradient = {d_k: (arriving(raw[d_k] / math.sqrt(d_k)), arriving(raw[d_k])) for d_k in sizes}
for d_k, norms in gradient.items():
    medians = np.median(norms, axis=-1)
    print(f"d_k {d_k:>3}   median, divided {medians[0]:.2f}   as it is {medians[1]:.6f}")
assert all(0.25 < np.median(of_divided) < 0.35 for of_divided, _ in gradient.values())
assert np.median(gradient[64][1]) < 0.06 and np.median(gradient[512][1]) < 0.0005

# %% tags=["hide-input"]
figure, axes = new_figure(1, 2, width=9, height=3.2)
for ax, which, title in ((axes[0], 0, "divided"), (axes[1], 1, "as it is")):
    plot_distributions(ax, {f"{d_k}": gradient[d_k][which] for d_k in sizes[1:]}, log=True)
    ax.set(title=title, xlabel="norm of a row's gradient", xlim=(1e-10, 10))
axes[0].set_ylabel("d_k")
figure

# %% [markdown]
# Each row is a histogram over 2,000 queries, and the line in it is the root mean square. The typical gradient shrinks
# by powers of ten; beyond the left edge it continues. But read the right picture with care: it is where many texts
# stop too early. The gradient does not vanish for *all* queries. Where two keys happen to be close to a tie, softmax is
# still undecided and the gradient is large: the histogram's right end does not move.
#
# See it happen to one query at a time. Move $d_k$ to 256: what do the weights become, and how much gradient is left?
# Then go back to 64, and through the eight queries. Three of them have a large gradient: what do their two highest
# scores have in common? At last tick the box. (This gradient is the root mean square over all random gradients of
# variance 1.)

# %% tags=["hide-input"]
from helpers.live_figures import live_saturation

live_saturation(queries[512][:8, 0], keys[512][:8])

# %% [markdown]
# At $d_k = 64$ these are the queries 0, 2 and 7: their two highest scores are less than 1 apart, and softmax is
# undecided between the two.
#
# And without the factor the gradient of the *query* is not divided by $\sqrt{d_k}$ either, which makes it larger. So
# look at what reaches the query, through the whole layer. The layer always divides. To undo it, hand it a query
# $q' = \sqrt{d_k}\,q$, and the chain rule gives the gradient of $q$. Hence `factor` twice in the code:
#
# $$\frac{q' \cdot k}{\sqrt{d_k}} = q \cdot k, \qquad
# \frac{\partial L}{\partial q} = \sqrt{d_k}\,\frac{\partial L}{\partial q'}$$

# %%
from npformer.layers import ScaledDotProductAttention

value, dy = rng.normal(size=(2000, 10, 16)), rng.normal(size=(2000, 1, 16))
attention = ScaledDotProductAttention()
at_query = {}
for d_k in (4, 64, 512):  # change these to (1, 4, 16, 64, 256, 512) and run it again
    for name, factor in (("divided", 1), ("as it is", math.sqrt(d_k))):
        attention.forward(queries[d_k] * factor, keys[d_k], value)
        lengths = np.linalg.norm(attention.backward(dy)[0] * factor, axis=-1)
        at_query[d_k, name] = np.median(lengths), lengths.mean()
        print(f"d_k {d_k:>3}  {name:>8}   median {np.median(lengths):7.4f}   mean {lengths.mean():5.2f}")
assert at_query[512, "as it is"][0] < 0.01 < 1 < at_query[512, "divided"][0]
assert at_query[512, "as it is"][1] > 3 * at_query[512, "divided"][1]

# %% [markdown]
# So the harm depends on $d_k$. At 512 a typical query learns next to nothing without the factor: its median is 0.008.
# At the paper's 64 the median is still as large as with the factor (1.27 and 1.14), but the mean is three times as
# large (4.02 and 1.26): a few queries near a tie are pushed far harder than the rest. With the factor all queries learn
# at about the same pace, and $d_k$ hardly matters.
#
# ## Three things that tutorials say
#
# **"It is there against overflow."** No. Softmax takes the largest score away first (notebook 02), so nothing
# overflows, with or without the factor.
#
# **"Divide by $\sqrt{d_{model}}$."** The sum runs over the $d_k$ numbers of *one head*. With the paper's 8 heads
# $d_k = 64$ and $d_{model} = 512$, so you would divide by 22.6, not by 8, and start with a spread of 0.35 instead of 1.
#
# **"Then every score has variance 1."** Only if the numbers of $q$ and $k$ have variance 1. In a real model they come
# out of $W^Q$ and $W^K$. npformer starts these small, so there it is less. Measure all three:

# %%
from npformer.layers import MultiHeadAttention

by_d_model = raw[64] / math.sqrt(512)
print(f"d_k 64, divided by {math.sqrt(512):.1f}: standard deviation {by_d_model.std():.2f}")
assert abs(by_d_model.std() - 8 / math.sqrt(512)) < 0.02
huge = 100 * raw[512]  # change the 100 to 1e300 and run it again
print(f"largest score {huge.max():.3g}, all weights finite: {np.isfinite(weights_of(huge)).all()}")
assert np.isfinite(weights_of(huge)).all() and round(math.e**5) == 148

heads = MultiHeadAttention(512, 8, rng=np.random.default_rng(0))
x = rng.normal(size=(100, 10, 512)).astype("float32")
q, k = heads.w_query.forward(x), heads.w_key.forward(x)  # (100, 10, 512), 8 heads side by side
first = q[..., :64] @ k[..., :64].swapaxes(-1, -2) / 8  # (100, 10, 10)
layer_divided, layer_as_it_is = (weights_of(factor * first).max(-1).mean() for factor in (1, 8))
print(f"variance in q {q.var():.2f}, of the divided scores of head 1 {first.var():.2f}")
print(f"largest of its 10 weights, divided {layer_divided:.2f}, as it is {layer_as_it_is:.2f}")

# %% tags=["hide-input"]
assert abs(q.var() - 0.5) < 0.03 and abs(first.var() - 0.25) < 0.05
assert abs(layer_divided - 0.20) < 0.02 and abs(layer_as_it_is - 0.73) < 0.03

# %% [markdown]
# Variance $\tfrac12$ in $q$ and in $k$ makes $\tfrac14$ in the scores. That only means that a model starts with
# flatter attention (0.20, not 0.31) and sharpens it by learning larger $W^Q$ and $W^K$. Without the factor it would
# start with 0.73. What the factor gives is that the start is *the same for every* $d_k$.
#
# ## Attention by addition (optional)
#
# Before the Transformer a score was often a small network (Bahdanau et al. 2015), not a product:
#
# $$\mathrm{score}(q, k) = v^T \tanh(q W + k U)$$
#
# npformer has no such layer, for the paper's model has none. For a comparison a few lines will do. Section 3.2.1 says
# three things about the two kinds. They do about equally well for small $d_k$. For larger $d_k$ addition does better
# than the dot product *without* the factor. And the dot product is much faster and takes less memory, because it is a
# matrix product.


# %%
from npformer.layers import Linear


def additive_scores(q, k, seed=0):  # (..., T, d_k), (..., S, d_k)
    rng, d_k = np.random.default_rng(seed), q.shape[-1]
    w, u = (Linear(d_k, d_k, bias=False, rng=rng, dtype="float64") for _ in range(2))
    v = Linear(d_k, 1, bias=False, rng=rng, dtype="float64")
    both = w.forward(q)[..., :, None, :] + u.forward(k)[..., None, :, :]  # (..., T, S, d_k)
    return v.forward(np.tanh(both))[..., 0]  # (..., T, S)


print(" d_k   largest weight   variance   variance if v had variance 1")
for d_k in sizes[1:]:
    drawn = [additive_scores(queries[d_k][:200], keys[d_k][:200], seed)[:, 0] for seed in range(8)]
    largest = np.mean([weights_of(scores).max(-1).mean() for scores in drawn])
    variance = np.mean([scores.var() for scores in drawn])
    print(f"{d_k:>4} {largest:>16.2f} {variance:>10.2f} {variance * (d_k + 1) / 2:>30.0f}")
    assert largest < 0.3 and variance < 1.2

# %% [markdown]
# The additive score settles near a variance of 1, and needs no factor. The reason is not the addition. $\tanh$ keeps
# each number between $-1$ and $1$, and their sum is kept in check by $v$, which `Linear` *draws* with the variance
# $2 / (d_k + 1)$, smaller the longer it is (Glorot's rule). With a $v$ of variance 1 the score's variance would grow
# like $d_k$ here too: the last column. A dot product has no weights of its own that could be drawn smaller.
# $1/\sqrt{d_k}$ is the missing $v$.
#
# Now the cost, for 128 queries and 128 keys of 64 numbers:

# %%
T, S, d_k = 128, 128, 64  # change the 64 to 8 and run it again
q, k = rng.normal(size=(T, d_k)), rng.normal(size=(S, d_k))
assert additive_scores(q, k).shape == (q @ k.T).shape == (T, S)
products = T * S * d_k
print("                    dot product    additive")
print(f"multiplications   {products:>13,} {products + (T + S) * d_k**2:>11,}")
print(f"calls of tanh     {0:>13,} {products:>11,}")
print(f"numbers in memory {T * S:>13,} {products:>11,}")

# %% [markdown]
# The counts of multiplications are of one order, as the paper says ("similar in theoretical complexity"): the two
# projections that the additive form needs are in the second number, and the dot product has its own in notebook 04b.
# But the sum $qW + kU$ has to be laid out for every pair before $\tanh$ can be taken: 64 times the memory, and a
# million calls of $\tanh$ that no matrix product can do for you. How much slower is it? That depends on the machine:
# ask `%timeit additive_scores(q, k)` and `%timeit q @ k.T / math.sqrt(d_k)` in a cell of your own.
#
# ## Three questions
#
# **1.** Why the root? What would happen if you divided by $d_k$ itself?
#
# <details><summary>Answer</summary>
#
# The standard deviation would be $\sqrt{d_k} / d_k = 1/\sqrt{d_k}$: the scores shrink towards 0 and the weights become
# equal. At $d_k = 512$ the largest of 10 weights is 0.107, where an even share is 0.1. The cell below measures it. (It
# is not absurd: once queries and keys have *learned* to point the same way, the products no longer cancel and the sum
# grows like $d_k$. But at the start of training it is flat.)
#
# </details>
#
# **2.** `ScaledDotProductAttention` has no parameter for the factor. Which weights would a model need to change in
# order to get the effect of another factor?
#
# <details><summary>Answer</summary>
#
# $W^Q$ or $W^K$: twice the $W^Q$ is twice the scores. So the factor takes nothing away that a model could want. It only
# decides where learning starts, and how large a step in $W^Q$ is felt in the scores.
#
# </details>
#
# **3.** A row has 1,000 keys instead of 10. Does the factor need to change?
#
# <details><summary>Answer</summary>
#
# No. The spread of the scores depends on $d_k$ only. The weights do get smaller, because more words share the 1; the
# largest of 1,000 random scores is about 3.3, that of 10 is about 1.5.
#
# </details>

# %%
by_d_k = weights_of(raw[512] / 512).max(-1).mean()
more_keys = rng.normal(size=(200, 1, 64)) @ rng.normal(size=(200, 64, 1000)) / 8
largest = more_keys.max(-1).mean(), (raw[64] / 8).max(-1).mean()
print(f"question 1: largest weight {by_d_k:.3f}")
print(f"question 3: spread {more_keys.std():.2f}, largest {largest[0]:.1f} and {largest[1]:.1f}")
assert abs(largest[0] - 3.2) < 0.1 and abs(largest[1] - 1.5) < 0.1
assert abs(by_d_k - 0.107) < 0.001 and abs(more_keys.std() - 1) < 0.03

# %% [markdown]
# Next: [notebook 04](04_many_heads.ipynb), many heads.
#
# Write it yourself: exercises softmax, softmax_backward, attention. `npformer course start my-course` begins
# the course.

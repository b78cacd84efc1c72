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
# # 31 Since 2017: SwiGLU and grouped queries
#
# **The idea:** the feed-forward network gets a gate, which costs no weights and helps a little; heads share their
# keys and values, which costs a little and saves most of the memory when a text is generated.
#
# Sources: Shazeer 2020, "GLU Variants Improve Transformer"; Ainslie et al. 2023, "GQA". About 30 minutes to read and
# run, 45 with every change and question. What you need before: [notebook 30](30_rotary_positions.ipynb), whose
# data, model and training are used again, and [notebook 04](04_many_heads.ipynb) for the heads.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from helpers.pictures import side_by_side
from npformer import layers

# %% [markdown]
# ## SwiGLU
#
# **What changed.** The paper's network is $\max(0, xW_1)\,W_2$, biases left out. A *gated linear unit* multiplies two
# linear maps of $x$ with each other, feature by feature, one of them passed through a nonlinear function:
#
# $$\mathrm{SwiGLU}(x) = \big(\mathrm{SiLU}(x W) \odot x V\big)\,W_2, \qquad \mathrm{SiLU}(z) = \frac{z}{1 + e^{-z}}$$
#
# $\mathrm{SiLU}(xW)$ is the gate: how much of each feature of $xV$ passes. ReLU can be written in the same way: a
# gate of 0 or 1, opened by the sign of the very number that passes. Here the gate and what passes have weights of
# their own. There are three matrices in the place of two, so $d_{ff}$ is made 2/3 as large, and the number of weights
# stays the same.

# %% [markdown]
# What can this do that the paper's network cannot? *Multiply.* Two features and the right weights give $y = x_1 x_2$:

# %%
x = np.array([[2.0, 3.0], [-2.0, 3.0], [0.5, -4.0], [-1.0, -1.0]])  # four positions, D = 2
W = np.array([[1.0, -1.0], [0.0, 0.0]])  # F = 2: the gates read x_1 and -x_1
V = np.array([[0.0, 0.0], [1.0, -1.0]])  # and the values x_2 and -x_2; change this to W and run it again
W_2 = np.array([[1.0], [1.0]])

z = x @ W
gate = z / (1 + np.exp(-z))
value = x @ V
y = gate * value @ W_2
print(side_by_side(2, x=x, xW=z, gate=gate))
print(side_by_side(2, value=value, product=gate * value, y=y))

# %% [markdown]
# The sum of the two products is $\mathrm{SiLU}(x_1)\,x_2 + \mathrm{SiLU}(-x_1)(-x_2)$, and this is $x_1 x_2$ exactly,
# because $\mathrm{SiLU}(z) - \mathrm{SiLU}(-z) = z$. No ReLU network can do it, however wide. Double its input, and
# $\max(0, xW_1)\,W_2$ doubles; with biases this holds more and more closely far out. A product of two inputs becomes
# *four* times as large:


# %%
def relu_network(x):
    """Return what the paper's network gives with the same W and W_2."""
    return np.maximum(x @ W, 0) @ W_2


y_of_2x = (2 * x @ W) / (1 + np.exp(-2 * x @ W)) * (2 * x @ V) @ W_2
print(side_by_side(2, relu=relu_network(x), relu_of_2x=relu_network(2 * x), swiglu=y, swiglu_of_2x=y_of_2x))

# %% tags=["hide-input"]
assert np.allclose(relu_network(2 * x), 2 * relu_network(x))
assert np.array_equal(V, W) or (np.allclose(y, x[:, :1] * x[:, 1:]) and np.allclose(y_of_2x, 4 * y))

# %% [markdown]
# A ReLU network has to piece a product together out of planes, and it takes many features to do it well, within the
# range of the training. That is one idea of why gates help. Shazeer's own explanation is "divine benevolence".
#
# **Backward.** A product hands to each factor the gradient times the other factor, and $x$ was used twice:
#
# $$dp = dy\,W_2^\top, \qquad dv = dp \odot g, \qquad dg = dp \odot v, \qquad
# dx = dv\,V^\top + \mathrm{SiLU}'(xW) \odot dg\;W^\top$$
#
# Here you know what must come out: the gradient of $x_1 x_2$ is $(x_2, x_1)$, times $dy$.

# %%
dy = np.array([[1.0], [0.0], [0.0], [2.0]])  # change this and run it again
sigmoid = 1 / (1 + np.exp(-z))
dproduct = dy @ W_2.T
dvalue, dgate = dproduct * gate, dproduct * value
dz = dgate * sigmoid * (1 + z * (1 - sigmoid))
dx = dvalue @ V.T + dz @ W.T
print(side_by_side(2, dproduct=dproduct, dvalue=dvalue, dgate=dgate, dz=dz, dx=dx))

# %% tags=["hide-input"]
network = layers.SwiGLU(2, 2, rng=0, dtype="float64")
network.linear_2 = layers.Linear(2, 1, bias=False, rng=0, dtype="float64")
for linear, weight in ((network.gate, W), (network.linear_1, V), (network.linear_2, W_2)):
    linear.weight.data = weight
assert np.allclose(network.forward(x), gate * value @ W_2) and np.allclose(network.backward(dy), dx)
assert np.array_equal(V, W) or np.allclose(dx, dy * x[:, ::-1])

# %% [markdown]
# The first row of $dx$ is $(3, 2)$, the other factor each, and the last is $2 \cdot (-1, -1)$. The first column came
# through the gates, which alone read $x_1$, and the second through the values. The layer of npformer,
# `npformer/layers/extra/swiglu.py`, gives the same numbers, and forward alone confirms them:

# %%
rng = np.random.default_rng(0)
print(npf.gradcheck(layers.SwiGLU(6, 4, rng=rng, dtype="float64"), rng.normal(size=(2, 3, 6)), rng=rng))

# %% [markdown]
# ## Experiment: SwiGLU against ReLU
#
# Data, sizes and training are those of 15a: German sentences by characters, two pre-norm layers of width 32, 300
# updates, the same batches for both. The networks have 4 D hidden features with ReLU, and 8/3 D with SwiGLU. As in
# 15a seed 0 is trained here, and the losses of the other seeds, here 1 to 5, are in the cells, as an earlier run
# found them.

# %%
from helpers.paired_runs import D, H, compare, held_out_losses, paper_model, plot_losses, trained


def with_swiglu(model, seed):
    """Put SwiGLU with as many weights in the place of each feed-forward network, and return the model."""
    rng = np.random.default_rng([seed, 1])
    for layer in model.decoder.layers:
        layer.feed_forward.sublayer = layers.SwiGLU(D, round(8 * D / 3), rng=rng)
    return model


SEEDS = range(1)  # change this to range(3) and run all again: do you find the same losses on seeds 1 and 2?
paper_models = [trained(paper_model(seed), seed) for seed in SEEDS]

# %%
gated_models = [trained(with_swiglu(paper_model(seed), seed), seed) for seed in SEEDS]
networks_found = {
    "ReLU": held_out_losses(paper_models, [1.728, 1.700, 1.767, 1.666, 1.822, 1.727], 27_328),
    "SwiGLU": held_out_losses(gated_models, [1.689, 1.618, 1.676, 1.629, 1.733, 1.688], 26_944),
}
compare(networks_found)
print(f"parameters: {paper_models[0].n_parameters:,} and {gated_models[0].n_parameters:,}")

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure

figure, ax = new_figure(width=5, height=3.2)
plot_losses(ax, networks_found)
assert SEEDS[0] != 0 or np.subtract(*networks_found.values()).mean() > 0
figure

# %% [markdown]
# The gate is better in each seed, with slightly fewer weights. How sure is that? Divide the mean difference by its
# standard deviation over $\sqrt n$, with $n$ seeds: that is $t$. For a 5% test its absolute value has to exceed a
# limit, which is 4.30 for three seeds and 2.57 for six.

# %%
difference = np.subtract(networks_found["SwiGLU"], networks_found["ReLU"])
print("differences", difference.round(3))
for name, some, limit in (("0 to 2", slice(3), 4.30), ("3 to 5", slice(3, 6), 4.30), ("0 to 5", slice(6), 2.57)):
    n = len(difference[some])
    t = difference[some].mean() / (difference[some].std(ddof=1) / np.sqrt(n))
    print(f"seeds {name}: mean {difference[some].mean():+.3f}, t = {t:.1f}, limit {limit:.2f}")

# %% [markdown]
# The first three seeds are just beyond the limit, the last three, taken alone, do not reach it, and all six together
# are far beyond theirs. A test of three seeds can hardly see a difference of this size. So *pool* the seeds and do not
# repeat the test, and decide their number before: if you add seeds until a test passes, it will sometimes pass where
# there is nothing. This is also one of several comparisons here and in 15a. But of models that are equally good, one
# comparison in 400 gives a $t$ of 5.7 or more, in either direction. So at this size the gate helps a little. Shazeer
# found the same in large models (table 1 there), with a gain of a few percent of the loss.
#
# ## Grouped queries
#
# **What changed.** To generate a token, the model reads the keys and values of all earlier positions, of all layers
# and heads: the KV cache (notebook 25). For very long texts, or for many at once, the cache is larger than the
# weights, and reading it takes most of the time. Queries are not stored. So let several heads of queries share one
# head of keys and values: $H$ heads of queries, $G$ groups, and
#
# $$\text{head}_i = \mathrm{Attention}\big(xW_i^Q,\; xW_g^K,\; xW_g^V\big), \qquad g = \lfloor i\,G / H \rfloor$$
#
# With $G = H$ this is the paper's multi-head attention, with $G = 1$ the *multi-query attention* of Shazeer 2019. The
# cache is $H / G$ times smaller. In numbers: four heads of queries, two groups, $d_k = 1$.

# %%
query = np.array([[[1.0]], [[0.5]], [[1.0]], [[2.0]]])  # (H, T, d_k) = (4, 1, 1)
key = np.array([[[2.0], [0.0]], [[0.0], [1.0]]])  # (G, S, d_k) = (2, 2, 1)
value = np.array([[[1.0], [0.0]], [[10.0], [20.0]]])  # (G, S, d_v); change this and run it again
attention = layers.GroupedAttention(2)
y = attention.forward(query, key, value)
dquery, dkey, dvalue = attention.backward(np.ones_like(y))
print(side_by_side(2, keys=key[..., 0], values=value[..., 0], y=y[:, :, 0]))
print(side_by_side(2, dkey=dkey[..., 0], dvalue=dvalue[..., 0]))

# %% tags=["hide-input"]
full = layers.ScaledDotProductAttention()
assert np.array_equal(full.forward(query, key.repeat(2, 0), value.repeat(2, 0)), y)
_, dkey_full, _ = full.backward(np.ones_like(y))
assert np.allclose(dkey_full.reshape(2, 2, 2, 1).sum(1), dkey)

# %% [markdown]
# Heads 0 and 1 read the first row of keys and values, heads 2 and 3 the second. In forward the shared heads are
# repeated, and the rest is the paper's attention. **Backward** is then a sum: a key that was used by two heads gets
# the gradients of both. In `npformer/layers/extra/grouped_query_attention.py` that is one line. Each row of
# $d\text{value}$ sums to 2, because every head hands out weights that sum to 1.

# %%
x = rng.normal(size=(2, 5, 12))
for groups in (4, 2, 1):
    layer = layers.GroupedQueryAttention(12, 4, groups, causal=True, rng=0, dtype="float64")
    keys, values = layer.project(x, x)
    report = npf.gradcheck(layer, x, rng=0)
    print(
        f"G = {groups}: parameters {layer.n_parameters}, cached keys {keys.shape}, "
        f"{(keys.size + values.size) // 10} numbers per token; gradcheck: {report.ok}"
    )
    assert report.ok

# %% [markdown]
# ## Experiment: sharing keys
#
# The model of before, with four heads of queries of 8 features each. Four groups are the paper's attention; now two
# and one.


# %%
def with_groups(model, groups, seed):
    """Let the heads share keys and values, and return the model."""
    rng = np.random.default_rng([seed, 2])
    for layer in model.decoder.layers:
        layer.self_attention.sublayer = layers.GroupedQueryAttention(D, H, groups, causal=True, rng=rng)
    return model


grouped_models = {4: paper_models}
for n in (2, 1):
    grouped_models[n] = [trained(with_groups(paper_model(seed), n, seed), seed) for seed in SEEDS]

# %% [markdown]
# With one group the model has fewer weights, and that alone makes it worse. So give them back where they are cheap,
# in the feed-forward network: Shazeer did the same when he compared multi-query with multi-head attention.


# %%
def widened(model, d_ff, seed):
    """Give a model wider feed-forward networks, and return it."""
    rng = np.random.default_rng([seed, 3])
    for layer in model.decoder.layers:
        layer.feed_forward.sublayer = layers.FeedForward(D, d_ff, rng=rng)
    return model


WIDER = 152  # in the place of 128; change this to 256 and SEEDS to range(3), and run again from SEEDS on
grouped_models["1, wider"] = [trained(widened(with_groups(paper_model(i), 1, i), WIDER, i), i) for i in SEEDS]

# %%
MEASURED = {  # losses, and the number of parameters of the models that had them
    4: ([1.728, 1.700, 1.767], 27_328),
    2: ([1.784, 1.753, 1.816], 25_216),
    1: ([1.822, 1.809, 1.844], 24_160),
    "1, wider": ([1.782, 1.770, 1.739], 27_280),
}
groups_found = {f"G = {n}": held_out_losses(models, *MEASURED[n]) for n, models in grouped_models.items()}
compare(groups_found)
for n, models in grouped_models.items():
    keys, values = models[0].decoder.layers[0].self_attention.sublayer.project(*np.zeros((2, 1, 1, D), "float32"))
    per_token = 2 * (keys.size + values.size)  # two layers; change this to six layers and run it again
    print(f"G = {n}: {models[0].n_parameters:,} parameters, {per_token} numbers per token in the cache")

# %% tags=["hide-input"]
figure, ax = new_figure(width=5.5, height=3.2)
plot_losses(ax, groups_found)
means = {name: np.mean(losses) for name, losses in groups_found.items()}
assert SEEDS[0] != 0 or means["G = 4"] + 0.02 < means["G = 2"] < means["G = 1"] < means["G = 4"] + 0.2
figure

# %% [markdown]
# The cache shrinks to a half and to a quarter, and without wider networks this has a price that three seeds show
# clearly: the differences from the paper's attention are several times their standard deviation. With the weights
# given back, the mean is still a little worse, but the seeds do not agree: no difference can be seen, and a small one
# could not be. So most of the price was the number of weights. Ainslie et al. measured large models, in which keys
# and values are a smaller part of the weights: multi-query attention is a little worse there, and eight groups are
# close to the best. Nothing is gained in quality; the gain is memory.
#
# ## Questions
#
# **1.** A base model has 6 decoder layers, 8 heads and $d_k = 64$. How many numbers does the KV cache of its
# self-attention hold for a text of 1,000 tokens, and how many with $G = 2$?
#
# <details><summary>Answer</summary>
#
# Per token and layer $2 \cdot 8 \cdot 64 = 1024$ numbers, so $6 \cdot 1024 \cdot 1000$, about 6.1 million: a tenth of
# the model's 65 million weights, for one text. With $G = 2$ a quarter of it, 1.5 million.
#
# </details>
#
# **2.** Why share keys and values, and not queries?
#
# <details><summary>Answer</summary>
#
# A query is used at its own step and thrown away, so sharing it saves no memory. And heads with the same query and
# different keys would need all keys in the cache, which is what was to be avoided.
#
# </details>
#
# **3.** In SwiGLU, what happens if $W = V$? Which function of $x$ is left?
#
# <details><summary>Answer</summary>
#
# $z \cdot \mathrm{SiLU}(z) = z^2 / (1 + e^{-z})$ with $z = xV$. For large $z$ this is about $z^2$; below 0 it is
# small, at most 0.48 at $z = -2.2$, and goes to 0 (at 2.2 it is 4.36). So it is a soft form of the squared ReLU of So
# et al. 2021, which was found by search and also beats ReLU. The gate has then no weights of its own. (With the
# matrix $W$ of the first cell, $z = x_1$ and $z = -x_1$ add up to $x_1^2$.)
#
# </details>
#
# ---
#
# Next: [notebook 32](32_induction_heads.ipynb), on two heads that work together.
#
# Write it yourself: exercises feed_forward (give it a gate), multi_head, multi_head_backward (sum over the
# heads that share) and kv_cache. `npformer course start my-course` begins the course.

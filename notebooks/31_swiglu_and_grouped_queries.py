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
# # 31 Since 2017: RMSNorm, SwiGLU and grouped queries
#
# *Part IV, Understand it. Before: [30](30_rotary_positions.ipynb). Next: [32](32_induction_heads.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# A language model of today is the decoder of 2017 with a few parts exchanged. Rotary positions were one (notebook 30).
# Here are three others: one leaves something out, one adds a factor, and one shares. Each is a few lines. What is each
# of them good for, and does a small model notice?
#
# **After this you can** write RMSNorm with its backward; say what a gate can do that a ReLU cannot, and go back through
# it; let heads share keys, and count what a cache saves.
#
# Sources: Zhang and Sennrich 2019; Shazeer 2020; Ainslie et al. 2023. About 40 minutes with its writing.

# %%
# %matplotlib inline
import math  # noqa: F401, for what you write

import numpy as np

from helpers import schematics, since_2017
from helpers.compare import compare
from helpers.pictures import show_arrays
from npformer_course import Bet, exercise, yours

schematics.gate()

# %% [markdown]
# ## A norm without a mean
#
# LayerNorm subtracts the mean of a position's features, divides by their standard deviation, scales and shifts. RMSNorm
# leaves out the first and the last step, and divides by the root of the mean square:
#
# $$s = \frac{1}{\sqrt{\frac1D \sum_j x_j^2 + \varepsilon}}, \qquad \hat x = s\, x, \qquad y = g \odot \hat x$$
#
# That saves one mean and half of the parameters. Its backward is the one of notebook 12 with one part less: $dx$ is
# still at right angles to $\hat x$, because stretching $x$ changes nothing. Adding a number to all features now does.
#
# **Write both.**


# %%
def rms_norm(x, gain, eps):
    """Divide each position by the root of the mean of its squares, then scale.

    x (B, T, D), gain (D,), eps a number above 0. Returns y (B, T, D), xhat (B, T, D), which is y
    before the gain, and scale (B, T, 1), the s of the formula. None of the inputs is changed.
    """
    raise NotImplementedError


def rms_norm_backward(dy, xhat, scale, gain):
    """Return the gradients dx (B, T, D) and dgain (D,).

    dy (B, T, D): the gradient of y. xhat (B, T, D) and scale (B, T, 1): what forward returned.
    gain (D,). None of the inputs is changed.
    """
    raise NotImplementedError


# %%
rms_norm, rms_norm_backward = exercise("rms_norm").check(rms_norm, rms_norm_backward)

# %% [markdown]
# Three positions: the second is the first plus 100, the third is the first times 10.

# %%
layer_norm = yours("layer_norm")
x = np.array([[[1.0, 2, 6], [101, 102, 106], [10, 20, 60]]])
layer_normed, _, _ = layer_norm(x, np.ones(3), np.zeros(3), 1e-6)
rms_normed, _, _ = rms_norm(x, np.ones(3), 1e-6)
show_arrays(x=x[0], layer_norm=layer_normed[0], rms_norm=rms_normed[0])

# %% [markdown]
# LayerNorm gives all three the same. RMSNorm sees that the third is the first, stretched, but in the second the mean of
# 103 stays in and leaves little of everything else. Zhang and Sennrich suspected that a model needs the scale and not
# the center. Below you can see whether that is so here.
#
# ## A gate can multiply
#
# The paper's network is $\max(0, xW_1)\,W_2$, without its biases. A *gated* network has two linear maps of $x$. One
# makes the **gate**, which says how much of each feature passes; the other makes the **value** that passes:
#
# $$\mathrm{gate} = \mathrm{SiLU}(x W_g), \qquad \mathrm{value} = x W_1, \qquad y = (\mathrm{gate} \odot \mathrm{value})\, W_2,
#   \qquad \mathrm{SiLU}(b) = \frac{b}{1 + e^{-b}}$$
#
# What can this do? Multiply two features, $y = x_0\, x_1$, exactly, for all inputs. The gates below read $x_0$ and
# $-x_0$, and $W_2$ adds the two products. You need one fact: $\mathrm{SiLU}(b) - \mathrm{SiLU}(-b) = b$.
#
# **Write** the matrix $W_1$ that makes the values.


# %%
def sigmoid(b):
    """Return the sigmoid of each number."""
    return 1 / (1 + np.exp(-b))


def silu(b):
    """Return b times its sigmoid."""
    return b * sigmoid(b)


def swiglu(x, w_gate, w1, w2):
    """Return y (B, T, D), before (B, T, F) and value (B, T, F)."""
    before = x @ w_gate
    value = x @ w1
    return (silu(before) * value) @ w2, before, value


x = np.array([[[2.0, 3], [-2, 3], [0.5, -4], [-1, -1]]])  # four positions with two features
w_gate = np.array([[1.0, -1], [0, 0]])
w2 = np.array([[1.0], [1]])

# %%
w1 = ...  # (2, 2)
w1 = since_2017.multiplying_values().check(w1=w1)

# %%
y, before, value = swiglu(x, w_gate, w1, w2)
y_of_2x, _, _ = swiglu(2 * x, w_gate, w1, w2)
relu = np.maximum(x @ w_gate, 0) @ w2
relu_of_2x = np.maximum(2 * x @ w_gate, 0) @ w2
show_arrays(x=x[0], y=y[0], y_of_2x=y_of_2x[0], relu=relu[0], relu_of_2x=relu_of_2x[0])

# %% [markdown]
# No ReLU network can do this, however wide. Double its input, and its result doubles (with biases, more and more
# closely far out). A product of two inputs becomes *four* times as large. A ReLU network has to piece a product
# together out of planes. Whether a model needs this is asked below.
#
# **Write the backward.** A product passes to each factor the gradient times the other factor, and $x$ was used twice.


# %%
def swiglu_backward(dy, x, before, value, w_gate, w1, w2):
    """Return the gradients dx (B, T, D), dw_gate (D, F), dw1 (D, F), dw2 (F, D), in this order.

    dy (B, T, D): the gradient of y. x (B, T, D): what came in. before (B, T, F) and value
    (B, T, F): what forward returned. None of the inputs is changed.
    """
    raise NotImplementedError


# %%
swiglu_backward = exercise("swiglu_backward").check(swiglu_backward)

# %% [markdown]
# Here you know what must come out: the gradient of $x_0\,x_1$ is $(x_1, x_0)$, times $dy$.

# %%
dy = np.array([[[1.0], [0], [0], [2]]])
dx, _, _, _ = swiglu_backward(dy, x, before, value, w_gate, w1, w2)
show_arrays(x=x[0], dy=dy[0], dx=dx[0])

# %% [markdown]
# Feature 0 got its gradient through the gates, which are the only ones to read $x_0$, and feature 1 through the values.
#
# ## Heads that share keys

# %% tags=["hide-input"]
schematics.shared_heads()

# %% [markdown]
# To write a token, a model reads the keys and values of all tokens before it, in all layers and heads: the cache of
# [notebook 25](25_kv_cache.ipynb). For many long texts it is larger than the model. Queries are used once and not kept.
# So let several heads of queries share one head of keys and values. With $H$ heads of queries and $G$ groups the cache is
# $H / G$ times smaller. $G = H$ is the paper's attention, $G = 1$ is called *multi-query*, everything between
# *grouped-query*.
#
# **Write it.** Your `attention` of notebook 03 may be of use.

# %%
softmax = yours("softmax")
attention = yours("attention")


# %%
def grouped_attention(q, k, v):
    """Return y (B, H, T, d_v) and the weights (B, H, T, S) of attention with shared keys.

    q (B, H, T, d_k), k (B, G, S, d_k), v (B, G, S, d_v), where G divides H. None of them is
    changed.
    """
    raise NotImplementedError


# %%
grouped_attention = exercise("grouped_queries").check(grouped_attention)

# %% [markdown]
# In backward a key that two heads have used gets the sum of both gradients, as everything that is used twice.
#
# Now count, as in notebook 25. A model has 32 layers, 32 heads with $d_k = d_v = 128$, and 2 bytes per number. How
# large is the cache of a text of 8,192 tokens, in GiB?

# %%
layers, d_k, n_bytes, n_tokens = 32, 128, 2, 8192
in_gib = {}
for G in (32, 8, 1):
    in_gib[G] = 2 * layers * G * d_k * n_bytes * n_tokens / 2**30  # 2: keys and values
in_gib

# %% [markdown]
# ## Does a small model notice?
#
# Six small language models: the paper's decoder, and five with one part exchanged, by a setting of their
# `LanguageModelConfig`: `norm="rms"`, `activation="swiglu"`, or `n_kv_heads=2` and 1. English by characters as in
# notebook 23, two layers of 32 features, four heads, 300 updates, each with five seeds. The rate, 0.02, is the best of
# four for the paper's (notebook 30). SwiGLU has 8/3 $D$ hidden features instead of 4 $D$, so that it has as many parameters. One
# group has fewer, so there is also one with wider networks, which has as many again.

# %%
bet = Bet("One of these makes the loss clearly better. Which?", ["RMSNorm", "SwiGLU", "G = 1"])
bet.place(...)

# %% [markdown]
# A seed decides the first parameters and the order of the batches, and some seeds are lucky. So compare each model with
# the paper's *of the same seed*: what both owe to the seed then cancels. Here is one such difference, trained now. The
# others were trained before.

# %%
of_paper = since_2017.loss_of("paper", seed=0)
of_rms_norm = since_2017.loss_of("RMSNorm", seed=0)
compare(of_rms_norm - of_paper, 0.063, "RMSNorm less the paper's, seed 0", tolerance=0.2)
differences = {name: since_2017.differences(name) for name in since_2017.CHANGED}  # (5,) each
bet.settle(min(bet.options, key=lambda name: differences[name].mean()))

# %% tags=["hide-input"]
since_2017.show_differences(differences)

# %% [markdown]
# Each dot is a seed; below 0 the model is better than the paper's. The bar is the mean with 2.8 standard errors to
# either side, the limit for five differences. (Notebook 22b has 2.3 for five seeds, because two rows of five are
# compared there, and their errors are known better.) Where a bar crosses 0, there may be no difference at all.
#
# SwiGLU is better with every seed, by 0.13 on average, and that is eight standard errors. So at this size and rate
# the gate helps, for no more parameters. Shazeer found the same in a much larger model. Multiplying is one idea of why;
# his own explanation is "divine benevolence". For RMSNorm the seeds do not agree: with seed 0 it seems worse, with seed 2
# better. No difference can be seen, and a small one could not be. Zhang and Sennrich found about equal scores, too. It
# is there because it costs less.
#
# Nor can one be seen for the shared heads: the seeds differ more than the models. Ainslie et al. had large models,
# where one group is a little worse and eight are close to the best. Nothing is gained in quality. The gain is memory.
#
# (With a quarter of this rate all six are 0.3 to 0.4 nats worse. There the shared heads looked worse, by two to nearly
# three standard errors, which is not clear either. A comparison at a bad rate says little about the models.)
#
# ## Three questions
#
# **1.** For which inputs do LayerNorm and RMSNorm agree exactly, with gains of 1 and biases of 0?
#
# <details><summary>Answer</summary>
#
# For vectors whose features have the mean 0. A model can arrange that by itself, if every matrix that writes into the
# stream gives results with the mean 0.
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
# **3.** In SwiGLU, let $W_g = W_1$. Which function of $b = xW_1$ is left?
#
# <details><summary>Answer</summary>
#
# $b \cdot \mathrm{SiLU}(b) = b^2 / (1 + e^{-b})$. For large $b$ it is about $b^2$. Below 0 it is small, at most 0.48 at
# $b = -2.2$. So it is a soft form of the squared ReLU of So et al. 2021, which was found by a search and beats ReLU as
# well.
#
# </details>

# %% [markdown]
# **You can now**
#
# - write RMSNorm and its backward, and say what it leaves out of LayerNorm;
# - build a network that multiplies, and go back through a gate;
# - let heads share keys and values, and count the cache.
#
# Next: [notebook 32](32_induction_heads.ipynb), two heads that work together.

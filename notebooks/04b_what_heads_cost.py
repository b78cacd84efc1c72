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
# # 04b What heads cost
#
# *A detour from [04](04_many_heads.ipynb): nothing later needs it. [Notation](../docs/reference/notation.md).*
#
# **The idea:** $h$ heads cost as much as one, because each has only $d_{model} / h$ features. More heads are paid for with
# narrower heads, and a narrow head can distinguish fewer keys: where keys are random, it points less sharply.
#
# Paper: section 3.2.2, its last paragraph; table 3, rows A and B. Code: `npformer/layers/multi_head_attention.py`.
# About 15 minutes to read and run, 25 with every change and question.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from npformer.layers import MultiHeadAttention, ScaledDotProductAttention

rng = np.random.default_rng(0)

# %% [markdown]
# ## What h heads cost
#
# The paper takes $h = 8$ heads with $d_k = d_v = d_{model} / h = 64$. Many tutorials open with
# `assert d_model % h == 0`. That is a choice, not a law: $d_k$ and $d_v$ can be any numbers, and $W^O$, which is
# $(h d_v, d_{model})$, brings the result back to $d_{model}$ features. What does the choice cost?
#
# Count the multiplications for $T$ words. Four projections: twice $T \cdot d_{model} \cdot h d_k$ and twice
# $T \cdot d_{model} \cdot h d_v$. Scores: $h  T^2 d_k$. Means: $h  T^2 d_v$. With $d_k = d_v = d_{model} / h$ the $h$
# cancels everywhere:
#
# $$4  T d_{model}^2 + 2  T^2 d_{model}$$
#
# Do not believe the formula. Count what really passes through the layers:


# %%
def multiplications(layer, x):
    """Return the multiplications of a layer for x, and its exponentials."""
    with npf.trace(layer, depth=None) as t:
        layer.forward(x, x, x)
    projections = [t[name] for name in t if name.startswith("w_")]
    linear = sum(r.inputs.x.size * r.output.shape[-1] for r in projections)
    weights = t["attention.softmax"].output  # (B, H, T, S)
    scores = t["attention"].inputs.query.size * weights.shape[-1]
    means = weights.size * t["attention"].output.shape[-1]
    return linear + scores + means, weights.size


T = 50  # change this to 512 and run it again: how large are the two terms of the formula then?
d_model = 256
x = np.ones((1, T, d_model), "float32")
costs = {}
print("  h    d_k = d_model / h   exponentials    d_k = d_model in every head")
for h in (1, 2, 4, 8, 16):
    cut, exponentials = multiplications(MultiHeadAttention(d_model, h, rng=rng), x)
    full, _ = multiplications(MultiHeadAttention(d_model, h, d_k=d_model, d_v=d_model, rng=rng), x)
    costs[h] = cut, exponentials, full
    print(f"{h:>3} {cut:>20,} {exponentials:>14,} {full:>30,}")

# %% [markdown]
# The same number down the second column: this is the paper's "total computational cost is similar to that of
# single-head attention with full dimensionality". *Similar*, not equal: each head has a softmax and a map of weights
# of its own, so these grow with $h$. Heads of full size, in the last column, cost $h$ times as much.
#
# The projections grow with $T$, scores and means with $T^2$. Both terms are equal at $T = 2\,d_{model}$. In longer texts
# scores and means cost more than the projections.
#
# ## What a narrow head does less easily
#
# So heads are free? They are narrower. Give each of 30 words a key of $d_k$ random features with variance 1, and let each
# word ask for the word before it in the plainest way: its query *is* that word's key. (The first word has none before
# it, and asks for the last.) The score of the word that it looks for is then about $d_k / \sqrt{d_k} = \sqrt{d_k}$. The
# scores of all others are spread around 0 with a variance of 1, for every $d_k$. An even share would be 0.03. How much
# does the word before get?

# %%
attention = ScaledDotProductAttention()
before = np.roll(np.arange(30), 1)  # the place of the word before each


def ask_for_the_word_before(keys, size=1):
    """Return the weights, the mean weight of the word before, and in how many rows it is the largest.

    Keys are (B, 30, d_k); size is that of the queries.
    """
    with npf.trace(attention) as t:
        attention.forward(size * keys[:, before], keys, keys)
    weights = t["softmax"].output  # (B, 30, 30)
    return weights, weights[:, np.arange(30), before].mean(), (weights.argmax(-1) == before).mean()


SIZE = 1  # change this to 4 and run the section again: which maps become sharp, and at what price?
maps = {}
found = {}
correct = {}
for d_k in (4, 8, 16, 32, 64, 128):
    keys = rng.normal(size=(100, 30, d_k))  # 100 sentences of 30 words
    maps[d_k], found[d_k], correct[d_k] = ask_for_the_word_before(keys, SIZE)
    print(f"d_k {d_k:>3}: weight of the word before {found[d_k]:.2f}, the largest in {correct[d_k]:.0%} of rows")

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import weight_colors

figure, axes = new_figure(1, 3, width=9, height=3.2)
for ax, d_k in zip(axes, (4, 16, 64), strict=True):
    image = ax.imshow(maps[d_k][0], cmap=weight_colors(ax), vmin=0, vmax=1)
    ax.set(title=f"d_k = {d_k}, mean {found[d_k]:.2f}", xlabel="key")
axes[0].set_ylabel("query")
figure.colorbar(image, ax=list(axes), label="weight")
figure

# %% [markdown]
# With the paper's $d_k = 64$ a head points at one word. With 16 half of the weight goes elsewhere, and with 4 most of
# it. Training can make the features of $Q$ and $K$ larger, and the maps become sharper: with `SIZE = 4` the word before
# has 0.96 at $d_k = 16$. But the scores of the other words grow as well: at $d_k = 4$ the largest weight is still on an
# incorrect word in more than half of the rows, and it is larger there than before.
#
# ## Do trained models show it?
#
# In rows A of the paper's table 3 $h$ changes at equal cost. BLEU is a score of translations, for which higher is better
# (notebook 21):
#
# | $h$ | 1 | 4 | 8 (base) | 16 | 32 |
# |---|--:|--:|--:|--:|--:|
# | $d_k$ | 512 | 128 | 64 | 32 | 16 |
# | BLEU | 24.9 | 25.5 | 25.8 | 25.8 | 25.4 |
#
# A single head is worst: it has one mean per word. 32 heads lose again: they are too narrow. The best is in the middle,
# and the middle is broad. In rows B the 8 heads stay and only $d_k$ becomes 32 or 16: 25.4 and 25.1 (a
# tenth of the parameters go with it). Our random keys would say that 32 is enough. A learned query has more to do than to
# find one of 30 random keys: the experiment shows the direction, not the reason.
#
# How far can differences as small as these be trusted? That is [notebook 22b](22b_table_3.ipynb). There, in a small
# model whose eight heads have 8 features each, one head does best.
#
# ## Three questions
#
# **1.** $d_{model} = 512$. How many parameters has multi-head attention without biases with 8 heads, and with 16? And
# with 16 heads of $d_k = d_v = 64$?
#
# <details><summary>Answer</summary>
#
# With 8 and with 16 heads there are four matrices of $512 \times 512$: 1,048,576. The number of heads is not in it.
# With 16 heads of 64 they are $512 \times 1024$ and $1024 \times 512$: twice as many.
#
# </details>
#
# **2.** $W_i^V$ and $W_i^O$ of a head only occur one after the other. Call the weights of the head $A$, and put the
# product of the two into one matrix. What is gained, and what does the paper gain with two?
#
# <details><summary>Answer</summary>
#
# $(A\,x\,W_i^V)\,W_i^O = A\,x\,(W_i^V W_i^O)$: one matrix of $d_{model} \times d_{model}$ does the same, and could do
# more, because its rank need not stop at $d_v$. With $d_{model} = 512$ and $d_v = 64$ it has 262,144 parameters, the
# two have 65,536 together: a quarter, and a quarter of the work.
#
# </details>
#
# **3.** The paper has no biases in $Q$, $K$ and $V$. Many programs add them. One of the three can do nothing at all. Which?
#
# <details><summary>Answer</summary>
#
# That of $K$. With a bias $b$ the score is $q_i \cdot (k_j + b) = q_i \cdot k_j + q_i \cdot b$. The last term is the
# same for every key $j$, one constant for the whole row, and softmax does not see a constant (notebook 03). The bias of
# $V$ does something, but $W^O$'s could do it too: weights of a row sum to 1, so it arrives unchanged everywhere.
#
# </details>

# %% [markdown]
# Back to the path: [notebook 05](05_embedding_and_positions.ipynb), embedding and positions.

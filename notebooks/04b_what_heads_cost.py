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
# The paper has eight heads, and could have had one or thirty-two. What does a head cost, and what do many of them give
# away?
#
# **After this you can** count what multi-head attention multiplies, for any number and width of heads; say what becomes
# more difficult for a narrow head; read rows A and B of the paper's table 3.
#
# Paper: section 3.2.2, its last paragraph; table 3, rows A and B. Code: `npformer/layers/multi_head_attention.py`.
# About 25 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from helpers import heads_cost, schematics
from npformer.layers import ScaledDotProductAttention
from npformer_course import Bet

rng = np.random.default_rng(0)
schematics.many_heads()

# %% [markdown]
# ## What h heads cost
#
# The paper takes $h = 8$ heads with $d_k = d_v = d_{model} / h = 64$. Many tutorials open with
# `assert d_model % h == 0`. That is a choice, not a law: $d_k$ and $d_v$ can be any numbers, and $W^O$, which is
# $(h d_v, d_{model})$, brings the result back to $d_{model}$ features. What does the choice cost?
#
# Count the multiplications for $T$ words and $h$ heads with $d_k = d_v$. A product of an $(a, b)$ and a $(b, c)$ matrix
# takes $a\,b\,c$ of them.
#
# | | left | right |
# |---|---|---|
# | $W^Q$, $W^K$, $W^V$, one of each | $(T, d_{model})$ | $(d_{model}, h\,d_k)$ |
# | scores, in each head | $(T, d_k)$ | $(d_k, T)$ |
# | means, in each head | $(T, T)$ | $(T, d_k)$ |
# | $W^O$ | $(T, h\,d_k)$ | $(h\,d_k, d_{model})$ |
#
# **Write it:** the sum, for five numbers of heads at once, with $d_k = d_{model} / h$. It is compared with what really
# passes through npformer's layers.

# %%
T = 50  # change this to 512 and run it again: do projections or scores and means cost more then?
d_model = 256
h = np.array([1, 2, 4, 8, 16])
d_k = d_model // h  # (5,)
costs = heads_cost.counted(T, d_model, h)
expected = heads_cost.products_to_write(T, d_model, costs)

# %%
products = ...  # (5,), from T, d_model, h and d_k
products = expected.check(products=products)

# %%
print("  h    d_k = d_model / h   exponentials    d_k = d_model in every head")
for n_heads, (narrow, exponentials, full) in costs.items():
    print(f"{n_heads:>3} {narrow:>20,} {exponentials:>14,} {full:>30,}")

# %% [markdown]
# The same number down the second column, because $h$ cancels: this is the paper's "total computational cost is similar to that of
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
# scores of all others have the mean 0 and a variance of 1, for every $d_k$. An even share would be 0.03.

# %%
bet = Bet("Which weight does the word before get, with 16 features?", ["0.95", "0.5", "0.1"])
bet.place(...)

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
bet.settle(min(bet.options, key=lambda option: abs(float(option) - found[16])))

# %% tags=["hide-input"]
heads_cost.show_maps(maps, found, widths=(4, 16, 64))

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
# **You can now**
#
# - count the multiplications of heads, and say why their number cancels;
# - say what a narrow head distinguishes less well, and what larger queries change;
# - say what differences between numbers of heads can rest on.
#
# Back to the path: [notebook 05](05_embedding_and_positions.ipynb), embedding and positions.

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
# **The idea:** $h$ heads cost as much as one, because each has only $d_{model} / h$ numbers. More heads are paid for
# with narrower heads, and a narrow head tells fewer kinds of key apart at once: where keys are random, it points less
# sharply.
#
# Paper: section 3.2.2, its last paragraph; table 3, rows A and B. Code: `npformer/layers/multi_head_attention.py`.
#
# **What you need before:** [notebook 04, many heads](04_many_heads.ipynb), and from 01 that softmax does not see a
# constant that is added to all scores of a row.
# About 30 minutes to read and run, 50 with every change and question.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from npformer.layers import MultiHeadAttention, ScaledDotProductAttention

rng = np.random.default_rng(0)

# %% [markdown]
# ## What has to fit: d_k and d_v need not be equal
#
# The paper takes $h = 8$ heads with $d_k = d_v = d_{model} / h = 64$. Many tutorials open with
# `assert d_model % h == 0` and set `d_k = d_v = d_model // h`. That is a choice, not a law. Before you ask what the
# choice costs, ask what you may choose. What has to fit?
#
# - Query and key meet in a dot product: they share $d_k$.
# - Key and value come in pairs: they share the number of words $S$, and not the width.
# - $W^O$ is $(h d_v, d_{model})$ and brings any $d_v$ back to $d_{model}$.
#
# npformer allows all that fits, and says so when something does not:

# %%
d_k, d_v = 2, 5  # change these to 7 and 1 and run it again: which shapes change, and which does not?
free = MultiHeadAttention(10, 3, d_k=d_k, d_v=d_v, rng=rng)
y = np.ones((1, 4, 10), "float32")
for linear in (free.w_query, free.w_key, free.w_value, free.w_output):
    print(linear.weight.data.shape, end="  ")
print("result", free.forward(y, y, y).shape)

# %% tags=["hide-input"]
import textwrap

assert free.w_query.weight.data.shape == free.w_key.weight.data.shape == (10, 3 * d_k)
assert free.w_value.weight.data.shape == free.w_output.weight.data.shape[::-1] == (10, 3 * d_v)
refused = []
for attempt in (
    lambda: MultiHeadAttention(10, 3),
    lambda: ScaledDotProductAttention().forward(np.ones((4, 2)), np.ones((4, 3)), np.ones((4, 5))),
    lambda: free.forward(y, y[:, :3], y),
):
    try:
        attempt()
    except npf.InputError as error:
        refused.append(str(error))
        print(textwrap.fill(str(error), 86, initial_indent="- ", subsequent_indent="  "))
assert len(refused) == 3

# %% [markdown]
# The folded cell tries what does not fit: three heads in 10 numbers without a $d_k$, a query of another width than the
# key, and a key of fewer words than the value. One thing more is tied in npformer: query, key and value come in with
# the same width $d_{model}$, as they do everywhere in the paper's model.
#
# ## What h heads cost
#
# Count the multiplications for $T$ words. Four projections: twice $T \cdot d_{model} \cdot h d_k$ and twice
# $T \cdot d_{model} \cdot h d_v$. Scores: $h  T^2 d_k$. Averages: $h  T^2 d_v$. With $d_k = d_v = d_{model} / h$ the
# $h$ cancels everywhere:
#
# $$4  T d_{model}^2 + 2  T^2 d_{model}$$
#
# Do not believe the formula; count what really passes through the layers:


# %%
def multiplications(layer, x):
    with npf.trace(layer, depth=None) as t:
        layer.forward(x, x, x)
    projections = [t[name] for name in t if name.startswith("w_")]
    linear = sum(r.inputs.x.size * r.output.shape[-1] for r in projections)
    weights = t["attention.softmax"].output  # (B, H, T, S)
    scores = t["attention"].inputs.query.size * weights.shape[-1]
    averages = weights.size * t["attention"].output.shape[-1]
    return linear + scores + averages, weights.size


T, d_model = 50, 256  # change the 50 to 512 and run it again: how large are the two terms of the formula then?
x = np.ones((1, T, d_model), "float32")
formula = 4 * T * d_model**2 + 2 * T**2 * d_model
print("  h    d_k = d_model / h   exponentials    d_k = d_model in every head")
for h in (1, 2, 4, 8, 16):
    cut, exponentials = multiplications(MultiHeadAttention(d_model, h, rng=rng), x)
    full, _ = multiplications(MultiHeadAttention(d_model, h, d_k=d_model, d_v=d_model, rng=rng), x)
    print(f"{h:>3} {cut:>20,} {exponentials:>14,} {full:>30,}")
    assert cut == formula and full == h * formula and exponentials == h * T**2

# %% [markdown]
# The same number down the second column: this is the paper's "total computational cost is similar to that of
# single-head attention with full dimensionality". *Similar*, not equal: each head has a softmax and a map of weights
# of its own, so these grow with $h$. Heads of full size, in the last column, cost $h$ times as much. The projections
# grow with $T$, scores and averages with $T^2$. Both terms are equal at $T = 2\,d_{model}$; in longer texts attention
# costs more.
#
# ## What a narrow head does less easily
#
# So heads are free? They are narrower. The scores of a head are a product of a $(T, d_k)$ and a $(d_k, S)$ matrix, so
# their rank is at most $d_k$. A head with a $d_k$ of 4 cannot rank 30 words in 30 independent ways:

# %%
x30 = rng.normal(size=(1, 30, 64))  # 30 random words
for size in (2, 4, 16, 64):  # change these to (1, 29, 30, 31) and run it again
    head = MultiHeadAttention(64, 1, d_k=size, dtype="float64", rng=rng)
    scores = head.w_query.forward(x30)[0] @ head.w_key.forward(x30)[0].T
    rank = np.linalg.matrix_rank(scores)
    print(f"d_k {size:>2}: scores {scores.shape}, rank {rank}")
    assert rank == min(size, 30)

# %% [markdown]
# So a narrow head cannot point at one word? It can. Place the keys of 30 words on a circle, so that $d_k = 2$, and let
# each word ask for the word before it in the plainest way: its query *is* that word's key. In notebook 02 a word found
# itself like this. (The first word has none before it and asks for the last.)

# %%
attention = ScaledDotProductAttention()


def ask_for_the_word_before(keys, size=1):
    """Return the weights, that of the word before, and in how many rows it is the largest. Keys are (B, 30, d_k)."""
    with npf.trace(attention) as t:
        attention.forward(size * np.roll(keys, 1, axis=1), keys, keys)  # the query of word i is the key of word i - 1
    weights = t["softmax"].output
    before = np.roll(np.eye(30), -1, axis=1).astype(bool)
    return weights, weights[:, before].mean(), (weights.argmax(-1) == np.roll(np.arange(30), 1)).mean()


turn = 2 * np.pi * np.arange(30) / 30
circle = np.stack([np.cos(turn), np.sin(turn)], axis=-1)[None]  # (1, 30, 2), radius 1
for radius in (1, 4, 8, 16):  # add 32 and run it again
    _, weight, share = ask_for_the_word_before(radius * circle)
    print(f"d_k 2, radius {radius:>2}: weight of the word before {weight:.2f}, the largest in {share:.0%} of rows")
    assert share == 1 and (radius != 16 or weight > 0.95)

# %% [markdown]
# The word sought is the largest in every row, and with long vectors it gets nearly all the weight. (Notebook 05b
# builds such a head from the positions.) What does it pay? Both numbers hold the place and nothing else, and they
# were laid out with care. Keys that say many things at once look more like random ones. So give every word a key of
# $d_k$ random numbers with variance 1. The score of the word sought is then about $d_k / \sqrt{d_k} = \sqrt{d_k}$,
# and the others are spread around 0 with a variance of 1, for every $d_k$. How much weight does it get? An even share
# would be 0.03.

# %%
SIZE = 1  # of all queries; change this to 4 and run the section again: which maps become sharp, and at what price?
maps, found, correct = {}, {}, {}
for d_k in (4, 8, 16, 32, 64, 128):
    keys = rng.normal(size=(100, 30, d_k))  # 100 sentences of 30 words
    maps[d_k], found[d_k], correct[d_k] = ask_for_the_word_before(keys, SIZE)
    print(f"d_k {d_k:>3}: weight of the word before {found[d_k]:.2f}, the largest in {correct[d_k]:.0%} of rows")
assert SIZE != 1 or (found[4] < 0.25 and 0.4 < found[16] < 0.6 and found[64] > 0.95)

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import weight_colors

figure, axes = new_figure(1, 3, width=9, height=3.2)
for ax, d_k in zip(axes, (4, 16, 64), strict=True):
    image = ax.imshow(maps[d_k][0], cmap=weight_colors(ax), vmin=0, vmax=1)
    ax.set(title=f"d_k = {d_k}, mean {found[d_k]:.2f}", xlabel="key")
axes[0].set_ylabel("query")
figure.colorbar(image, ax=list(axes), label="weight")
assert SIZE != 1 or (correct[4] < 0.6 and correct[16] > 0.98)
figure

# %% [markdown]
# With the paper's $d_k = 64$ a head points at one word. With 16 half of the weight goes elsewhere, and with 4 most of
# it. Training can make the numbers of $Q$ and $K$ larger, as the 8 in notebook 04 did, and the maps become sharper:
# with `SIZE = 4` the word before has 0.96 at $d_k = 16$. But the scores of the other words grow as well: at $d_k = 4$
# the largest weight is still on an incorrect word in more than half of the rows, and it is larger there than before.
#
# Do trained models show it? In row A of the paper's table 3 $h$ changes at equal cost. In row B $h = 8$ and $d_v = 64$
# stay, only $d_k$ becomes smaller. BLEU is a score of translations for which higher is better (notebook 21):
#
# | | A | A | base | A | A | | B | B |
# |---|--:|--:|--:|--:|--:|---|--:|--:|
# | $h$ | 1 | 4 | 8 | 16 | 32 | | 8 | 8 |
# | $d_k$ | 512 | 128 | 64 | 32 | 16 | | 32 | 16 |
# | BLEU | 24.9 | 25.5 | 25.8 | 25.8 | 25.4 | | 25.4 | 25.1 |
#
# A single head is worst: it has one average per word. From there more heads are better, until they are too narrow: 32
# heads lose again. Row B keeps the heads and makes queries and keys narrower, and loses too (a tenth of the parameters
# go with it). Our experiment shows the direction, not the reason: the word sought is missed at 4 and 8, and from 16 on
# it is the largest in 99% of the rows or more, but row B loses already at 32. A learned query has more to do than to
# find one of 30 random keys: "This suggests that determining compatibility is not easy", says the paper; a better
# function than the dot product may help. The best is in the middle, and the middle is broad. It is elsewhere in other
# models: in the small one of [notebook 22b](22b_table_3.ipynb), where eight heads have 8 numbers each, one head does
# best. There you also find out how far differences as small as these can be trusted.
#
# ## Biases in Q, K and V
#
# The smallest cost is one that the paper does not have: four biases of $d_{model}$ numbers each, 0.2% of the layer at
# $d_{model} = 512$. What do they buy? The paper writes $Q W_i^Q$ and mentions no bias. The programs disagree. The
# Annotated Transformer and PyTorch's `nn.MultiheadAttention` have biases, the authors' own tensor2tensor has none,
# and Whisper has them in $Q$ and $V$ but not in $K$. npformer has them unless you say `bias=False`. The one in $K$ is
# the odd one. Write $b$ for it:
#
# $$q_i \cdot (k_j + b) = q_i \cdot k_j + q_i \cdot b$$
#
# The last term does not depend on $j$. It is one constant for the whole row, and softmax does not see a constant
# (notebook 02). So this bias can do nothing, and its gradient is 0, always:

# %%
layer = MultiHeadAttention(12, 3, dtype="float64", rng=rng)  # change the 3 to 1 and run it again
x, dy = rng.normal(size=(2, 6, 12)), rng.normal(size=(2, 6, 12))


def weights_and_result():
    with npf.trace(layer) as t:
        result = layer.forward(x, x, x)
    return t["attention.softmax"].output, result


plain = weights_and_result()
layer.backward(dy)
biases = {name: p for name, p in layer.named_parameters() if name.endswith("bias")}
size = {name[:-5]: abs(p.grad).max() for name, p in biases.items()}
print("  bias of   gradient   moves weights   moves result")
for name, bias in zip(size, biases.values(), strict=True):
    bias.data[...] = rng.normal(size=12)
    moved = [abs(now - then).max() for now, then in zip(weights_and_result(), plain, strict=True)]
    bias.data[...] = 0
    print(f"{name:>9} {size[name]:>10.1e} {moved[0]:>15.1e} {moved[1]:>14.1e}")
    assert (moved[0] > 1e-3) == (name == "w_query") and (moved[1] < 1e-12) == (name == "w_key")
assert size["w_key"] < 1e-12 < 1e-3 < min(size["w_query"], size["w_value"], size["w_output"])

# %% [markdown]
# What is left for $K$, about $10^{-16}$, is the rounding of float64: nothing. The bias of $V$ does move the result, but
# it too is spare. The weights of a row sum to 1, so it arrives in every row unchanged, and the bias of $W^O$ could hold
# $b_V W^O$ just as well. (Unless weights are dropped out, or a row is masked throughout: then they do not sum to 1.)
# Of the three only the bias of $Q$ does something that no other can: $b \cdot k_j$ depends on $j$, so it makes a word
# interesting to everybody.

# %%
bias = rng.normal(size=12)
layer.w_value.bias.data[...] = bias
through_value = layer.forward(x, x, x)
layer.w_value.bias.data[...] = 0
layer.w_output.bias.data[...] = bias @ layer.w_output.weight.data
assert np.allclose(through_value, layer.forward(x, x, x), rtol=0, atol=1e-12)
print("a bias b in V, or b W^O in the output: the same result")

# %% [markdown]
# ## Three questions
#
# **1.** $d_{model} = 512$. How many parameters has multi-head attention without biases with 8 heads, and with 16? And
# with 16 heads of $d_k = d_v = 64$?
#
# <details><summary>Answer</summary>
#
# With 8 and with 16 heads there are four matrices of $512 \times 512$: 1,048,576. The number of heads is not in it.
# With 16 heads of 64 they are $512 \times 1024$ and $1024 \times 512$: twice as many. The cell below counts them.
#
# </details>
#
# **2.** $W_i^V$ and $W_i^O$ of a head only occur one after the other. Write $P$ for the weights of the head and put
# their product into one matrix. What is gained, and what does the paper gain with two?
#
# <details><summary>Answer</summary>
#
# $(P\,x\,W_i^V)\,W_i^O = P\,x\,(W_i^V W_i^O)$: one matrix of $d_{model} \times d_{model}$ does the same, and could do
# more, because its rank need not stop at $d_v$. With $d_{model} = 512$ and $d_v = 64$ it has 262,144 numbers, the two
# have 65,536 together: a quarter, and a quarter of the work.
#
# </details>
#
# **3.** A program has attention with biases in $Q$, $K$, $V$ and $W^O$, another one with biases in $Q$ and $W^O$
# alone, as they are all that is needed. How do you bring the weights of the first into the second?
#
# <details><summary>Answer</summary>
#
# Copy the bias of $Q$, leave out that of $K$, and add $b_V W^O$ to the bias of $W^O$. The result is the same for
# every input (without dropout of weights, and with no row masked throughout). The way back is easier still: the two
# biases that are missing are 0.
#
# </details>

# %%
for h, d in ((8, 64), (16, 32), (16, 64)):
    count = sum(p.data.size for p in MultiHeadAttention(512, h, d_k=d, d_v=d, bias=False, rng=rng).parameters())
    print(f"question 1: {h:>2} heads, d_k = d_v = {d}: {count:,} parameters")
    assert count == 4 * 512 * h * d
weights, w_v, w_o = (rng.normal(size=size) for size in ((6, 6), (12, 4), (4, 12)))  # of one head
assert np.allclose((weights @ x @ w_v) @ w_o, weights @ x @ (w_v @ w_o))
print("question 2: one matrix of rank", np.linalg.matrix_rank(w_v @ w_o), "in place of two: the same result")

# %% [markdown]
# Next: [notebook 05](05_embedding_and_positions.ipynb), positions.

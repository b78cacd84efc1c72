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
# # 03 Many heads
#
# **The idea:** one head gives one average per word. Cut the same numbers into $h$ heads, and a word looks at $h$ places
# at once, for the same amount of work.
#
# Paper: section 3.2.2, figure 2 right; table 3, rows A and B. Code: `npformer/layers/multi_head_attention.py`.
#
# **What you need before:** notebook 01 (attention by hand), and from 02 that scores are divided by $\sqrt{d_k}$.
# About 65 minutes.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from npformer.layers import MultiHeadAttention

rng = np.random.default_rng(0)

# %% [markdown]
# ## What one head cannot do
#
# Four words, eight numbers each. The first four numbers say *where* a word stands, the last four say *what* it is:
# noun, verb, adjective, or something else.

# %%
words = ["dogs", "chase", "small", "cats"]
kind = {"noun": 0, "verb": 1, "adjective": 2, "other": 3}
where = np.eye(4)
what = np.eye(4)[[kind["noun"], kind["verb"], kind["adjective"], kind["noun"]]]
x = np.concatenate([where, what], axis=1)[None]  # one sentence
print("x", x.shape, "= (sentences, words, d_model)")

# %% [markdown]
# You want two things of every word. In columns 1 to 4 of $Q$ and $K$: look at the *word before*. In columns 5 to 8:
# look at the *partner*, verb and adjective at nouns, nouns at verbs. Both can be written down as matrices of 0 and 8,
# without training. Why 8? A head of $d_k = 4$ numbers divides it by $\sqrt 4$. That leaves a score of 4 next to scores of 0,
# and softmax gives it $e^4 = 55$ times their weight.

# %%
# row: my place, or my kind; column: the place, or the kind, that I ask for
# (row 0 of `before`: no word is before the first, so it looks at itself)
before = np.array([[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]])
partner = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]])

PARTNER = 8  # change this to 1 and run the section again: which map goes flat, which does the large head follow?
two = MultiHeadAttention(8, 2, bias=False, dtype="float64", rng=rng)
two.w_query.weight.data[...] = 0
two.w_query.weight.data[:4, :4] = 8 * before
two.w_query.weight.data[4:, 4:] = PARTNER * partner
two.w_key.weight.data[...] = np.eye(8)
two.w_value.weight.data[...] = 0
two.w_value.weight.data[4:, :4] = two.w_value.weight.data[4:, 4:] = np.eye(4)  # both heads bring what a word is
two.w_output.weight.data[...] = np.eye(8)  # the results of the heads side by side, as they are

one = MultiHeadAttention(8, 1, bias=False, dtype="float64", rng=rng)
one.load_state_dict(two.state_dict())  # the same numbers, every one
for name, array in one.state_dict().items():
    print(f"{name:>15} {array.shape}")

# %% [markdown]
# `one` is one large head with $d_k = 8$, `two` is two heads with $d_k = 4$. Their parameters have the same names, the
# same shapes, and here the same values. That is why you hear that a large head is *cut*: the number of heads is not a
# matter of parameters.

# %%
weights = {}
for name, layer in (("one", one), ("two", two)):
    with npf.trace(layer) as t:
        layer.forward(x, x, x)
    weights[name] = t["attention.softmax"].output[0]  # (H, T, S)
print("weights: one", weights["one"].shape, " two", weights["two"].shape)

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure, plot_attention

figure, axes = new_figure(1, 3, width=9, height=3.1)
maps = {
    "head 1 of 2: before": weights["two"][0],
    "head 2 of 2: partner": weights["two"][1],
    "one large head": weights["one"][0],
}
for ax, (title, map_of_weights) in zip(axes, maps.items(), strict=True):
    plot_attention(ax, map_of_weights, words, words, title=title, colorbar=False, digits=2)
    ax.set(xlabel="key", ylabel="query")
figure

# %% [markdown]
# Each row is a query. Look at the row of "cats". Head 1 looks at "small", head 2 at "chase", each with a weight above 0.9.
# The large head has the scores of both *added together*, and one softmax for them: 0.47 each. Does it matter? Look at
# what arrives at "cats". $W^V$ takes the kind of a word, once for each half of the result:

# %%
from pictures import side_by_side

both = {"two_heads": two, "large_head": one}
at_cats = {name: layer.forward(x, x, x)[0, 3].reshape(2, 4) for name, layer in both.items()}
print("a row for each half of the result; columns: noun, verb, adjective, other")
print(side_by_side(2, **at_cats))

# %% [markdown]
# With two heads the first half says "the word before me is an adjective", and the second half "my partner is a verb". The
# large head says twice "a verb and an adjective": both are there, and nothing tells which of them is the word before. If
# the two changed places, the average would be the same. The paper: with a single head, "averaging inhibits this".


# %%
def split_heads(x, n_heads):  # (B, T, H * d)
    return x.reshape(*x.shape[:2], n_heads, -1).swapaxes(1, 2)  # (B, H, T, d)


q, k = one.w_query.forward(x), one.w_key.forward(x)
heads_q, heads_k = split_heads(q, 2), split_heads(k, 2)
scores = heads_q @ heads_k.swapaxes(-1, -2)  # (B, H, T, S), not yet divided
assert np.array_equal(q @ k.swapaxes(-1, -2), scores.sum(1))
assert weights["two"][0, 3, 2] > 0.9 and (PARTNER != 8 or weights["two"][1, 3, 1] > 0.9)
assert PARTNER != 8 or np.allclose(weights["one"][0, 3, [1, 2]], 0.47, atol=0.005)
assert np.allclose(*at_cats["large_head"])  # both halves say the same
print("scores of the heads", scores.shape, "add up to those of the large head", scores.sum(1).shape)

# %% [markdown]
# ## Cut or separate: the same
#
# Section 3.2.2 writes $h$ separate attentions with matrices $W_i^Q, W_i^K, W_i^V$ of their own:
#
# $$\mathrm{head}_i = \mathrm{Attention}(Q W_i^Q, K W_i^K, V W_i^V), \qquad
# \mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h)  W^O$$
#
# Code does one product with a wide matrix, in which the $W_i^Q$ are side by side, and cuts the result. This is figure 2,
# drawn from a layer with $d_{model} = 12$ and three heads:

# %% tags=["hide-input"]
from pictures import figure_2

figure_2(MultiHeadAttention(12, 3))

# %% [markdown]
# Do it the slow way, and compare:

# %%
from npformer.layers import Linear, ScaledDotProductAttention

d_model, h = 12, 3  # change the 3 to 6 and run it again
d_k = d_model // h
layer = MultiHeadAttention(d_model, h, dtype="float64", rng=rng)
x = rng.normal(size=(2, 5, d_model))
memory = rng.normal(size=(2, 7, d_model))
fast = layer.forward(x, memory, memory)


def columns(linear, i):
    """Columns of head i of a Linear, as a small Linear of its own."""
    small = Linear(d_model, d_k, dtype="float64")
    small.weight.data[...] = linear.weight.data[:, i * d_k : (i + 1) * d_k]
    small.bias.data[...] = linear.bias.data[i * d_k : (i + 1) * d_k]
    return small


heads = []
for i in range(h):
    q = columns(layer.w_query, i).forward(x)
    k = columns(layer.w_key, i).forward(memory)
    v = columns(layer.w_value, i).forward(memory)
    heads.append(ScaledDotProductAttention().forward(q, k, v))  # (B, T, d_v)
slow = layer.w_output.forward(np.concatenate(heads, axis=-1))
print("W^Q", layer.w_query.weight.data.shape, "=", h, "times", (d_model, d_k), "  result", fast.shape)
print("largest difference below 1e-12:", abs(fast - slow).max() < 1e-12)
assert np.allclose(fast, slow, rtol=0, atol=1e-12)

# %% [markdown]
# A trap is in the cut. `(B, T, H * d)` becomes `(B, T, H, d)` by a reshape, and only then do two axes change places:
# `(B, H, T, d)`. A reshape straight to `(B, H, T, d)` has the right shape too, raises nothing, and mixes words. Label
# every number with the word that it belongs to:

# %%
labels = np.broadcast_to(np.arange(4)[None, :, None], (1, 4, 6))  # 4 words, 2 heads of 3
right, wrong = split_heads(labels, 2), labels.reshape(1, 2, 4, 3)
print("head 1, split_heads:   rows from the words", right[0, 0].tolist())
print("head 1, reshape alone: rows from the words", wrong[0, 0].tolist())
assert right.shape == wrong.shape
assert right[0, 0].tolist() == right[0, 1].tolist() == [[0] * 3, [1] * 3, [2] * 3, [3] * 3]
assert wrong[0, 0].tolist() == [[0] * 3, [0] * 3, [1] * 3, [1] * 3]
assert np.array_equal(right.swapaxes(1, 2).reshape(labels.shape), labels)

# %% [markdown]
# With the wrong cut, head 1 never sees the second half of the sentence.
#
# ## d_k and d_v need not be equal
#
# Many tutorials open with `assert d_model % h == 0` and set `d_k = d_v = d_model // h`. That is the paper's choice, not
# a law. What has to fit?
#
# - Query and key meet in a dot product: they share $d_k$.
# - Key and value come in pairs: they share the number of words $S$, and not the width.
# - $W^O$ is $(h d_v, d_{model})$ and brings any $d_v$ back to $d_{model}$.
#
# npformer allows all that fits, and says so when something does not:

# %%
import textwrap

free = MultiHeadAttention(10, 3, d_k=2, d_v=5, rng=rng)
y = np.ones((1, 4, 10), "float32")
shapes = {name: p.data.shape for name, p in free.named_parameters() if "weight" in name}
print(*(f"{name[:-7]} {shape} " for name, shape in shapes.items()), "result", free.forward(y, y, y).shape)
assert list(shapes.values()) == [(10, 6), (10, 6), (10, 15), (15, 10)]

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
# One thing more is tied in npformer: query, key and value come in with the same width $d_{model}$, as they do
# everywhere in the paper's model.
#
# What does a small $d_k$ cost? The scores of a head are a product of a $(T, d_k)$ and a $(d_k, S)$ matrix, so their
# rank is at most $d_k$. A head with a $d_k$ of 4 cannot rank 30 words in 30 independent ways:

# %%
x30 = rng.normal(size=(1, 30, 64))
for size in (2, 4, 16, 64):  # change these to (1, 29, 30, 31) and run it again
    head = MultiHeadAttention(64, 1, d_k=size, dtype="float64", rng=rng)
    scores = head.w_query.forward(x30)[0] @ head.w_key.forward(x30)[0].T
    rank = np.linalg.matrix_rank(scores)
    print(f"d_k {size:>2}: scores {scores.shape}, rank {rank}")
    assert rank == min(size, 30)

# %% [markdown]
# That is row B of the paper's table 3: a smaller $d_k$ makes the model worse. Row A changes $h$ at the same cost. Eight
# heads have 25.8 BLEU, a score of translations for which higher is better (notebook 08c), and so have sixteen. A single
# head is worst, with 24.9. But more is not always better: 32 heads, with a $d_k$ of 16 each, have 25.4.
#
# ## What W^O mixes
#
# Head $i$ writes into columns of its own, next to those of the other heads. Without $W^O$ they would never meet. Change
# the values of one head and see which columns of the result change, first with the identity in place of $W^O$:

# %%
d_model, h = 12, 3
d_v = d_model // h
layer = MultiHeadAttention(d_model, h, bias=False, dtype="float64", rng=rng)
x = rng.normal(size=(1, 6, d_model))
w_output, w_value = layer.w_output.weight.data.copy(), layer.w_value.weight.data.copy()


def change_by_head(matrix):
    """How much column j of the result (h, d_model) moves when the values of head i do."""
    layer.w_output.weight.data[...] = matrix
    layer.w_value.weight.data[...] = w_value
    plain, moved = layer.forward(x, x, x), []
    for i in range(h):
        layer.w_value.weight.data[...] = w_value
        layer.w_value.weight.data[:, d_v * i : d_v * (i + 1)] *= 2
        moved.append(abs(layer.forward(x, x, x) - plain).mean((0, 1)))
    layer.w_value.weight.data[...] = w_value
    return np.array(moved)


alone, mixed = change_by_head(np.eye(d_model)), change_by_head(w_output)

# %% tags=["hide-input"]
from npformer.visualization.plots import plot_heat_map

figure, axes = new_figure(2, 1, width=7, height=3.8)
names = {"row_names": [f"head {i + 1}" for i in range(h)], "column_label": "column of the result"}
plot_heat_map(axes[0], alone, title="without W^O: each head in its own columns", **names)
plot_heat_map(axes[1], mixed, title="with W^O: every head reaches every column", **names)
assert np.array_equal(alone > 0, np.kron(np.eye(h), np.ones((1, d_v))) > 0) and (mixed > 0).all()
figure

# %% [markdown]
# There is a second way to read the same product. Cut $W^O$ into $h$ blocks of rows, and
#
# $$\mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h)  W^O = \sum_{i=1}^{h} \mathrm{head}_i W_i^O$$
#
# Each head has a matrix of its own that says where in the $d_{model}$ numbers it writes, and the results are *added*.
# "Put side by side and multiply" and "multiply each and add" are one and the same:

# %%
with npf.trace(layer) as t:
    result = layer.forward(x, x, x)
concatenated = t["w_output"].inputs.x  # (B, T, h * d_v)
blocks = [slice(d_v * i, d_v * (i + 1)) for i in range(h)]
added = sum(concatenated[..., block] @ w_output[block] for block in blocks)
print("side by side", concatenated.shape, " result", result.shape, " the sum", added.shape)
assert np.allclose(result, added, rtol=0, atol=1e-12)

# %% [markdown]
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
# single-head attention with full dimensionality". *Similar*, not equal: each head has a softmax and a map of weights of
# its own, so these grow with $h$. Heads of full size, in the last column, cost $h$ times as much. The projections grow
# with $T$, scores and averages with $T^2$. Both terms are equal at $T = 2\,d_{model}$; in longer texts attention costs more.
#
# ## Biases in Q, K and V
#
# The paper writes $Q W_i^Q$ and mentions no bias. The programs disagree. The Annotated Transformer and PyTorch's
# `nn.MultiheadAttention` have biases, the authors' own tensor2tensor has none, and Whisper has them in $Q$ and $V$ but
# not in $K$. npformer has them unless you say `bias=False`. The one in $K$ is the odd one. Write $b$ for it:
#
# $$q_i \cdot (k_j + b) = q_i \cdot k_j + q_i \cdot b$$
#
# The last term does not depend on $j$. It is one constant for the whole row, and softmax does not see a constant
# (notebook 01). So this bias can do nothing, and its gradient is 0, always:

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
# Only the bias of $Q$ does something that no other can: $b \cdot k_j$ depends on $j$, so it makes a word interesting to
# everybody.

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
# **1.** $d_{model} = 512$. How many parameters has multi-head attention without biases with 8 heads, and with 16?
#
# <details><summary>Answer</summary>
#
# Both have four matrices of $512 \times 512$: 1,048,576. The number of heads is not in it. The cell below counts them.
#
# </details>
#
# **2.** Training has made two heads equal: the same $W_i^Q$, $W_i^K$ and $W_i^V$. Can $W^O$ still get more out of two
# than out of one?
#
# <details><summary>Answer</summary>
#
# No. $\mathrm{head} \cdot W_1^O + \mathrm{head} \cdot W_2^O = \mathrm{head} \cdot (W_1^O + W_2^O)$, which one head can
# do alone. Heads are worth their place only where they differ.
#
# </details>
#
# **3.** $W_i^V$ and $W_i^O$ of a head only occur one after the other. Write $P$ for the weights of the head and put their
# product into one matrix. What is gained, and what does the paper gain with two?
#
# <details><summary>Answer</summary>
#
# $(P\,x\,W_i^V)\,W_i^O = P\,x\,(W_i^V W_i^O)$: one matrix of $d_{model} \times d_{model}$ does the same, and could do more,
# because its rank need not stop at $d_v$. With $d_{model} = 512$ and $d_v = 64$ it has 262,144 numbers, the two have 65,536
# together: a quarter, and a quarter of the work.
#
# </details>

# %%
for h in (8, 16):
    count = sum(p.data.size for p in MultiHeadAttention(512, h, bias=False, rng=rng).parameters())
    print(f"question 1: {h:>2} heads, {count:,} parameters")
    assert count == 1_048_576

# %% [markdown]
# Next: [notebook 04](04_positions.ipynb), positions.
#
# Write it yourself: exercises 10 heads, 11 multi_head. `npformer class start my-course` begins the course.

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
# # 04 Many heads
#
# **The idea:** one head gives one average per word. Cut the same numbers into $h$ heads, and a word looks at $h$ places
# at once.
#
# Paper: section 3.2.2, figure 2 right. Code: `npformer/layers/multi_head_attention.py`.
#
# **What you need before:** notebook 02 (attention by hand), and from 02 that scores are divided by $\sqrt{d_k}$.
# About 25 minutes to read and run, 45 with every change and question.

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
# without training. Why 8? A head of $d_k = 4$ numbers divides it by $\sqrt 4$. That leaves a score of 4 next to
# scores of 0, and softmax gives it $e^4 = 55$ times their weight.

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
# Each row is a query. Look at the row of "cats". Head 1 looks at "small", head 2 at "chase", each with a weight above
# 0.9. The large head has the scores of both *added together*, and one softmax for them: 0.47 each. Does it matter?
# Look at what arrives at "cats". $W^V$ takes the kind of a word, once for each half of the result:

# %%
from helpers.pictures import side_by_side

both = {"two_heads": two, "large_head": one}
at_cats = {name: layer.forward(x, x, x)[0, 3].reshape(2, 4) for name, layer in both.items()}
print("a row for each half of the result; columns: noun, verb, adjective, other")
print(side_by_side(2, **at_cats))

# %% [markdown]
# With two heads the first half says "the word before me is an adjective", and the second half "my partner is a verb".
# The large head says twice "a verb and an adjective": both are there, and nothing tells which of them is the word
# before. If the two changed places, the average would be the same. The paper: with a single head, "averaging inhibits
# this".
#
# Training cannot rescue it: other $W^Q$ and $W^K$ move its weights, but do not make two rows of them. Each of the 8
# numbers that arrive is an average with the same four weights, whatever $W^V$ is. (With `PARTNER = 1` the map of head
# 2 is flat, and the large head follows head 1 alone: "adjective" 0.83.)


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
# Code does one product with a wide matrix, in which the $W_i^Q$ are side by side, and cuts the result. This is figure
# 2, drawn from a layer with $d_{model} = 12$ and three heads:

# %% tags=["hide-input"]
from helpers.pictures import figure_2

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

# %% tags=["hide-input"]
assert right.shape == wrong.shape
assert right[0, 0].tolist() == right[0, 1].tolist() == [[0] * 3, [1] * 3, [2] * 3, [3] * 3]
assert wrong[0, 0].tolist() == [[0] * 3, [0] * 3, [1] * 3, [1] * 3]
assert np.array_equal(right.swapaxes(1, 2).reshape(labels.shape), labels)

# %% [markdown]
# With the wrong cut, head 1 never sees the second half of the sentence.
#
# ## What W^O mixes
#
# Head $i$ writes into columns of its own, next to those of the other heads. Without $W^O$ they would never meet. Change
# the values of one head and see which columns of the result change, first with the identity in place of $W^O$:

# %%
d_model, h = 12, 3  # change the 3 to 4 and run the section again: how many columns does a head have without W^O?
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
for bar in figure.axes[2:]:
    bar.set_ylabel("mean change")
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
# A sum is easy to take apart. Put zeros into the block of one head, and its term is gone, while all others stay. This
# is how you find out what a head is for: switch it off and look at what the model can no longer do.

# %%
OFF = 0  # change this to 1 and run it again
layer.w_output.weight.data[blocks[OFF]] = 0
switched_off = layer.forward(x, x, x)
for i, block in enumerate(blocks):
    term = concatenated[..., block] @ w_output[block]
    gone = np.allclose(result - switched_off, term, rtol=0, atol=1e-12)
    print(f"head {i + 1}: a term of norm {np.linalg.norm(term):.2f},", "missing" if gone else "still there")
    assert gone == (i == OFF)
layer.w_output.weight.data[...] = w_output

# %% [markdown]
# Back to "cats". There $W^O$ was the identity: "the word before me is an adjective" came out in the first four
# numbers, and "my partner is a verb" in the last four. A trained $W^O$ is free to put both anywhere among the
# $d_{model}$ numbers, to add them or to weigh one against the other. The heads keep apart what one average would have
# mixed, and $W^O$ mixes it by choice.

# %% [markdown]
# ## Three questions
#
# **1.** In one training head 1 has learned to look at the word before, in another head 3. You want the heads of both
# models in the same order. Which matrices do you rearrange so that the result of the layer stays the same?
#
# <details><summary>Answer</summary>
#
# Of $W^Q$, $W^K$ and $W^V$ the blocks of columns, and of $W^O$ the blocks of rows, all in the same way. The result is
# a sum over heads, and a sum has no order: a head has no number of its own. The cell below tries it.
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
# **3.** Another program cuts with a reshape to `(B, T, d, H)`, then moves the last axis to second place:
# `(B, H, T, d)`. Is that wrong, like the trap above?
#
# <details><summary>Answer</summary>
#
# No words are mixed: each head gets $d$ numbers of every word. Only it gets every $h$-th column instead of $d$ adjacent
# ones. A model that is trained like this learns as well. But $W^O$ has to read the heads in the same order, and weights
# cannot be exchanged with a program that cuts the usual way, before their columns are put into order.
#
# </details>

# %%
new_order = np.concatenate([np.arange(d_model)[block] for block in blocks[::-1]])  # the last head first
reordered = MultiHeadAttention(d_model, h, bias=False, dtype="float64", rng=rng)
for new, old in zip(reordered.parameters(), layer.parameters(), strict=True):
    new.data[...] = old.data[new_order] if old is layer.w_output.weight else old.data[:, new_order]
assert np.allclose(reordered.forward(x, x, x), result, rtol=0, atol=1e-12)
print("question 1: the heads in another order, the same result")
other_cut = labels.reshape(1, 4, 3, 2).transpose(0, 3, 1, 2)  # the labels of the trap, (B, T, d, H) to (B, H, T, d)
print("question 3: rows of head 1 from the words", other_cut[0, 0].tolist())
assert np.array_equal(other_cut, right)

# %% [markdown]
# Next: [notebook 04b](04b_what_heads_cost.ipynb), what heads cost.
#
# Write it yourself: exercises heads, multi_head. `npformer course start my-course` begins the course.

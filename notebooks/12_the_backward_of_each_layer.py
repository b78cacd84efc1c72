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
# # 12 The backward of LayerNorm, embedding and heads
#
# *Part II, Learn it. Before: [11](11_the_backward_of_attention.ipynb). Next: [13](13_gradient_checks.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# *das* should have been *die*, and attention has its gradient (notebook 11). But what is to be changed is far below: the
# row of a table for each word. On its way down there the gradient passes LayerNorm, a sum, heads and a table, and in each
# of them a share of it is easily lost. No error reports that.
#
# **After this you can** send a gradient back through LayerNorm, and say what it takes out; take a gradient through a
# whole sub-layer of a trained model; collect it in an embedding.
#
# Paper: sections 3.1 to 3.4. About 40 minutes with its writing.

# %%
# %matplotlib inline
import math  # noqa: F401, for what you write

import numpy as np

from helpers.expected import Expected
from helpers.pictures import show_arrays
from helpers.schematics import layer_norm_backward as schematic
from npformer_course import Bet, exercise, yours

layer_norm = yours("layer_norm")
numeric_gradient, _ = yours("numeric_gradient")
schematic()

# %% [markdown]
# ## LayerNorm: two questions before the formula
#
# LayerNorm (notebook 06) subtracts the mean of a position's features and divides by their standard deviation. That gives
# $\hat{x}$, and $y = g \odot \hat{x} + b$. Your `layer_norm` returns three arrays, because backward needs two of them:
# $\hat{x}$, and `rstd`, which is 1 divided by the standard deviation.

# %%
x = np.array([[[1.0, 1, 5, 5]]])  # one sentence, one position, four features
gain = np.array([2.0, 1, 1, 1])
bias = np.zeros(4)
y, xhat, rstd = layer_norm(x, gain, bias, 1e-6)  # rstd is 0.5
dy = np.array([[[4.0, 0, 0, 0]]])
dxhat = dy * gain  # from the last step, y = gain * xhat + bias
show_arrays(x=x, xhat=xhat, y=y, dy=dy, dxhat=dxhat)

# %% [markdown]
# The other steps are harder, because each feature of $x$ moves all of $\hat{x}$: by itself, through the mean, and through
# the standard deviation. So think first, before you differentiate.
#
# - Add the same small number to all four features of $x$. What happens to $\hat{x}$? So how much does the loss change?
#   That is the sum of $dx$.
# - Stretch $x$ about its mean: add a little of $\hat{x}$ to it. What happens to $\hat{x}$? How much the loss changes is
#   now the sum of $dx \odot \hat{x}$.
#
# **Write both sums.** They are compared with what `numeric_gradient` measures.

# %%
by_moving = numeric_gradient(lambda x: layer_norm(x, gain, bias, 1e-6)[0], x, dy)
expected = Expected(sum_of_dx=by_moving.sum(), sum_of_dx_xhat=(by_moving * xhat).sum())
sum_of_dx = ...
sum_of_dx_xhat = ...

# %%
sum_of_dx = expected.check(sum_of_dx=sum_of_dx)
sum_of_dx_xhat = expected.check(sum_of_dx_xhat=sum_of_dx_xhat)
(by_moving * xhat).sum()  # the second sum, as it was measured

# %% [markdown]
# So $dx$ is at right angles to two vectors, to $(1, 1, \dots, 1)$ and to $\hat{x}$. In these two directions a move of $x$
# leaves $\hat{x}$ as it is. In every other direction $\hat{x}$ moves along with $x$, `rstd` times as far. So $dx$ is
# $d\hat{x}$ without its parts along the two, times `rstd`: the picture at the top. (As a matrix this is `rstd` times a
# projection, which is symmetric. So backward multiplies by the same matrix. The two are at right angles to each
# other, because the mean of $\hat{x}$ is 0. So their parts can be taken out one after the other.)
#
# You know from linear algebra how to take a part out: the part of a vector $a$ along $b$ is $b\,(a \cdot b) / (b \cdot b)$.
# What is $b \cdot b$ for the vector of ones, and for $\hat{x}$, with $D$ features?
#
# **Write it** for a batch. The gain and the bias are the same at every position of every sentence, and what is used in
# many places gets a sum. What one position gives to $dg$ and to $db$, you know from $y = g \odot \hat{x} + b$.


# %%
def layer_norm_backward(dy, xhat, rstd, gain):
    """Return the gradients of layer normalization.

    dy (B, T, D): the gradient of the output. xhat (B, T, D) and rstd (B, T, 1): what forward kept.
    gain (D,). Returns dx (B, T, D), dgain (D,), dbias (D,). None of the inputs is changed.
    """
    raise NotImplementedError


# %%
layer_norm_backward = exercise("layer_norm_backward").check(layer_norm_backward)

# %%
dx, dgain, dbias = layer_norm_backward(dy, xhat, rstd, gain)
show_arrays(dx=dx, by_moving=by_moving)

# %% [markdown]
# Only $\hat{x}_0$ moves the loss, and yet feature 1 has a gradient. Raise it, and the mean rises while the standard
# deviation falls: each of them pushes $\hat{x}_0$ down, and each brings $-1$. Raise feature 2, and the mean rises too,
# but so does the standard deviation, which brings $\hat{x}_0$ closer to 0: with these numbers the two cancel.
#
# The chain rule of notebook 09 gives the same without geometry, in five small steps. Here $c$ is $x$ less its mean, and $v$
# the variance. Follow the purple arrows from `dxhat` to `dx`, and work out each number before you read it:

# %% tags=["hide-input"]
from helpers.schematics import layer_norm_graph

layer_norm_graph()

# %% [markdown]
# ## Down through a sub-layer of the translator
#
# Now a real one: the first sub-layer of the encoder, $y = \mathrm{LayerNorm}(x + f(x))$, where $f$ is self-attention with
# four heads. As in notebook 11 the loss wants *die neue Radio*. A gradient has come down from it, through the decoder and
# through encoder layer 1. First it passes your LayerNorm.

# %%
from helpers.backward_trace import self_attention_arrays, trace_backward
from helpers.course_sentence import CourseSentence

sentence = CourseSentence()
trace = trace_backward(sentence, "Ich schalte jeden Tag die neue Radio aus.")
here = self_attention_arrays(trace, "encoder.layers.0.self_attention")
_, xhat, rstd = layer_norm(here.total, here.gain, here.bias, here.eps)  # total is x + f(x)
dtotal, _, _ = layer_norm_backward(here.dy, xhat, rstd, here.gain)  # (1, 10, 64)

# %% [markdown]
# `dtotal` is the gradient of the sum $x + f(x)$. A sum passes its gradient on to both terms as it is, so it is the gradient
# of $f(x)$ too. It enters the attention from its end: $f(x)$ is `merge_heads(heads) @ w_output`.
#
# Merging changes no number. It moves numbers to other places, and so does splitting. A gradient goes back, unchanged, to
# where its number came from. Each of the two functions is the backward of the other.
#
# **Write it**: the gradient of the four heads.

# %%
split_heads, merge_heads = yours("heads")
blank = exercise("multi_head_backward").on(dy=dtotal, heads=here.heads, w_output=here.w_output)
dheads = ...  # (1, 4, 10, 16)

# %%
dheads = blank.check(dheads=dheads)

# %% [markdown]
# The heads are the attention of notebook 11, for all four at once. Then come three products: the queries are
# `split_heads(x @ w_query, 4)`, and keys and values likewise (plus their biases, which do not matter for the gradient
# of $x$).
#
# **Write two lines**: `dx`, the gradient that $x$ gets through $f$. $x$ is used three times there. Then `whole`, the
# gradient that $x$ gets in all: it is used in $f$, and in the sum.

# %%
attention_backward = yours("attention_backward")
dq, dk, dv = attention_backward(dheads, here.q, here.k, here.v, here.weights)
projections = {"w_query": here.w_query, "w_key": here.w_key, "w_value": here.w_value}
blank = exercise("multi_head_backward").on(dq=dq, dk=dk, dv=dv, x=here.x, **projections)
dx = ...  # (1, 10, 64), through f

# %%
dx = blank.check(dx=dx)
expected = Expected(whole=here.dx)
whole = ...  # (1, 10, 64), in all

# %%
whole = expected.check(whole=whole)

# %% [markdown]
# `whole` is compared with what the library gave for this sub-layer. So you have gone backward through a fourth of the
# encoder. By which road did the gradient come?

# %%
from helpers.one_layer import show_norms

show_norms(sentence.source_words, past=dtotal[0], through=dx[0])

# %% [markdown]
# Blue is `dtotal`, which went past the attention by the residual connection. Orange went through it. For the words that
# matter here, "radio", "new" and "the", the first is five to seven times as large. A gradient reaches the lowest layer,
# however little each sub-layer lets through. He et al. invented the residual connection in 2015 because very deep
# networks trained worse, and showed a year later that it is a direct road for the gradient.
#
# "radio" gets the most. Hardly anything in the loss is about *Radio*, which has a $p$ of 0.84. Nearly all of it is about
# *die* and *neue*, and attention has found out, on the way back, which word these forms depend on.
#
# ## At the bottom: a table
#
# Forward, each token took a row of the table, times $\sqrt{D}$. An id cannot be moved a little: there is no word 2.01. So
# the ids have no gradient, but the rows have. A row that two positions read gets a sum, and one that none has read gets 0.
# Here are four positions, and a table of four rows with two features (for now without the root). Word 2 occurs twice:

# %%
ids = np.array([[3, 2, 1, 2]])
dy = np.array([[[4.0, 4], [1, 1], [3, 3], [5, 5]]])  # (1, 4, 2)
dtable = np.zeros((4, 2))
dtable[ids] += dy

# %%
bet = Bet("The two positions with id 2 have dy of 1 and 5. What is in row 2 of dtable?", ["1", "5", "6"])
bet.place(...)

# %%
bet.settle(f"{dtable[2, 0]:g}")
rows = {"dy": [f"id {i}" for i in ids[0]], "dtable": ["row 0", "row 1", "row 2", "row 3"]}
show_arrays(dy=dy[0], dtable=dtable, rows=rows)

# %% [markdown]
# NumPy reads `dtable[ids]` once, adds, and writes each row; where an id occurs twice, the last one wins. "the" occurs in
# nearly every sentence, often twice, and would learn from one place only. A model still trains with this bug, only worse.
#
# **Write it** so that both count. A loop over positions is a correct answer, and `np.add.at` does it without one. Mind
# the root. Id 0 is padding: by agreement its row gets nothing.

# %%
PAD = 0


# %%
def embed_backward(dy, ids, vocab_size):
    """Return dtable (V, D), the gradient of the table, V = vocab_size.

    The row of padding, id 0, gets none. dy (B, T, D): the gradient of `embed`'s result. ids (B, T),
    integers from 0 to V - 1. The inputs are not changed.
    """
    raise NotImplementedError


# %%
embed_backward = exercise("embedding_backward").check(embed_backward)

# %% [markdown]
# Your `whole` has arrived at the sum of embedding and positional encoding. The positions are constants, so it passes on
# as it is. Which rows of the 825 get a gradient from here?

# %%
dtable = embed_backward(whole, sentence.batch.src, 825)
changed = np.flatnonzero(dtable.any(-1))
[sentence.translator.source.tokens[i] for i in changed]

# %% [markdown]
# Ten rows, those of its ten tokens. By this road a rare word is trained rarely: only when it occurs. (In this model the
# decoder and the last layer use the same table, and the last layer gives every row a gradient, at every step: notebook
# 14b.)
#
# ## What is left
#
# Nothing with a formula of its own. You have all the rules:
#
# | layer | backward | exercise |
# |---|---|---|
# | feed-forward network | linear, then 0 where ReLU gave 0, then linear | `feed_forward_backward` |
# | Add & Norm, post and pre | what you did here, for any sub-layer | `add_norm_backward` |
# | dropout | what forward set to 0 gets 0, the rest the same factor | `dropout` |
# | self-attention | your two lines, and the gradients of the four matrices | `multi_head_backward` |
# | cross-attention | the memory gets a share by the keys and one by the values, from every layer | `cross_attention_backward` |
#
# Each of them is a part of *your Transformer*, which notebook 17 trains. You need not write them now: where yours is
# missing, it runs with npformer's.
#
# ## Three questions
#
# **1.** What must LayerNorm, a sum, the heads, attention and an embedding remember from forward to backward?
#
# <details><summary>Answer</summary>
#
# LayerNorm $\hat{x}$ and `rstd`, attention its queries, keys, values and weights, an embedding the ids. A sum and the
# heads need nothing: what they do does not depend on the numbers. The weights are $(T, S)$ per head, so a text of twice
# the length needs four times the memory. (FlashAttention does not keep them, and computes them again in backward.)
#
# </details>
#
# **2.** The second sum was nearly 0 when it was measured, and not exactly. Which number is to blame?
#
# <details><summary>Answer</summary>
#
# $\varepsilon$. Without it, stretching $x$ changes nothing. With it $\hat{x} = c / \sqrt{v + \varepsilon}$ grows a little
# when $c$ does, so there is a small part along $\hat{x}$.
#
# </details>
#
# **3.** Here the gradient that goes past the attention has passed LayerNorm first, in every sub-layer. In pre-norm,
# $y = x + f(\mathrm{LayerNorm}(x))$, what is the share that goes past?
#
# <details><summary>Answer</summary>
#
# $dy$ itself, and so down to the embedding, unchanged by any layer. That is why deep models train more easily in pre-norm.
#
# </details>

# %% [markdown]
# **You can now**
#
# - send a gradient back through LayerNorm, and say which two parts of it are lost on purpose;
# - go through a sub-layer of a trained model from its end to its input, and get the library's numbers;
# - collect gradients in a table, also where a word occurs twice.
#
# Next: [notebook 13](13_gradient_checks.ipynb), which finds the bugs that a training hides.

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
# # 02 Attention by hand
#
# **The idea:** every word asks a question, every word offers a key and a value, and the answer is an average of the
# values, weighted by how well the keys fit the question.
#
# Paper: section 3.2.1, equation 1, figure 2 left; masks from section 3.2.3. Code: `npformer/layers/attention.py` and
# `softmax.py`, a screen or two each.
#
# **What you need before:** notebook 17, a first run. Pencil and paper help: all numbers here are small enough.
# About 30 minutes to read and run, 50 with every change and question.

# %%
# %matplotlib inline
import math

import numpy as np

from npformer.layers import Softmax

# %% [markdown]
# ## Three words, four numbers each
#
# A sentence is a matrix with a row for each word. A trained model finds the numbers of a word itself. Here you choose
# them, so that you can follow them: only $1$ and $-1$.

# %%
words = ["who", "am", "I"]
x = np.array([[1.0, 1, 1, 1], [1, 1, 1, -1], [1, -1, 1, -1]])  # change a sign and run the next two cells: a check fails
for word, row in zip(words, x, strict=True):
    print(f"{word:>4} {row}")
print("shape", x.shape, "= (words, d_k)")

# %% [markdown]
# ## Equation 1, one step at a time
#
# $$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{Q K^T}{\sqrt{d_k}}\right) V$$
#
# $Q$ holds what each word asks, $K$ what each word can be found by, $V$ what it says when it is found. The simplest
# choice is $Q = K = V = x$.
#
# **Step 1, the scores.** Row $i$, column $j$ of $QK^T$ is the dot product of the query of word $i$ and the key of word
# $j$. For "who" and "am": $1 \cdot 1 + 1 \cdot 1 + 1 \cdot 1 + 1 \cdot (-1) = 2$. Then divide by
# $\sqrt{d_k} = \sqrt 4 = 2$. (Why divide? That is notebook 03.)

# %%
query = key = value = x
d_k = key.shape[-1]
scores = query @ key.T / math.sqrt(d_k)
print(scores)
assert scores.tolist() == [[2, 1, 0], [1, 2, 1], [0, 1, 2]]

# %% [markdown]
# **Step 2, softmax of a row.** Take $e$ to the power of each score, so that all are positive, then divide by their
# sum, so that the row sums to 1:
#
# $$\mathrm{softmax}(s)_j = \frac{e^{s_j}}{\sum_{j'} e^{s_{j'}}}$$
#
# On paper you need only $e^0 = 1$, $e^1 = 2.718$ and $e^2 = 7.389$. The row of "who":
#
# | score | exponential | divided by their sum, 11.107 |
# |--:|--:|--:|
# | 2 | 7.389 | 0.665 |
# | 1 | 2.718 | 0.245 |
# | 0 | 1.000 | 0.090 |

# %%
exponentials = np.exp(scores[0])
by_hand = exponentials / exponentials.sum()
print("exponentials", exponentials.round(3), " sum", exponentials.sum().round(3), " weights", by_hand.round(3))
assert exponentials.round(3).tolist() == [7.389, 2.718, 1.0] and exponentials.sum().round(3) == 11.107
assert by_hand.round(3).tolist() == [0.665, 0.245, 0.09]
assert np.allclose(by_hand, Softmax().forward(scores)[0], rtol=0, atol=1e-15)

# %% [markdown]
# `Softmax` in npformer, with which the last line compares, does one thing more. It first subtracts the largest score
# of the row from all of them. That changes nothing, because $e^{s - c} = e^s / e^c$ and $e^c$ cancels in the
# fraction. But the largest exponential is then $e^0 = 1$, and none is ever too large for a float. Try scores of a
# thousand:

# %%
large = np.array([[1002.0, 1001, 1000]])  # change to 602, 601, 600 and run it again: why does the check fail?
with np.errstate(over="ignore", invalid="ignore"):
    plain = np.exp(large) / np.exp(large).sum()
print("plain formula", plain[0], "  npformer", Softmax().forward(large)[0].round(3))
assert np.isnan(plain).all() and np.allclose(Softmax().forward(large)[0], by_hand)

# %% [markdown]
# **Step 3, the average.** Multiply the weights of a row with the values: $0.665 v_{who} + 0.245 v_{am} + 0.090 v_{I}$.
# All three steps for all rows are one call of `ScaledDotProductAttention`. It returns the averages; `npf.trace` shows
# the weights that it used on the way.

# %%
import npformer as npf
from npformer.layers import ScaledDotProductAttention

attention = ScaledDotProductAttention()
with npf.trace(attention) as t:
    out = attention.forward(query, key, value)
weights = t["softmax"].output

print("query \\ key", *(f"{word:>6}" for word in words))
for word, row in zip(words, weights, strict=True):
    print(f"{word:>11}", *(f"{weight:6.3f}" for weight in row))
print("weights", weights.shape, " result", out.shape, " row of who:", out[0].round(3))
assert np.allclose(weights[0], by_hand) and np.allclose(out, weights @ value)
assert np.allclose(weights.sum(-1), 1)

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure, plot_attention

figure, ax = new_figure(width=4.5, height=3)
plot_attention(ax, weights, words, words, title="query = key = value", digits=3)
ax.set(xlabel="key", ylabel="query")
figure

# %% [markdown]
# ## Why every word looks at itself
#
# The diagonal is the darkest. That is no accident. A word's score with itself is the square of its length,
# $x_i \cdot x_i = |x_i|^2$. With another word it is $|x_i||x_j|\cos\alpha$. When all words are equally long, as here,
# no other word can beat the word itself.
#
# It gets worse with more numbers to a word. If the numbers are random with variance 1, then $|x|^2$ is about $d_k$, so
# the score with itself is about $d_k / \sqrt{d_k} = \sqrt{d_k}$, while the scores with others stay around 0. Measure it
# on ten random words:

# %%
rng = np.random.default_rng(1)
on_itself = {}
for size in (4, 16, 64, 512):  # add 1 and 2048 and run it again
    random_words = rng.normal(size=(200, 10, size))  # 200 sentences of 10 words
    with npf.trace(attention) as t:
        attention.forward(random_words, random_words, random_words)
    on_itself[size] = np.diagonal(t["softmax"].output, axis1=1, axis2=2).mean()
    print(f"d_k {size:>3}: weight on itself {on_itself[size]:.3f}, an even share would be 0.100")
assert 0.3 < on_itself[4] < on_itself[16] < 0.98 < on_itself[64] and on_itself[512] > 0.9995

# %% [markdown]
# At $d_k = 512$ a word sees nothing but itself: attention has become a copy. There is a second fault. The scores are
# symmetric, $x_i \cdot x_j = x_j \cdot x_i$. If "am" finds "I" interesting, "I" must find "am" just as interesting.
#
# ## Projections: what I ask is not what I am
#
# So the paper multiplies $x$ with three matrices first: $Q = x W^Q$, $K = x W^K$, $V = x W^V$. Training finds them.
# Here are three that you can check on paper: $W^Q$ changes the sign of the second and fourth number. $W^K$ changes
# nothing. And $W^V$ keeps the second and the fourth number only, so $d_v = 2$ while $d_k = 4$: the vector that a word
# passes on need not be the one by which it is found, nor have its size. `Linear` is npformer's product with a matrix.

# %%
from npformer.layers import Linear

w_query, w_key, w_value = (Linear(4, size, bias=False, dtype="float64") for size in (4, 4, 2))
w_query.weight.data[...] = np.diag([1, -1, 1, -1])
w_key.weight.data[...] = np.eye(4)
w_value.weight.data[...] = np.eye(4)[:, [1, 3]]
q, k, v = w_query.forward(x), w_key.forward(x), w_value.forward(x)

print("Q", q.shape, " K", k.shape, " V", v.shape)
print("who asks with", q[0], "which is the key of I:", k[2])
print("I   asks with", q[2], "which is the key of who:", k[0])
assert np.array_equal(q[0], k[2]) and np.array_equal(q[2], k[0])

# %%
with npf.trace(attention) as t:
    out = attention.forward(q, k, v)
projected = t["softmax"].output
print("scores / sqrt(d_k):", *(row.tolist() for row in q @ k.T / 2))
print("result", out.shape, *(row.round(3).tolist() for row in out))

# %% tags=["hide-input"]
figure, axes = new_figure(1, 2, width=8, height=3)
plot_attention(axes[0], weights, words, words, title="query = key = value", colorbar=False, digits=3)
plot_attention(axes[1], projected, words, words, title="projected", digits=3)
for ax in axes:
    ax.set(xlabel="key", ylabel="query")
assert np.diagonal(weights).min() > 0.5 and np.diagonal(projected).max() < 0.25
assert np.allclose(projected[1], [0.422, 0.155, 0.422], atol=5e-4)
figure

# %% [markdown]
# Now "who" looks at "I", "I" looks at "who", and "am" shares itself between both: 0.42, 0.16, 0.42. One matrix has
# emptied the diagonal. What arrives at "who", $(-0.33, -0.82)$, is mostly the second and the fourth number of "I",
# $(-1, -1)$.
#
# You can see this in a plane. The first and the third number of all words are 1, so only the second and the fourth
# tell them apart. A score is large where the arrow of the query points the same way as that of the key:

# %% tags=["hide-input"]
from npformer.visualization.plots.colors import ORANGE, main_color

figure, axes = new_figure(1, 2, width=8, height=3.6)
for ax, title, asked in ((axes[0], "query = key = value", x), (axes[1], "projected", q)):
    for kind, vectors, color, width, height in (("key", x, main_color(), 5, 1.1), ("query", asked, ORANGE, 1.5, 1.35)):
        for word, (second, fourth) in zip(words, vectors[:, [1, 3]], strict=True):
            look = {"arrowstyle": "-|>", "color": color, "linewidth": width, "shrinkA": 0, "shrinkB": 0}
            ax.annotate("", (second, fourth), (0, 0), arrowprops=look)
            ax.annotate(f"{kind} of {word}", (second, height * fourth), ha="center", va="center", color=color)
    ax.set(title=title, xlabel="second number", xlim=(-1.7, 1.7), ylim=(-1.6, 1.6))
    ax.axhline(0, color="grey", linewidth=0.5)
    ax.axvline(0, color="grey", linewidth=0.5)
axes[0].set_ylabel("fourth number")
figure

# %% [markdown]
# At the left each query is on its own key: every word finds itself. At the right $W^Q$ has turned each query by half a
# turn. Those of "who" and "I" now lie on each other's key. That of "am" is opposite to its own key, and at a right
# angle to both others.
#
# This $W^Q$ is still symmetric, and so are the scores. Add a $W^K$ of random numbers and they no longer are:

# %%
w_key.weight.data[...] = np.random.default_rng(0).normal(size=(4, 4))  # change the 0 to 1 and run it again
uneven = q @ w_key.forward(x).T / 2
print(f"who to I {uneven[0, 2]:.2f}, I to who {uneven[2, 0]:.2f}")
assert np.allclose(q @ k.T, (q @ k.T).T) and abs(uneven[0, 2] - uneven[2, 0]) > 0.1

# %% [markdown]
# ## A mask: who may look at whom
#
# A decoder writes word after word, so word $i$ must not see the words after it. Section 3.2.3 sets their scores to
# $-\infty$, and $e^{-\infty} = 0$. In npformer a mask holds booleans, and **True means: may attend**. (Read the manual
# of every library. PyTorch has both meanings: in `nn.MultiheadAttention` True hides, in `scaled_dot_product_attention`
# True takes part.)

# %%
from helpers.pictures import plot_mask
from npformer.layers import causal_mask

mask = causal_mask(3)  # change this to causal_mask(3).T and run it again: the checks below are for the first mask only
with npf.trace(attention) as t:
    attention.forward(x, x, x, mask)
masked = t["softmax"].output
print("am sees", masked[1].round(3), "from the scores 1 and 2: 2.718 / (2.718 + 7.389) = 0.269")

# %% tags=["hide-input"]
figure, axes = new_figure(1, 2, width=8, height=3)
plot_mask(axes[0], mask, words, words, title="mask")
plot_attention(axes[1], masked, words, words, title="query = key = value, masked", digits=3)
axes[1].set(xlabel="key", ylabel="query")
assert masked[np.logical_not(mask)].tolist() == [0, 0, 0] and masked[0].tolist() == [1, 0, 0]
assert np.allclose(masked[1], [0.269, 0.731, 0], atol=5e-4)
figure

# %% [markdown]
# ## Minus infinity, or minus a lot? (optional)
#
# A mask of $-\infty$ is right, and npformer uses it; you may go on to the questions. But tutorials disagree here.
# Many put $-10^9$ in place of $-\infty$, and some only $-100$. Does it matter? Add each of the three to the score of
# a hidden word and look at the weight that is left, in three situations:
#
# - *usual*: scores 2, 1 and 0, the third word hidden;
# - *loud*: the hidden word's own score is 150, which is rare, but nothing forbids it;
# - *all hidden*: a row in which no word may be seen, such as a sentence that is padding throughout.
#
# The line *npformer* of each float type hands the mask to npformer's `Softmax` as booleans instead.


# %%
def plain_softmax(x):
    exponentials = np.exp(x - x.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)


usual, loud, visible = [2, 1, 0], [2, 1, 150], np.array([True, True, False])
left = {}
print("          added   usual: hidden   loud: hidden   all hidden: the three weights")
for dtype in ("float32", "float16"):
    for penalty in (-math.inf, -1e9, -100, None):  # add -10 and run it again
        rows = np.array([usual, loud, usual], dtype)
        allowed = np.array([visible, visible, [False] * 3])
        with np.errstate(over="ignore", invalid="ignore"):  # -1e9 is past the end of float16
            if penalty is None:
                y = Softmax().forward(rows, allowed)
            else:
                y = plain_softmax(rows + np.where(allowed, 0, penalty).astype(dtype))
        assert y.dtype == dtype
        left[dtype, penalty] = y
        name = "npformer" if penalty is None else f"{penalty:g}"
        print(f"{dtype} {name:>8}  {y[0, 2]:>13.2g}  {y[1, 2]:>13.2g}   {y[2].astype(float).round(3)}")

# %% tags=["hide-input"]
for dtype in ("float32", "float16"):
    assert left[dtype, -math.inf][:2, 2].tolist() == [0, 0]
    assert np.isnan(left[dtype, -math.inf][2]).all()
    assert left[dtype, -100][1, 2] == 1
    assert np.allclose(left[dtype, -100][2], by_hand, atol=0.01)
    assert not left[dtype, None][:, 2].any() and not left[dtype, None][2].any()
assert np.allclose(left["float32", -1e9][2], 1 / 3) and np.isnan(left["float16", -1e9][2]).all()
assert left["float32", -100][0, 2] < 1e-40
rows = np.full((1, 3), -1e9, "float32")  # the scores replaced, not added to
assert np.allclose(Softmax().forward(rows), 1 / 3)
assert np.finfo("float16").max == 65504 and np.spacing(np.float32(1e9)) == 64

# %% [markdown]
# What the table says:
#
# - $-100$ is not enough. The loud hidden word takes all the weight, and even the usual one keeps a trace in float32. In
#   a row that is hidden throughout it does nothing at all: all scores move alike, and softmax does not see that.
# - $-10^9$ hides well in float32. But a row that is hidden throughout becomes an even average over words that nobody
#   may see: a float32 near $10^9$ has steps of 64, so all three sums are the same number. Replacing the score by
#   $-10^9$, as other tutorials do, ends in the same thirds. In float16, whose largest number is 65504, $-10^9$ *is*
#   $-\infty$.
# - $-\infty$ hides perfectly and gives NaN in the row that is hidden throughout: $-\infty - (-\infty)$ has no value.
#   One NaN is enough to spoil every weight of a model at the next update.
# - npformer takes booleans, uses $-\infty$ and then says what an empty row is: no weights, a result of zeros, and no
#   gradient. The same in every float type, and nobody has to choose a number.

# %%
out = attention.forward(x, x, x, np.zeros((3, 3), bool))
dquery, dkey, dvalue = attention.backward(np.ones((3, 4)))
assert not any(array.any() for array in (out, dquery, dkey, dvalue))
print("a sentence that nobody may see: result and gradients are all zero")

# %% [markdown]
# ## The three matrices once more
#
# What did each do for "who"? $W^Q$ asked for $(1, -1, 1, -1)$. $W^K$ is what "I" could be found by with that question.
# $W^V$ let "I" hand over its second and fourth number. Question, key and value: the rest of the course is built on
# these three.
#
# ## Three questions
#
# **1.** "am" is replaced by a word that is twice as long in the same direction: $(2, 2, 2, -2)$. Which word does "who"
# look at most, with query = key = value?
#
# <details><summary>Answer</summary>
#
# At itself and at "am", equally: 0.468 each. The score of "am" doubles, from 1 to 2, and so equals that of "who" with
# itself; "I" stays at 0. A little longer still, and "am" wins. A word is sure of its own attention only among words
# that are equally long. The cell below checks it.
#
# </details>
#
# **2.** You shuffle the three words, queries, keys and values alike. What happens to the result?
#
# <details><summary>Answer</summary>
#
# The rows of the result are shuffled in the same way, and no number changes. Attention does not know the order of the
# words. Notebook 05 tells it.
#
# </details>
#
# **3.** The second key gets the same score as the first in every row. Can a query look at one of the two and not at the
# other?
#
# <details><summary>Answer</summary>
#
# No. Equal scores are equal weights, whatever the values are. To tell two words apart, attention needs keys that
# differ, along a direction in which queries ask.
#
# </details>

# %%
longer = x * [[1], [2], [1]]
tie = Softmax().forward(x[:1] @ longer.T / 2)[0]
order = [2, 0, 1]
shuffled = attention.forward(x[order], x[order], x[order])
print("question 1:", tie.round(3))
assert np.allclose(tie, [0.468, 0.468, 0.063], atol=5e-4)
assert np.allclose(shuffled, attention.forward(x, x, x)[order])

# %% [markdown]
# Next: [notebook 03](03_why_divide_by_sqrt_dk.ipynb), why scores are divided by $\sqrt{d_k}$.
#
# Write it yourself: exercises softmax, masks, masked_softmax, attention. To begin the course:
# `npformer course start my-course`.

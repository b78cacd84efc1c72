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
# # 12 The backward of each layer
#
# **The idea:** the Transformer needs seven backwards, each a few lines, derived from forward with the rules of 05a and
# 05b. Put together, they give that of multi-head attention.
#
# Paper: sections 3.1 to 3.4. About 30 minutes to read and run, 50 with every change and question. What you need before:
# [notebook 10](10_from_numbers_to_arrays.ipynb), for the backwards of softmax and of $A B$, and the sum where forward
# repeats.
#
# Each section has the formula, the code, and the numbers of a small example. In a folded cell a layer of npformer then
# gets the same input and must give the same numbers. As in 05b, $\odot$ multiplies entry by entry.

# %%
# %matplotlib inline
import numpy as np

from helpers.pictures import plot_arrays, plot_graph, side_by_side
from npformer import layers

# %% tags=["hide-input"]


def compare(layer, inputs, dy, y, gradients, **parameters):
    """Run a layer of npformer in float64; fail unless it returns y, these gradients, and those of its parameters."""
    assert np.allclose(layer.forward(*inputs), y, rtol=0, atol=1e-12)
    found = layer.backward(dy)
    for mine, theirs in zip(gradients, found if isinstance(found, tuple) else (found,), strict=True):
        assert mine is theirs is None or np.allclose(mine, theirs, rtol=0, atol=1e-12)
    for name, gradient in parameters.items():
        assert np.allclose(getattr(layer, name).grad, gradient, rtol=0, atol=1e-12)
    print(f"\nthe same as npformer's {layer.display_name}")


def with_values(layer, **values):
    """Return the layer with these values in its parameters."""
    for name, value in values.items():
        getattr(layer, name).data = value
    return layer


# %% [markdown]
# ## Linear
#
# $$y = x W + b \qquad\Rightarrow\qquad dx = dy W^\top, \qquad dW = x^\top dy, \qquad db = \sum_{\text{positions}} dy$$
#
# The first two are the matrix product of 05b. $b$ is repeated for every position: a sum.


# %%
def linear_forward(x, W, b):
    """Return y, and what backward needs."""
    return x @ W + b, (x, W)


def linear_backward(dy, x, W):
    """Return dx, dW, db."""
    return dy @ W.T, x.T @ dy, dy.sum(0)


x = np.array([[1.0, 2.0, -1.0], [0.0, 1.0, 3.0]])  # two positions, three features
W, b = np.array([[1.0, 0.0], [2.0, -1.0], [0.0, 1.0]]), np.array([0.5, -0.5])
dy = np.array([[1.0, 0.0], [0.0, 2.0]])  # change this and run it again: a row of zeros, for instance

y, cache = linear_forward(x, W, b)
dx, dW, db = linear_backward(dy, *cache)
print(side_by_side(1, x=x, y=y, dy=dy))
print(side_by_side(1, dx=dx, dW=dW, db=db))

# %% tags=["hide-input"]
compare(with_values(layers.Linear(3, 2, dtype="float64"), weight=W, bias=b), (x,), dy, y, (dx,), weight=dW, bias=db)

# %% [markdown]
# ## ReLU
#
# $$y = \max(0, x) \qquad\Rightarrow\qquad dx = dy \odot \mathbb{1}[y > 0]$$
#
# The Jacobian is diagonal: a 1 where the number passed, a 0 where it was cut.

# %%
x = np.array([[1.5, -2.0, 0.3, -0.1]])
dy = np.array([[10.0, 20.0, 30.0, 40.0]])
y = np.maximum(x, 0)
dx = dy * (y > 0)
print(side_by_side(1, x=x, y=y, dy=dy, dx=dx))

# %% tags=["hide-input"]
compare(layers.ReLU(), (x,), dy, y, (dx,))

# %% [markdown]
# **Change this and run it again.** Make all of $x$ negative. Nothing passes in either direction. A feature for which
# this happens at every position and in every batch is *dead*: its weights get no gradient and never change.
#
# ## Residual connection
#
# $$y = x + f(x) \qquad\Rightarrow\qquad dx = dy + f.\text{backward}(dy)$$
#
# $x$ is used twice: a sum of two gradients. The first is $dy$ itself, whatever $f$ is. Here $f$ is a Linear.

# %%
x = np.array([[1.0, 2.0], [0.0, 1.0]])
W = 0.1 * np.array([[1.0, 3.0], [-2.0, 0.5]])  # change the 0.1 to 0 or to 10 and run it again
dy = np.array([[1.0, -1.0], [0.0, 0.5]])

f, cache = linear_forward(x, W, 0.0)
y = x + f
through_f, dW, _ = linear_backward(dy, *cache)
dx = dy + through_f
print(side_by_side(2, dy=dy, through_f=through_f, dx=dx))

# %% [markdown]
# npformer has no layer for a bare sum. The folded cell moves each number of $x$ by a small step instead, as in 05a:

# %% tags=["hide-input"]
numeric = np.zeros_like(x)
for place in np.ndindex(x.shape):
    step = np.zeros_like(x)
    step[place] = 1e-6
    up, down = ((z + z @ W) for z in (x + step, x - step))
    numeric[place] = ((up - down) * dy).sum() / 2e-6
print(side_by_side(2, by_moving=numeric))
assert np.allclose(numeric, dx, atol=1e-7)

# %% [markdown]
# With small weights, as before training, nearly all of the gradient takes the first way, unchanged. A LayerNorm after
# the sum does change it.
#
# ## LayerNorm
#
# Forward in small steps, each position on its own; $m(\cdot)$ is the mean over the $D$ features:
#
# $$c = x - m(x), \quad v = m(c \odot c), \quad r = (v + \epsilon)^{-1/2}, \quad \hat{x} = c\,r, \quad
# y = g \odot \hat{x} + b$$
#
# From the last line to the first, with $c$ used twice, in $\hat{x}$ and in $v$:
#
# $$\begin{array}{lcl}
# y = g \odot \hat{x} + b & \Rightarrow & d\hat{x} = dy \odot g, \quad
# dg = \sum_{\text{positions}} dy \odot \hat{x}, \quad db = \sum_{\text{positions}} dy \\
# \hat{x} = c\,r & \Rightarrow & dc = d\hat{x}\,r, \qquad dr = \sum_i d\hat{x}_i\,c_i \\
# r = (v + \epsilon)^{-1/2} & \Rightarrow & dv = -\tfrac{1}{2}\,r^3\,dr \\
# v = m(c \odot c) & \Rightarrow & dc \mathrel{+}= dv \cdot 2c / D \\
# c = x - m(x) & \Rightarrow & dx = dc - m(dc)
# \end{array}$$

# %%
x, dy = np.array([1.0, 2.0, 6.0]), np.array([1.0, 0.0, 0.0])  # one position; change these and run the section again
gain, bias, eps = np.array([1.0, 2.0, 0.5]), np.array([0.0, 0.0, 1.0]), 1e-6

c = x - x.mean()
v = (c * c).mean()
r = (v + eps) ** -0.5
xhat = c * r
y = gain * xhat + bias

dxhat, dgain, dbias = dy * gain, dy * xhat, dy
dc_direct, dr = dxhat * r, (dxhat * c).sum()
dv = -0.5 * r**3 * dr
dc_through_v = dv * 2 * c / len(c)
dc = dc_direct + dc_through_v
dx = dc - dc.mean()
print(side_by_side(2, x=x, xhat=xhat, y=y))
print(side_by_side(2, dy=dy, dc=dc, dx=dx))
print(side_by_side(2, dgain=dgain, dbias=dbias))

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure

STEPS = [
    ("c", "- m(x)", ("x",)),
    ("v", "m(c²)", ("c",)),
    ("r", "1/√", ("v",)),
    ("h", "c r", ("c", "r")),
    ("y", "g h + b", ("h",)),
]
figure, ax = new_figure(width=14, height=3.2)
values = {"x": x, "c": c, "v": v, "r": r, "h": xhat, "y": y}
gradients = {"x": dx, ("c", "v"): dc_through_v, ("c", "h"): dc_direct, "v": dv, "r": dr, "h": dxhat, "y": dy}
plot_graph(ax, STEPS, values, gradients)
figure

# %% [markdown]
# ($h$ is $\hat{x}$.) `npformer/layers/layer_norm.py` has one line for all of this. To get there, write $c$ as
# $\hat{x} / r$ and $\sum_i$ as $D\,m(\cdot)$, and put each line into the next:
#
# $$\begin{array}{ll}
# dr = \sum_i d\hat{x}_i\,\hat{x}_i / r = \dfrac{D}{r}\,m(d\hat{x} \odot \hat{x}) & \text{one number} \\
# dv = -\tfrac{1}{2}\,r^3\,dr = -\tfrac{1}{2}\,r^2 D\,m(d\hat{x} \odot \hat{x}) & \text{one number} \\
# dv \cdot 2c / D = -r^2\,\dfrac{\hat{x}}{r}\,m(d\hat{x} \odot \hat{x}) = -r\,\hat{x}\,m(d\hat{x} \odot \hat{x})
#     & \text{so } dc = r\,\big(d\hat{x} - \hat{x}\,m(d\hat{x} \odot \hat{x})\big) \\
# m(dc) = r\,\big(m(d\hat{x}) - m(\hat{x})\,m(d\hat{x} \odot \hat{x})\big) = r\,m(d\hat{x})
#     & \text{because } m(\hat{x}) = 0
# \end{array}$$
#
# The last line is subtracted from the one before it:
#
# $$dx = dc - m(dc) = r\,\big(d\hat{x} - m(d\hat{x}) - \hat{x}\,m(d\hat{x} \odot \hat{x})\big), \qquad
# d\hat{x} = dy \odot g$$
#
# So $d\hat{x}$ loses two parts: its mean, because forward subtracts the mean, and its projection on $\hat{x}$, because
# forward fixes the norm. Here is each line in numbers, and at the end two numbers that must be 0 (the second one up to
# $\epsilon$; question 3):

# %% tags=["hide-input"]
along = (dxhat * xhat).mean()  # m(dxhat xhat)
print(f"dr {dr:.4f} = {len(c) / r * along:.4f},  dv {dv:.4f} = {-0.5 * r**2 * len(c) * along:.4f}")
print(f"m(dc) {dc.mean():.4f} = {r * dxhat.mean():.4f}")
one_line = r * (dxhat - dxhat.mean() - xhat * along)
print(side_by_side(4, through_v=dc_through_v, r_xhat_along=-r * xhat * along))
print(side_by_side(4, dx=dx, one_line=one_line))
print(f"sum of dx {dx.sum():.1e}, product with xhat {(dx * xhat).sum():.1e}")
assert np.allclose(dc_through_v, -r * xhat * along) and np.isclose(dc.mean(), r * dxhat.mean())
assert np.allclose(dx, one_line, rtol=0, atol=1e-12) and abs(dx.sum()) < 1e-12
layer = with_values(layers.LayerNorm(3, dtype="float64"), gain=gain, bias=bias)
compare(layer, (x,), dy, y, (dx,), gain=dgain, bias=dbias)

# %% [markdown]
# ## Embedding
#
# $$y = \text{table}[\text{ids}] \cdot \sqrt{D} \qquad\Rightarrow\qquad
# d\text{table}[v] = \sqrt{D} \sum_{\text{positions with id } v} dy$$
#
# An id cannot be moved a little, so ids have no gradient. A row that is read twice, as row 2 below, gets a sum; one that
# is not read gets zero.

# %%
ids = np.array([2, 0, 2])  # change this and run it again: make all three equal
table = np.array([[1.0, 0.0, 0.5, 1.0], [2.0, 2.0, 2.0, 2.0], [0.0, -1.0, 1.0, 0.5]])  # (V, D) = (3, 4)
dy = np.array([[1.0, 0.0, 0.0, 2.0], [0.0, 3.0, 0.0, 0.0], [0.5, 0.0, 1.0, 0.0]])
root = 2.0  # of D = 4

y = table[ids] * root
dtable = np.zeros_like(table)
for position, id in enumerate(ids):
    dtable[id] += dy[position] * root
print(side_by_side(1, y=y, dy=dy, dtable=dtable))

# %% tags=["hide-input"]
compare(with_values(layers.Embedding(3, 4, dtype="float64"), table=table), (ids,), dy, y, (None,), table=dtable)

# %% [markdown]
# `dtable[ids] += dy` looks the same and is not: NumPy reads each row before it writes any, so of two positions with the
# same id only the last counts. `np.add.at` adds both.

# %%
lost, kept = np.zeros_like(table), np.zeros_like(table)
lost[ids] += dy * root
np.add.at(kept, ids, dy * root)
print(side_by_side(1, with_plus_equals=lost, with_add_at=kept))
assert np.allclose(kept, dtable)

# %% [markdown]
# ## Softmax and cross-entropy
#
# The loss of one position is $L = -\ln p_t$, the *cross-entropy* (here $t$ is the right token, $p =
# \mathrm{softmax}(z)$, and $z$ are the scores of all tokens before softmax, the *logits*) where $p =
# \mathrm{softmax}(z)$. Write it as $L = \ln \sum_v e^{z_v} - z_t$. The derivative of the first term is $e^{z_v} / \sum
# e^z = p_v$, that of the second is 1 at $t$:
#
# $$dz = p - \text{onehot}(t)$$
#
# and for the mean over $N$ positions that divided by $N$. Softmax and logarithm cancel each other: this is why the two
# are one layer.

# %%
z = np.array([[2.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 3.0]])  # two positions, four tokens
targets = np.array([0, 1])  # change this to (0, 3) and run it again

p = np.exp(z) / np.exp(z).sum(-1, keepdims=True)  # large z need their maximum subtracted first (notebook 02)
onehot = np.eye(4)[targets]
loss = -np.log(p[[0, 1], targets]).mean()
dz = (p - onehot) / len(z)
print(side_by_side(2, p=p, onehot=onehot))
print(side_by_side(3, dz=dz))
print(f"loss {loss:.3f}")

# %% tags=["hide-input"]
from npformer.tasks import LabelSmoothingLoss

assert np.allclose(dz.sum(-1), 0)  # what one score gains, the others lose
cross_entropy = LabelSmoothingLoss(eps=0, pad_id=None)
assert np.isclose(cross_entropy.forward(z, targets), loss)
assert np.allclose(cross_entropy.backward(), dz)

# %% [markdown]
# The first position gave its token 0.61: its scores are pulled a little. The second was sure of the wrong token: one
# score is pushed down and another up, nearly as far as can be. Every backward of a model starts with this $dz$. With
# any wanted distribution $q$ in the place of the one-hot row it is $dz = p - q$: label smoothing, with which the
# trainings of this course run, changes $q$ alone ([notebook 14](14_the_loss.ipynb)).
#
# ## Attention
#
# Forward has three lines, and backward reads them from the end with rules that you have: two products, and the softmax
# of 05b. $P$ is the matrix of attention weights, `weights` in the code.
#
# $$\begin{array}{lcl}
# Y = P V & \Rightarrow & dV = P^\top dY, \qquad dP = dY\, V^\top \\
# P = \mathrm{softmax}(Z) & \Rightarrow & dZ = P \odot (dP - \textstyle\sum_{\text{row}} dP \odot P) \\
# Z = Q K^\top / \sqrt{d_k} & \Rightarrow & dQ = dZ\, K / \sqrt{d_k}, \qquad dK = dZ^\top Q / \sqrt{d_k}
# \end{array}$$
#
# $Z$ are the scores, and the sum is over one query's row, as softmax is.


# %%
def attention_forward(query, key, value):
    """Return softmax(Q K^T / sqrt(d_k)) V, and what backward needs."""
    scores = query @ key.T / np.sqrt(query.shape[-1])  # (T, S)
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)  # (T, S), for small scores
    return weights @ value, (query, key, value, weights)  # (T, d_v)


def attention_backward(dy, query, key, value, weights):
    """Return dquery, dkey, dvalue, and on the way dweights and dscores."""
    dvalue = weights.T @ dy  # (S, d_v)
    dweights = dy @ value.T  # (T, S)
    dscores = weights * (dweights - (dweights * weights).sum(-1, keepdims=True))  # (T, S)
    scaled = dscores / np.sqrt(query.shape[-1])
    return scaled @ key, scaled.T @ query, dvalue, dweights, dscores


query = np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 2.0, 0.0, 1.0]])  # T = 2, d_k = 4
key = np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0]])  # S = 3
value = np.array([[1.0, 0.0], [0.0, 1.0], [5.0, 5.0]])  # d_v = 2
dy = np.array([[1.0, 0.0], [0.0, 1.0]])  # change this and run it again: make the second row zero

y, cache = attention_forward(query, key, value)
dquery, dkey, dvalue, dweights, dscores = attention_backward(dy, *cache)
weights = cache[-1]
print(side_by_side(2, weights=weights, y=y, dvalue=dvalue))
print(side_by_side(2, dweights=dweights, dscores=dscores))
print(side_by_side(2, dquery=dquery, dkey=dkey))

# %% tags=["hide-input"]
compare(layers.ScaledDotProductAttention(), (query, key, value), dy, y, (dquery, dkey, dvalue))
figure, axes = new_figure(1, 3, width=9.5, height=2.2)
shown = {"weights": weights.round(2), "dweights": dweights, "dscores": dscores.round(2)}
plot_arrays(axes, shown, {"dscores": [tuple(place) for place in np.argwhere(dscores > 0)]})
assert np.allclose(dscores.sum(-1), 0)
figure

# %% [markdown]
# The filled scores are to *fall*, because raising them would raise the loss; the others are to rise. Each row sums to
# 0: attention moves weight from some keys to others. A key whose weight is nearly 0 gets nearly no gradient, because
# the weight is a factor, however much the loss would gain from it.
#
# ## Multi-head attention, from what you have
#
# Forward cuts $Q$, $K$ and $V$ into heads, runs attention on each, joins the results, and ends in a Linear. Cutting and
# joining change no number, so backward moves each gradient to where its number came from: where forward joins, it cuts.
# In self-attention $x$ is query, key and value, so $dx$ is a sum of three.

# %%
H, x = 2, np.array([[1.0, 0.0, 2.0, -1.0], [0.0, 1.0, 1.0, 0.5], [2.0, -1.0, 0.0, 1.0]])  # (T, D) = (3, 4)
dy = np.array([[1.0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])  # change this and run it again: move the 1 to another row
layer = layers.SelfAttention(4, H, rng=0, dtype="float64")  # its matrices are used below; its biases are 0
W_q, W_k, W_v, W_o = (part.weight.data for part in (layer.w_query, layer.w_key, layer.w_value, layer.w_output))

in_heads = zip(*(np.split(x @ W, H, axis=1) for W in (W_q, W_k, W_v)), strict=True)
outputs, caches = zip(*(attention_forward(q, k, v) for q, k, v in in_heads), strict=True)
joined = np.concatenate(outputs, axis=1)
y = joined @ W_o

djoined, dW_o, _ = linear_backward(dy, joined, W_o)
of_heads = [attention_backward(d, *c)[:3] for d, c in zip(np.split(djoined, H, axis=1), caches, strict=True)]
dq, dk, dv = (np.concatenate(parts, axis=1) for parts in zip(*of_heads, strict=True))
through_q, through_k, through_v = (linear_backward(d, x, W)[0] for d, W in ((dq, W_q), (dk, W_k), (dv, W_v)))
dx = through_q + through_k + through_v
print(side_by_side(2, through_q=through_q, through_k=through_k, through_v=through_v))
print(side_by_side(2, dx=dx))

# %% tags=["hide-input"]
compare(layer, (x[None],), dy[None], y[None], (dx[None],))
assert np.allclose(layer.w_output.weight.grad, dW_o)
for part, d in (layer.w_query, dq), (layer.w_key, dk), (layer.w_value, dv):
    assert np.allclose(part.weight.grad, x.T @ d)

# %% [markdown]
# The loss looks at position 0 alone, so only its query gets a gradient; but it read the keys and values of all.
#
# ## What is left
#
# Nothing with a formula of its own. Dropout: $dx = dy\,\odot$ the mask of forward. Positions are added, so $dx = dy$. A
# masked score has $P = 0$, so $dZ = 0$ there.
#
# ## Questions
#
# **1.** What must each of the seven layers remember from forward to backward?
#
# <details><summary>Answer</summary>
#
# Linear its input, ReLU its result (or where it was above 0), the residual nothing, LayerNorm $\hat{x}$ and $r$,
# Embedding the ids, softmax with cross-entropy $p$ and the targets, attention $Q$, $K$, $V$ and the weights. The
# weights are (T, S) per head: on long texts they need the most memory of all.
#
# </details>
#
# **2.** A padding position has $dy = 0$ in all its features. What do the gradients of Linear, LayerNorm and Embedding
# get from it?
#
# <details><summary>Answer</summary>
#
# Nothing: each is a sum over positions of a product with $dy$. Attention is different, because it mixes positions. Make
# the second row of $dy$ zero in its cell: The second row of `dquery` is zero, those of `dkey` and `dvalue` are not,
# because the first query looks at the second key. So a loss that ignores padding is not enough. The attention mask must
# hide padding as well.
#
# </details>
#
# **3.** In LayerNorm's backward the product of $dx$ and $\hat{x}$ is nearly 0, but not exactly. Which number is to
# blame?
#
# <details><summary>Answer</summary>
#
# $\epsilon$. Without it the norm of $\hat{x}$ is fixed, so moving $x$ along $\hat{x}$ changes nothing, and $dx$ has no
# part along it. With $\epsilon$ a $c$ of larger norm gives an $\hat{x}$ of slightly larger norm.
#
# </details>
#
# ---
#
# Next: [notebook 13](13_gradient_checks.ipynb), where a check from forward alone finds bugs that
# training hides.
#
# Write it yourself: exercises layer_norm_backward, embedding_backward, feed_forward_backward,
# add_norm_backward, dropout, multi_head_backward, cross_attention_backward.
# `npformer course start my-course` begins the course.

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
# # 11 The backward of softmax and attention
#
# *Part II, Learn it. Before: [10](10_from_numbers_to_arrays.ipynb). Next: [12](12_the_backward_of_each_layer.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# Suppose a translator writes *das* and should have written *die*. Then a head has looked at the wrong word. But nobody
# tells it where to look: all it gets is a gradient at its result. How does that become "look less at this word, more at
# that one"?
#
# **After this you can** send a gradient back through a softmax and through attention; say which scores rise and which
# fall; say what the division by $\sqrt{d_k}$ does to learning.
#
# Paper: section 3.2.1. About 40 minutes with its writing.

# %%
# %matplotlib inline
import math  # noqa: F401, for what you write

import numpy as np

from helpers.pictures import show_arrays
from helpers.schematics import softmax_backward as schematic
from npformer_course import Bet, exercise, yours

softmax = yours("softmax")
numeric_gradient, relative_error = yours("numeric_gradient")
schematic()

# %% [markdown]
# ## A weight that grows takes from the others
#
# A query asks three words. Their scores $x$ are 2, 1 and 0, and softmax makes weights $y$ of them. Then something happens,
# and a loss comes out. All we need to know of that is $dy$: by how much the loss rises per unit of each weight.

# %%
words = ["off", "radio", "the"]
x = np.array([2.0, 1, 0])
dy = np.array([2.0, 1, -1])  # change these
y = softmax(x)
show_arrays(x=x, y=y, dy=dy, columns=words)

# %% [markdown]
# More of "the" would lower the loss. More of "off" and of "radio" would raise it. So the score of "the" must rise, and
# those of "off" and "radio" must fall. Is that so?
#
# A weight cannot grow by itself, because the sum is 1: what "radio" gets, the others lose. The quotient rule says how
# much. If score $x_j$ grows, its own weight grows by $y_j (1 - y_j)$, and every other weight $y_i$ shrinks by $y_i y_j$:
#
# $$\frac{\partial y_i}{\partial x_j} = y_i\, (\mathbb{1}[i = j] - y_j)$$
#
# These nine slopes are the Jacobian $J$ of notebook 10, and $dx = dy\, J$:

# %%
J = np.diag(y) - np.outer(y, y)
dx = dy @ J
show_arrays("dy · J = dx", dy=dy, J=J, dx=dx, rows={"J": words}, columns=words)

# %% [markdown]
# The score of "radio" should *rise*: its gradient is $-0.12$. Raising it adds to a weight that costs 1 per unit. But it
# takes from the others, and most of all from "off", which costs 2.
#
# So what counts is not $dy_j$. It is $dy_j$ compared with the mean over all words, weighted by $y$, because that is what
# the word takes from. Here this mean is $0.665 \cdot 2 + 0.245 \cdot 1 - 0.090 \cdot 1 = 1.49$, and 1 is below it.
#
# **Write it**, without $J$. Put the slope into $dx_j = \sum_i dy_i\, \partial y_i / \partial x_j$ and multiply out. Of the
# first term one number of the sum is left. In the second, what does not depend on $i$ goes before the sum.


# %%
def softmax_backward(dy, y):
    """Return dx (..., S), the gradient at the scores.

    dy (..., S): the gradient at the weights. y (..., S): the weights that softmax returned. Each
    row has the sum 1, or weights of 0 throughout. Neither is changed.
    """
    raise NotImplementedError


# %%
softmax_backward = exercise("softmax_backward").check(softmax_backward)

# %% [markdown]
# Next to it the judge that knows no formula: `numeric_gradient` of notebook 09 moves each score a little to both sides.

# %%
show_arrays(dx=softmax_backward(dy, y), by_moving=numeric_gradient(softmax, x, dy), columns=words, decimals=6)

# %% [markdown]
# Each row of $dx$ has the sum 0, whatever $dy$ is. It has to be so: add the same number to all scores, and no weight
# changes. And every $dx_j$ has the factor $y_j$. A word that has hardly any weight gets hardly any gradient. Keep this
# in mind.
#
# ## Attention, from its last line
#
# Attention has three lines. With $X$ for the scores and $W$ for the weights they are
#
# $$X = \frac{Q K^\top}{\sqrt{d_k}}, \qquad W = \mathrm{softmax}(X), \qquad Y = W V$$
#
# Backward takes them from the last to the first. The one in the middle you have. The other two are products, and of a
# product you know the rule from notebook 10: each factor gets $dC$ times the other factor, transposed, on the side
# where the shapes fit.
#
# Two queries, three keys, $d_k = 4$ and $d_v = 5$. All sizes differ, so wrong products do not fit. Of the five features the
# loss uses two: it rises with feature 0 of the first result, and falls with feature 1 of the second.

# %%
q = np.array([[1.0, 0, 1, 0], [0, 2, 0, 1]])  # (2, 4)
k = np.array([[1.0, 0, 2, 0], [0, 1, 0, 1], [1, 1, 0, 0]])  # (3, 4)
v = np.array([[1.0, 0, 0, 0, 0], [0, 1, 0, 0, 0], [5, 5, 0, 0, 0]])  # (3, 5)
weights = softmax(q @ k.T / 2)  # (2, 3)
dy = np.array([[1.0, 0, 0, 0, 0], [0, -1, 0, 0, 0]])  # (2, 5)
show_arrays(q=q, k=k, v=v, weights=weights, dy=dy)

# %% [markdown]
# **Write the first two**: from $Y = W V$, the gradient of the values and that of the weights.

# %%
blank = exercise("attention_backward").on(dy=dy, q=q, k=k, v=v, weights=weights)
dv = ...  # (3, 5)
dweights = ...  # (2, 3)

# %%
dv, dweights = blank.check(dv=dv, dweights=dweights)
dscores = softmax_backward(dweights, weights)

# %% tags=["hide-input"]
falling = [tuple(place) for place in np.argwhere(dscores > 0)]
show_arrays(weights=weights, dweights=dweights, dscores=dscores, marked={"dscores": falling})

# %% [markdown]
# The scores with a frame have a gradient above 0, so an update will lower them. The value of key 2 has 5 in both features, far
# more than the others have. Query 0 has too much of feature 0 and must look away from key 2. Query 1 wants more of feature 1, so it
# must look there more, and less at the other two. Each row has the sum 0.
#
# **Write the last two**: from $X = Q K^\top / \sqrt{d_k}$ with `dscores`, the gradient of the queries and that of the keys.
# Mind which factor is transposed already, and that there is a number in front.

# %%
dq = ...  # (2, 4)
dk = ...  # (3, 4)

# %%
dq, dk = blank.check(dq=dq, dk=dk)
show_arrays(dq=dq, dk=dk, dv=dv)

# %% [markdown]
# **Now all in one function**, for any axes before the last two. There `weights.T` becomes `weights.swapaxes(-1, -2)`. Write
# the line of softmax out once more: a function that is kept for later notebooks must stand by itself.


# %%
def attention_backward(dy, q, k, v, weights):
    """Return dq (B, H, T, d_k), dk (B, H, S, d_k) and dv (B, H, S, d_v), in this order.

    dy (B, H, T, d_v): the gradient of the result. q (B, H, T, d_k), k (B, H, S, d_k), v (B, H, S,
    d_v): what forward was given. weights (B, H, T, S): what it computed, rows that sum to 1, or to
    0 where a query may attend to nothing. None of the inputs is changed.
    """
    raise NotImplementedError


# %%
attention_backward = exercise("attention_backward").check(attention_backward)

# %% [markdown]
# ## "das" should have been "die"
#
# Take the sentence of the course. When our translator writes *das*, head 2 of its last attention looks at "radio": the
# noun says whether it is *der*, *die* or *das* (notebook 04). Now pretend that the right translation were *Ich schalte
# jeden Tag **die** neue Radio aus*. That is wrong German. But a loss wants what it is told to want, and from it comes a
# gradient at the result of each head. (How, is notebook 14.)

# %%
from helpers.backward_trace import trace_backward
from helpers.course_sentence import CourseSentence

sentence = CourseSentence()
trace = trace_backward(sentence, "Ich schalte jeden Tag die neue Radio aus.")
name = "decoder.layers.1.cross_attention.sublayer.attention"
q, k, v = trace[name].inputs[:3]  # (1, 4, 10, 16) each
dy = trace[name].dy
weights = trace[f"{name}.softmax"].output  # (1, 4, 10, 10)
dweights = trace[f"{name}.softmax"].dy
dq, dk, dv = attention_backward(dy, q, k, v, weights)
relative_error(dq, trace[name].dinputs.dquery)  # how far from npformer's, in float32

# %% [markdown]
# Your function agrees with the library on a trained model. Now look at one row, that of *das* in head 2. At first only at
# the weights, and at the gradients of the weights:

# %% tags=["hide-input"]
from helpers.schematics.frame import GRADIENT_COLOR
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import ink

read = sentence.source_words
head = 2
das = sentence.target_tokens.index("das")
row = weights[0, head, das]
drow = dweights[0, head, das]


def bars(ax, values, color, title, decimals):
    ax.bar(read, values, color=color)
    for place, value in enumerate(values):
        shown = round(float(value), decimals) + 0.0  # no -0
        ax.annotate(
            f"{shown:.{decimals}f}",
            (place, max(value, 0)),
            (0, 2),
            textcoords="offset points",
            ha="center",
            fontsize=8,
        )
    ax.set_title(title, loc="left", fontsize=10)
    ax.axhline(0, color=ink(), linewidth=0.8)
    ax.margins(y=0.25)
    ax.set_yticks([])


figure, axes = new_figure(2, 1, width=7, height=3.6)
bars(axes[0], row, ink(), "weights", 2)
bars(axes[1], drow, GRADIENT_COLOR, "dweights: by how much the loss rises, per unit of weight", 2)
figure

# %% [markdown]
# "radio" has the largest `dweights`: looking at it makes *das*, so its score will fall. And which will rise? The lowest
# `dweights` is that of "off".

# %%
bet = Bet("Which word's score gets the strongest push upward?", ["off", "the", "new", "day"])
bet.place(...)

# %%
dscores = softmax_backward(dweights, weights)
pushed = dscores[0, head, das]
bet.settle(read[pushed.argmin()])

# %% tags=["hide-input"]
figure, ax = new_figure(width=7, height=2)
bars(ax, pushed, GRADIENT_COLOR, "dscores: above 0 falls, below 0 rises", 3)
figure

# %% [markdown]
# It is "day", whose `dweights` is about 0. "off" would help far more. But "off" has a weight of 0.003, and the weight is a
# factor. "day" has 0.05, and 0 is much better than the mean of 0.38 that "radio" has made.
#
# So a head finds a better word only if it looks there a little already. That is one reason why heads should begin
# undecided.
#
# ## What the division does to learning
#
# Notebook 03 divided the scores by $\sqrt{d_k}$, so that softmax of random scores does not pick one word. The paper's
# reason could not be checked there: without the division softmax is pushed "into regions where it has extremely small
# gradients". Here are the random queries and keys of notebook 03 again. Go through the eight queries at $d_k = 64$: how
# much gradient is left? Then tick the box.

# %% tags=["hide-input"]
from helpers.live_figures import live_saturation

rng = np.random.default_rng(0)
queries = rng.normal(size=(1000, 1, 256))
keys = rng.normal(size=(1000, 10, 256))
live_saturation(queries[:8, 0], keys[:8], gradient=True)

# %% [markdown]
# (The gradient is the norm of $dx$: its root mean square over all random $dy$ of variance 1.) Queries 0 and 5, which
# hesitate, have as much as with the division. Query 4 has 0.001.
#
# Now a thousand queries, with ten keys each, and a random gradient at every weight. Let each value have one feature,
# and let $dy$ be 1. Then the gradient of each weight is the value itself.

# %%
values = rng.normal(size=(1000, 10, 1))
ones = np.ones((1000, 1, 1))
sizes = [4, 16, 64, 256]  # values of d_k
norms = {}
dq_norms = {}
for d_k in sizes:
    q = queries[..., :d_k]
    k = keys[..., :d_k]
    for name, factor in (("divided", d_k**-0.5), ("not divided", 1)):
        weights = softmax(q @ k.swapaxes(-1, -2) * factor)
        dscores = softmax_backward(values.swapaxes(-1, -2), weights)
        dq, _, _ = attention_backward(ones, q, k, values, weights)
        dq = dq * d_k**0.5 * factor  # your function has divided
        norms[name, d_k] = np.linalg.norm(dscores, axis=-1).ravel()
        dq_norms[name, d_k] = np.linalg.norm(dq, axis=-1).ravel()

# %% tags=["hide-input"]
from npformer.visualization.plots.colors import ORANGE, main_color

edges = np.geomspace(1e-9, 2, 60)
figure, axes = new_figure(1, 2, width=8, height=3.4)
for ax, name in zip(axes, ("divided", "not divided"), strict=True):
    for place, d_k in enumerate(sizes):
        counts, _ = np.histogram(np.maximum(norms[name, d_k], edges[0]), edges)
        ax.stairs(0.85 * counts / counts.max() - place, edges, baseline=-place, fill=True, color=main_color())
        median = np.median(norms[name, d_k])
        ax.plot([median, median], [-place, 0.9 - place], color=ORANGE, linewidth=2)
        ax.annotate(f"{median:#.2g}", (4, 0.3 - place), color=ORANGE, fontsize=10)
    ax.set(xscale="log", xlabel="norm of dscores", title=name, xlim=(edges[0], 500))
    ax.set_xticks([1e-8, 1e-6, 1e-4, 1e-2, 1])
    ax.set_yticks([-place for place in range(len(sizes))], sizes)
axes[0].set_ylabel("d_k")
figure

# %% [markdown]
# Orange is the median, the gradient of a typical query. With the division it is 0.30, whatever $d_k$ is. Without it the
# typical gradient shrinks: to 0.04 at 64, and to 0.001 at 256. (The bar at the left edge holds all that are smaller still.)
#
# Many texts stop here, which is too early. Look at the right end of the histograms: it stays where it is. Where two
# keys are close to a tie, softmax is undecided and its gradient as large as ever. And on its way to the query the
# gradient is not divided either, which makes it larger. So what reaches the *query*?

# %% tags=["hide-input"]
figure, axes = new_figure(1, 2, width=8, height=2.8)
for ax, measure, title in ((axes[0], np.median, "median"), (axes[1], np.mean, "mean")):
    for name, style, color in (("not divided", "s--", ORANGE), ("divided", "o-", main_color())):
        measured = [measure(dq_norms[name, d_k]) for d_k in sizes]
        ax.plot(range(len(sizes)), measured, style, color=color, label=name)
    ax.set_xticks(range(len(sizes)), sizes)
    ax.set(xlabel="d_k", title=f"norm of dq, {title}", ylim=(0, 1.2))
axes[0].legend()
figure

# %% [markdown]
# At the paper's $d_k = 64$ a typical query gets as much without the division as with it, 0.29 and 0.30. The *mean* is
# three times as large: a few queries near a tie are pushed far harder than all others. At 256 a typical query gets next
# to nothing, and the few get even more. So the paper's suspicion holds for large $d_k$. At 64 the harm is another one:
# queries learn at very different paces. With the division they all learn alike, and $d_k$ hardly matters.
#
# ## Two questions
#
# **1.** Let $dy$ be 1 for every weight. What is the gradient of the scores? And what would a check with this $dy$ find?
#
# <details><summary>Answer</summary>
#
# 0: the loss is then the sum of the weights, which is 1 whatever the scores are. A check with it finds hardly any bug: a
# backward that forgets the factor $y$ gives 0 as well. This is why checks draw $dy$ at random.
#
# </details>
#
# **2.** The loss ignores padding, so $dy$ is 0 at a padded position. Does padding then get no gradient? And is it
# harmless?
#
# <details><summary>Answer</summary>
#
# Its query gets none. Its key and value do: other queries look at it, so `dk` and `dv` have a row for it. In the small
# example set the second row of `dy` to 0: the second row of `dq` is 0, those of `dk` and `dv` are not. A loss that
# ignores padding is not enough; the mask of attention must hide it too. Then the weight is 0, and with it the gradient.
#
# </details>

# %% [markdown]
# **You can now**
#
# - turn the gradient of weights into that of scores: compare with the weighted mean, and multiply by the weight;
# - send a gradient through attention to queries, keys and values;
# - say what the division by $\sqrt{d_k}$ does to the gradient of a typical query, and of a few others.
#
# Next: [notebook 12](12_the_backward_of_each_layer.ipynb), what LayerNorm, an embedding and heads do to a gradient.

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
# # 13 Gradient checks, and bugs that hide
#
# *Part II, Learn it. Before: [12](12_the_backward_of_each_layer.ipynb). Next: [14](14_the_loss.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# You have derived a backward for every layer. One wrong sign, and nothing crashes: the shapes fit, the loss falls, and
# the model is a little worse for ever. How would you know?
#
# **After this you can** check any backward with forward only, choose numbers that show a bug, and read from a report
# which line is wrong.
#
# About 40 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from helpers.expected import Expected
from helpers.pictures import show_arrays, show_checks
from helpers.schematics import gradient_check
from helpers.slopes import cosine_between, largest_difference, mean_error, three_slopes
from npformer_course import Bet, yours

gradient_check()

# %% [markdown]
# ## A derivative from forward only
#
# Move one number by a small step $\epsilon$, run forward, and see how far the result moves. There are better and worse
# ways to do it:
#
# $$\begin{aligned}
# \text{one-sided:}\quad & \frac{f(x+\epsilon) - f(x)}{\epsilon} & = f' + O(\epsilon) \\
# \text{central:}\quad & \frac{f(x+\epsilon) - f(x-\epsilon)}{2\epsilon} & = f' + O(\epsilon^2) \\
# \text{fourth order:}\quad & \frac{8\,\big(f(x+\epsilon) - f(x-\epsilon)\big) - \big(f(x+2\epsilon) -
# f(x-2\epsilon)\big)}{12\epsilon} & = f' + O(\epsilon^4)
# \end{aligned}$$
#
# How small should $\epsilon$ be? Try 113 steps, on a function whose derivative you know: $\sin' = \cos$. **Write it**:
# the central derivative at all points `x`, for all steps at once. `eps` is a column and `x` a row, so one line does it.

# %% tags=["hide-input"]
f = np.sin
x = np.linspace(0.5, 1.5, 50)  # (50 points,)
eps = 10.0 ** np.arange(-14, 0.01, 0.125)[:, None]  # (113 steps, 1)
slopes = three_slopes(f, x, eps)
expected = Expected(central=slopes["central"])

# %%
central = ...  # (113, 50), from f, x and eps
central = expected.check(central=central)

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, main_color

slopes["central"] = central
errors = {way: mean_error(slope, np.cos(x)) for way, slope in slopes.items()}
single = three_slopes(f, x.astype("float32"), eps.astype("float32"))["central"]
errors["central, in float32"] = mean_error(single, np.cos(x))

figure, ax = new_figure(width=7.5, height=4)
for (way, error), dash in zip(errors.items(), ("-", "--", "-.", ":"), strict=True):
    ax.loglog(eps[:, 0], error, dash, linewidth=2, label=way)
ax.annotate("rounding", (1e-10, 1e-5))
ax.annotate("truncation", (3e-2, 1e-11))
ax.set(xlabel="step", ylabel="error of the derivative", ylim=(1e-14, 10))
ax.grid(alpha=0.3)
ax.legend(loc="lower left")
figure

# %% [markdown]
# Read it from right to left. As the step shrinks, each error first falls, with slope 1, 2 or 4: over a short distance a
# function bends less (*truncation*). Then it rises. $f$ is known to 16 digits, and what is lost in the last one is
# divided by a smaller and smaller step (*rounding*).
#
# So there is no right step. Recipes name any from $10^{-3}$ to $10^{-8}$; the best one depends on the formula and on
# the type. `npf.gradcheck`, which you will use from here on, takes the fourth order in float64 and begins at $10^{-3}$.
# In float32 the central formula gets no better than $4 \cdot 10^{-6}$ (and where the step is below about $4 \cdot
# 10^{-8}$, $x \pm \epsilon$ is rounded to $x$, so the difference is 0): such a check cannot tell a small mistake from
# rounding.
#
# ## Check a layer
#
# A layer has many inputs and many outputs, and a derivative needs *one* number that moves. Take $L = \sum dy \cdot y$
# with random numbers $dy$. Its gradient at $x$ is what backward must return for this $dy$. Your `numeric_gradient`
# moves every number of x in turn. Here are softmax, its backward, and somebody's shorter backward, which looks
# plausible: the derivative of $y_i$ with respect to its own score is $y_i (1 - y_i)$.

# %%
softmax = npf.layers.Softmax()
softmax_backward = yours("softmax_backward")
numeric_gradient, _ = yours("numeric_gradient")
rng = np.random.default_rng(0)
x = rng.normal(size=(3, 4))
dy = rng.normal(size=(3, 4))
y = softmax(x)
numeric = numeric_gradient(softmax, x, dy)
right = softmax_backward(dy, y)
wrong = y * (1 - y) * dy
show_arrays(numeric=numeric, right=right, wrong=wrong)

# %% [markdown]
# The shorter one has the right shape, and often the right sign. It forgets that a score also moves the *other* weights.
#
# The eye is no test: we need one number for "how wrong". A difference of $10^{-8}$ is rounding if gradients are
# around 1, and everything if they are around $10^{-8}$. **Write it**: the largest difference between `wrong` and
# `numeric`, divided by the largest magnitude in `numeric`.

# %% tags=["hide-input"]
expected = Expected(error=largest_difference(wrong, numeric))

# %%
error = ...  # one number, from wrong and numeric
error = expected.check(error=error)

# %% [markdown]
# `npf.gradcheck` does all of this for any layer: it draws $dy$, moves every number of every input and parameter, and
# measures each entry by its own size. A bar that is longer than the line fails; the line is at $10^{-7}$.


# %%
class ShorterSoftmax(npf.layers.Softmax):
    """Softmax with the shorter backward."""

    def backward(self, dy):
        """Return dx (..., S)."""
        (y,) = self.recall(dy)
        return y * (1 - y) * dy  # change this line until the check passes


show_checks({"npformer's": npf.gradcheck(softmax, x, rng=0), "shorter": npf.gradcheck(ShorterSoftmax(), x, rng=0)})

# %% [markdown]
# ## Four bugs: which would you notice?
#
# Nobody plants bugs like these on purpose. The first is in [published
# code](https://github.com/AkiRusProd/numpy-transformer/blob/0477575feaa0f0d40d50207034d96d794b8a5997/transformer/layers/base/layer_norm.py);
# the others are slips that people make.
#
# | bug | layer | right | wrong |
# |---|---|---|---|
# | gain outside | LayerNorm | `dxhat = dy * gain` first | multiply by `gain` at the end |
# | diagonal only | Softmax | `y * (dy - (dy * y).sum())` | `y * (1 - y) * dy` |
# | ids that repeat | Embedding | add the rows of equal ids | `grad[ids] += rows`, which keeps one of them |
# | no square root | attention | `dscores / sqrt(d_k)` | `dscores` |
#
# Train a small model to reverse digits five times, on the same batches from the same start: as it is, and with each
# bug in all layers of its class. How many of the four bugs does the loss show?

# %%
bet = Bet("Four bugs, four curves: how many do not look like a healthy one?", [0, 1, 2, 3, 4])
bet.place(...)

# %%
from helpers.planted_bugs import BUGS, loss_floor, train_with

SEED = 0  # change it and run the section again
healthy = train_with(None, seed=SEED, epochs=12)
curves = {bug: train_with(bug, seed=SEED, epochs=12) for bug in BUGS}

# %% tags=["hide-input"]
figure, axes = new_figure(2, 2, width=9, height=5)
ends = {bug: curve[-20:].mean() - loss_floor() for bug, curve in curves.items()}
healthy_end = healthy[-20:].mean() - loss_floor()
for ax, (bug, curve) in zip(axes.ravel(), curves.items(), strict=True):
    ax.plot(healthy, color=main_color(), linewidth=2, label=f"no bug, ends {healthy_end:.2f} above the floor")
    ax.plot(curve, "--", color=ORANGE, linewidth=1.3, label=f"{bug}, {ends[bug]:.2f}")
    ax.axhline(loss_floor(), color=GREY, linewidth=1)
    ax.set(xlabel="update", ylabel="loss per token (nats)", ylim=(0, None))
    ax.legend(loc="upper right")
bet.settle(sum(end > healthy_end + 0.2 for end in ends.values()))
figure

# %% [markdown]
# The gray line is the floor: labels are smoothed by 0.1 here, so not even a perfect model gets below 0.547
# ([notebook 14](14_the_loss.ipynb) says why). How far above it are the last 20 updates? For seed 0 the picture says so;
# seeds 1 and 2 were run beforehand, with the cell above:
#
# | seed | no bug | gain outside | diagonal only | ids that repeat | no square root |
# |--:|--:|--:|--:|--:|--:|
# | 0 | 0.306 | 0.314 | 1.607 | 0.306 | 0.279 |
# | 1 | 0.385 | 0.376 | 1.699 | 0.467 | 0.386 |
# | 2 | 0.405 | 0.404 | 1.668 | 0.447 | 0.379 |
#
# One bug shows. Two cannot be told from luck: they end above the healthy run with one seed, and below it with another.
# The embedding's bug costs something with two of three seeds, but who trains three times with a healthy model next to
# it? **A loss that falls says nothing about a backward.**
#
# Now the check. Each layer below *has* its bug:

# %%
from helpers.planted_bugs import check_attention, check_embedding, check_norm, check_softmax

gains = [1.0, 1.0, 1.0, 1.0]
scores = [[2.0], [-1.0]]  # two queries, one key
ids = [0, 1, 2]
d_k = 1
q, k, v = np.random.default_rng(2).normal(size=(3, 5, d_k))  # five positions
reports = {
    "gain outside": check_norm(gains),
    "diagonal only": check_softmax(scores),
    "ids that repeat": check_embedding(ids),
    "no square root": check_attention(q, k, v),
}
show_checks(reports)

# %% [markdown]
# All four pass! **A check finds only what its numbers can show.** Change `gains`, `scores`, `ids` and `d_k` one at a
# time, until all four fail. (For `scores`, add a second number to each row.) Why did each of them hide its bug?
#
# Then compare with the numbers of a real sentence, "I turn off the new radio every day.", in the translator: the last
# LayerNorm of its decoder, and the scores, queries, keys and values of a head.

# %%
from helpers.course_sentence import CourseSentence

sentence = CourseSentence()
NORM = "decoder.layers.1.feed_forward.norm"
learned = sentence.model.state_dict()[f"{NORM}.gain"].astype(float)  # (64,)
entering = sentence.arrays(NORM)["x"].astype(float)  # (10, 64)
head = {name: array[1] for name, array in sentence.attention("encoder.layers.1.self_attention").items()}
reports = {
    "gain outside": check_norm(learned, entering),
    "diagonal only": check_softmax(head["scores"]),
    "ids that repeat": check_embedding(sentence.batch.src[0]),
    "no square root": check_attention(head["q"], head["k"], head["v"]),
}
show_checks(reports)

# %% [markdown]
# Three fail, beyond any doubt. One bug still hides (question 1).
#
# How could a model learn with the first bug at all? Take the two gradients of this LayerNorm, right and wrong, as two
# arrows in a space of 640 dimensions. **Write it**: the cosine of the angle between them, which is their dot product
# divided by both norms.

# %% tags=["hide-input"]
from helpers.planted_bugs import planted

gradients = []
dy = np.random.default_rng(0).normal(size=entering.shape)
for kind in (npf.layers.LayerNorm, planted("gain outside")):
    layer = kind(64, dtype="float64")
    layer.gain.data = learned
    layer(entering)
    gradients.append(layer.backward(dy))
right, wrong = gradients  # (10, 64) each
expected = Expected(cosine=cosine_between(right, wrong))

# %%
cosine = ...  # one number, from right and wrong
cosine = expected.check(cosine=cosine)

# %% tags=["hide-input"]
figure, ax = new_figure(width=4.2, height=3.6)
ax.scatter(right, wrong, s=8, alpha=0.5, color=main_color(), linewidth=0)
ax.axline((0, 0), slope=1, color=GREY, linewidth=1)
ax.set(xlabel="right gradient", ylabel="wrong gradient", title=f"640 numbers, cosine {cosine:.4f}")
figure

# %% [markdown]
# Going downhill needs a direction that is roughly right, and this one is nearly exact: the gains, 1.04 to 1.69, do not
# differ enough. The more they do, the worse it gets. A wrong gradient is not a broken training. It is one that is a
# little worse, and you have nothing to compare it with.
#
# ## Find the line
#
# Here is LayerNorm's backward with one wrong line, and its check, with five unequal gains. Two more clues: whatever dy
# is, each row of dx must have the sum 0, because adding a number to all of x changes nothing in forward. And its dot
# product with $\hat x$ must be 0, since stretching x changes nothing either.

# %% tags=["hide-input"]
from helpers.planted_bugs import unknown_bug

suspect, code, culprit = unknown_bug()
expected = Expected(line=culprit)
layer = suspect(5, dtype="float64")
layer.gain.data = np.array([1.0, 2.0, 0.5, -1.0, 3.0])
x = np.random.default_rng(1).normal(size=(3, 5))
dy = np.random.default_rng(2).normal(size=(3, 5))
report = npf.gradcheck(layer, x, rng=0)

# %%
for number, line in enumerate(code, 1):
    print(f"{number:2} {line}")

# %%
layer(x)
dx = layer.backward(dy)
xhat = (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)
show_arrays(dx=dx, sums=dx.sum(-1, keepdims=True), products=(dx * xhat).sum(-1, keepdims=True))

# %%
for row in report.rows:
    print(f"{row.name:8} error {row.error:.0e}, worst {row.worst}: {row.analytic:.4f}, by moving {row.numeric:.4f}")

# %% [markdown]
# **Write** the number of the wrong line.

# %%
line = ...
line = expected.check(line=line)

# %% [markdown]
# ## What if this line were wrong?
#
# Now the other way round: spoil a line yourself, and see what becomes of one update. `npf.what_if` runs the same update
# twice from the same state, A with the code as it is and B with your change, and compares every array.

# %% tags=["hide-input"]
from helpers.planted_bugs import small_update

objective, batch = small_update()

# %%
change = {"layers/layer_norm.py": ("dxhat - mean - xhat * projection", "dxhat - xhat * projection")}
comparison = npf.what_if(objective, batch, change, only="decoder", n_updates=0)
comparison

# %% [markdown]
# The page opens at the first array that differs. In forward nothing does, and the loss is the same to the last digit:
# the change shows only from this line of backward on, and then in almost everything.
#
# Change the line, or another one: what if `scores` in `layers/attention.py` were not divided by $\sqrt{d_k}$? Which part
# of the strip fills then? Instead of a change you may give the title of a bug that somebody really had, such as
# `"causal mask upside down"`; `npf.testing.gallery()` has more than thirty, with their sources.

# %% [markdown]
# ## Questions
#
# **1.** Why did the first numbers hide all four bugs? Which one still hides from our sentence, and what would its check
# need?
#
# <details><summary>Answer</summary>
#
# Equal gains may stand anywhere in the formula, one key always has the weight 1, ids that differ need no sum, and the
# root of 1 is 1. From our sentence "ids that repeat" hides: none of its words occurs twice. An id must. In general:
# give all sizes different values above 1, gains other values than 1 and biases other values than 0, repeat ids, and
# mask something.
#
# </details>
#
# **2.** `gradcheck` multiplies the output with *random* numbers and sums up. Why not simply sum up the output?
#
# <details><summary>Answer</summary>
#
# Then dy would be 1 everywhere. The weights of a softmax sum to 1 whatever x is, so the true gradient is 0, and many
# wrong backwards give 0 as well. The features of a LayerNorm with equal gains sum to a constant, too.
#
# </details>
#
# **3.** What in the clues says which line it is?
#
# <details><summary>Answer</summary>
#
# Gain and bias are right, so the bug is in what only dx needs. Each row of dx has the sum 0, so `mean` does its work. The
# products with $\hat x$ are not 0, so `projection` does not: it is computed from dy, without the gain, and with gains of
# 1 nobody would see it.
#
# </details>

# %% [markdown]
# **You can now**
#
# - compute a derivative from forward only, and say why no step is right for all;
# - check a backward, with numbers that can show its bugs;
# - say what a falling loss proves about a backward: nothing.
#
# Exercise bug_hunt has three more bugs, and you write the tests that find them: `npformer course start my-course`.
#
# Next: [notebook 14](14_the_loss.ipynb), the loss, where all gradients begin.

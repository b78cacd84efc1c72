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
# **The idea:** forward alone is enough to show that a backward is wrong, and a falling loss is not enough to show that
# it is right.
#
# About 30 minutes to read and run, 55 with every change and question. What you need before: the backwards of [notebook
# 12](12_the_backward_of_each_layer.ipynb). Below, $dx$ is short for $\partial L / \partial x$, where $L$ is the loss.

# %%
# %matplotlib inline
import numpy as np
from numpy.linalg import norm

import npformer as npf
from npformer.visualization.plots import new_figure

# %% [markdown]
# ## A derivative from forward alone
#
# Move one number by a step $h$, run forward, and see how the loss moves. There are better and worse ways:
#
# $$\begin{aligned}
# \text{one-sided:}\quad & \frac{f(x+h) - f(x)}{h} & = f' + O(h) \\
# \text{central:}\quad & \frac{f(x+h) - f(x-h)}{2h} & = f' + O(h^2) \\
# \text{fourth order:}\quad & \frac{8\,\big(f(x+h) - f(x-h)\big) - \big(f(x+2h) - f(x-2h)\big)}{12h} & = f' + O(h^4)
# \end{aligned}$$
#
# Which $h$? A large one is wrong because the function bends (*truncation*). A small one is wrong because $f$ is
# only known to about 16 digits, $\varepsilon \approx 10^{-16}$, and that error is divided by $h$ (*rounding*).
# Try all of them on a function whose derivative you know: $\sin' = \cos$.

# %%
f, derivative = np.sin, np.cos  # change these to np.exp, np.exp and run the section again
steps = 10.0 ** np.arange(-14, 0.01, 0.125)


def derivatives(f, x, h):
    """Return the one-sided, the central and the fourth-order derivative of f at x."""
    near, far = f(x + h) - f(x - h), f(x + 2 * h) - f(x - 2 * h)
    return (f(x + h) - f(x)) / h, near / (2 * h), (8 * near - far) / (12 * h)


def errors(dtype):
    """Return the typical error for each step and way (steps, 3), over 50 points."""
    x = np.linspace(0.5, 1.5, 50).astype(dtype)
    found = [derivatives(f, x, dtype(h)) for h in steps]  # (steps, 3, 50)
    return np.sqrt(np.mean((np.array(found, dtype=float) - derivative(x.astype(float))) ** 2, axis=-1))


double, single = errors(np.float64), errors(np.float32)
ways = ("one-sided", "central", "fourth order")
for error, way in zip([*double.T, single[:, 1]], [*ways, "central, float32"], strict=True):
    print(f"{way:17} best step {steps[error.argmin()]:.0e}   error there {error.min():.0e}")

# %% tags=["hide-input"]
figure, ax = new_figure(width=7.5, height=4)
for error, way, dash in zip(double.T, ways, ("-", "--", "-."), strict=True):
    ax.loglog(steps, error, dash, linewidth=2, label=way)
ax.loglog(steps, single[:, 1], ":", color="gray", label="central, in float32")
ax.annotate("rounding", (1e-10, 1e-5))
ax.annotate("truncation", (3e-2, 1e-11))
ax.set(xlabel="step h", ylabel="error of the derivative", ylim=(1e-14, 10))
ax.grid(alpha=0.3)
ax.legend(loc="lower left")
figure

# %% tags=["hide-input"]
one_sided, central, fourth = steps[double.argmin(0)]
assert 1e-9 < one_sided < 1e-7 and 1e-6 < central < 1e-4 and 1e-4 < fourth < 1e-2
assert double.min(0)[2] < 1e-12 and single[:, 1].min() > 1e-6

# %% [markdown]
# On the right the lines fall with slopes 1, 2 and 4, on the left they rise together. The best step is where
# both errors are equal, near $\varepsilon^{1/2}$, $\varepsilon^{1/3}$ and $\varepsilon^{1/5}$. Recipes for
# gradient checks name steps from 1e-3 to 1e-8 as if there were one right step: it depends on the formula and on
# the type. `npf.gradcheck` takes the fourth-order formula in float64 and begins at $h = 10^{-3}$. In float32 the
# central formula never gets below 1e-06, so a check there cannot tell a small mistake from rounding.
#
# ## Check your own layer
#
# `npf.gradcheck` takes any `Module`. Write one: `forward` ends with `return self.remember(y, ...)`, which keeps what
# backward will need, and `backward` begins with `self.recall(dy)`, which hands it out once. Here is a softmax with the
# backward of 05b.


# %%
class MySoftmax(npf.Module):
    """Softmax over the last axis."""

    def forward(self, x):
        """Return y (..., S)."""
        e = np.exp(x - x.max(-1, keepdims=True))
        y = e / e.sum(-1, keepdims=True)
        return self.remember(y, y)

    def backward(self, dy):
        """Return dx (..., S)."""
        (y,) = self.recall(dy)
        return y * (dy - (dy * y).sum(-1, keepdims=True))  # change this line and run the cell again


rng = np.random.default_rng(0)
x = rng.normal(size=(2, 3, 5))
print(npf.gradcheck(MySoftmax(), x, rng=rng))

# %% [markdown]
# The function that is differentiated is $L = \sum r \cdot y$ with a random $r$, which is also the $dy$ that your
# backward gets. Every entry of $x$ is moved, and the worst relative error is reported. Three entries:

# %%
layer, r = MySoftmax(), rng.normal(size=x.shape)
layer.forward(x)
dx = layer.backward(r)
for place in [(0, 0, 0), (0, 2, 4), (1, 1, 2)]:
    step = np.zeros_like(x)
    step[place] = 1.0
    numeric = derivatives(lambda a, step=step: (r * layer.forward(x + a * step)).sum(), 0.0, 1e-3)[2]
    print(f"{place}: backward {dx[place]:+.12f}   forward alone {numeric:+.12f}")
    assert abs(dx[place] - numeric) < 1e-10

# %% [markdown]
# A check can also fail though backward is right: at a **kink**, such as that of ReLU at 0 (05a).

# %%
from npformer.layers import ReLU

x = np.array([[1.5, -2.0, 0.0, 0.7]])  # change the 0.0 to 0.01 and run it again
[row] = npf.gradcheck(ReLU(), x, rng=0).rows
print(f"largest relative error {row.error:.0e}, at {row.worst}")
layer = ReLU()
print("by moving, with dy = 1:", (layer.forward(x + 1e-3) - layer.forward(x - 1e-3)) / 2e-3)
layer.forward(x)
print("backward, with dy = 1: ", layer.backward(np.ones(x.shape)))

# %% tags=["hide-input"]
layer = ReLU()
layer.forward(x)
assert x[0, 2] != 0 or (row.worst == (0, 2) and row.analytic == 0 and abs(row.numeric) > 0.01)
assert np.array_equal(layer.backward(np.ones((1, 4))), (x > 0) * 1.0)  # right wherever there is a derivative

# %% [markdown]
# At 0 the numeric derivative is the mean of both slopes, 0.5; backward takes 0. Neither is wrong. Random inputs
# hardly ever hit 0 exactly. A bias of 0 under an input of 0, such as padding, does: move it away from 0 and check
# again.
#
# ## A gallery of bugs
#
# Each of these is one edit in a backward of npformer. The first is in [published
# code](https://github.com/AkiRusProd/numpy-transformer/blob/0477575feaa0f0d40d50207034d96d794b8a5997/transformer/layers/base/layer_norm.py);
# the others are slips that people make. `planted`, in the folded cell, edits one line in the source of a layer's
# backward and runs the result with `exec`.

# %% tags=["hide-input"]
import difflib
import inspect
import textwrap

from npformer.layers import Embedding, LayerNorm, ScaledDotProductAttention, Softmax


def planted(kind, *edits):
    """Return a layer class with edits (right, wrong) in its backward, and the diff as text."""
    right = inspect.getsource(kind)
    before, wrong = right.split("    def backward")
    for old, new in edits:
        assert wrong.count(old) == 1, old
        wrong = wrong.replace(old, new)
    names = dict(vars(inspect.getmodule(kind)))
    exec(before + "    def backward" + wrong, names)
    wrong = before + "    def backward" + wrong
    diff = difflib.unified_diff(*(textwrap.dedent(code).splitlines() for code in (right, wrong)), n=0, lineterm="")
    lines = [line for line in [*diff][2:] if line[0] != "@"]
    return names[kind.__name__], "\n".join(f"{line[0]} {line[1:].split('  #')[0].strip()}" for line in lines)


# %%
GALLERY = {
    "gain outside": (
        LayerNorm,
        ("dxhat = dy * self.gain.data", "dxhat, rstd = dy, rstd * self.gain.data"),
    ),
    "diagonal alone": (Softmax, ("y * (dy - row_sum(dy * y))", "y * (1 - y) * dy")),
    "ids that repeat": (
        Embedding,
        ("scatter_add(self.table.grad, ids.reshape(-1), drows)", "self.table.grad[ids.reshape(-1)] += drows"),
    ),
    "no square root": (ScaledDotProductAttention, ("dscores *= 1 / math.sqrt(d_k)", "pass")),
}
bugs = {name: planted(*edits) for name, edits in GALLERY.items()}
for name, (kind, diff) in bugs.items():
    print(f"{name}, {kind.__name__}\n{diff}")

# %% [markdown]
# Which of them would you notice in training? Write down your guess, one to four names. Then train a small model to
# write digits in reverse order, on the same batches from the same start: once as it is, and once with each bug in all
# layers of its class.

# %% tags=["hide-input"]
import dataclasses

from npformer.datasets import sequences
from npformer.tasks import Batches, Objective
from npformer.training import Adam, Trainer, WarmupSchedule

pairs, _ = sequences.split("reverse", n_train=750, max_length=8)
pairs = [tuple([4 + int(digit) for digit in side.split()] for side in pair[:2]) for pair in pairs]
sizes = {"d_model": 32, "d_ff": 64, "n_heads": 4, "n_encoder_layers": 1, "n_decoder_layers": 1}
config = npf.TransformerConfig(src_vocab_size=14, tgt_vocab_size=14, dropout=0.0, **sizes)
batch = next(iter(Batches(pairs, batch_tokens=256).epoch(1)))

# %%
EPOCHS, SEED, TIE = 12, 0, "all"  # change one and run the section again: 30 epochs, seed 1, tables "none"


def new_model(right=None, wrong=None, tie_embeddings=TIE):
    """Return a small model with all layers of class `right` made `wrong`; `tie_embeddings`: see below."""
    model = npf.Transformer(dataclasses.replace(config, tie_embeddings=tie_embeddings), rng=SEED)
    for _, layer in model.named_modules():
        if type(layer) is right:
            layer.__class__ = wrong
    return model


def train(model):
    """Train a model; return it and its losses."""
    adam = Adam(model.parameters(), learning_rate=WarmupSchedule.with_peak(5e-3, 32, 100))
    trainer = Trainer(Objective(model), adam, Batches(pairs, batch_tokens=256, seed=SEED))
    return model, np.array([record.loss for record in trainer.updates(EPOCHS)])


right_model, right_losses = train(new_model())
losses = {name: train(new_model(GALLERY[name][0], kind))[1] for name, (kind, _) in bugs.items()}
print(f"{'':16} mean loss of the last 20 of {len(right_losses)} updates")
for name, curve in {"no bug": right_losses, **losses}.items():
    print(f"{name:16} {curve[-20:].mean():.3f}")

# %% tags=["hide-input"]
ends = {name: curve[-20:].mean() - right_losses[-20:].mean() for name, curve in losses.items()}
assert (EPOCHS, SEED, TIE) != (12, 0, "all") or (ends.pop("diagonal alone") > 0.5 and max(ends.values()) < 0.2)
assert all((curve != right_losses).any() for curve in losses.values())  # every bug was at work

# %% tags=["hide-input"]
from npformer.visualization.plots.colors import ORANGE, main_color

figure, axes = new_figure(2, 2, width=9, height=5)
for ax, (name, curve) in zip(axes.ravel(), losses.items(), strict=True):
    ax.plot(right_losses, color=main_color(), linewidth=2, label="no bug")
    ax.plot(curve, "--", color=ORANGE, linewidth=1.3, label=name)
    ax.set(xlabel="update", ylabel="loss per token (nats)", ylim=(0, None))
    ax.legend()
figure

# %% [markdown]
# One bug shows. The other three curves look like that of a model without a bug. **A loss that falls says nothing about
# a backward.** Nor do 30 epochs find them: the loss is 0.561 without a bug, and 0.564, 0.603 and 0.552 with these.
#
# The last bug makes all gradients that pass through the scores $\sqrt{d_k} = 2.8$ times larger. In $W^Q$ and $W^K$ this
# changes nothing: Adam divides a gradient by its own size. But attention also hands a gradient down to the layers
# below. There it is added to others, so a factor changes the sum. Other seeds do not show it either.
#
# The third is the strangest. Of all places with the same digit only one keeps its gradient, and a batch has 250 tokens
# of eleven kinds. What is left of the gradient of the source's table at the first update?


# %%
def first_gradient(tie_embeddings, *bug):
    """Return the gradient of the table of the source, (14, 32), at the first update."""
    objective = Objective(new_model(*bug, tie_embeddings=tie_embeddings))
    objective.forward(batch)
    objective.backward()
    return objective.model.encoder.input_embedding.embedding.table.grad


for tie_embeddings in ("all", "none"):
    right, wrong = first_gradient(tie_embeddings), first_gradient(tie_embeddings, Embedding, bugs["ids that repeat"][0])
    share, cosine = norm(wrong) / norm(right), (right * wrong).sum() / norm(right) / norm(wrong)
    print(
        f"tie_embeddings = {tie_embeddings:4}: {share:4.0%} of the norm is left, cosine with the right one {cosine:.2f}"
    )

# %% tags=["hide-input"]
assert SEED != 0 or (0.3 < cosine < 0.6 and share < 0.2)

# %% [markdown]
# With one table for source, target and generator (section 3.4) most is left: the generator's share arrives in full. With
# three tables a tenth is left, and even that is enough. Change `TIE`: the losses are 0.763 without the bug and 0.815
# with it. The gradient of one place points roughly as the sum over many does, and Adam divides its size away.
#
# Now the check, with two sets of numbers for each layer; the folded functions make the layer and its inputs:

# %% tags=["hide-input"]


def layer_norm(kind, gains):
    """Return a LayerNorm with these gains, and an input."""
    layer = kind(len(gains), dtype="float64")
    layer.gain.data = gains
    return layer, np.random.default_rng(1).normal(size=(3, len(gains)))


def heads(kind, d_k):
    """Return an attention layer, and random queries, keys and values."""
    draw = np.random.default_rng(2)
    return kind(), draw.normal(size=(3, d_k)), draw.normal(size=(5, d_k)), draw.normal(size=(5, 2))


# %%
learned_gain = right_model.encoder.layers[0].feed_forward.norm.gain.data.astype(float)  # (32,)
scores = np.random.default_rng(3).normal(size=(4, 6))
CHECKS = {  # what makes a layer and its inputs: with numbers that hide the bug, and with numbers that show it
    "gain outside": (
        ("fresh gains, all 1", lambda kind: layer_norm(kind, np.ones(32))),
        ("learned gains", lambda kind: layer_norm(kind, learned_gain)),
    ),
    "diagonal alone": (("one key", lambda kind: (kind(), scores[:, :1])), ("six keys", lambda kind: (kind(), scores))),
    "ids that repeat": (
        ("ids 0 1 2", lambda kind: (kind(5, 4, rng=0, dtype="float64"), np.array([0, 1, 2]))),
        ("ids 0 1 0", lambda kind: (kind(5, 4, rng=0, dtype="float64"), np.array([0, 1, 0]))),
    ),
    "no square root": (("d_k = 1", lambda kind: heads(kind, 1)), ("d_k = 4", lambda kind: heads(kind, 4))),
}

print(f"{'bug':16} {'numbers':18}  {'no bug':>8}  {'bug':>8}   (largest relative error)")
reports = {}
for name, checks in CHECKS.items():
    for what, make in checks:
        clean = npf.gradcheck(*make(GALLERY[name][0]), rng=0)
        reports[name, what] = npf.gradcheck(*make(bugs[name][0]), rng=0)
        verdict = "passes" if reports[name, what].ok else "FAILS"
        print(f"{name:16} {what:18}  {clean.largest_error:8.0e}  {reports[name, what].largest_error:8.0e}   {verdict}")
        assert clean.ok and reports[name, what].ok == (what == checks[0][0])

# %% [markdown]
# The tolerance is 1e-07, so there is no doubt in any row. And no bug is found with the first set: a gain of 1 may be
# anywhere in a formula, one key always gets the weight 1, ids that differ need no sum, and the root of 1 is 1. **A
# check finds only what its numbers can show.** So give all sizes different values above 1, move gains away from 1 and
# biases away from 0, repeat ids, and mask something.
#
# A report names the worst entry, and if it knows more it says so:

# %% tags=["hide-input"]
for bug in ("no square root", "d_k = 4"), ("ids that repeat", "ids 0 1 0"):
    for row in reports[bug].rows:
        found = f"at {row.worst} backward says {row.analytic:.4f}, forward {row.numeric:.4f}"
        print(f"{row.name}: {found}" if row.error > 1e-7 else f"{row.name}: right")
        print(f"   {row.name} {row.finding}" if row.finding else "", end="\n" if row.finding else "")

# %% [markdown]
# Your turn. The folded cell plants a fifth bug in one line of LayerNorm's backward. Leave it folded, read the report,
# and say what is missing (question 3).

# %% tags=["hide-input"]
fifth, answer = planted(LayerNorm, ("dxhat - mean - xhat * projection", "dxhat - xhat * projection"))

# %%
layer, x = layer_norm(fifth, np.array([1.0, 2.0, 0.5, -1.0, 3.0]))
print(npf.gradcheck(layer, x, rng=0))
layer.forward(x)
dx = layer.backward(rng.normal(size=x.shape))
xhat = (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)
print("sum of each row of dx         ", dx.sum(-1).round(3))
print("product of each row with xhat ", (dx * xhat).sum(-1).round(3) + 0.0)

# %% [markdown]
# Why did the model with the first bug learn? Compare the two gradients of LayerNorm, with the learned gains:

# %%
gains = learned_gain  # change this to learned_gain**8 and run it again: the check fails
dy, gradients = rng.normal(size=(3, 32)), []
for kind in (LayerNorm, bugs["gain outside"][0]):
    layer, x = layer_norm(kind, gains)
    layer.forward(x)
    gradients.append(layer.backward(dy))
right, wrong = gradients
print("right", right[0, :6].round(3))
print("wrong", wrong[0, :6].round(3))
cosine = (right * wrong).sum() / norm(right) / norm(wrong)
print(f"gains {gains.min():.2f} to {gains.max():.2f}, cosine between right and wrong {cosine:.4f}")
assert 0.99 < cosine < 0.99999

# %% [markdown]
# The wrong one points almost the same way, and that is enough to go downhill. The more the gains differ, the worse.
#
# ## Questions
#
# **1.** `gradcheck` multiplies the output with *random* numbers and sums up. Why not simply sum up the output?
#
# <details><summary>Answer</summary>
#
# Then $dy$ would be 1 everywhere. The weights of a softmax sum to one whatever $x$ is, and the features of a LayerNorm
# with equal gains sum to a constant, too. The true gradient is then zero, and many wrong backwards give zero as well:
# $dy - m(dy) = 0$ even if the rest of the formula is missing.
#
# </details>
#
# **2.** A layer has dropout. Forward draws new random numbers each time. How can a numeric derivative work at
# all?
#
# <details><summary>Answer</summary>
#
# Only if every forward draws the same numbers. `gradcheck` notes the state of the layer's random generators and
# sets it back before each forward; the mask is then a constant, and the loss a smooth function.
#
# </details>
#
# **3.** Which part of LayerNorm's backward is missing in the fifth bug? The report and the two sums are enough.
#
# <details><summary>Answer</summary>
#
# The mean of $d\hat{x}$ is not subtracted (`print(answer)` shows the line). Gain and bias are right, so the mistake is
# in the formula of $dx$. Its product with $\hat{x}$ is 0, so the projection is subtracted. But the sum of a row must be
# 0 too, because adding a constant to all of $x$ changes nothing in forward, and it is not.
#
# </details>
#
# ---
#
# Next: [notebook 07](07_encoder_and_decoder.ipynb), where the layers become encoder and decoder, as in figure 1.
#
# Write it yourself: exercise bug_hunt. `npformer course start my-course` begins the course.

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
# # 05 Backward by hand
#
# **The idea:** a backward is forward's lines, read from the last to the first with the chain rule; and forward
# alone is enough to show that it is right.
#
# Paper: sections 3.1 (LayerNorm) and 3.2.1 (attention). What you need before: [notebook 04,
# positions](04_positions.ipynb), and from [notebook 01](01_attention_by_hand.ipynb) the equation of attention.
# Below, $dx$ is short for $\partial L / \partial x$, where $L$ is the loss.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from npformer.datasets.synthetic import sequences
from npformer.layers import LayerNorm, ScaledDotProductAttention, Softmax
from npformer.tasks import Batches, Objective
from npformer.training import Adam, FlatParameters, Trainer, WarmupSchedule
from npformer.visualization.plots import new_figure

rng = np.random.default_rng(0)

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
steps = 10.0 ** np.arange(-14, 0.01, 0.125)


def derivatives(f, x, h):
    """Return the one-sided, the central and the fourth-order derivative of f at x."""
    near, far = f(x + h) - f(x - h), f(x + 2 * h) - f(x - 2 * h)
    return (f(x + h) - f(x)) / h, near / (2 * h), (8 * near - far) / (12 * h)


def errors(dtype):
    """Return the typical error for each step and way (steps, 3), over 50 points."""
    x = np.linspace(0.5, 1.5, 50).astype(dtype)
    found = [derivatives(np.sin, x, dtype(h)) for h in steps]  # (steps, 3, 50)
    return np.sqrt(np.mean((np.array(found, dtype=float) - np.cos(x.astype(float))) ** 2, axis=-1))


double, single = errors(np.float64), errors(np.float32)

figure, ax = new_figure(width=7.5, height=4)
ways = ("one-sided", "central", "fourth order")
for error, way, dash in zip(double.T, ways, ("-", "--", "-."), strict=True):
    ax.loglog(steps, error, dash, linewidth=2, label=way)
ax.loglog(steps, single[:, 1], ":", color="grey", label="central, in float32")
ax.annotate("rounding", (1e-10, 1e-5))
ax.annotate("truncation", (3e-2, 1e-11))
ax.set(xlabel="step h", ylabel="error of the derivative", ylim=(1e-14, 10))
ax.grid(alpha=0.3)
ax.legend(loc="lower left")
figure

# %%
for error, way in zip([*double.T, single[:, 1]], [*ways, "central, float32"], strict=True):
    print(f"{way:17} best step {steps[error.argmin()]:.0e}   error there {error.min():.0e}")

one_sided, central, fourth = steps[double.argmin(0)]
assert 1e-9 < one_sided < 1e-7 and 1e-6 < central < 1e-4 and 1e-4 < fourth < 1e-2
assert double.min(0)[2] < 1e-12 and single[:, 1].min() > 1e-6

# %% [markdown]
# On the right the lines fall with slopes 1, 2 and 4, on the left they rise together. The best step lies where
# both errors are equal, near $\varepsilon^{1/2}$, $\varepsilon^{1/3}$ and $\varepsilon^{1/5}$. Recipes for
# gradient checks name steps from 1e-3 to 1e-8 as if there were one right step: it depends on the formula and on
# the type. `npf.gradcheck` takes the fourth-order formula in float64 and begins at $h = 10^{-3}$. In float32 the
# central formula never gets below 1e-06, so a check there cannot tell a small mistake from rounding.
#
# ## Your own layer
#
# `npf.gradcheck` takes any `Module`. This one carries two functions of yours: the first returns the result and
# what backward will need, the second gets it. In between it is remembered, as in every layer of npformer: `forward`
# ends with `return self.remember(y, ...)`, and `backward` begins with `self.recall(dy)`, which hands it out once.


# %%
class ByHand(npf.Module):
    """A layer out of two functions."""

    def __init__(self, forward, backward):
        self.functions = forward, backward

    def forward(self, *inputs):
        """Run the first function, and remember what it leaves for the second."""
        y, cache = self.functions[0](*inputs)
        return self.remember(y, *cache)

    def backward(self, dy):
        """Run the second function."""
        return self.functions[1](dy, *self.recall(dy))


def assert_same(mine, theirs):
    """Fail unless two arrays agree to 1e-12."""
    assert np.allclose(mine, theirs, rtol=0, atol=1e-12)


# %% [markdown]
# ## Softmax
#
# $$y_i = \frac{e^{x_i}}{\sum_j e^{x_j}}
# \qquad\Rightarrow\qquad \frac{\partial y_i}{\partial x_j} = y_i\,(\mathbb{1}[i = j] - y_j)$$
#
# Every $x_j$ moves every $y_i$, so the chain rule sums over $i$:
#
# $$dx_j = \sum_i dy_i\,\frac{\partial y_i}{\partial x_j}
#        = \sum_i dy_i\,y_i\,(\mathbb{1}[i = j] - y_j)
#        = y_j \Big( dy_j - \sum_i dy_i\,y_i \Big)$$
#
# The matrix of all $\partial y_i / \partial x_j$ is never built. One sum a row is enough.


# %%
def softmax_forward(x):
    """Return softmax over the last axis, and what backward needs."""
    e = np.exp(x - x.max(-1, keepdims=True))
    y = e / e.sum(-1, keepdims=True)
    return y, (y,)


def softmax_backward(dy, y):
    """Return dx."""
    return y * (dy - (dy * y).sum(-1, keepdims=True))


x, dy = rng.normal(size=(2, 3, 5)), rng.normal(size=(2, 3, 5))
softmax, (y, cache) = Softmax(), softmax_forward(x)
assert_same(y, softmax.forward(x))
dx = softmax_backward(dy, *cache)
assert_same(dx, softmax.backward(dy))
assert_same(dx.sum(-1), 0)  # adding one number to a whole row changes no weight

print(npf.gradcheck(ByHand(softmax_forward, softmax_backward), x, rng=rng).require_ok())

# %% [markdown]
# ## LayerNorm
#
# Forward in small steps, each row on its own; $m(\cdot)$ is the mean over the $D$ features of the row:
#
# $$c = x - m(x), \quad v = m(c^2), \quad r = (v + \epsilon)^{-1/2}, \quad \hat{x} = c\,r, \quad y = g\,\hat{x} + b$$
#
# Now from the last line to the first. $c$ is used twice, in $\hat{x}$ and in $v$: its gradient is a sum of two.
#
# $$\begin{array}{lcl}
# y = g\,\hat{x} + b & \Rightarrow & d\hat{x} = dy\,g, \quad dg = \sum_{rows} dy\,\hat{x}, \quad db = \sum_{rows} dy \\
# \hat{x} = c\,r & \Rightarrow & dc = d\hat{x}\,r, \qquad dr = \sum_i d\hat{x}_i\,c_i \\
# r = (v + \epsilon)^{-1/2} & \Rightarrow & dv = -\tfrac{1}{2}\,r^3\,dr \\
# v = m(c^2) & \Rightarrow & dc \mathrel{+}= dv \cdot 2c / D \\
# c = x - m(x) & \Rightarrow & dx = dc - m(dc)
# \end{array}$$


# %%
def norm_forward(x, gain, bias):
    """Return LayerNorm of x (..., D), and what backward needs."""
    c = x - x.mean(-1, keepdims=True)
    v = (c * c).mean(-1, keepdims=True)
    r = (v + 1e-6) ** -0.5
    return gain * (c * r) + bias, (c, r, gain)


def norm_backward(dy, c, r, gain):
    """Return dx, dgain, dbias: the lines above, one by one."""
    rows = tuple(range(dy.ndim - 1))
    dxhat, dgain, dbias = dy * gain, (dy * c * r).sum(rows), dy.sum(rows)
    dc, dr = dxhat * r, (dxhat * c).sum(-1, keepdims=True)
    dv = -0.5 * r**3 * dr
    dc = dc + dv * 2 * c / c.shape[-1]
    return dc - dc.mean(-1, keepdims=True), dgain, dbias


x, dy = rng.normal(size=(2, 3, 6)), rng.normal(size=(2, 3, 6))
gain, bias = rng.uniform(0.5, 2, 6), rng.normal(size=6)
print(npf.gradcheck(ByHand(norm_forward, norm_backward), x, gain, bias, rng=rng).require_ok())

# %% [markdown]
# Put the lines into one another, use $m(\hat{x}) = 0$, and they fold into the form that you find in
# `npformer/layers/layer_norm.py`:
#
# $$dx = r\,\big(d\hat{x} - m(d\hat{x}) - \hat{x}\,m(d\hat{x}\,\hat{x})\big), \qquad d\hat{x} = dy\,g$$
#
# So $d\hat{x}$ loses two parts: the one along $(1, \dots, 1)$, because the mean was taken away, and the one along
# $\hat{x}$, because the length was fixed. It is the same number:

# %%
layer = LayerNorm(6, dtype="float64")
layer.gain.data[:], layer.bias.data[:] = gain, bias
y, cache = norm_forward(x, gain, bias)
assert_same(y, layer.forward(x))
dx, dgain, dbias = norm_backward(dy, *cache)
theirs = layer.backward(dy)
assert_same(dx, theirs)
assert_same(dgain, layer.gain.grad)
assert_same(dbias, layer.bias.grad)
print(f"largest difference of long and folded form: {abs(dx - theirs).max():.1e}")

# %% [markdown]
# ## Attention
#
# You need one rule. For a matrix product $Y = AB$:
#
# $$dA = dY\,B^\top, \qquad dB = A^\top dY$$
#
# If you forget where the transposes go, write down the shapes: only one way fits. Forward is $S = QK^\top /
# \sqrt{d_k}$, then $W = \mathrm{softmax}(S)$, then $Y = WV$. Read it from the end:
#
# $$dV = W^\top dY, \qquad dW = dY\,V^\top, \qquad dS = \mathrm{softmax\_backward}(dW, W), \qquad
# dQ = \frac{dS\,K}{\sqrt{d_k}}, \qquad dK = \frac{dS^\top Q}{\sqrt{d_k}}$$


# %%
def attention_forward(query, key, value):
    """Return softmax(Q K^T / sqrt(d_k)) V, and what backward needs."""
    scores = query @ key.T / np.sqrt(query.shape[-1])  # (T, S)
    weights, _ = softmax_forward(scores)  # (T, S)
    return weights @ value, (query, key, value, weights)  # (T, d_v)


def attention_backward(dy, query, key, value, weights):
    """Return dquery, dkey, dvalue."""
    dvalue = weights.T @ dy  # (S, d_v)
    dweights = dy @ value.T  # (T, S)
    dscores = softmax_backward(dweights, weights) / np.sqrt(query.shape[-1])  # (T, S)
    return dscores @ key, dscores.T @ query, dvalue


query, key, value = (rng.normal(size=shape) for shape in ((3, 4), (5, 4), (5, 2)))
by_hand = ByHand(attention_forward, attention_backward)
print(npf.gradcheck(by_hand, query, key, value, rng=rng).require_ok())

attention, (y, cache) = ScaledDotProductAttention(), attention_forward(query, key, value)
assert_same(y, attention.forward(query, key, value))
dy = rng.normal(size=y.shape)
for mine, theirs in zip(attention_backward(dy, *cache), attention.backward(dy), strict=True):
    assert_same(mine, theirs)

# %% [markdown]
# All four sizes differ here: $T = 3$, $S = 5$, $d_k = 4$, $d_v = 2$. Had they been equal, a missing transpose
# would have raised no error.
#
# ## A bug that training does not show
#
# LayerNorm again, with one small slip: the gain is multiplied on at the end, outside the two means.
#
# $$\text{right:}\quad r\,\big(dy\,g - m(dy\,g) - \hat{x}\,m(dy\,g\,\hat{x})\big)
# \qquad\qquad \text{wrong:}\quad g\,r\,\big(dy - m(dy) - \hat{x}\,m(dy\,\hat{x})\big)$$
#
# It looks tidy, and [published code](https://github.com/AkiRusProd/numpy-transformer/blob/0477575feaa0f0d40d50207034d96d794b8a5997/transformer/layers/base/layer_norm.py)
# has it. Train two small models on the same batches, to write digits in reverse order, one with the right backward and
# one with the wrong one.


# %%
class GainOutside(LayerNorm):
    """LayerNorm with a bug: the gain is outside the sums of its backward."""

    @property
    def label(self):
        """The layer in a word."""
        return f"GainOutside({self.gain.data.size})"

    def backward(self, dy):
        """Return a dx that is wrong as soon as the gains differ."""
        xhat, rstd = self.recall(dy)
        rows = tuple(range(dy.ndim - 1))
        self.bias.grad += dy.sum(rows)
        self.gain.grad += (dy * xhat).sum(rows)
        along_xhat = (dy * xhat).mean(-1, keepdims=True)
        return self.gain.data * rstd * (dy - dy.mean(-1, keepdims=True) - xhat * along_xhat)


pairs, _ = sequences.split("reverse", n_train=1500, max_length=8)
pairs = [tuple([4 + int(digit) for digit in side.split()] for side in pair[:2]) for pair in pairs]
sizes = {"d_model": 32, "d_ff": 64, "n_heads": 4, "n_encoder_layers": 1, "n_decoder_layers": 1}
config = npf.TransformerConfig(src_vocab_size=14, tgt_vocab_size=14, dropout=0.0, **sizes)


def train(norm):
    """Train a small model, all of whose norms are of the class `norm`; return it and its losses."""
    model = npf.Transformer(config, rng=0)
    for _, layer in model.named_modules():
        if isinstance(layer, LayerNorm):
            layer.__class__ = norm
    adam = Adam(FlatParameters(model.parameters()), learning_rate=WarmupSchedule.with_peak(5e-3, 32, 100))
    trainer = Trainer(Objective(model), adam, Batches(pairs, batch_tokens=512))
    return model, [record.loss for record in trainer.updates(8)]


right_model, right_losses = train(LayerNorm)
wrong_model, wrong_losses = train(GainOutside)

figure, ax = new_figure(width=7, height=3.2)
ax.plot(right_losses, linewidth=2, label="right backward")
ax.plot(wrong_losses, "--", linewidth=1.3, label="gain outside the sums")
ax.set(xlabel="update", ylabel="loss per token (nats)", ylim=(0, None))
ax.legend()
figure

# %%
ends = [np.mean(losses[-20:]) for losses in (right_losses, wrong_losses)]
print(f"mean loss of the last 20 of {len(right_losses)} updates: right {ends[0]:.4f}, wrong {ends[1]:.4f}")
assert right_losses != wrong_losses  # the bug was at work
assert abs(ends[0] - ends[1]) < 0.15 and max(ends) < 0.5 * right_losses[0]

# %% [markdown]
# The model with the bug learns. Nobody who looks at this curve would search for a mistake. Now ask `gradcheck`,
# first as the layer is when it has just been made:

# %%
fresh = GainOutside(6, dtype="float64")
report = npf.gradcheck(fresh, x, rng=rng)
print(report)
assert report.ok

# %% [markdown]
# It passes, and correctly so: all gains start at 1, and a gain of 1 may stand wherever it likes. **A check finds
# only what its numbers can show.** Take the gains that training has made, from the right model, and check again:

# %%
learned_gain = right_model.encoder.layers[0].feed_forward.norm.gain.data.astype(float)  # (32,)
print(f"gains after training: {learned_gain.min():.2f} to {learned_gain.max():.2f}\n")
x, reports, gradients = rng.normal(size=(3, 32)), [], []
for kind in (LayerNorm, GainOutside):
    layer = kind(32, dtype="float64")
    layer.gain.data[:] = learned_gain
    reports.append(npf.gradcheck(layer, x, rng=np.random.default_rng(1)))
    worst = reports[-1].rows[0]
    print(f"{kind.__name__:11}  ok: {reports[-1].ok!s:5}  relative error of dx {worst.error:.0e}, where")
    print(f"{'':11}  backward says {worst.analytic:.4f}, forward says {worst.numeric:.4f}")
assert reports[0].ok and not reports[1].ok and reports[1].rows[0].error > 1e-2

# %% [markdown]
# Right and wrong are worlds apart: compare the errors with the tolerance of 1e-07. Why then did the model learn?
# Hold the two gradients next to each other.

# %%
dy = rng.normal(size=x.shape)
for kind in (LayerNorm, GainOutside):
    layer = kind(32, dtype="float64")
    layer.gain.data[:] = learned_gain
    layer.forward(x)
    gradients.append(layer.backward(dy).ravel())
right, wrong = gradients
cosine = right @ wrong / np.linalg.norm(right) / np.linalg.norm(wrong)
difference = np.linalg.norm(wrong - right) / np.linalg.norm(right)
print(f"cosine between right and wrong gradient: {cosine:.4f}")
print(f"length of their difference: {difference:.1%} of the right one")
assert 0.99 < cosine < 0.99999

# %% [markdown]
# The wrong gradient points almost the right way as long as the gains stay near 1. Training forgives a great deal:
# how much the slip costs depends on how far the gains move apart, and a loss curve will not tell you. That is the
# reason to check gradients and not curves. `npformer gradcheck` does it for every layer of npformer and for
# whole models.
#
# ## Questions
#
# **1.** `gradcheck` multiplies the output with *random* numbers and sums up. Why not simply sum up the output?
#
# <details><summary>Answer</summary>
#
# Then $dy$ would be 1 everywhere. The weights of a softmax sum to one whatever $x$ is, and so do the features of
# a LayerNorm with equal gains sum to a constant. The true gradient is then zero, and many wrong backwards give
# zero as well: $dy - m(dy) = 0$ even if the rest of the formula is missing.
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
# **3.** A loss has a million parameters. What would it cost to *train* with numeric gradients?
#
# <details><summary>Answer</summary>
#
# Each derivative takes two forwards or more (four with the fourth-order formula), so millions of forwards for a
# single update. One backward gives all million derivatives at about twice the price of one forward. That is why
# it is worth writing by hand; the numeric gradient is for the proof.
#
# </details>
#
# ---
#
# Next: [notebook 06](06_encoder_and_decoder.ipynb), where the layers become the two columns of figure 1.
#
# Write it yourself: exercises 17 dropout, 28 bug_hunt. To begin the course:
# `npformer class start my-course`.

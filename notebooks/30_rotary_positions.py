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
# # 30 Since 2017: rotary positions and RMSNorm
#
# **The idea:** language models of today are the decoder of 2017 with four parts exchanged. Two of them concern where a
# token is and how large its vector is.
#
# | part | 2017 | many models since | notebook |
# |---|---|---|---|
# | positions | sinusoids, added once | rotary: turn queries and keys (Su et al. 2021) | here |
# | norm | LayerNorm | RMSNorm (Zhang and Sennrich 2019) | here |
# | feed-forward network | two matrices, ReLU | SwiGLU: three, one is a gate (Shazeer 2020) | [31](31_swiglu_and_grouped_queries.ipynb) |
# | keys and values | one set per head | one per group of heads (Ainslie et al. 2023) | [31](31_swiglu_and_grouped_queries.ipynb) |
#
# About 25 minutes to read and run, 40 with every change and question. What you need before:
# [notebook 05b](05b_sinusoids_measure_distance.ipynb) for the sinusoids and their rotations, and
# [notebook 12](12_the_backward_of_each_layer.ipynb) for the backward of LayerNorm. Each section ends with an
# experiment against the paper's choice: same data, three seeds, one change.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from helpers.pictures import side_by_side
from npformer import layers

# %% [markdown]
# ## Rotary positions
#
# **What changed.** The paper adds a vector $p_t$ to each token, once, below the first layer. A score is then
# $(q + p_t) \cdot (k + p_s)$ (leaving out $W^Q$ and $W^K$): it mixes what the tokens are with where they are, and it
# depends on $t$ and $s$ themselves. Most of what a language model needs depends on the *distance* $t - s$: the word
# before, the subject three words ago.
#
# **Formula.** Take the features of a query in pairs and turn pair $i$ by the angle $t\,\theta_i$, where $t$ is its
# position. Do the same with keys. The $\theta_i$ are the frequencies of the sinusoids in notebook 05b, with $d_k$ in
# the place of $d_{model}$.
#
# $$\begin{pmatrix} y_{2i} \\ y_{2i+1} \end{pmatrix} =
# \begin{pmatrix} \cos t\theta_i & -\sin t\theta_i \\ \sin t\theta_i & \cos t\theta_i \end{pmatrix}
# \begin{pmatrix} x_{2i} \\ x_{2i+1} \end{pmatrix}, \qquad \theta_i = 10000^{-2i/d_k}$$
#
# Call the matrix of all pairs $R_t$. (Notebook 05b has its transpose: there the pairs are sine and cosine, in this
# order, so that the same step turns the other way.) A score is now
#
# $$(R_t\,q) \cdot (R_s\,k) = q^\top R_t^\top R_s\,k = q^\top R_{s-t}\,k,$$
#
# because $R_s$ turns forward by $s$ positions and $R_t^\top$ back by $t$. The score depends on the distance alone.
# Nothing is added to the tokens, values are not turned, and every layer turns its own queries and keys.


# %%
def rotate(x, position):
    """Turn one vector x (d_k,) as its position says."""
    angle = position / 10000 ** (np.arange(0, len(x), 2) / len(x))  # (d_k / 2,)
    y = np.empty_like(x)
    y[0::2] = x[0::2] * np.cos(angle) - x[1::2] * np.sin(angle)
    y[1::2] = x[0::2] * np.sin(angle) + x[1::2] * np.cos(angle)
    return y


q = np.array([1.0, 0.0, 1.0, 0.0])  # change the numbers and run it again: does the norm still stay?
turned = np.array([rotate(q, t) for t in range(4)])  # (T, d_k)
print(side_by_side(2, turned_at_0_to_3=turned, norm=np.linalg.norm(turned, axis=1)[:, None]))
k = np.array([1.0, 0.5, -0.5, 1.0])
print(f"t = 3, s = 1: {rotate(q, 3) @ rotate(k, 1):.4f}; turned only by s - t = -2: {q @ rotate(k, -2):.4f}")

# %% [markdown]
# Columns 0 and 1 are the first pair, 2 and 3 the second. The first turns by one radian per position, the second by a
# hundredth. The norm never changes. Now the scores of five equal queries with five equal keys, with rotary positions
# and with sinusoids added:

# %%
places = range(5)
rotary_scores = np.array([[rotate(q, t) @ rotate(k, s) for s in places] for t in places])  # (T, S)
p = layers.SinusoidalPositionalEncoding(4, dtype="float64").table[:5]  # (5, d_k)
added_scores = (q + p) @ (k + p).T
print(side_by_side(2, rotary=rotary_scores, added=added_scores))

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure, plot_heat_map
from npformer.visualization.plots.colors import GREEN, ORANGE, ink, main_color

figure, axes = new_figure(1, 2, width=8, height=3.4)
for ax, scores, title in zip(axes, (rotary_scores, added_scores), ("rotary", "sinusoids added"), strict=True):
    plot_heat_map(ax, scores, title=title, row_label="position of the query", column_label="position of the key")
for distance in range(-4, 5):
    assert np.ptp(np.diagonal(rotary_scores, distance)) < 1e-12
assert np.ptp(np.diagonal(added_scores)) > 0.5
figure

# %% [markdown]
# On the left each diagonal has one number: the score depends on how far apart the two are. On the right the numbers
# along a diagonal differ: the score depends on the place as well.
#
# **Backward.** A rotation is a matrix, so $dx = R_t^\top dy$, and the transpose of a rotation turns back by the same
# angle. In `npformer/layers/extra/rotary_positions.py` backward is forward with $-\sin$ in the place of $\sin$.
# `RotaryAttention` turns queries and keys and is a `ScaledDotProductAttention` otherwise.

# %%
layer = layers.RotaryPositionalEncoding(4, dtype="float64")
x = np.tile(q, (3, 1))  # positions 0, 1, 2
y = layer.forward(x)
dy = np.zeros((3, 4))
dy[:, 0] = 1.0  # change the 0 to 2 and run it again: why is dx nearly dy now?
print(side_by_side(2, y=y, dy=dy, dx=layer.backward(dy)))
assert np.allclose(y, turned[:3])
rng = np.random.default_rng(0)
print(npf.gradcheck(layers.RotaryAttention(4, causal=True, dtype="float64"), *rng.normal(size=(3, 2, 5, 4)), rng=rng))

# %% [markdown]
# ## Experiment: rotary, added, or none
#
# The data are the phrasebook's German sentences by characters, as in [notebook 23](23_language_modeling.ipynb). The
# model is its decoder, smaller: two pre-norm layers of width 32, texts of 32 characters, 300 updates. A third model
# gets no positions at all, to show what either kind is worth. Positions have no weights here, so one seed gives all
# three the same weights to start from, and the same batches. The training loop is in `notebooks/helpers/paired_runs.py`. Here
# seed 0 is trained; the losses of seeds 1 and 2 are in the cells, as an earlier run found them.

# %%
from helpers.paired_runs import (
    LENGTH,
    D,
    H,
    compare,
    held_out_losses,
    losses_by_place,
    paper_model,
    plot_losses,
    trained,
)


def without_positions(model):
    """Take the sinusoids out of a model: add zeros."""
    model.decoder.input_embedding.positions.table[:] = 0
    return model


def with_rotary_positions(model):
    """Put rotary positions in the place of the sinusoids."""
    for layer in model.decoder.layers:
        layer.self_attention.sublayer.attention = layers.RotaryAttention(D // H, causal=True, max_len=2 * LENGTH)
    return without_positions(model)


SEEDS = range(1)  # change this to range(3) and run all again: do you find the same losses on seeds 1 and 2?
paper_models = [trained(paper_model(seed), seed) for seed in SEEDS]

# %%
bare_models = [trained(without_positions(paper_model(seed)), seed) for seed in SEEDS]
rotary_models = [trained(with_rotary_positions(paper_model(seed)), seed) for seed in SEEDS]
positions_found = {
    "none": held_out_losses(bare_models, [1.791, 1.813, 1.830]),
    "sinusoids": held_out_losses(paper_models, [1.728, 1.700, 1.767]),
    "rotary": held_out_losses(rotary_models, [1.271, 1.306, 1.366]),
}
compare(positions_found)

# %% tags=["hide-input"]
figure, (left, right) = new_figure(1, 2, width=10, height=3.4)
plot_losses(left, positions_found)
beyond = {}
rows = zip(positions_found, (bare_models, paper_models, rotary_models), (main_color(), ORANGE, GREEN), strict=True)
for name, models, color in rows:
    beyond[name] = np.mean([losses_by_place(model, 2 * LENGTH) for model in models], 0)
    right.plot(range(1, 2 * LENGTH + 1), beyond[name], color=color, linewidth=2, label=name)
right.axvline(LENGTH, color=ink(), linewidth=1, linestyle=":", label="longest text of the training")
right.set(xlabel="characters read", ylabel="held-out loss (nats per character)")
right.legend(loc="upper left", fontsize="small")
gain = np.subtract(positions_found["sinusoids"], positions_found["rotary"])
small = np.subtract(positions_found["none"], positions_found["sinusoids"])
assert len(gain) != 3 or (
    gain.min() > 0.15 and gain.min() > 2 * small.max() and min(x[LENGTH + 8 :].mean() for x in beyond.values()) > 1.8
)
figure

# %% [markdown]
# Left: with no positions at all a decoder is not lost, because by the causal mask each position sees one token more
# than the last. Added sinusoids bring 0.08 and rotary positions 0.50. So the sinusoids are hardly used yet at this
# size, after this many updates. Are they too large or too small next to the token, with which they share 32 numbers?
# Times 0.3 the loss is 1.78, times 3 it is 1.86 (seed 0): no. Part of the difference is speed: after 1,200 updates it
# was about 0.15 and 0.12 on seeds 0 and 1, a third of what it is here (`trained` takes `n_updates=1200`). Of a base
# model after a long training this says nothing.
#
# Right: it is often heard that distances generalize, so that a model with rotary positions reads longer texts than it
# was trained on. It keeps its loss for a few characters more, and then fails, worse than the others. In training no
# distance was above 31: a distance of 50 is as new to it as position 50 is to the sinusoids (which lose more in
# notebook 23, with a larger model and a longer training: 3.5). The model that knows no places is nearly as good
# there as before. Models that read longer texts are trained further, with smaller angles $\theta_i$, so that the
# longest distance turns a pair no further than before.
#
# ## RMSNorm
#
# **What changed.** LayerNorm subtracts the mean of a vector, divides by its standard deviation, scales, and shifts.
# RMSNorm leaves out the first and the last step. It divides by the root of the mean square:
#
# $$y = g\,\hat{x}, \qquad \hat{x} = \frac{x}{\sqrt{m(x^2) + \epsilon}}$$
#
# with $m(\cdot)$ the mean over the $D$ features. The reason is cost: one mean in the place of two, and half the
# parameters. Zhang and Sennrich suspected that what helps in LayerNorm is the scale, not the center.

# %%
x = np.array([[1.0, 2.0, 6.0], [101.0, 102.0, 106.0], [10.0, 20.0, 60.0]])  # put -3 + before np and run it again
layer_norm, rms_norm = layers.LayerNorm(3, dtype="float64"), layers.RMSNorm(3, dtype="float64")
by_hand = x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6)
print(side_by_side(2, x=x, layer_norm=layer_norm.forward(x), rms_norm=rms_norm.forward(x)))
assert np.allclose(by_hand, rms_norm.forward(x), rtol=0, atol=1e-12)

# %% [markdown]
# LayerNorm gives all three rows the same result. RMSNorm gives row 3 the same result as row 1, because only the norm
# differs. Not so row 2: its mean of 103 stays in, and leaves little of everything else. (Subtract 3, the mean of the
# first row, and both norms agree on that row.)
#
# **Backward.** That of LayerNorm (05c) without the term for the mean:
#
# $$dx = r\,\big(d\hat{x} - \hat{x}\,m(d\hat{x}\,\hat{x})\big), \qquad d\hat{x} = dy\,g, \qquad r = 1/\sqrt{m(x^2) + \epsilon}$$
#
# $d\hat{x}$ loses its part along $\hat{x}$: a longer $x$ gives the same $y$.

# %%
x, dy = np.array([1.0, 2.0, 6.0]), np.array([1.0, 0.0, 0.0])
r = 1 / np.sqrt((x**2).mean() + 1e-6)
xhat = x * r
dx = r * (dy - xhat * (dy * xhat).mean())
print(f"{side_by_side(3, xhat=xhat, dx=dx)}   dx times x: {abs(dx @ x):.0e}")
rms_norm.forward(x)
assert np.allclose(rms_norm.backward(dy), dx, rtol=0, atol=1e-12)
print(npf.gradcheck(layers.RMSNorm(6, dtype="float64"), rng.normal(size=(2, 3, 6)), rng=rng))

# %% [markdown]
# ## Experiment: RMSNorm against LayerNorm
#
# All five LayerNorms of the model are exchanged. Everything else, positions included, is the paper's.


# %%
def with_rms_norm(model):
    """Put RMSNorm in the place of each LayerNorm, and return the model."""
    for layer in model.decoder.layers:
        layer.self_attention.norm, layer.feed_forward.norm = layers.RMSNorm(D), layers.RMSNorm(D)
    model.decoder.norm = layers.RMSNorm(D)
    return model


rms_models = [trained(with_rms_norm(paper_model(seed)), seed) for seed in SEEDS]
norms_found = {
    "LayerNorm": positions_found["sinusoids"],
    "RMSNorm": held_out_losses(rms_models, [1.711, 1.726, 1.722]),
}
compare(norms_found)
print(f"parameters: {paper_models[0].n_parameters:,} and {rms_models[0].n_parameters:,}")

# %% tags=["hide-input"]
figure, ax = new_figure(width=5, height=3.2)
plot_losses(ax, norms_found)
ax.set_ylim(*left.get_ylim())
change = np.subtract(*norms_found.values())
assert len(change) != 3 or abs(change.mean()) < change.std(ddof=1) < gain.min() / 4
figure

# %% [markdown]
# The axis is that of the picture before. The mean difference is smaller than its standard deviation, and the seeds do
# not agree on its sign: no difference can be seen. Three seeds could not see a small one, either: for a t-test at 5%
# the mean would have to be $4.3 / \sqrt 3 = 2.5$ standard deviations, where 4.3 is the limit of $t$ for the
# differences of three seeds ([notebook 22b](22b_table_3.ipynb)). The same quality for fewer operations is what Zhang
# and Sennrich report, too.
#
# ## Questions
#
# **1.** Rotary positions turn queries and keys, and not values. What would be lost if values were turned as well?
#
# <details><summary>Answer</summary>
#
# The result would be a sum of $R_s v_s$: what a token contributes would depend on its absolute position again, and the
# next layer would have to turn it back. In scores only the difference of two angles is left; in a sum of values nothing
# cancels.
#
# </details>
#
# **2.** A KV cache (notebook 25) keeps keys of earlier positions. Must they be turned before or after they are stored?
#
# <details><summary>Answer</summary>
#
# Both are right. The position of a key never changes, so it can be turned once and stored. `RotaryAttention` turns
# all keys in each call, which is simpler and costs time. A query must be turned by its own position: with $T$ queries
# and $S$ keys the first query is at $S - T$.
#
# </details>
#
# **3.** For which inputs do LayerNorm and RMSNorm agree exactly, with gains of 1 and biases of 0?
#
# <details><summary>Answer</summary>
#
# For vectors whose features have the mean 0. A model can arrange this itself: if each matrix that writes into the
# stream has rows whose mean over the output features is 0, and so have biases, embeddings and positions, the stream
# has no mean to subtract. (The sinusoids of the paper do have one: 0.5 at position 0, where half of them are
# $\cos 0 = 1$.)
#
# </details>
#
# ---
#
# Next: [notebook 31](31_swiglu_and_grouped_queries.ipynb), on the gate in the feed-forward network and on shared
# keys.
#
# Write it yourself: exercises layer_norm and layer_norm_backward (leave out the mean, and you have RMSNorm), 19
# positions, rotary. `npformer course start my-course` begins the course.

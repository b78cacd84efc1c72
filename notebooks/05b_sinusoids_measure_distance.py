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
# # 05b Sinusoids measure distance
#
# **The idea:** a step of $k$ positions turns every wave by an angle that depends on $k$ alone. So matrices and dot
# products, which are all that attention has, can find "three words back" from any position, as long as the words stay
# out of the waves that a head does this with.
#
# Paper: section 3.5. Code: `npformer/layers/positional_encoding.py`.
#
# **What you need before:** [notebook 05, positions](05_embedding_and_positions.ipynb), for the table of waves; from school the
# addition theorems, $\cos(a - b) = \cos a \cos b + \sin a \sin b$ and $\sin(a + b) = \sin a \cos b + \cos a \sin b$.
# About 30 minutes to read and run, 50 with every change and question.

# %%
# %matplotlib inline
import numpy as np

from npformer.layers.positional_encoding import sinusoids
from npformer.visualization.plots import new_figure, plot_heat_map

# %% [markdown]
# ## How long are the waves?
#
# Any table with different rows would tell positions apart. Why this one, of sines *and* cosines, in these wavelengths?
#
# $$PE_{(pos,\,2i)} = \sin\!\left(\omega_i\,pos\right), \qquad PE_{(pos,\,2i+1)} = \cos\!\left(\omega_i\,pos\right),
# \qquad \omega_i = 10000^{-2i/d_{model}}$$
#
# The paper says: "The wavelengths form a geometric progression from $2\pi$ to $10000 \cdot 2\pi$." Retellings
# often keep the two ends and drop the rest. So ask the table itself. From position 0 to position 1 a pair turns
# by the angle $\omega_i = \operatorname{arctan2}(\sin \omega_i, \cos \omega_i)$, and one full turn takes $2\pi /
# \omega_i$ positions.

# %%
d_model = 512  # change this to 64 and run it again; the last check is for 512 only
first_step = sinusoids(2, d_model)[1]
wavelengths = 2 * np.pi / np.arctan2(first_step[0::2], first_step[1::2])  # (256,)
ratios = wavelengths[1:] / wavelengths[:-1]
even = np.linspace(wavelengths[0], wavelengths[-1], len(wavelengths))
n_turning = int((wavelengths <= 50).sum())

print(f"shortest           {wavelengths[0]:10.3f}    2 pi         = {2 * np.pi:.3f}")
print(f"longest            {wavelengths[-1]:10.1f}    10000 * 2 pi = {10000 * 2 * np.pi:.1f}")
print(f"each to the one before   {ratios.min():.6f} to {ratios.max():.6f}")
print(f"the middle one     {np.median(wavelengths):10.0f}    if evenly stepped: {np.median(even):.0f}")
print(f"pairs that make a full turn within 50 positions: {n_turning} of {len(wavelengths)}")

assert np.allclose(ratios, 10000 ** (2 / d_model), rtol=1e-9)  # geometric
assert np.isclose(wavelengths[0], 2 * np.pi)
assert np.isclose(wavelengths[-1], 2 * np.pi * 10000 ** (1 - 2 / d_model))
assert round(wavelengths[-1]) == 60611 and round(np.median(wavelengths)) == 617 and n_turning == 58

# %% tags=["hide-input"]
figure, ax = new_figure(width=7, height=3.2)
ax.semilogy(wavelengths, linewidth=2, label="measured in the table")
ax.semilogy(even, linestyle="--", label="if they were evenly stepped")
ax.axhline(10000 * 2 * np.pi, color="grey", linewidth=0.8)
ax.annotate("10000 · 2π", (0, 10000 * 2 * np.pi), (0, 4), textcoords="offset points")
ax.set(xlabel="pair i", ylabel="wavelength in positions", ylim=(4, 200_000))
ax.legend(loc="lower right")
figure

# %% [markdown]
# That settles two points. The steps are even on a logarithmic scale: each wave is 1.037 times as long as the one
# before, and half of them are shorter than 617 positions. And $10000 \cdot 2\pi \approx 62{,}832$ is never
# reached: the last pair has $2i = 510$, not 512, and a wavelength of 60,611. (The authors' own program does reach it,
# with slightly other waves. It comes last.)
#
# In a sentence of 50 words only 58 of the 256 pairs make a full turn. The others work like slow hands of a clock.
#
# ## A step of k positions is a rotation
#
# Why sines *and* cosines? The authors hoped that relative positions would be easy to learn, "since for any fixed
# offset $k$, $PE_{pos+k}$ can be represented as a linear function of $PE_{pos}$". The addition theorems give the
# function. For one pair:
#
# $$\begin{pmatrix} \sin \omega(pos + k) \\ \cos \omega(pos + k) \end{pmatrix} =
# \begin{pmatrix} \cos \omega k & \sin \omega k \\ -\sin \omega k & \cos \omega k \end{pmatrix}
# \begin{pmatrix} \sin \omega\,pos \\ \cos \omega\,pos \end{pmatrix}$$
#
# Put the 2 x 2 blocks of all pairs along a diagonal and you have one matrix $R_k$ with $PE_{pos+k} =
# R_k\,PE_{pos}$. The position does not occur in it.


# %%
def step_matrix(k, d_model):
    """Return R_k (d_model, d_model), which moves an encoding by k positions."""
    angle = k / 10000 ** (np.arange(0, d_model, 2) / d_model)  # (d_model / 2,)
    sine, cosine = np.arange(0, d_model, 2), np.arange(1, d_model, 2)
    matrix = np.zeros((d_model, d_model))
    matrix[sine, sine] = matrix[cosine, cosine] = np.cos(angle)
    matrix[sine, cosine] = np.sin(angle)
    matrix[cosine, sine] = -np.sin(angle)
    return matrix


table = sinusoids(512, 128)
for k in (1, 7, 50, 300, -1, -20):  # change these and run it again
    pos = np.arange(max(0, -k), min(512, 512 - k))  # every pos for which pos + k is in the table
    error = abs(table[pos + k] - table[pos] @ step_matrix(k, 128).T).max()
    print(f"k = {k:4}   {len(pos)} positions   largest error {error:.1e}")
    assert error < 1e-12

r_3, r_4, r_7 = (step_matrix(k, 128) for k in (3, 4, 7))
assert np.allclose(r_3 @ r_4, r_7, rtol=0, atol=1e-12)  # 3 steps and 4 steps are 7 steps
assert np.allclose(r_7.T @ r_7, np.eye(128), rtol=0, atol=1e-12)  # a rotation: lengths stay

# %% [markdown]
# The matrix for a step of 3, with 16 features. The first pair turns by 3 radians, nearly half a turn. The last
# turns so little that its block is almost the identity.

# %% tags=["hide-input"]
figure, ax = new_figure(width=5.2, height=4)
plot_heat_map(ax, step_matrix(3, 16), row_label="feature of PE(pos + 3)", column_label="feature of PE(pos)")
figure

# %% [markdown]
# ## Dot products know the distance alone
#
# Attention compares by dot products. For two encodings $\sin a \sin b + \cos a \cos b = \cos(a - b)$ gives
#
# $$PE_p \cdot PE_q = \sum_i \cos\big(\omega_i (p - q)\big)$$
#
# Only the distance $p - q$ is left. In the picture each diagonal has one color.

# %%
table = sinusoids(64, 128)
products = table @ table.T  # (64, 64)
p = 0  # change this to 30 and run it again: does another position see another curve?
by_distance = products[p, p:]

figure, (left, right) = new_figure(1, 2, width=9.5, height=3.6)
plot_heat_map(left, products, row_label="position p", column_label="position q")
left.set_title("dot product of PE(p) and PE(q)", fontsize="medium")
right.plot(by_distance, marker="o", markersize=3)
right.set(xlabel="distance of p and q", ylabel="dot product", ylim=(0, 70))
right.grid(alpha=0.3)
figure

# %%
spread = max(np.ptp(np.diagonal(products, k)) for k in range(-63, 64))
first_rise = int(np.flatnonzero(np.diff(by_distance) > 0)[0])
print(f"largest difference within a diagonal   {spread:.1e}")
print(f"at distance 0                          {by_distance[0]:.1f}, half of d_model")
print(f"falls up to distance                   {first_rise}, then rises for the first time")
assert spread < 1e-11
assert np.allclose(products, products.T)  # ahead or behind makes no difference here
assert np.isclose(by_distance[0], 128 / 2) and first_rise == 11

# %% [markdown]
# One thing on which texts differ is settled by this cell. The product does not fall with every
# step: it falls on the whole, in waves.
#
# ## A head that looks one position back
#
# The bare dot product cannot tell ahead from behind. A head can, because its learned matrices are between the two
# encodings. Let $W^Q$ do what $R_{-1}$ does, and $W^K$ nothing. The query of position $p$ is then $PE_{p-1}$, and no
# key fits it better than that of the position before. This holds for every $p$: the matrices contain the step alone.
# First without words, on the bare table.
#
# But $R_{-1}$ is as wide as the model, and a head is narrower. Which pairs should it keep? Here are heads that keep all
# pairs of a table of 64, and heads that keep a few, with short waves or with long ones. `SCALE` is what the scores are
# multiplied by: $1/\sqrt{d_k}$, times how large training has made $W^Q$ and $W^K$.

# %%
from npformer.layers import Softmax

STEP, SCALE = -1, 0.5  # change these to 3 and 2.0 and run it again: where does the head look, and how sharply?


def weights_of_head(pairs, x=table):
    """Return the weights (64, 64) of a head that keeps these pairs and asks for the position a STEP away."""
    kept = np.ravel([[2 * i, 2 * i + 1] for i in pairs])
    w_query, w_key = step_matrix(STEP, 128).T[:, kept], np.eye(128)[:, kept]  # (d_model, d_k)
    return Softmax().forward(SCALE * (x @ w_query) @ (x @ w_key).T)


heads = {
    "all 64 pairs": weights_of_head(range(64)),
    "the 16 shortest": weights_of_head(range(16)),
    "the 8 shortest": weights_of_head(range(8)),
    "the 8 longest": weights_of_head(range(56, 64)),
}
for name, weights in heads.items():
    print(f"{name:16} weight of the position asked for, from position 30: {weights[30, 30 + STEP]:.3f}")
looks_at = heads["all 64 pairs"].argmax(-1)[8:56]
assert (looks_at == np.arange(8, 56) + STEP).all()  # from every position

# %% tags=["hide-input"]
figure, ax = new_figure(width=7.5, height=3)
for name, weights in heads.items():
    ax.plot(weights[30], marker="o", markersize=3, label=name)
ax.axvline(30, color="grey", linewidth=0.8, linestyle=":")
ax.annotate("the query", (30, ax.get_ylim()[1]), (4, -10), textcoords="offset points")
ax.set(xlabel="position of the key", ylabel="weight", xlim=(10, 50))
ax.legend(loc="upper left")
if (STEP, SCALE) == (-1, 0.5):
    found = [weights[30, 29] for weights in heads.values()]
    assert 0.5 < found[1] < found[0] < 0.6 and 0.25 < found[2] < 0.35 and abs(found[3] - 1 / 64) < 1e-3
    paper = sinusoids(64, 512)
    for x, n_kept, scale, weight in ((paper, 64, 0.5, 0.92), (paper, 64, 1 / 8, 0.32), (table, 128, 128**-0.5, 0.08)):
        asked = (x @ step_matrix(STEP, x.shape[1]).T)[30, :n_kept]
        assert abs(Softmax().forward(scale * asked @ x[:, :n_kept].T)[29] - weight) < 0.005
figure

# %% [markdown]
# The 16 pairs with the shortest waves are as good as all 64: the two lines cover each other. Eight still point at the
# right place, less sharply. The eight with the longest waves hardly move from one position to the next, and their
# head spreads its weight evenly over the sentence. To find a neighbor, a head needs the fast hands of the clock.
#
# Do these fit into a head of the paper, 64 numbers of 512? It keeps 32 of 256 pairs: the waves that the 8 of 64 have
# here, but four times as many, so their scores are four times as large. The weight is 0.92, sharper than all lines
# above, and still 0.32 with $1/\sqrt{64}$ alone. (Here all 64 pairs would get 0.08 with $1/\sqrt{128}$ alone: a `SCALE`
# of 0.5 asks training for matrices that make the scores 6 times as large.)
#
# ## Now add the words
#
# In a model the input is embedding plus table, and fresh embeddings have a spread of 1 (notebook 05). Does the head
# still find the word before? Guess, then add random words. In the last line no word has anything in the first 32
# features, the 16 shortest waves:

# %%
words = np.random.default_rng(0).normal(size=(64, 128))
slow_alone = np.arange(128) >= 32  # change this to >= 16 and run it again
inputs = {"the table alone": table} | {f"+ words of {s}": table + s * words for s in (0.1, 0.3, 1.0)}
inputs["+ words of 1.0, slow"] = table + words * slow_alone
asked, itself = np.arange(64 - abs(STEP)) + max(0, STEP), np.arange(64 - abs(STEP)) + max(0, -STEP)

print(f"{'largest weight on':22}{'all 64 pairs':>22}{'the 16 shortest':>22}")
print(f"{'':22}" + 2 * f"{'the asked':>11}{'itself':>11}")
shares = {}
for name, x in inputs.items():
    for n_pairs in (64, 16):
        largest = weights_of_head(range(n_pairs), x).argmax(-1)[itself]
        shares[name, n_pairs] = [(largest == place).mean() for place in (asked, itself)]
    print(f"{name:22}", *(f"{share:>10.0%}" for share in shares[name, 64] + shares[name, 16]))

# %% tags=["hide-input"]
if (STEP, SCALE, slow_alone.sum()) == (-1, 0.5, 96):
    fast, full = shares["+ words of 1.0, slow", 16], shares["+ words of 1.0", 64]
    assert shares["the table alone", 64][0] == fast[0] == full[1] == 1 and shares["+ words of 0.3", 64][1] == 1

# %% [markdown]
# Words break it: at a spread of 0.3 the wide head no longer finds a single word before. It finds *itself*. The words
# have dot products too, and that of a word with itself is the largest (notebook 02). $W^Q$ turns the query, but slow
# pairs hardly turn.
#
# So the table alone does not give a model "one back": the words have to stay out of the features by which a head
# finds places. In the last line they do, and the narrow head that reads only these finds every one. (With `>= 16`
# words enter half of its waves, and it is back at itself.) The slow waves, a poor help for neighbors, leave the words
# room. The embedding is trained with the rest, so training *can* arrange this, in whatever directions it likes. That
# is what "easily learn" in the paper rests on; the formula does not promise it.
#
# ## The authors' own table is another one
#
# Their program, tensor2tensor, differs from their paper in two ways. One is harmless: all sines come first and all
# cosines after them, instead of taking turns. The other is not only a matter of order. Where the paper divides the
# exponent by the number of waves, $2i / d_{model} = i / n$ with $n = d_{model} / 2$, the program divides by one less:
#
# $$\omega_i = 10000^{-i / (n - 1)}, \qquad i = 0, \dots, n - 1$$
#
# So its last wave is exactly $10000 \cdot 2\pi$ long, as the paper's sentence says and its formula does not. All waves
# but the first are longer than the formula's, and the dot products are others.


# %%
def sines_then_cosines(max_len, frequencies):
    angles = np.outer(np.arange(max_len), frequencies)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)  # (max_len, d_model)


i, n = np.arange(64), 64
reordered = sines_then_cosines(64, 10000.0 ** -(i / n))  # the paper's waves
theirs = sines_then_cosines(64, 10000.0 ** -(i / (n - 1)))  # tensor2tensor's
their_products = theirs @ theirs.T
their_spread = max(np.ptp(np.diagonal(their_products, k)) for k in range(-63, 64))
distance = 10  # change this to 1 and to 50 and run it again
for name, waves in (("the paper's formula", reordered), ("tensor2tensor", theirs)):
    longest = 2 * np.pi / np.arctan2(waves[1, n - 1], waves[1, -1])
    product = waves[0] @ waves[distance]
    print(f"{name:20} longest wave {longest:8.1f}, dot product at distance {distance}: {product:.2f}")

assert np.allclose(reordered, np.concatenate([table[:, 0::2], table[:, 1::2]], axis=1), rtol=0, atol=1e-12)
assert np.allclose(reordered @ reordered.T, products)  # another order, the same dot products
assert np.isclose(longest, 10000 * 2 * np.pi, rtol=1e-9)  # of tensor2tensor, the last of the loop
assert abs(their_products - products).max() > 0.5  # other waves, other dot products
assert their_spread < 1e-11  # which know the distance alone, like the paper's

# %% [markdown]
# What this notebook says of rotations and dot products holds for both tables: only the numbers differ. But a model
# needs the table with which it was trained: weights from tensor2tensor go with tensor2tensor's.
#
# ## Three questions
#
# **1.** Suppose the table had sines only, each of another wavelength. Which property of this notebook would be
# lost?
#
# <details><summary>Answer</summary>
#
# The rotation. $\sin \omega(pos + k)$ cannot be computed from $\sin \omega\,pos$: going up and coming down, the
# sine has the same value, and a step leads to different ones. The cosine tells the two cases apart. With it also
# goes the rule that dot products depend on the distance alone: $\sin a \sin b$ alone is $\tfrac{1}{2}\big(\cos(a
# - b) - \cos(a + b)\big)$.
#
# </details>
#
# **2.** How far apart are the points $PE_p$ and $PE_q$? Can two positions have the same encoding?
#
# <details><summary>Answer</summary>
#
# $|PE_p - PE_q|^2 = |PE_p|^2 + |PE_q|^2 - 2\,PE_p \cdot PE_q = d_{model} - 2 \sum_i \cos\big(\omega_i (p - q)\big)$:
# this, too, is a function of the distance alone. All points have the norm $\sqrt{d_{model} / 2}$. Two are equal only
# if every cosine is 1. The first, $\cos(p - q)$, never is for $p \ne q$, because no multiple of $2\pi$ is a whole
# number. (It comes close: $44$ is nearly $7 \cdot 2\pi$. But the other pairs are elsewhere by then.) The cell below
# measures it.
#
# </details>
#
# **3.** The longest waves move so little that a head cannot find a neighbor with them. What can it find?
#
# <details><summary>Answer</summary>
#
# For small angles $\sin(\omega\,pos) \approx \omega\,pos$: within a sentence the sine of a slow pair is a ruler, and
# it grows by the same amount with each position. A head that multiplies it by a large number prefers late positions,
# or early ones. And in a text of thousands of positions, where every short wave has come round many times, the long
# ones tell the first chapter from the last.
#
# </details>

# %%
long_table = sinusoids(2000, 128)
distances = np.linalg.norm(long_table[1:] - long_table[0], axis=1)  # of positions 1 .. 1999 from position 0
nearest = int(distances.argmin()) + 1
print(f"norm of each encoding: {np.linalg.norm(long_table[7]):.1f}")
print(f"nearest to position 0: position {nearest}, at {distances.min():.2f}; position 44 is at {distances[43]:.2f}")
assert np.allclose(distances**2, 128 - 2 * long_table[1:] @ long_table[0])
assert nearest == 1 and distances[43] > 2 * distances[0]

# %% [markdown]
# Next: [notebook 20](20_byte_pairs.ipynb), how a text becomes tokens. (What many models do with the same rotations
# today, in place of adding the table, is in [notebook 30](30_rotary_positions.ipynb).)

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
# *A detour from [05](05_embedding_and_positions.ipynb): nothing later needs it.
# [Notation](../docs/reference/notation.md).*
#
# The encodings of notebook 05 say where a word is. A head often needs something else: the word three back, wherever it
# is itself. All that attention has are matrices and dot products. Can they find that in a table of waves?
#
# **After this you can** write the step of $k$ positions as a matrix; say what the dot product of two encodings knows;
# say which waves a head needs to find a neighbor, and what words do to it.
#
# Paper: section 3.5. Code: `npformer/layers/positional_encoding.py`. You need from school
# $\cos(a \pm b) = \cos a \cos b \mp \sin a \sin b$ and $\sin(a + b) = \sin a \cos b + \cos a \sin b$.
# About 40 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers import schematics, sinusoid_steps
from helpers.pictures import show_arrays
from helpers.sinusoid_steps import step_matrix
from npformer.layers.positional_encoding import sinusoids
from npformer.visualization.plots import new_figure, plot_heat_map
from npformer.visualization.plots.colors import ORANGE, main_color
from npformer_course import Bet

schematics.embedding_and_positions()

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
d_model = 512  # change this to 64 and run it again
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

# %% tags=["hide-input"]
figure, ax = new_figure(width=7, height=3.2)
ax.semilogy(wavelengths, linewidth=2, color=main_color(), label="measured in the table")
ax.semilogy(even, linestyle="--", color=ORANGE, label="if they were evenly stepped")
ax.axhline(10000 * 2 * np.pi, color="grey", linewidth=0.8)
ax.annotate("10000 · 2π", (0, 10000 * 2 * np.pi), (0, 4), textcoords="offset points")
ax.set(xlabel="pair i", ylabel="wavelength in positions", ylim=(4, 200_000))
ax.legend(loc="lower right")
figure

# %% [markdown]
# That settles two points. The steps are even on a logarithmic scale: each wave is 1.037 times as long as the one
# before, and half of them are shorter than 617 positions. And $10000 \cdot 2\pi \approx 62{,}832$ is never
# reached: the last pair has $2i = 510$, not 512, and a wavelength of 60,611. (The authors' own program does reach it,
# with slightly other waves: see the end.)
#
# In a sentence of 50 words only 58 of the 256 pairs make a full turn. The others work like slow hands of a clock.
#
# ## A step of k positions is a rotation
#
# Why sines *and* cosines? The authors hoped that relative positions would be easy to learn, "since for any fixed
# offset $k$, $PE_{pos+k}$ can be represented as a linear function of $PE_{pos}$". The addition theorems give the
# function. For one pair it is a (2, 2) matrix, which makes $(\sin \omega(pos + k), \cos \omega(pos + k))$ of
# $(\sin \omega\,pos, \cos \omega\,pos)$.
#
# **Write it.** Which of its four numbers depend on the position?

# %%
omega, k = 0.3, 3
expected = sinusoid_steps.block_to_write(omega, k)

# %%
block = ...  # (2, 2), from omega and k
block = expected.check(block=block)

# %% [markdown]
# None does. Put such blocks of all pairs along a diagonal and you have one matrix $R_k$ with $PE_{pos+k} =
# R_k\,PE_{pos}$, for every position: `step_matrix(k, d_model)`. Is it exact?

# %%
table = sinusoids(512, 128)
for k in (1, 7, 50, 300, -1, -20):  # change these and run it again
    pos = np.arange(max(0, -k), min(512, 512 - k))  # every pos for which pos + k is in the table
    error = abs(table[pos + k] - table[pos] @ step_matrix(k, 128).T).max()
    print(f"k = {k:4}   {len(pos)} positions   largest error {error:.1e}")

# %% [markdown]
# The errors are those of rounding. Here is the matrix for a step of 3, with 16 features. The first pair turns by 3 radians,
# nearly half a turn. The last turns so little that its block is almost the identity.

# %% tags=["hide-input"]
figure, ax = new_figure(width=5.2, height=4)
plot_heat_map(ax, step_matrix(3, 16), row_label="feature of PE(pos + 3)", column_label="feature of PE(pos)")
figure

# %% [markdown]
# ## Dot products know only the distance
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
right.plot(by_distance, marker="o", markersize=3, color=main_color())
right.set(xlabel="distance of p and q", ylabel="dot product", ylim=(0, 70))
right.grid(alpha=0.3)
figure

# %%
spread = max(np.ptp(np.diagonal(products, k)) for k in range(-63, 64))
first_rise = int(np.flatnonzero(np.diff(by_distance) > 0)[0])
print(f"largest difference within a diagonal   {spread:.1e}")
print(f"at distance 0                          {by_distance[0]:.1f}, half of d_model")
print(f"falls up to distance                   {first_rise}, then rises for the first time")

# %% [markdown]
# This cell settles a point on which texts disagree. The product does not fall with every step: it falls on the whole, in
# waves.
#
# ## A head that looks one position back
#
# The bare dot product cannot tell ahead from behind. A head can, because its learned matrices are between the two
# encodings. Let $W^Q$ do what $R_{-1}$ does, and $W^K$ nothing. The query of position $p$ is then $PE_{p-1}$, and no
# key fits it better than that of the position before. This holds for every $p$: the matrices contain only the step.
# First without words, on the bare table.
#
# But $R_{-1}$ is as wide as the model, and a head is narrower. Which pairs should it keep? Here is a head that keeps all
# 64 pairs of a table, and heads that keep a few, with short waves or with long ones. `SCALE` is what the scores are
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

# %% tags=["hide-input"]
figure, ax = new_figure(width=7.5, height=3)
for name, weights in heads.items():
    ax.plot(weights[30], marker="o", markersize=3, label=name)
ax.axvline(30, color="grey", linewidth=0.8, linestyle=":")
ax.annotate("the query", (30, ax.get_ylim()[1]), (4, -10), textcoords="offset points")
ax.set(xlabel="position of the key", ylabel="weight", xlim=(10, 50))
ax.legend(loc="upper left")
figure

# %% [markdown]
# The 16 pairs with the shortest waves are as good as all 64: the two lines cover each other. Eight still point at the
# right place, less sharply. The eight with the longest waves hardly move from one position to the next, and their
# head spreads its weight evenly over the sentence. To find a neighbor, a head needs the fast hands of the clock.
#
# Does this fit into a head of the paper? It has 64 of the 512 features, so 32 of 256 pairs. Here they are, the 32 with
# the shortest waves, with the same `SCALE` and with $1/\sqrt{64}$, when training has made the matrices no larger:

# %%
paper = sinusoids(64, 512)
asked_for = (paper @ step_matrix(STEP, 512).T)[30, :64]  # what position 30 asks for
for scale in (SCALE, 1 / 8):
    weights = Softmax().forward(scale * asked_for @ paper[:, :64].T)
    print(f"scores times {scale:.3f}: weight of the position asked for {weights[30 + STEP]:.2f}")

# %% [markdown]
# Its 32 pairs have the waves of the 8 above, but four times as many of them. So its scores are four times as large, and it
# points more sharply than all heads of the picture.
#
# ## Now add the words
#
# In a model the input is embedding plus table, and embeddings have a standard deviation of about 1 (notebook 05). Does the
# head still find the word before? Add random words of several sizes. In the last row no word has anything in the first 32
# features, the 16 shortest waves.

# %%
bet = Bet("Words of 0.3: where does the head with all 64 pairs look?", ["one back", "at itself", "neither"])
bet.place(...)

# %%
words = np.random.default_rng(0).normal(size=(64, 128))
only_slow = np.arange(128) >= 32  # change this to >= 16 and run it again
inputs = {"only the table": table, "words of 0.1": table + 0.1 * words, "words of 0.3": table + 0.3 * words}
inputs["words of 1"] = table + words
inputs["words of 1, only slow"] = table + words * only_slow

positions = np.arange(max(0, -STEP), 64 - max(0, STEP))  # those from which the asked one is in the table
shares = {64: [], 16: []}
for x in inputs.values():
    for n_pairs, rows in shares.items():
        largest = weights_of_head(range(n_pairs), x).argmax(-1)[positions]
        rows.append([(largest == positions + STEP).mean(), (largest == positions).mean()])
asked, itself = shares[64][2]  # words of 0.3
if max(asked, itself) < 0.5:
    bet.settle("neither")
else:
    bet.settle("at itself" if itself > asked else "one back")
show_arrays(
    all_64_pairs=np.array(shares[64]),
    the_16_shortest=np.array(shares[16]),
    rows=list(inputs),
    columns=["the one asked for", "itself"],
    limit=1,
)

# %% [markdown]
# These are the shares of positions whose largest weight is on the position asked for, and on the position itself. Words
# break it: at 0.3 the wide head no longer finds a single word before. It finds *itself*. Words have dot products too, and
# that of a word with itself is the largest (notebook 02). $W^Q$ turns the query, but slow pairs hardly turn.
#
# So the table does not give a model "one back": the words have to leave free the features by which a head finds places. In
# the last row they do, and the narrow head that reads only these finds every one. (With `>= 16` words use half of its
# waves, and it is back at itself.) The embedding is trained with the rest, so training *can* arrange this, in any
# directions. That is what "easily learn" in the paper rests on; the formula does not promise it.
#
# **The authors' own table is another one.** Their program, tensor2tensor, puts all sines first and all cosines after them,
# and that is only an order. But where the paper has $\omega_i = 10000^{-i/n}$ for its $n = d_{model} / 2$ waves, the program
# has $10000^{-i/(n - 1)}$. So its last wave is exactly $10000 \cdot 2\pi$ long, as the paper's sentence says and its formula
# does not. What is said here of rotations and dot products holds for both, with other numbers, and a model needs the table
# with which it was trained.
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
# goes the rule that dot products depend only on the distance:
# $\sin a \sin b = \tfrac{1}{2}\big(\cos(a - b) - \cos(a + b)\big)$.
#
# </details>
#
# **2.** How far apart are the points $PE_p$ and $PE_q$? Can two positions have the same encoding?
#
# <details><summary>Answer</summary>
#
# $|PE_p - PE_q|^2 = |PE_p|^2 + |PE_q|^2 - 2\,PE_p \cdot PE_q = d_{model} - 2 \sum_i \cos\big(\omega_i (p - q)\big)$:
# this, too, is a function of only the distance. All points have the norm $\sqrt{d_{model} / 2}$. Two are equal only
# if every cosine is 1. The first, $\cos(p - q)$, never is for $p \ne q$, because no multiple of $2\pi$ is a whole
# number. (It comes close: $44$ is nearly $7 \cdot 2\pi$. But the other pairs are elsewhere by then: with 128 features,
# position 44 is more than twice as far from position 0 as position 1 is, the nearest of all.)
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

# %% [markdown]
# **You can now**
#
# - write a step of $k$ positions as a rotation, and say why sines alone have none;
# - say what dot products of encodings know, and what they do not;
# - say what a head needs to find the word before, and why the table alone does not give it.
#
# Back to the path: [notebook 06](06_one_encoder_layer.ipynb), one encoder layer. (What many models do with the same
# rotations today, in place of adding the table, is in [notebook 30](30_rotary_positions.ipynb).)

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
# # 04 Positions
#
# **The idea:** attention sees a set of vectors, not a sequence, so order has to be written into the vectors.
#
# Paper: section 3.5, and row E of table 3. What you need before: [notebook 03, many heads](03_many_heads.ipynb).
# About 50 minutes.

# %%
# %matplotlib inline
import numpy as np

from npformer.layers import Embedding, SelfAttention, SinusoidalPositionalEncoding
from npformer.models import causal_mask

rng = np.random.default_rng(0)

# %% [markdown]
# ## Order is invisible to attention
#
# Let $P$ be a matrix that puts rows into another order. A softmax over a row does not care in which order the row
# stands, and $P^\top P = I$. So if you shuffle the words, the results are shuffled, and nothing else happens:
#
# $$\mathrm{Attention}(PQ, PK, PV)
#   = \mathrm{softmax}\!\left(\frac{P Q K^\top P^\top}{\sqrt{d_k}}\right) P V
#   = P\,\mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) P^\top P V
#   = P\,\mathrm{Attention}(Q, K, V)$$
#
# The projections $W^Q, W^K, W^V, W^O$ treat each row alike, and several heads change nothing about this. Two
# sentences of the same words show it. Both are put through one layer, once with and once without positions. The table has
# for each word the largest difference between its 16 numbers in the one result and in the other.

# %%
words = "the dog bites the man".split()
order = np.array([3, 4, 2, 0, 1])  # change the order and run it again
shuffled = [words[i] for i in order]
print(" ".join(words), " ->  ", " ".join(shuffled))

vocabulary = sorted(set(words))
ids = np.array([[vocabulary.index(word) for word in words]])  # (1, 5)
embedding = Embedding(len(vocabulary), 16, rng=rng, dtype="float64")
attention = SelfAttention(16, 4, rng=rng, dtype="float64")
positions = SinusoidalPositionalEncoding(16, dtype="float64")

x = embedding.forward(ids)  # (1, 5, 16)
blind = abs(attention.forward(x[:, order]) - attention.forward(x)[:, order]).max(-1)[0]
with_positions = attention.forward(positions.forward(x))[:, order]
seeing = abs(attention.forward(positions.forward(x[:, order])) - with_positions).max(-1)[0]

print("\nhow much a word's result changes when the order does")
print("       word   no positions   positions added")
for word, without, with_them in zip(shuffled, blind, seeing, strict=True):
    print(f"{word:>11} {without:14.1e} {with_them:17.2f}")

y = attention.forward(x)
assert blind.max() < 1e-12 < 0.01 < seeing.min()
assert np.allclose(y[:, 0], y[:, 3], rtol=0, atol=1e-12)  # the two "the" cannot be told apart

# %% [markdown]
# "The dog bites the man" and "the man bites the dog" are the same to bare attention.
#
# It is often said that a Transformer without positions cannot see order at all. That is true of the encoder. In
# the decoder the causal mask lets each position see another set of words, and so some order gets in. The next
# cell shuffles under a causal mask: the results are no longer the shuffled ones.

# %%
causal = causal_mask(len(words))
change = abs(attention.forward(x[:, order], causal) - attention.forward(x, causal)[:, order]).max()
print(f"under a causal mask the results change by up to {change:.2f}")
assert change > 0.01

# %% [markdown]
# ## The paper's answer: add waves
#
# Each position gets a vector as wide as the embedding, and the two are added. The features come in pairs, the
# sine and the cosine of one wave:
#
# $$PE_{(pos,\,2i)} = \sin\!\left(\omega_i\,pos\right), \qquad PE_{(pos,\,2i+1)} = \cos\!\left(\omega_i\,pos\right),
# \qquad \omega_i = 10000^{-2i/d_{model}}$$
#
# `sinusoids(max_len, d_model)` is this table. One row is one position. In the columns on the left neighbouring
# rows differ much, in those on the right hardly at all.

# %%
from npformer.layers.positional_encoding import sinusoids
from npformer.visualization.plots import new_figure
from pictures import plot_positions

table = sinusoids(60, 128)  # change the 60 to 500 and run it again
print("table", table.shape)
figure, ax = new_figure(width=8, height=3.6)
plot_positions(ax, table)
figure

# %% [markdown]
# The same table as waves, for six of its 64 pairs. Dots are the positions; the text on the right gives the
# wavelength.

# %% tags=["hide-input"]
from pictures import plot_position_waves

figure, ax = new_figure(width=8, height=3.8)
plot_position_waves(ax, 128)
figure

# %% [markdown]
# ## With positions and without
#
# Is it of use? Train a small model to write digits in reverse order, where order is everything, once as it is and once
# with a layer that adds nothing in place of the positions. Guess what the second one will write.

# %%
import npformer as npf
from npformer.datasets.synthetic import sequences


def encoded(pairs):
    """Return the ids of source and target of each pair; digit n has the id 4 + n."""
    return [tuple([4 + int(digit) for digit in side.split()] for side in pair[:2]) for pair in pairs]


pairs, held_out = map(encoded, sequences.split("reverse", n_train=1000, n_held_out=200, max_length=6))
sizes = {"d_model": 32, "d_ff": 64, "n_heads": 4, "n_encoder_layers": 1, "n_decoder_layers": 1, "dropout": 0.0}
config = npf.TransformerConfig(src_vocab_size=14, tgt_vocab_size=14, **sizes)


class NothingAdded(npf.Module):
    def forward(self, x, start=0):
        return x

    def backward(self, dy):
        return dy


def train(with_positions, epochs=20):
    """Return a trained model, and its losses."""
    model = npf.Transformer(config, rng=0)
    for stack in (model.encoder, model.decoder):
        stack.tokens.positions = stack.tokens.positions if with_positions else NothingAdded()
    rate = npf.training.WarmupSchedule.with_peak(0.005, 32, 100)
    adam = npf.training.Adam(npf.training.FlatParameters(model.parameters()), learning_rate=rate)
    objective = npf.tasks.Objective(model, label_smoothing=0.0)
    batches = npf.tasks.Batches(pairs, batch_tokens=512)
    return model, [record.loss for record in npf.training.Trainer(objective, adam, batches).updates(epochs)]


shares = {}
for name, with_positions in (("with positions", True), ("without", False)):
    model, losses = train(with_positions)  # change this to train(with_positions, epochs=40) and run it again
    written = [npf.decoding.greedy_decode(model, np.array([[*source, 3]]))[0] for source, _ in held_out]  # 3: <eos>
    both = [(ids, target) for ids, (_, target) in zip(written, held_out, strict=True)]
    right = np.mean([ids == target for ids, target in both])
    same_digits = np.mean([sorted(ids) == sorted(target) for ids, target in both])
    shares[name] = right, same_digits
    print(
        f"{name}: loss {np.mean(losses[-20:]):.2f}; of 200 new sequences {right:.0%} right, {same_digits:.0%} the digits"
    )
    for (source, _), ids in zip(held_out[:3], written, strict=False):
        print("  ", *(i - 4 for i in source), " -> ", *(i - 4 for i in ids))

# %% tags=["hide-input"]
assert shares["with positions"][0] > 0.8 and shares["without"][0] < 0.3 < shares["without"][1]

# %% [markdown]
# Without positions the model still finds out *which* digits to write, in most sequences all of them, and hardly ever their
# order: the encoder hands over a bag of digits.
#
# ## How long are the waves?
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
# with slightly other waves. It comes below.)
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
from npformer.visualization.plots import plot_heat_map

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
for name, waves in (("the paper's formula", reordered), ("tensor2tensor", theirs)):
    longest = 2 * np.pi / np.arctan2(waves[1, n - 1], waves[1, -1])
    print(f"{name:20} longest wave {longest:8.1f}, dot product at distance 10: {waves[0] @ waves[10]:.2f}")

assert np.allclose(reordered, np.concatenate([table[:, 0::2], table[:, 1::2]], axis=1), rtol=0, atol=1e-12)
assert np.allclose(reordered @ reordered.T, products)  # another order, the same dot products
assert np.isclose(longest, 10000 * 2 * np.pi, rtol=1e-9)  # of tensor2tensor, the last of the loop
assert abs(their_products - products).max() > 0.5  # other waves, other dot products
assert their_spread < 1e-11  # which know the distance alone, like the paper's

# %% [markdown]
# What this section says of dot products holds for both tables: only the numbers differ.
#
# The bare dot product cannot tell ahead from behind. A head can, for between the two encodings stand its learned
# matrices. If they work as $R_{-1}$ does, the head looks one position back, from every position:

# %%
from npformer.layers import Softmax

scores = 0.5 * table @ step_matrix(-1, 128).T @ table.T  # (64, 64); change the 0.5 to 0.05 and run it again
weights = Softmax().forward(scores)
looks_at = weights.argmax(-1)
print("positions 1 .. 8 look at", looks_at[1:9], f"with weights of {weights[1:9].max(-1).min():.2f} or more")
assert (looks_at[1:] == np.arange(63)).all()

# %% [markdown]
# ## Learned positions
#
# The other way is a table that training fills, one row a position, as a vocabulary has one row per word. The paper
# tried it (table 3, row E): 25.7 BLEU, against 25.8 with sinusoids, and the same perplexity of 4.92. So why not?
# Look at what a learned table cannot do.

# %%
import textwrap

from npformer import InputError
from npformer.layers import LearnedPositionalEncoding

learned = LearnedPositionalEncoding(64, max_len=32, rng=rng, dtype="float64")
fixed = SinusoidalPositionalEncoding(64, max_len=32, dtype="float64")
print("numbers to learn:", sum(p.data.size for p in learned.parameters()), "and", len(fixed.parameters()))

try:
    learned.forward(np.zeros((1, 33, 64)))
except InputError as error:
    print(textwrap.fill(str(error), 84))
else:
    raise AssertionError("33 positions went through a table of 32")

# A longer table of sinusoids begins with the shorter one.
assert np.array_equal(sinusoids(1000, 64)[:32], sinusoids(32, 64))

# %% [markdown]
# Beyond `max_len` there is no row, and no rule by which to make one. Our sinusoidal layer has a `max_len` too,
# but only as the size of a table made in advance: a longer one begins with the same rows, and you can make it
# after training.
#
# There is a quieter limit. A row learns only from sentences that reach its position. Give the layer sentences of
# 10 words and look at the gradient of its 32 rows:

# %%
LENGTH = 10  # words in each of the four sentences; change this to 25 and run it again
learned.zero_grad()
learned.forward(rng.normal(size=(4, LENGTH, 64)))
learned.backward(rng.normal(size=(4, LENGTH, 64)))
row_norms = np.linalg.norm(learned.table.grad, axis=1)  # (32,)

figure, ax = new_figure(width=7, height=2.4)
ax.bar(range(32), row_norms)
ax.set(xlabel="position", ylabel="norm of gradient")
figure

# %%
assert (row_norms[:LENGTH] > 0).all() and (row_norms[LENGTH:] == 0).all()
print(f"rows with a gradient: {(row_norms > 0).sum()} of {len(row_norms)}")

# %% [markdown]
# Rows 10 to 31 stay the random numbers that they started as. A sinusoid has the right value there without having
# been trained. Whether the *rest* of the model can use positions that it never met is another matter: the paper
# says only that sinusoids "may allow the model to extrapolate".
#
# ## Questions
#
# **1.** You delete the positions from a Transformer, and keep everything else. What can the encoder still know
# about a sentence?
#
# <details><summary>Answer</summary>
#
# Which words are in it, and how often each. Its memory is the same set of vectors for every order of the words;
# two equal words get equal vectors. The decoder knows a little more, because of its causal mask: position $t$
# sees $t + 1$ tokens.
#
# </details>
#
# **2.** Suppose the table had sines only, each of another wavelength. Which property of this notebook would be
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
# **3.** The encoding is added to the embedding. Why does it not drown the meaning of the word?
#
# <details><summary>Answer</summary>
#
# Embeddings are multiplied by $\sqrt{d_{model}}$ (section 3.4), so that in this code their features start with a
# spread of 1, and a sinusoid's root mean square is $\sqrt{1/2}$: the two are of one size. The many slow waves are
# moreover nearly constant within a sentence. What is left, training can sort into different directions of the
# $d_{model}$-dimensional space, and the projections of each head can pick the one or the other.
#
# </details>
#
# ---
#
# Next: [notebook 04c](04c_tokenization.ipynb), how a text becomes tokens.
#
# Write it yourself: exercise 19 positions. `npformer class start my-course` begins the course.

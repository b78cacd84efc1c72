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
# # 28 An LSTM with attention
#
# **The idea.** An LSTM passes all that it has read through one state, from word to word. Attention over its states
# gives each step a short path to each word. It was invented for this, and then took the LSTM's place.
#
# Paper: sections 1 and 4, what was there before. Code: `npformer/layers/extra/lstm.py`. Before this:
# [notebook 02](02_attention_by_hand.ipynb), attention, and [notebook 29](29_why_self_attention.ipynb), which counts
# what an LSTM costs. About 30 minutes to read and run, 50 with every change and question.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from npformer.layers import LSTM, CrossAttention

# %% [markdown]
# ## One step of an LSTM
#
# A recurrent network reads one word after another, and each step gets a word's vector $x_t$ and the state that the
# last step left. In an LSTM (Hochreiter and Schmidhuber 1997) this state is two vectors, a cell $c$ and an output
# $h$, and three *gates*, numbers between 0 and 1, control the cell: what to let in, what to keep of the old, what to
# give out.
#
# $$i, f, o = \sigma(x_t W + h_{t-1} U + b) \qquad g = \tanh(x_t W + h_{t-1} U + b)$$
# $$c_t = f \odot c_{t-1} + i \odot g \qquad h_t = o \odot \tanh(c_t)$$
#
# Each of $i$, $f$, $g$ and $o$ has its own $W$, $U$ and $b$. Below they are the columns of one matrix, for vectors of
# one number, set by hand. An input is a value and a mark. At a mark the cell
# takes the value and forgets what it had, and else it keeps what it has. $U$ is 0 here: the gates do not ask $h$.

# %%
#                  let in  keep  value  give out
W = np.array([[0.0, 0.0, 1.0, 0.0], [12.0, -12.0, 0.0, 0.0]])  # (2, 4): from the value, and from the mark
U = np.zeros((1, 4))
b = np.array([-6.0, 6.0, 0.0, 6.0])  # change the first 6.0, of the gate that keeps, to 1.0 and run it again


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(x, h, c):
    i, f, g, o = np.split(x @ W + h @ U + b, 4)  # (H,) each
    i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
    c = f * c + i * g
    h = o * np.tanh(c)
    return h, c, (i, f, g, o)


inputs = np.array([[0.8, 1], [0.3, 0], [-0.9, 0], [0.5, 0], [-0.4, 1], [0.7, 0]])  # (T, 2): value, mark
h, c, states = np.zeros(1), np.zeros(1), []
print(" value  mark |  let in   keep   tanh    out |   cell      h")
for x in inputs:
    h, c, gates = step(x, h, c)
    states.append(h)
    print(f"{x[0]:6.1f}{x[1]:6.0f} |", *(f"{gate[0]:7.3f}" for gate in gates), f"| {c[0]:6.3f} {h[0]:6.3f}")

# %% tags=["hide-input"]
layer = LSTM(2, 1, dtype="float64")
layer.w_input.weight.data[:], layer.w_input.bias.data[:], layer.w_hidden.data[:] = W, b, U
assert np.allclose(layer.forward(inputs[None])[0], states)  # npformer's layer does the same

# %% [markdown]
# In steps 2 to 4 the gate "let in" is closed and "keep" is open, and $\tanh 0.8 = 0.66$ survives three other values.
# In a trained LSTM there are no marks: the gates have learned to see from $x_t$ and $h_{t-1}$ what is worth keeping.
#
# ## How far back a gradient reaches
#
# $c_t = f \odot c_{t-1} + \dots$, so on the way back the gradient of the cell is multiplied by $f$ at every step.
# Before training $f$ scatters around $\sigma(b_f)$. The layer begins with $b_f = 1$, and here its gates are 0.69 on
# average, with a standard deviation of 0.19. $0.69^{40}$ is less than a millionth. The output $h$ carries some more
# back through $U$. Measure both together: give the *last* of 41 states a gradient, and look at what arrives at each
# word before it.

# %%
D, T = 64, 41


def gradient_by_distance(b_forget, with_attention=False):
    """Return the norm of the gradient at the word 0, 1, ..., T - 1 steps before the last."""
    rng = np.random.default_rng(0)
    lstm, attention = LSTM(D, D, rng=rng), CrossAttention(D, 1, rng=rng)
    lstm.w_input.bias.data[D : 2 * D] = b_forget
    h = lstm.forward(rng.standard_normal((1, T, D)).astype("float32"))  # (1, T, D)
    dh = np.zeros_like(h)
    dh[:, -1] = rng.standard_normal(D)
    if with_attention:  # the last state plus what it gets by looking at all
        attention.forward(h[:, -1:], h)
        dquery, dmemory = attention.backward(dh[:, -1:])
        dh += dmemory
        dh[:, -1:] += dquery
    return np.linalg.norm(lstm.backward(dh)[0], axis=-1)[::-1]  # (T,)


norms = {f"LSTM, b_f = {b_forget}": gradient_by_distance(b_forget) for b_forget in (0, 1, 3)}  # add 6 and run it again
norms["LSTM, b_f = 1, with attention"] = gradient_by_distance(1, with_attention=True)
for name, norm in norms.items():
    per_step = (norm[40] / norm[20]) ** (1 / 20)
    print(f"{name:29} 40 steps back {norm[40] / norm[0]:8.1e} of the last word's; per step x {per_step:.2f}")

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure, plot_attention
from npformer.visualization.plots.colors import GREEN, GREY, ORANGE, PINK, main_color

figure, ax = new_figure(width=7, height=3.2)
for (name, norm), color in zip(norms.items(), (ORANGE, PINK, GREEN, main_color(), GREY), strict=False):
    ax.semilogy(norm, color=color, linewidth=2, label=name)
ax.set(xlabel="steps back from the last word", ylabel="norm of the gradient")
ax.legend(loc="lower left")
ax.grid(alpha=0.3)
kept = [norm[40] / norm[0] for norm in list(norms.values())[:3]]
assert kept[0] < 1e-6 < kept[1] < 1e-3 < 0.1 < kept[2] and norms["LSTM, b_f = 1, with attention"][40] > 0.03
figure

# %% [markdown]
# In the LSTM that training begins with, a word 40 steps back gets a four-thousandth of the last one's gradient:
# training hardly sees that it mattered. Open gates ($b_f = 3$, $\sigma(b_f) = 0.95$) let it pass, but gates that are
# open for everything keep everything, and the cell becomes a sum of all words. And the factor per step is then 1.01,
# more than any $f$: the way through $U$ can multiply by more than 1. With $b_f = 6$ the gradient grows, 1.08 times
# per step: where it vanished before, it explodes. With attention ($b_f = 1$) the gradient stops falling after some 15
# steps, where more of it comes by the short path: from the last step to any state, *one* weighted sum.
#
# ## One vector for a whole sentence
#
# In 2014 an LSTM read a sentence, and a second one wrote its translation. What the first knew at the end, 8,000
# numbers for a sentence of any length, was all that the second began with (Sutskever et al.). Cho et al. showed the
# price in the same year: the longer the sentence, the worse the translation. Bahdanau et al. (2015) let each step of
# the decoder look back at *all* states of the encoder. That was attention, and at first it was added to a recurrent
# network (a simpler relative of the LSTM, and a small network computed the scores in the place of our dot product).
#
# A small task shows both: read $n$ different letters, then a mark, then write the same letters. For simplicity one
# LSTM is encoder and decoder, so without attention each letter has to pass through $n$ states. With attention each
# writing step also has a `CrossAttention` with one head over the states of the reading steps. Both train on lengths
# of 2 to 16.

# %%
from npformer.layers import Embedding, Linear
from npformer.training import Adam


class Copier(npf.Module):
    """Reads n letters through a layer, then writes them, with attention to what it read or without."""

    def __init__(self, layer, with_attention, rng):
        self.embedding = Embedding(27, D, rng=rng)  # 26 letters, and the mark that says: now write
        self.layer = layer
        self.attention = CrossAttention(D, 1, rng=rng) if with_attention else None
        self.w_output = Linear(D, 26, rng=rng)

    def forward(self, ids, n):  # (B, 2n)
        h = self.layer.forward(self.embedding.forward(ids))  # (B, 2n, D)
        y = h[:, n:]
        if self.attention:
            y = y + self.attention.forward(y, h[:, :n])
        return self.remember(self.w_output.forward(y), h.shape, n)  # (B, n, 26)

    def backward(self, dlogits):  # (B, n, 26)
        shape, n = self.recall(dlogits)
        dy, dh = self.w_output.backward(dlogits), np.zeros(shape, "float32")
        dh[:, n:] = dy
        if self.attention:
            dquery, dmemory = self.attention.backward(dy)
            dh[:, n:] += dquery
            dh[:, :n] += dmemory
        self.embedding.backward(self.layer.backward(dh))


def draw(n_texts, n, rng):
    """Return ids to read (B, 2n), and the letters to write (B, n)."""
    texts = np.argsort(rng.random((n_texts, 26)), 1)[:, :n]  # no letter twice
    written = texts  # change this to texts[:, ::-1], the reverse order, and run it and all below again
    return np.concatenate([texts, np.full((n_texts, 1), 26), written[:, :-1]], 1), written


def train_copier(layer, with_attention, n_updates=200):
    """Return a trained Copier."""
    rng = np.random.default_rng(0)
    model = Copier(layer, with_attention, rng)
    adam = Adam(model.parameters(), learning_rate=0.004)
    for _ in range(n_updates):
        n = int(rng.integers(2, 17))
        ids, texts = draw(32, n, rng)
        model.zero_grad()
        logits = model.forward(ids, n)
        p = np.exp(logits - logits.max(-1, keepdims=True))
        p /= p.sum(-1, keepdims=True)
        model.backward((p - np.eye(26, dtype="float32")[texts]) / texts.size)  # softmax and cross-entropy
        adam.step()
    return model


# %%
LENGTHS = range(2, 25, 2)


def share_right(copier, n):
    ids, texts = draw(100, n, np.random.default_rng(1))
    with copier.evaluating():
        return float((copier.forward(ids, n).argmax(-1) == texts).mean())


copied = {}


def measure(name, copier):
    copied[name] = [share_right(copier, n) for n in LENGTHS]
    print(f"{name:23} right:", ", ".join(f"{copied[name][n // 2 - 1]:.0%} of {n}" for n in (4, 8, 16, 24)))


measure("LSTM, one vector", train_copier(LSTM(D, D, rng=1), False))  # write False, 1600 and run it again
measure("LSTM with attention", copier := train_copier(LSTM(D, D, rng=1), True))


# %% tags=["hide-input"]
def plot_shares(ax):
    for (name, shares), color in zip(copied.items(), (PINK, main_color(), GREEN, ORANGE), strict=False):
        ax.plot(LENGTHS, shares, "o-", color=color, linewidth=2, label=name)
    ax.axvline(16, color=GREY, linestyle=":")
    ax.annotate("longest in training", (16, 0.03), xytext=(4, 0), textcoords="offset points", color=GREY)
    ax.set(xlabel="letters to copy", ylabel="share right", ylim=(0, 1.05))
    ax.grid(alpha=0.3)
    ax.legend(loc="center right", bbox_to_anchor=(1, 0.42))


ids, texts = draw(1, 16, np.random.default_rng(2))
with copier.evaluating(), npf.trace(copier) as trace:
    copier.forward(ids, 16)
looks_at = trace["attention.attention.softmax"].output[0, 0]  # (T, S)
figure, (left, right) = new_figure(1, 2, width=10, height=3.6)
plot_shares(left)
letters = [chr(ord("a") + i) for i in texts[0]]
plot_attention(right, looks_at, letters, letters, title="attention: from the letter that is written to those read")
assert copied["LSTM, one vector"][0] > 0.8 > 0.5 > copied["LSTM, one vector"][-1]
assert min(copied["LSTM with attention"]) > 0.9
figure

# %% [markdown]
# With attention a step needs no memory of the whole
# text: it finds the letter that comes next by looking, one place further each time. This is the diagonal of the right
# picture. (No letter comes twice, so there is one place to find.)
#
# The vector is not too *small*: 16 different letters are 67 bits, and the state has 128 numbers. But to use it so is
# hard to learn. After 1,600 updates 50% of 16 letters are right; with attention 200 updates were enough for 99%.
#
# ## Attention without the LSTM
#
# If each step can look at each letter, what is the LSTM still good for? It could tell attention where it is. Positional
# encodings (notebook 05) can tell this too. So take the LSTM out and add positions in its place, counted from 0 again
# at the mark, as encoder and decoder count them.

# %%
from npformer.layers.positional_encoding import sinusoids


class Positions(npf.Module):
    """Add positions to what is read and to what is written."""

    def forward(self, x):  # (B, 2n, D)
        n = x.shape[1] // 2
        once = sinusoids(n, D).astype("float32")
        return x + np.concatenate([once, once])  # change this to x + sinusoids(2 * n, D).astype("float32")

    def backward(self, dy):
        return dy


measure("positions and attention", train_copier(Positions(), True))

# %% [markdown]
# It copies as well, up to 16 letters, in a quarter of the time: all $2n$ positions are computed at once in the place
# of $2n$ steps. That is the step to the Transformer. (With neither LSTM nor positions, `return x`, 7% of 16 letters
# are right.) But texts longer than any in its training have positions that it has never seen. And it depends on how
# one counts: with `sinusoids(2 * n, D)` 20% of 16 are right, and in reverse order 21%. The letter to copy is then $n$
# places back, or at place $n - t$, and $n$ is another number in each text. One layer of attention can look for a
# place, but not for one that depends on the length. The LSTM with attention has 99% of 16 in both orders. What does
# it know?
#
# ## What the LSTM tells attention
#
# A guess: which letter was just before. Test it without LSTM and positions. Add to each letter the one at its left, its
# numbers shifted by half a vector, so that the two can be told apart:


# %%
class LeftNeighbor(npf.Module):
    """Add to each letter the letter before it."""

    def forward(self, x):  # (B, T, D)
        y = x.copy()
        y[:, 1:] += np.roll(x[:, :-1], D // 2, -1)  # change this to x[:, :-1] and run it again
        return y

    def backward(self, dy):
        dx = dy.copy()
        dx[:, :-1] += np.roll(dy[:, 1:], -(D // 2), -1)  # and this to dy[:, 1:]
        return dx


measure("left neighbor", train_copier(LeftNeighbor(), True))

# %% tags=["hide-input"]
figure, ax = new_figure(width=6, height=3.4)
plot_shares(ax)
by_length = dict(zip(LENGTHS, copied["positions and attention"], strict=True))
ids, written = draw(1, 5, np.random.default_rng(0))
once, again = np.split(Positions().forward(np.zeros((1, 10, D))), 2, axis=1)
x = np.random.default_rng(0).normal(size=(1, 2, D))
if ids[0, 0] == written[0, 0] and once.any() and np.array_equal(once, again):  # neither of the two is changed
    assert by_length[16] > 0.95 and by_length[24] < 0.85 < copied["LSTM with attention"][-1]
if not np.allclose(LeftNeighbor().forward(x)[:, 1], x.sum(1)):  # nor the third
    assert np.mean(copied["left neighbor"]) > 0.9
figure

# %% [markdown]
# It copies all lengths, those never seen too, and in reverse order as well. The left neighbor *is enough*: after "k"
# look for the letter whose left neighbor is "k", and copy it. That is the same at every place. (Where the two letters
# are only added, one cannot tell which was first, and 42% of 16 are right.) Two layers of attention learn this
# circuit without an LSTM: [notebook 32](32_induction_heads.ipynb). Positions that measure distances are in
# [notebook 30](30_rotary_positions.ipynb).
#
# ## Three questions
#
# **1.** The first LSTM, of 1997, had no forget gate: $f = 1$. Why was the gate added?
#
# <details><summary>Answer</summary>
#
# With $f = 1$ nothing is ever forgotten: in a long text the cell adds up all that was let in, and grows until
# $\tanh(c)$ is 1 or -1 whatever comes next. Gers et al. (2000) let the network decide when to empty it. The price is
# the factor $f$ in the gradient. The gate's bias begins with $b_f = 1$, so that $f$ is not too small at first.
#
# </details>
#
# **2.** Could the LSTM without attention copy longer texts if it wrote them in reverse order?
#
# <details><summary>Answer</summary>
#
# A little longer. The last letters become easy, because they were read just before the mark, but the vector has to
# hold as much as before: of 16 letters 24% are right in the place of 17%, and after 1,600 updates 55 in the place of
# 50%. Sutskever et al. reversed their sources, so that the first words of both sentences are near each other, and it
# helped.
#
# </details>
#
# **3.** With attention from the decoder to the states of the encoder, which paths are still long?
#
# <details><summary>Answer</summary>
#
# Those inside the encoder: what word 1 means for word 30 still passes through 29 steps, and these still wait for each
# other (notebook 29). Attention inside the encoder shortens them too. That is self-attention.
#
# </details>

# %% [markdown]
# Next: [notebook 28c](28c_four_encoders_compared.ipynb), where an LSTM and convolutions take the encoder's place.
#
# Write it yourself: exercises attention and cross_attention_backward. `npformer course start my-course` begins the
# course.

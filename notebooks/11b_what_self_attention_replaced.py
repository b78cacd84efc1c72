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
# # 11b What self-attention replaced
#
# **The idea.** Attention first freed a recurrent network from putting a whole sentence into one vector. Then it replaced the
# network. Which reads best is a question for an experiment, and the answer explains what self-attention has to learn first.
#
# Paper: section 4, what self-attention replaced. Code: `npformer/models/baseline_layers.py` and
# `notebooks/four_encoders.py`. Before this: [notebook 11a](11a_text_classification.ipynb), whose sentences are classified
# here, and [notebook 10](10_why_self_attention.ipynb), why self-attention. About 35 minutes.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from four_encoders import ENCODERS, D, labels, make, test, trained
from npformer.layers import LSTM, CrossAttention, Embedding, Linear
from npformer.paper.multiply_adds import forward_multiply_adds
from npformer.tasks import evaluate
from npformer.training import Adam, FlatParameters
from npformer.visualization import sentence_attention
from npformer.visualization.hooks import wrap_methods
from npformer.visualization.plots import grid_size, new_figure, plot_attention_grid
from npformer.visualization.plots.colors import GREEN, ORANGE, PINK, main_color

# %% [markdown]
# ## One vector for a whole sentence
#
# In 2014 an LSTM read a sentence, and what it knew at the end, two vectors of a fixed size, was all that the translation was
# written from (Sutskever et al.). Cho et al. showed the price in the same year: the longer the sentence, the worse the translation.
# Bahdanau et al. (2015) let each step of the decoder look back at *all* states of the encoder. That was attention, and at
# first it was added to the LSTM.
#
# A small task shows both: read $n$ different letters, then a mark, then write the same letters. One LSTM does the reading and the
# writing. Without attention the letters have to pass through its state at the mark. With attention each writing step also has a
# `CrossAttention` with one head over the states of the reading steps. Both train on lengths of 2 to 16.


# %%
class Copier(npf.Module):
    """An LSTM that reads n letters and then writes them, with attention to what it read or without."""

    def __init__(self, with_attention, rng):
        self.embedding = Embedding(27, D, rng=rng)  # 26 letters, and the mark that says: now write
        self.lstm = LSTM(D, D, rng=rng)
        self.attention = CrossAttention(D, 1, rng=rng) if with_attention else None
        self.w_output = Linear(D, 26, rng=rng)

    def forward(self, ids, n):  # (B, 2n)
        h = self.lstm.forward(self.embedding.forward(ids))  # (B, 2n, D)
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
        self.embedding.backward(self.lstm.backward(dh))


def draw(n_texts, n, rng):
    """Return ids to read (B, 2n), and the letters to write (B, n)."""
    texts = np.argsort(rng.random((n_texts, 26)), 1)[:, :n]  # no letter twice
    written = texts  # change this to texts[:, ::-1] and run it again: question 3
    return np.concatenate([texts, np.full((n_texts, 1), 26), written[:, :-1]], 1), written


def train_copier(with_attention, n_updates=400):
    """Return a trained Copier."""
    rng = np.random.default_rng(0)
    model = Copier(with_attention, rng)
    adam = Adam(FlatParameters(model.parameters()), learning_rate=0.004)
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


lengths = range(2, 25, 2)
copied = {}
for name, with_attention in (("one vector", False), ("attention", True)):
    copier, copied[name] = train_copier(with_attention), []  # add n_updates=1200 and run it again (half a minute)
    for n in lengths:
        ids, texts = draw(100, n, np.random.default_rng(1))
        with copier.evaluating():
            copied[name].append((copier.forward(ids, n).argmax(-1) == texts).mean())

# %% tags=["hide-input"]
figure, ax = new_figure(width=7.5, height=3.4)
for (name, shares), color in zip(copied.items(), (PINK, main_color()), strict=True):
    ax.plot(lengths, shares, "o-", color=color, linewidth=2, label=f"LSTM, {name}")
ax.axvline(16, color="0.5", linewidth=1, linestyle=":")
ax.set(
    xlabel="letters to copy (to the right of the dots: longer than in training)", ylabel="share right", ylim=(0, 1.05)
)
ax.grid(alpha=0.3)
ax.legend()
assert copied["one vector"][0] > 0.8 > 0.5 > copied["one vector"][-1] and min(copied["attention"]) > 0.9
figure

# %% [markdown]
# The picture is that of Cho et al. and of Bahdanau et al. Each letter is predicted from the correct ones before it. With attention
# a step needs no memory of the whole text: it looks for the place where the letter just written was read, and takes the next
# one. (Letters are different, so that there is one such place.)
#
# The vector is not too *small*: 16 different letters are 67 bits, and the state has 128 numbers. But writing so much into it in
# an order, and reading it out again, is hard to learn. After 4,000 updates, with a falling learning rate, 82% of 16
# letters and 51% of 24 are right; attention needs 200 updates for 99%.
#
# ## Four encoders of one size
#
# Then the recurrence went. In the encoder, self-attention can be replaced by what it replaced. The data are those of
# notebook 11a: 8,000 German sentences, half of them with a planted mistake of one of six kinds.
#
# The encoder can be replaced by what self-attention replaced: a bidirectional LSTM, or convolutions of width 3. And
# there is a fourth, which the paper names in section 4: self-attention that sees only its neighbors, here
# one on either side. Embedding, residual sums, pooling and linear layer stay the same.
#
# A fair comparison has equal numbers of weights. With $d_{ff} = d_{model} = D$ every layer has $6D^2$ of them:
#
# | encoder | its matrices | weights |
# |---|---|---|
# | self-attention | $W^Q, W^K, W^V, W^O$ and two of the feed-forward network, all $(D, D)$ | $4D^2 + 2D^2$ |
# | LSTM | two directions, four gates, each $(D, D/2)$ and $(D/2, D/2)$ | $2 \cdot 4 \cdot \frac{3}{4} D^2$ |
# | convolutions | two, three taps $(D, D)$ each | $2 \cdot 3D^2$ |

# %%
S = 10  # words of a sentence; change this to 40 and run it again
IN_A_ROW = {"self-attention": 6, "neighbors only": 6, "LSTM": S, "convolution": 2}  # products that wait for each other


def n_weights(module):
    return sum(p.data.size for p in module.parameters())


print(f"{'':16s} {'weights of a layer':>18s} {'all parameters':>15s} {'multiplications':>16s} {'in a row':>9s}")
for name in ENCODERS:
    model = make(name)
    of_layer = sum(p.data.size for p in model.encoder.layers[0].parameters() if p.data.size > 4 * D)  # no biases
    products = forward_multiply_adds(model.config, S)
    print(f"{name:16s} {of_layer:18,d} {n_weights(model):15,d} {products:16,d} {IN_A_ROW[name]:9d}")
    assert of_layer == 6 * D**2 and abs(n_weights(model) / n_weights(make("LSTM")) - 1) < 0.01

# %% [markdown]
# Multiplications are those of one sentence of 10 tokens. They hardly differ. What differs is how many products of a layer
# wait for each other: 4 in self-attention (notebook 10) and 2 in its feed-forward network, 2 in two convolutions. In the
# LSTM it is one per word, because it cannot read word 7 before it has read word 6. Only this number grows with the sentence.
#
# ## Training
#
# Two of them are trained here. The table below has all four, on three seeds.

# %%
EPOCHS = 6
NAMES = ("self-attention", "neighbors only")  # add "LSTM" and "convolution" and run it again (half a minute)
runs = {name: trained(name, epochs=EPOCHS) for name in NAMES}

# %% tags=["hide-input"]
COLORS = dict(zip(ENCODERS, (main_color(), GREEN, PINK, ORANGE), strict=True))
figure, ax = new_figure(width=6, height=3.4)
for name, run in runs.items():
    ax.plot(range(1, EPOCHS + 1), run.accuracies, "o-", color=COLORS[name], label=name)
ax.set(xlabel="epoch", ylabel="held-out accuracy", ylim=(0.4, 1))
ax.legend(loc="lower right")
ax.grid(alpha=0.3)
figure

# %%
scores = {name: evaluate(run.classifier, test) for name, run in runs.items()}
some = ("adjective", "gender", "verb_last", "verb_second")
print(f"{'on the test set':17s} {'accuracy':>9s}  F1:", *(f"{name:>11s}" for name in some))
for name, result in scores.items():
    shares = (f"{100 * result.f1()[labels.id(one)]:10.0f}%" for one in some)
    print(f"{name:17s} {100 * result.accuracy:8.1f}%     ", *shares)

# %% tags=["hide-input"]
accuracy = {name: result.accuracy for name, result in scores.items()}
assert accuracy["neighbors only"] > accuracy["self-attention"] + 0.05

# %% [markdown]
# `python notebooks/four_encoders.py` prints this table, in some minutes: percent on the test set, on three seeds.
#
# @@TABLE@@
#
# ## Where it looks at an adjective with a wrong ending
#
# "einen alten Hund" would be correct. The article says that it is masculine and accusative, so that the adjective must
# end in "en". Here is what two classifiers make of both sentences.

# %%
WRONG, RIGHT = "Der Mann sieht einen alte Hund.", "Der Mann sieht einen alten Hund."  # change these and run it again
for name in ("self-attention", "neighbors only"):
    for text in (WRONG, RIGHT):
        [found] = runs[name].classifier.classify(text)
        print(f"{name:16s} {text:33s} {found.label}, P = {found.probabilities[found.label]:.2f}")
local = runs["neighbors only"].classifier
looked = sentence_attention(local, WRONG)

# %% tags=["hide-input"]
assert [found.label for found in local.classify([WRONG, RIGHT])] == ["adjective", "right"]
n_layers, n_heads = looked.encoder.shape[:2]
figure, axes = new_figure(n_layers, n_heads, **grid_size(looked.source, looked.source, n_layers, n_heads))
plot_attention_grid(axes, looked.encoder, looked.source, looked.source)
figure

# %%
adjective = looked.source.index("alte")
rows = looked.encoder[:, :, adjective]  # (layers, H, S)
for layer, row in enumerate(rows, 1):
    to = [f"{looked.source[i]} {weight:.2f}" for i, weight in enumerate(row.max(0)) if weight > 0.01]
    print(f"layer {layer}: 'alte' looks, in one head at least, at {', '.join(to)}")

# %% tags=["hide-input"]
band = abs(np.subtract.outer(range(len(looked.source)), range(len(looked.source)))) <= 1
assert (looked.encoder[..., ~band] == 0).all() and np.allclose(looked.encoder.sum(-1), 1, atol=1e-5)
assert rows[..., [adjective - 1, adjective + 1]].max() > 0.5

# %% [markdown]
# Some heads look to the left and some to the right: "alte" asks its article and its noun. The rest of the map is empty
# by construction. Now the same maps of plain self-attention, which may look anywhere:

# %% tags=["hide-input"]
everywhere = sentence_attention(runs["self-attention"].classifier, WRONG)
figure, axes = new_figure(n_layers, n_heads, **grid_size(everywhere.source, everywhere.source, n_layers, n_heads))
plot_attention_grid(axes, everywhere.encoder, everywhere.source, everywhere.source)
figure

# %%
near = float(everywhere.encoder[..., band].sum() / everywhere.encoder.sum())
print(f"within one word on either side is {near:.2f} of its weight; spread evenly it would be {band.mean():.2f}")


def uniform(plain, scores, mask=None):
    return plain(0 * scores, mask)


flat = {}
for name in ("self-attention", "neighbors only"):
    boxes = [layer.self_attention.sublayer.attention.softmax for layer in runs[name].classifier.model.encoder.layers]
    with wrap_methods([(box, "forward", uniform) for box in boxes]):
        flat[name] = evaluate(runs[name].classifier, test).accuracy
    print(f"{name:16s} accuracy {100 * accuracy[name]:.1f}%, with every weight alike {100 * flat[name]:.1f}%")

# %% tags=["hide-input"]
assert all(flat[name] < accuracy[name] - 0.1 for name in flat) and near < 0.6
assert scores["self-attention"].f1()[labels.id("adjective")] < 0.6

# %% [markdown]
# After six epochs it still looks at near words no more than at others. Ask it about right and wrong adjectives and it
# can hardly say more than that there is one. A map shows where it looked and not what it needed (notebook 09). So the
# last lines make all allowed weights alike. The accuracy falls: the patterns were needed.
#
# ## Three questions
#
# **1.** Two layers see one neighbor on either side, and pooling is "first". Which words can the class depend on?
#
# <details><summary>Answer</summary>
#
# On `<bos>` and the first two words. Each layer reaches one position further. Restricted attention and convolutions
# need many layers, or a pooling over all positions, before everything meets. Self-attention needs one: this is the
# column "maximum path length" of the paper's table 1. The folded cell below checks it.
#
# </details>
#
# **2.** What would you add to plain self-attention, so that it has the head start and can still look anywhere?
#
# <details><summary>Answer</summary>
#
# Something that makes near words easy to find: rotary or relative positions, whose scores depend on the distance
# ([notebook 15a](15a_rope_and_rmsnorm.ipynb)); some heads that see only neighbors; or a convolution before the encoder. More
# data also helps: `npformer train mistakes` has 20,000 sentences.
#
# </details>
#
# **3.** In the first section, could the LSTM without attention copy longer texts if it wrote them in reverse order?
#
# <details><summary>Answer</summary>
#
# A little longer. The last letters become easy, because they were read just before the mark, but the vector has to hold as
# much as before: after 400 updates, 54% of 10 letters are right in place of 47%. Sutskever et al. reversed their sources,
# so that the first words of both sentences are near each other, and it helped. `draw` says how to try it.
#
# </details>

# %% tags=["hide-input"]
encoder = make("neighbors only").encoder
ids = np.array([local.encode(WRONG)])  # (1, S)
with npf.trace(encoder) as trace:
    memory = encoder.forward(ids)  # (1, S, D)
    encoder.backward(memory * (np.arange(ids.size) == 0)[:, None])  # as from "first" pooling
reaches = abs(trace["tokens"].dy[0]).sum(-1) > 0  # (S,)
assert reaches.tolist() == [True] * 3 + [False] * (ids.size - 3)

# %% [markdown]
# Next: [notebook 12a](12a_language_modeling.ipynb), training a language model.
#
# Write it yourself: exercises 06 masks and 10 heads. `npformer class start my-course` begins the course.

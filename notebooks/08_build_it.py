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
# # 08 Build it
#
# **The idea:** the whole Transformer is about a hundred lines on top of the layers. Read them, write the one method
# that is left to you, and logits and gradients are those of the library to the last bit.
#
# Paper: figure 1 and section 3.1. About 30 minutes to read and run, 50 with every change and question. What you need
# before: [notebook 07](07_encoder_and_decoder.ipynb) for masks and the memory, and [notebook
# 12](12_the_backward_of_each_layer.ipynb) for the backwards.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from npformer import layers

# %% [markdown]
# This is what the notebook builds, with two layers on each side. B is the number of sentences, S and T are the
# numbers of source and target tokens.

# %%
SIZES = {"d_model": 32, "d_ff": 64, "n_heads": 4, "n_encoder_layers": 2, "n_decoder_layers": 2}
config = npf.TransformerConfig(src_vocab_size=14, tgt_vocab_size=14, dropout=0.1, **SIZES)
npf.visualization.figure_1(npf.Transformer(config, rng=0))

# %% [markdown]
# ## Add & Norm
#
# From the layers you take attention, the feed-forward network, LayerNorm, Dropout, Embedding and the positions. Around
# every sub-layer there is the same box: $y = \mathrm{LayerNorm}(x + \mathrm{Dropout}(f(x)))$.
#
# Its backward is left to you, three to five lines. It reads the formula from the outside in. $x$ is used twice, so $dx$
# is a sum. And the `backward` of a sub-layer returns an array, or a pair if it is cross-attention: the gradients of $x$
# and of the memory.


# %%
class AddNorm(npf.Module):
    """A sub-layer with dropout, a residual connection and LayerNorm."""

    def __init__(self, sublayer, config, rng):
        self.sublayer = sublayer
        self.dropout = layers.Dropout(config.dropout, rng=rng)
        self.norm = layers.LayerNorm(config.d_model)

    def forward(self, x, *context):  # (B, T, D), and what else the sub-layer takes: memory, masks
        return self.norm.forward(x + self.dropout.forward(self.sublayer.forward(x, *context)))

    def backward(self, dy):  # (B, T, D)
        return None  # write it here: dx, or with cross-attention (dx, dmemory)


rng = np.random.default_rng(0)
box = AddNorm(layers.FeedForward(32, 64, rng=rng), config, rng)
x = 5 * rng.normal(size=(1, 3, 32)).astype("float32") + 2  # (B, T, D), change the 5 and the 2 and run it again
y = box.forward(x)
for name, array in (("x", x), ("y", y)):
    print(f"{name}: mean of each position {array.mean(-1).round(2)}, standard deviation {array.std(-1).round(2)}")

# %% [markdown]
# Below is a solution, folded: open it when yours is written. It takes over as long as `backward` returns nothing. The
# cell after it checks the one that is in use: it moves $x$, and the memory, a little in a random direction
# ([notebook 13](13_gradient_checks.ipynb)). There is no dropout in this check; the comparison with
# the library, at the end, has it.


# %% tags=["hide-input"]
def solution(self, dy):  # (B, T, D)
    dtotal = self.norm.backward(dy)  # the gradient of the sum
    dx = self.sublayer.backward(self.dropout.backward(dtotal))  # through the sub-layer
    if isinstance(dx, tuple):
        return dtotal + dx[0], dx[1]
    return dtotal + dx


box.forward(x)
if AddNorm.backward.__name__ == "solution" or box.backward(np.ones_like(y)) is None:
    AddNorm.backward = solution

# %% tags=["hide-input"]
no_dropout = npf.TransformerConfig(src_vocab_size=14, tgt_vocab_size=14, dropout=0.0, **SIZES)
x, memory = rng.normal(size=(2, 1, 3, 32))  # (B, T, D), (B, S, D)
written = AddNorm.backward.__name__ != "solution"
print("your backward" if written else "nothing is written yet: this is the solution's backward")
for sublayer, inputs in (
    (layers.FeedForward(32, 64, rng=rng), (x,)),
    (layers.CrossAttention(32, 4, rng=rng), (x, memory)),
):
    box = AddNorm(sublayer, no_dropout, rng)
    dy, h = rng.normal(size=x.shape), 1e-3
    directions = [rng.normal(size=array.shape) for array in inputs]
    moved = ([array + step * d for array, d in zip(inputs, directions, strict=True)] for step in (h, -h))
    up, down = ((box.forward(*arrays) * dy).sum() for arrays in moved)
    box.forward(*inputs)
    gradients = box.backward(dy)
    gradients = gradients if isinstance(gradients, tuple) else (gradients,)
    analytic = sum((gradient * d).sum() for gradient, d in zip(gradients, directions, strict=True))
    numeric = (up - down) / (2 * h)
    print(f"{type(sublayer).__name__:15} numeric {numeric:8.4f}   backward {analytic:8.4f}")
    assert np.isclose(numeric, analytic, rtol=1e-3), "backward is not the derivative of forward"

# %% [markdown]
# ## Encoder
#
# An encoder layer is two such boxes. `backward` has the same lines in reverse order.


# %%
class EncoderLayer(npf.Module):
    """Self-attention, then the feed-forward network."""

    def __init__(self, config, rng):
        attention = layers.SelfAttention(config.d_model, config.n_heads, rng=rng)
        self.self_attention = AddNorm(attention, config, rng)
        self.feed_forward = AddNorm(layers.FeedForward(config.d_model, config.d_ff, rng=rng), config, rng)

    def forward(self, x, mask):  # (B, S, D), (B, 1, S)
        x = self.self_attention.forward(x, mask)
        return self.feed_forward.forward(x)

    def backward(self, dy):  # (B, S, D)
        dy = self.feed_forward.backward(dy)
        return self.self_attention.backward(dy)


# %% [markdown]
# Below the layers, ids become embeddings plus positions. The encoder is that, and a stack of layers:


# %%
class Tokens(npf.Module):
    """Embedding, positions and dropout."""

    def __init__(self, embedding, config, rng):
        self.embedding = embedding
        self.positions = layers.SinusoidalPositionalEncoding(config.d_model, max_len=config.max_len)
        self.dropout = layers.Dropout(config.dropout, rng=rng)

    def forward(self, ids):  # (B, S)
        return self.dropout.forward(self.positions.forward(self.embedding.forward(ids)))  # (B, S, D)

    def backward(self, dx):  # (B, S, D)
        self.embedding.backward(self.positions.backward(self.dropout.backward(dx)))


class Encoder(npf.Module):
    """Tokens, and n layers on top."""

    def __init__(self, embedding, config, rng):
        self.input_embedding = Tokens(embedding, config, rng)
        self.layers = [EncoderLayer(config, rng) for _ in range(config.n_encoder_layers)]

    def forward(self, ids, mask):  # (B, S), (B, 1, S)
        x = self.input_embedding.forward(ids)
        for layer in self.layers:
            x = layer.forward(x, mask)
        return x  # (B, S, D)

    def backward(self, dmemory):  # (B, S, D)
        for layer in reversed(self.layers):
            dmemory = layer.backward(dmemory)
        self.input_embedding.backward(dmemory)


rng = np.random.default_rng(0)
encoder = Encoder(layers.Embedding(14, 32, rng=rng), config, rng)
src = np.array([[4, 5, 6, 7, 3], [8, 9, 3, 0, 0]])  # (B, S), 3 is <eos>, 0 is padding; change an id and run it again
with encoder.evaluating():
    memory = encoder.forward(src, src[:, None, :] != 0)
print(f"memory {memory.shape}; the first numbers of each token of the second sentence:")
print(memory[1, :, :6].round(2))

# %% [markdown]
# ## Decoder
#
# A decoder layer has a third box between the two: cross-attention, which reads the memory. Its self-attention is
# causal.


# %%
class DecoderLayer(npf.Module):
    """Causal self-attention, cross-attention, then the feed-forward network."""

    def __init__(self, config, rng):
        D, H = config.d_model, config.n_heads
        causal = layers.ScaledDotProductAttention(causal=True)
        self.self_attention = AddNorm(layers.SelfAttention(D, H, attention=causal, rng=rng), config, rng)
        self.cross_attention = AddNorm(layers.CrossAttention(D, H, rng=rng), config, rng)
        self.feed_forward = AddNorm(layers.FeedForward(D, config.d_ff, rng=rng), config, rng)

    def forward(self, x, memory, mask, memory_mask):  # (B, T, D), (B, S, D), (B, 1, T), (B, 1, S)
        x = self.self_attention.forward(x, mask)
        x = self.cross_attention.forward(x, memory, memory_mask)
        return self.feed_forward.forward(x)

    def backward(self, dy):  # (B, T, D)
        dy, dmemory = self.cross_attention.backward(self.feed_forward.backward(dy))
        return self.self_attention.backward(dy), dmemory


# %% [markdown]
# Every layer reads the same memory, so `backward` adds up what comes back from all of them:


# %%
class Decoder(npf.Module):
    """Tokens, and n layers on top that read the memory."""

    def __init__(self, embedding, config, rng):
        self.input_embedding = Tokens(embedding, config, rng)
        self.layers = [DecoderLayer(config, rng) for _ in range(config.n_decoder_layers)]

    def forward(self, ids, memory, mask, memory_mask):  # (B, T), (B, S, D), (B, 1, T), (B, 1, S)
        x = self.input_embedding.forward(ids)
        for layer in self.layers:
            x = layer.forward(x, memory, mask, memory_mask)
        return x  # (B, T, D)

    def backward(self, dy):  # (B, T, D)
        dmemory = 0
        for layer in reversed(self.layers):
            dy, dmemory_of_layer = layer.backward(dy)
            dmemory = dmemory + dmemory_of_layer
        self.input_embedding.backward(dy)
        return dmemory  # (B, S, D)


decoder = Decoder(layers.Embedding(14, 32, rng=rng), config, rng)
tgt = np.array([[2, 7, 6, 5, 4], [2, 9, 8, 0, 0]])  # (B, T), 2 is <bos>
other, place = tgt.copy(), 3  # change the place and run it again
other[0, place] = 10
masks = tgt[:, None, :] != 0, src[:, None, :] != 0
with decoder.evaluating():
    moved = decoder.forward(other, memory, *masks) - decoder.forward(tgt, memory, *masks)  # (B, T, D)
print(f"token {place} changed: largest change at each position {abs(moved[0]).max(-1).round(2)}")
assert (moved[0, :place] == 0).all() and (moved[0, place:] != 0).any(-1).all()

# %% [markdown]
# ## The whole of figure 1
#
# One table is the embedding of source and target, and, transposed, the last Linear (section 3.4). The masks hide
# padding, id 0.


# %%
class Transformer(npf.Module):
    """Encode the source, decode the target, and score every token as the next one."""

    def __init__(self, config, rng):
        rng = np.random.default_rng(rng)
        self.config = config
        V, D = config.src_vocab_size, config.d_model
        source = layers.Embedding(V, D, rng=rng)
        self.encoder = Encoder(source, config, rng)
        self.decoder = Decoder(layers.Embedding(V, D, table=source.table), config, rng)
        self.generator = layers.Generator(V, D, table=source.table)

    def forward(self, src, tgt):  # (B, S), (B, T)
        mask, tgt_mask = src[:, None, :] != 0, tgt[:, None, :] != 0
        memory = self.encoder.forward(src, mask)
        return self.generator.forward(self.decoder.forward(tgt, memory, tgt_mask, mask))  # (B, T, V)

    def backward(self, dlogits):  # (B, T, V)
        dmemory = self.decoder.backward(self.generator.backward(dlogits))
        self.encoder.backward(dmemory)


mine = Transformer(config, rng=0)
# in SIZES, change n_encoder_layers alone to 3, then n_decoder_layers alone, and run the cells to here again
print(f"{sum(p.data.size for p in mine.parameters()):,} numbers to learn in {len(mine.parameters())} arrays")

# %% [markdown]
# **Question.** What does one layer more of the encoder add, what one of the decoder, and which numbers are these?
#
# <details><summary>Answer</summary>
#
# An encoder layer 8,544 numbers in 16 arrays: attention $4 \cdot (32 \cdot 32 + 32) = 4224$ in 8, feed-forward network
# $2 \cdot 32 \cdot 64 + 64 + 32 = 4192$ in 4, two LayerNorms $2 \cdot 64 = 128$ in 4. A decoder layer 12,832 in 26: one
# attention and one LayerNorm more, $4224 + 64$.
#
# </details>
#
# ## Is it the same?
#
# Your attributes have the names of npformer's, so the weights have the same names, and the random numbers are drawn in
# the same order. Build both from the same seed, give them the same sentences, padding included, and the same
# $d\text{logits}$. Compare logits and all gradients:

# %%
dlogits = np.random.default_rng(1).normal(size=(2, 5, 14)).astype("float32")  # as a loss might hand it over

found = {}
for name, model in (("mine", Transformer(config, rng=0)), ("npformer's", npf.Transformer(config, rng=0))):
    model.zero_grad()
    logits = model.forward(src, tgt)
    model.backward(dlogits)
    found[name] = logits, {name: p.grad.copy() for name, p in model.named_parameters()}
    print(f"{name:10} logits {logits[0, 0, :3].round(4)}  gradient {model.generator.table.grad[4, :3].round(3)}")

# %% tags=["hide-input"]
(logits, gradients), (their_logits, their_gradients) = found.values()
same = [name for name in gradients if np.array_equal(gradients[name], their_gradients[name])]
print(f"logits equal: {np.array_equal(logits, their_logits)}; equal gradients: {len(same)} of {len(their_gradients)}")
assert np.array_equal(logits, their_logits) and len(same) == len(gradients) == len(their_gradients)

# %% [markdown]
# Equal to the last bit, dropout included, because it also drew the same numbers. **Change this and run it again:**
# write `dmemory = dmemory_of_layer` in `Decoder`, and run all cells from there to here. Then leave out one
# `dtotal +` of `AddNorm.backward` (yours, or the solution's, and continue after its check, which stops you first).
#
# **Question.** How many gradients still agree in each case, why these, and what do the logits say?
#
# <details><summary>Answer</summary>
#
# With `dmemory = dmemory_of_layer` 52 of 85, all arrays of the decoder's layers. The encoder gets one decoder layer's
# part of its gradient, so its 32 arrays and the shared table are wrong. Without the last `dtotal +` only 6 agree: those
# of the topmost box, which no wrong gradient has passed yet. Without the one in the pair 16, those of the two topmost
# boxes. The logits are equal every time: forward does not notice.
#
# </details>
#
# ## Train it
#
# The task is that of notebook 17: write a row of digits in reverse order. `Objective` and `Trainer` need `forward`,
# `backward`, the parameters and the `config` of a model, so they train yours as they train the library's.

# %% tags=["hide-input"]
from npformer.datasets import sequences
from npformer.tasks import Batches, Objective
from npformer.training import Adam, Trainer, WarmupSchedule
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, main_color
from npformer.visualization.plots.curves import running_mean


def ids_of(pairs):
    """Return (source ids, target ids) of pairs of digits."""
    return [tuple([4 + int(digit) for digit in side.split()] for side in pair[:2]) for pair in pairs]


pairs, held_out = map(ids_of, sequences.split("reverse", n_train=2000, n_held_out=200, min_length=3, max_length=6))

# %%
EPOCHS = 8  # change this to 2 and run the section again
mine = Transformer(no_dropout, rng=0)
rate = WarmupSchedule.with_peak(5e-3, d_model=32, warmup_steps=60)  # notebook 15
adam = Adam(mine.parameters(), learning_rate=rate)
trainer = Trainer(Objective(mine, label_smoothing=0.0), adam, Batches(pairs, batch_tokens=512))
losses = [record.loss for record in trainer.updates(EPOCHS)]


def greedy(model, source, longest=10):
    """Write the most probable next token until <eos>."""
    written = [2]
    with model.evaluating():
        while written[-1] != 3 and len(written) < longest:
            logits = model.forward(np.array([[*source, 3]]), np.array([written]))  # (1, T, V)
            written.append(int(logits[0, -1].argmax()))
    return [token for token in written[1:] if token != 3]


answers = [greedy(mine, source) for source, _ in held_out]
for (source, target), answer in list(zip(held_out, answers, strict=True))[:3]:
    row, written, right = ([token - 4 for token in ids] for ids in (source, answer, target))
    print(row, "->", written, " right:", right)
correct = np.array([answer == target for answer, (_, target) in zip(answers, held_out, strict=True)])
equal = np.array([(np.diff(source) == 0).any() for source, _ in held_out])  # has equal neighbors
print(f"loss of the last 20 updates {np.mean(losses[-20:]):.2f}; {correct.sum()} of {len(held_out)} new rows correct")
print(f"with equal neighbors {correct[equal].mean():.0%} of {equal.sum()}, without {correct[~equal].mean():.0%}")

# %% tags=["hide-input"]
figure, ax = new_figure(width=7, height=3)
ax.plot(running_mean(losses, 5), color=main_color(), linewidth=2, label="your model")
ax.axhline(np.log(10), color=GREY, linewidth=1, label="guessing one of ten digits, ln 10")
ax.set(xlabel="update", ylabel="loss per token (nats)")
ax.set_ylim(0, None)
ax.legend()
assert EPOCHS < 8 or (np.mean(losses[-20:]) < 0.5 and correct.mean() > 0.5)
figure

# %% [markdown]
# Most new rows are correct after a few seconds. The first answer above stops too early: it should end with two equal
# digits, and the model writes only one of them. Such rows are the harder ones, as the last line says (among rows of six
# digits, too: 56% of them are correct, and 77% of the others): two equal neighbors have the same embedding, and only
# their positions tell one from the other.
#
# So a hundred lines are the model, and it learns. But which of these lines does it need? That is the question of 06c.
#
# ## Questions
#
# **1.** Embedding of the source, embedding of the target and generator share one table. No line of
# `Transformer.backward` adds their three gradients. Where are they added?
#
# <details><summary>Answer</summary>
#
# In the layers. All three hold the same `Parameter`, and each backward ends in `table.grad += ...`, so the sum is there
# when the last of them has run. It is also the reason for `zero_grad` before each update, and for `parameters()` to
# name a shared Parameter once: otherwise Adam would move it three times.
#
# </details>
#
# **2.** `AddNorm.backward` returns `dtotal + dx[0], dx[1]` for cross-attention. Why is nothing added to `dx[1]`?
#
# <details><summary>Answer</summary>
#
# The residual connection adds $x$, which comes from the decoder. The memory goes into the sub-layer only, as keys and
# values, so its whole gradient comes from there. What is added to it are the gradients from other layers, in
# `Decoder.backward`.
#
# </details>
#
# **3.** Where would you put pre-norm (notebook 07) into `AddNorm`, and what else changes in the model?
#
# <details><summary>Answer</summary>
#
# `x + self.dropout.forward(self.sublayer.forward(self.norm.forward(x), *context))`, in backward `dy +
# norm.backward(...)`. And one LayerNorm more at the top of encoder and decoder, because the sum that runs from box to
# box is then never normalized.
#
# </details>
#
# ---
#
# Next: [notebook 17b](17b_what_each_part_is_for.ipynb), which takes the model apart again.
#
# Write it yourself: exercises encoder_layer, decoder_layer, add_norm, encoder_training. `npformer course start my-course`
# begins the course.

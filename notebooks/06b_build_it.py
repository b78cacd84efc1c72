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
# # 06b Build it
#
# **The idea:** the whole Transformer is about a hundred lines on top of the layers, and an experiment shows what each
# part of it is for.
#
# Paper: figure 1 and section 3.1. About 85 minutes, half of them experiments. What you need before: [notebook
# 06](06_encoder_and_decoder.ipynb) for masks and the memory, and [notebook 05c](05c_the_backward_of_each_layer.ipynb) for
# the backwards.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from npformer import layers

# %% [markdown]
# This is what you are going to build, with two layers on each side. B is the number of sentences, S and T are the
# numbers of source and target tokens.

# %%
SIZES = {"d_model": 32, "d_ff": 64, "n_heads": 4, "n_encoder_layers": 2, "n_decoder_layers": 2}
config = npf.TransformerConfig(src_vocab_size=14, tgt_vocab_size=14, dropout=0.1, **SIZES)
npf.visualization.figure_1(npf.Transformer(config, rng=0))

# %% [markdown]
# ## Add & Norm
#
# From the layers you take attention, the feed-forward network, LayerNorm, Dropout, Embedding and the positions. Around every
# sub-layer there is the same box: $y = \mathrm{LayerNorm}(x + \mathrm{Dropout}(f(x)))$. Its backward reads that from the
# outside in. $x$ is used twice, so $dx$ is a sum; cross-attention also returns a gradient of the memory.


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
        dtotal = self.norm.backward(dy)
        dx = self.sublayer.backward(self.dropout.backward(dtotal))
        if isinstance(dx, tuple):
            return dtotal + dx[0], dx[1]
        return dtotal + dx


rng = np.random.default_rng(0)
box = AddNorm(layers.FeedForward(32, 64, rng=rng), config, rng)
x = 5 * rng.normal(size=(1, 3, 32)).astype("float32") + 2  # (B, T, D), change the 5 and the 2 and run it again
y = box.forward(x)
for name, array in (("x", x), ("y", y)):
    print(f"{name}: mean of each position {array.mean(-1).round(2)}, standard deviation {array.std(-1).round(2)}")

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
        self.tokens = Tokens(embedding, config, rng)
        self.layers = [EncoderLayer(config, rng) for _ in range(config.n_encoder_layers)]

    def forward(self, ids, mask):  # (B, S), (B, 1, S)
        x = self.tokens.forward(ids)
        for layer in self.layers:
            x = layer.forward(x, mask)
        return x  # (B, S, D)

    def backward(self, dmemory):  # (B, S, D)
        for layer in reversed(self.layers):
            dmemory = layer.backward(dmemory)
        self.tokens.backward(dmemory)


rng = np.random.default_rng(0)
encoder = Encoder(layers.Embedding(14, 32, rng=rng), config, rng)
src = np.array([[4, 5, 6, 7, 3], [8, 9, 3, 0, 0]])  # (B, S), 3 is <eos>, 0 is padding; change an id and run it again
with encoder.evaluating():
    memory = encoder.forward(src, src[:, None, :] != 0)
print(f"memory {memory.shape}; the first numbers of each token of sentence 1:")
print(memory[1, :, :6].round(2))

# %% [markdown]
# ## Decoder
#
# A decoder layer has a third box between the two: cross-attention, which reads the memory. Its self-attention is causal.


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
        self.tokens = Tokens(embedding, config, rng)
        self.layers = [DecoderLayer(config, rng) for _ in range(config.n_decoder_layers)]

    def forward(self, ids, memory, mask, memory_mask):  # (B, T), (B, S, D), (B, 1, T), (B, 1, S)
        x = self.tokens.forward(ids)
        for layer in self.layers:
            x = layer.forward(x, memory, mask, memory_mask)
        return x  # (B, T, D)

    def backward(self, dy):  # (B, T, D)
        dmemory = 0
        for layer in reversed(self.layers):
            dy, dmemory_of_layer = layer.backward(dy)
            dmemory = dmemory + dmemory_of_layer
        self.tokens.backward(dy)
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
# One table is the embedding of source and target, and, transposed, the last Linear (section 3.4). The masks hide padding,
# id 0.


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
# change the layers in SIZES to 3 and run the cells to here again: what do an encoder and a decoder layer have?
print(f"{sum(p.data.size for p in mine.parameters()):,} numbers to learn in {len(mine.parameters())} arrays")

# %% [markdown]
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
# Equal to the last bit, dropout included, because it also drew the same numbers. **Change this and run it again:** leave out one
# `dtotal +` in `AddNorm`, or write `dmemory = dmemory_of_layer` in `Decoder`, run all cells from there to
# here, and see how many gradients still agree (the folded check above then fails, as it should).
#
# ## Train it
#
# The task is that of notebook 00: write a row of digits in reverse order.

# %% tags=["hide-input"]
from npformer.datasets.synthetic import sequences
from npformer.tasks import Batches, Objective, mean_loss
from npformer.training import Adam, FlatParameters, Trainer, WarmupSchedule
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import ORANGE, main_color
from npformer.visualization.plots.curves import running_mean


def ids_of(pairs):
    """Return (source ids, target ids) of pairs of digits."""
    return [tuple([4 + int(digit) for digit in side.split()] for side in pair[:2]) for pair in pairs]


train_pairs, held_out = map(
    ids_of, sequences.split("reverse", n_train=2000, n_held_out=200, min_length=3, max_length=6)
)
NO_DROPOUT = npf.TransformerConfig(src_vocab_size=14, tgt_vocab_size=14, dropout=0.0, **SIZES)
held_out_batches = Batches(held_out, batch_tokens=512)


# %%
def train(model, epochs, pairs=train_pairs):
    """Train a model; return its losses, and its loss on held-out pairs after each tenth of the epochs."""
    rate = WarmupSchedule.with_peak(5e-3, d_model=32, warmup_steps=60)  # notebook 07
    adam = Adam(FlatParameters(model.parameters()), learning_rate=rate)
    losses, held_out_losses = [], []
    trainer = Trainer(Objective(model, label_smoothing=0.0), adam, Batches(pairs, batch_tokens=512))
    for record in trainer.updates(epochs):
        losses.append(record.loss)
        if record.ends_epoch and record.epoch % max(1, epochs // 10) == 0:
            held_out_losses.append(mean_loss(model, held_out_batches))
    return np.array(losses), np.array(held_out_losses)


def greedy(model, source, longest=10):
    """Write the most probable next token until <eos>."""
    written = [2]
    with model.evaluating():
        while written[-1] != 3 and len(written) < longest:
            logits = model.forward(np.array([[*source, 3]]), np.array([written]))  # (1, T, V)
            written.append(int(logits[0, -1].argmax()))
    return [token - 4 for token in written[1:-1]]


EPOCHS = 8  # change this to 2 and run it again
whole = Transformer(NO_DROPOUT, rng=0)
whole_losses, _ = train(whole, EPOCHS)
for source, target in held_out[:3]:
    print([token - 4 for token in source], "->", greedy(whole, source), " right:", [token - 4 for token in target])

# %% [markdown]
# The first answer stops too early: it should end with two equal digits, and after 8 epochs the model writes only one of
# them. The others are correct. The loss agrees: it is low and not yet 0.
#
# ## What is the residual connection for?
#
# Take it out, $y = \mathrm{LayerNorm}(f(x))$, and train again from the same start. This class can leave out either half of
# the box. `leave_out` gives it to boxes that exist: in Python an object's `__class__` can be replaced, so that it keeps its
# weights and has the other methods.
#
# This experiment and those below are one run each, from one seed. Their differences are large; before you believe a
# smaller one, run it from several seeds ([notebook 10b](10b_table_3.ipynb)).


# %%
class Without(AddNorm):
    """An Add & Norm without the residual connection, or without LayerNorm."""

    left_out = "residual"

    def forward(self, x, *context):  # (B, T, D)
        y = self.dropout.forward(self.sublayer.forward(x, *context))
        y = y if self.left_out == "residual" else x + y
        return y if self.left_out == "norm" else self.norm.forward(y)

    def backward(self, dy):  # (B, T, D)
        dtotal = dy if self.left_out == "norm" else self.norm.backward(dy)
        dx = self.sublayer.backward(self.dropout.backward(dtotal))
        direct = 0 if self.left_out == "residual" else dtotal
        return (direct + dx[0], dx[1]) if isinstance(dx, tuple) else direct + dx


def leave_out(model, what):
    """Turn every Add & Norm of a model into one without `what`, and return the model."""
    for _, module in model.named_modules():
        if type(module) is AddNorm:
            module.__class__, module.left_out = Without, what
    return model


# change the 0 to 1 or 2, another start, and run it again
without_residual, _ = train(leave_out(Transformer(NO_DROPOUT, rng=0), "residual"), EPOCHS)
print(f"loss of the last 20 updates: {whole_losses[-20:].mean():.2f}, without {without_residual[-20:].mean():.2f}")

# %% tags=["hide-input"]
COLORS = {"whole": main_color(), "without": ORANGE}


def plot_losses(ax, whole, without, what):
    """Draw two loss curves."""
    for (label, color), losses in zip(COLORS.items(), (whole, without), strict=True):
        style = {"color": color, "linestyle": "-" if label == "whole" else "--", "linewidth": 2}
        ax.plot(running_mean(losses, 5), label=f"{label} {what}" if label == "without" else label, **style)
    ax.set(xlabel="update", ylabel="loss per token (nats)")
    ax.legend()


figure, ax = new_figure(width=7, height=3)
plot_losses(ax, whole_losses, without_residual, "residual connections")
ax.set_ylim(0, None)
assert EPOCHS != 8 or without_residual[-20:].mean() > whole_losses[-20:].mean() + 0.5
figure

# %% [markdown]
# Without it each layer has to hand on by itself everything that later layers need: what the token is and where it is. With
# it a layer only *adds*: all layers write into one stream, and at the start, when they know nothing, the embeddings pass
# through unharmed. The gradient has the same road back (05c).
#
# ## What is LayerNorm for?
#
# In a model this small, started with weights of the right size, you would hardly miss it. So start with weights that are too
# large, by a factor, and follow the standard deviation of the vectors through the four boxes of the encoder:

# %%
FACTOR = 2.0  # change this to 1 and run the section again


def scaled(model):
    """Multiply all matrices of a model by FACTOR, and return it."""
    for name, parameter in model.named_parameters():
        if name.endswith("weight"):
            parameter.data *= FACTOR
    return model


models = {"whole": scaled(Transformer(NO_DROPOUT, rng=0))}
models["without"] = leave_out(scaled(Transformer(NO_DROPOUT, rng=0)), "norm")
for name, model in models.items():
    with npf.trace(model) as trace:
        model.forward(src, tgt)
    boxes = [f"encoder.layers.{n}.{part}" for n in (0, 1) for part in ("self_attention", "feed_forward")]
    print(f"{name:8} standard deviation after each box {np.array([trace[b].output.std() for b in boxes]).round(1)}")

# %%
scaled_losses = {name: train(model, 3)[0] for name, model in models.items()}
for name, losses in scaled_losses.items():
    print(f"{name:8} first loss {losses[0]:9.1f}   mean of the last 20 {losses[-20:].mean():9.2f}")

# %% tags=["hide-input"]
figure, ax = new_figure(width=7, height=3)
plot_losses(ax, scaled_losses["whole"], scaled_losses["without"], "LayerNorm")
ax.set_yscale("log")
assert FACTOR != 2 or scaled_losses["without"][-20:].mean() > 5 * scaled_losses["whole"][-20:].mean()
figure

# %% [markdown]
# Depth does what large weights do. Here are weights of the right size, but twelve encoder layers:

# %%
DEPTH = 12  # change this to 24 and run it again
deep = npf.TransformerConfig(src_vocab_size=14, tgt_vocab_size=14, dropout=0.0, **{**SIZES, "n_encoder_layers": DEPTH})
for name, model in {"whole": Transformer(deep, rng=0), "without": leave_out(Transformer(deep, rng=0), "norm")}.items():
    with npf.trace(model) as trace:
        model.forward(src, tgt)
    sizes = [trace[f"encoder.layers.{n}"].output.std() for n in (0, DEPTH // 2 - 1, DEPTH - 1)]
    print(f"{name:8} standard deviation after one layer, half of them, all:", *(f"{size:6.1f}" for size in sizes))

# %% [markdown]
# Each sub-layer multiplies what it gets, and the stream grows from box to box. LayerNorm sets every position back to the same
# size, so the next sub-layer always meets what it expects, however many layers there are and whatever training has done to
# their weights. The price is information: the length of a vector is lost.
#
# ## What is the feed-forward network for?
#
# For one position on its own, attention is a *linear* map: a softmax over one key gives the weight 1, and
# $x W^V W^O$ is left. Stack as many as you like, it stays linear. Try exclusive or, the smallest function that is not: of two
# bits, is exactly one set? A text is one position of eight features: the two bits, and six ones. The answer is read from
# feature 2 of $x + f(x)$.

# %%
bits = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
answers = np.array([0.0, 1.0, 1.0, 0.0])  # change this to bits[:, 0] * bits[:, 1], "and", and run it again
x = np.concatenate([bits, np.ones((4, 6))], -1)[:, None]  # (4, 1, 8): four texts, one position, eight features


def learn(sublayer, steps=1000, rate=0.05):
    """Train x + sublayer(x) to have the answers in feature 2; return what it says in the end."""
    for _ in range(steps):
        sublayer.zero_grad()
        said = (x + sublayer.forward(x))[:, 0, 2]
        dy = np.zeros_like(x)
        dy[:, 0, 2] = 2 * (said - answers) / 4  # of the mean of squares
        sublayer.backward(dy)
        for parameter in sublayer.parameters():
            parameter.data -= rate * parameter.grad
    return said


attention = learn(layers.SelfAttention(8, 2, rng=0, dtype="float64"))
network = learn(layers.FeedForward(8, 32, rng=1, dtype="float64"))
print("bits        ", *("".join(str(int(bit)) for bit in pair).rjust(6) for pair in bits))
for name, said in (("right", answers), ("attention", attention), ("feed forward", network)):
    print(f"{name:12}", *(f"{value + 0.0:6.2f}" for value in said.round(2)))

# %% tags=["hide-input"]
assert abs(network - answers).max() < 0.1 and (answers[3] or abs(attention - 0.5).max() < 0.01)

# %% [markdown]
# Attention answers 0.5 four times: the best that a linear map can do. In words: attention *moves* information between
# positions, the feed-forward network *computes* with what has arrived at one. In a whole model it is not alone, because softmax
# and LayerNorm are not linear either. So taking it out costs less than everything. Here is a task that needs computing: of each two
# neighbors, write the difference.


# %%
class Nothing(npf.Module):
    """Return the input."""

    def forward(self, x):
        return x

    def backward(self, dy):
        return dy


draw = np.random.default_rng(0)
rows = [draw.integers(0, 10, draw.integers(3, 8)) for _ in range(2000)]
differences = [([4 + int(a) for a in row], [4 + int(a) for a in abs(np.diff(row))]) for row in rows]
one_layer = {**SIZES, "n_encoder_layers": 1, "n_decoder_layers": 1}
small = npf.TransformerConfig(src_vocab_size=14, tgt_vocab_size=14, dropout=0.0, **one_layer)
with_network, without_network = Transformer(small, rng=0), Transformer(small, rng=0)
for layer in (*without_network.encoder.layers, *without_network.decoder.layers):
    layer.feed_forward = Nothing()
computed = [train(model, 16, differences)[0] for model in (with_network, without_network)]
print(
    "4 8 3  ->  4 5;  loss of the last 20 updates: {:.2f}, without {:.2f}".format(*(c[-20:].mean() for c in computed))
)

# %% tags=["hide-input"]
figure, ax = new_figure(width=7, height=3)
plot_losses(ax, *computed, "feed-forward network")
assert computed[1][-20:].mean() > computed[0][-20:].mean() + 0.5
figure

# %% [markdown]
# ## What is dropout for?
#
# With 2000 pairs and a small model there is no need of it. With 200 pairs there is: the model can learn them by heart.

# %%
FEW = train_pairs[:200]  # change this to train_pairs[:1000] and run it again
curves = {}
for dropout in (0.1, 0.0):
    settings = npf.TransformerConfig(src_vocab_size=14, tgt_vocab_size=14, dropout=dropout, **one_layer)
    losses, held_out_losses = train(Transformer(settings, rng=0), 80, FEW)
    curves[dropout] = held_out_losses
    print(
        f"dropout {dropout}: in training {losses[-20:].mean():.2f}, on held-out pairs {held_out_losses[1::2].round(2)}"
    )

# %% tags=["hide-input"]
figure, ax = new_figure(width=7, height=3)
for (dropout, held_out_losses), (label, color) in zip(curves.items(), COLORS.items(), strict=True):
    style = {"color": color, "linestyle": "-" if label == "whole" else "--", "linewidth": 2}
    ax.plot(range(8, 81, 8), held_out_losses, label=f"dropout {dropout}", **style)
ax.set(xlabel="epoch", ylabel="loss on held-out pairs (nats)", ylim=(0, None))
ax.legend()
assert len(FEW) != 200 or (curves[0.0][-1] > curves[0.0].min() + 0.02 and curves[0.1][-1] < curves[0.0].min())
figure

# %% [markdown]
# Without dropout the training loss goes to 0, and the loss on held-out pairs falls, turns and rises: from there on the
# model learns the pairs and not the rule. With dropout no number can rely on any other being there. It learns more slowly
# and its training loss stays high, because that is measured with numbers missing, but on new pairs it is better.
#
# ## Questions
#
# **1.** Take out all positional encodings. What can the model of this notebook still learn about reversing?
#
# <details><summary>Answer</summary>
#
# Which digits to write, and how often each, but not their order in the source: without positions the encoder's memory is a
# set. The decoder still knows something about its own place, because causal self-attention of position $t$ averages over
# $t + 1$ tokens.
#
# </details>
#
# **2.** Without LayerNorm the standard deviation grew about threefold with each box. Pre-norm (notebook 06) does not
# normalize the stream either. Why does it not grow in the same way there?
#
# <details><summary>Answer</summary>
#
# With pre-norm each sub-layer reads a normalized copy, so each adds about the same amount, however large the stream is. After
# $n$ boxes the variance is about $n$ times that of one: the standard deviation grows with $\sqrt{n}$. Without any norm each
# sub-layer multiplies what it finds, and it grows like $3^n$.
#
# </details>
#
# **3.** Where would you put pre-norm (notebook 06) into `AddNorm`, and what else changes in the model?
#
# <details><summary>Answer</summary>
#
# `x + self.dropout.forward(self.sublayer.forward(self.norm.forward(x), *context))`, in backward `dy + norm.backward(...)`. And
# one LayerNorm more at the top of encoder and decoder, because the stream itself is then never normalized.
#
# </details>
#
# ---
#
# Next: [notebook 07](07_training.ipynb), on loss, Adam and warm-up.
#
# Write it yourself: exercises 16 add_norm, 17 dropout, 32 encoder_training. `npformer class start my-course` begins the course.

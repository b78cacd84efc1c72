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
# # 17b What each part is for
#
# **The idea:** take one part out of the model and train the rest. What it can no longer do is what the part was for.
#
# Paper: sections 3.1, 3.3 and 5.4. About 30 minutes to read and run, 50 with every change and question. What you need
# before: [notebook 08](08_build_it.ipynb), where this model was built.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from npformer import layers

SEED = 0  # change this to 1 and run all again
SIZES = {"d_model": 32, "d_ff": 64, "n_heads": 4, "n_encoder_layers": 2, "n_decoder_layers": 2}

# %% [markdown]
# ## A bet
#
# Below, four parts are taken out, one at a time: the residual connection, LayerNorm, the feed-forward network and
# dropout. Before you run anything, put them in order: which will the model miss most, and which least?
#
# The model and the task are those of 06b: two layers on each side, 32 features, and a row of digits to write in reverse
# order. This time it is the library's model, because its parts are attributes that can be replaced. In the folded cell,
# `train` returns the losses, and the loss on held-out pairs after each tenth of the epochs.

# %% tags=["hide-input"]
from npformer.datasets import sequences
from npformer.tasks import Batches, Objective, mean_loss
from npformer.training import Adam, Trainer, WarmupSchedule
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREEN, GREY, ORANGE, PINK, main_color
from npformer.visualization.plots.curves import running_mean


def ids_of(pairs):
    """Return (source ids, target ids) of pairs of digits."""
    return [tuple([4 + int(digit) for digit in side.split()] for side in pair[:2]) for pair in pairs]


splits = sequences.split("reverse", n_train=2000, n_held_out=200, min_length=3, max_length=6)
train_pairs, held_out = map(ids_of, splits)


def train(model, epochs, pairs=train_pairs):
    """Train a model; return its losses, and its loss on held-out pairs after each tenth of the epochs."""
    adam = Adam(model.parameters(), learning_rate=WarmupSchedule.with_peak(5e-3, 32, 60))
    losses, held_out_losses = [], []
    trainer = Trainer(Objective(model, label_smoothing=0.0), adam, Batches(pairs, batch_tokens=512))
    for record in trainer.updates(epochs):
        losses.append(record.loss)
        if record.ends_epoch and record.epoch % max(1, epochs // 10) == 0:
            held_out_losses.append(mean_loss(model, Batches(held_out, batch_tokens=512)))
    return np.array(losses), np.array(held_out_losses)


# %%
def fresh(dropout=0.0, **sizes):
    """Return a model that has not learned anything yet, always the same one."""
    config = npf.TransformerConfig(src_vocab_size=14, tgt_vocab_size=14, dropout=dropout, **{**SIZES, **sizes})
    return npf.Transformer(config, rng=SEED)


# %% [markdown]
# A layer that returns its input takes the place of a LayerNorm, or of a whole box around a feed-forward network. The
# residual connection is part of a box, `PostNorm` in the library: $\mathrm{LayerNorm}(f(x))$ takes the place of
# $\mathrm{LayerNorm}(x + f(x))$. Dropout is off in `fresh()`, as in 06b, so its other run is the one with dropout.


# %%
class Nothing(npf.Module):
    """Return the input."""

    def forward(self, x):
        return x

    def backward(self, dy):
        return dy


class NoResidual(layers.PostNorm):
    """An Add & Norm without the sum, made of the parts of a box that has it."""

    def __init__(self, box):
        self.sublayer, self.dropout, self.norm = box.sublayer, box.dropout, box.norm

    def forward(self, x, *context):  # (B, T, D)
        return self.norm.forward(self.dropout.forward(self.sublayer.forward(x, *context)))

    def backward(self, dy):  # (B, T, D)
        return self.sublayer.backward(self.dropout.backward(self.norm.backward(dy)))


def remove(part, model):
    """Take a part out of every layer of a model, and return it."""
    for layer in (*model.encoder.layers, *model.decoder.layers):
        for name, box in layer.members(layers.PostNorm):  # each Add & Norm
            if part == "residual":
                setattr(layer, name, NoResidual(box))
            elif part == "LayerNorm":
                box.norm = Nothing()
            elif part == "ReLU" and name == "feed_forward":
                box.sublayer.activation = Nothing()
            elif part == "network" and name == "feed_forward":
                layer.feed_forward = Nothing()
    return model


# %% [markdown]
# Five trainings from the same start:

# %%
models = {f"without {part}": remove(part, fresh()) for part in ("residual", "LayerNorm", "network")}
models = {"whole": fresh(), **models, "with dropout 0.1": fresh(dropout=0.1)}
found = {name: train(model, 8) for name, model in models.items()}
for name, (_, held_out_losses) in found.items():
    print(f"{name:18} loss on held-out pairs {held_out_losses[-1]:.2f}")

# %% tags=["hide-input"]
LOOKS = {"whole": {"color": main_color(), "linewidth": 2}}
LOOKS["without"] = {"color": ORANGE, "linewidth": 2, "linestyle": "--"}
costs = []  # of the table at the end
ends = {name: held_out_losses[-1] for name, (_, held_out_losses) in found.items()}
costs.append(("residual connection", "reversing, 8 epochs, held out", ends["whole"], ends["without residual"]))
assert ends["without residual"] > 1 and max(ends["without LayerNorm"], ends["without network"]) < 0.7
assert ends["whole"] < min(end for name, end in ends.items() if name != "whole")
figure, ax = new_figure(width=7, height=3.4)
colors = (main_color(), ORANGE, GREEN, PINK, GREY)
for (name, (_, curve)), color, style in zip(found.items(), colors, ("o-", "s--", "^-.", "v:", "D--"), strict=True):
    ax.plot(range(1, 9), curve, style, color=color, label=name, markersize=4)
ax.set(xlabel="epoch", ylabel="loss on held-out pairs (nats)", ylim=(0, None))
ax.legend()
figure

# %% [markdown]
# Who won the bet? The residual connection is missed most, by far. LayerNorm and the feed-forward network come next: the
# model learns without them, and ends higher. (The curves cross on the way, and which of the two is second depends on
# the seed: 0.30 and 0.23 from seed 1, 0.27 and 0.40 from seed 2.) Dropout is missed least: this model is better without
# it.
#
# But this is one task, one depth and one amount of data. The rest asks of each part why, and looks for a case in which
# the model does miss it.
#
# ## What is the residual connection for?
#
# Look at the vectors that an encoder of twelve layers makes before any training. How much alike are those of two
# positions? The cosine of their angle is 1 when both point the same way. Here is its mean over all pairs of positions
# in one row of seven tokens. The third line is a model with pre-norm (notebook 06), the last column the mean cosine
# between a position and its own embedding.

# %%
DEPTH = 12  # change this to 24 and run it again
row = np.array([[4, 5, 6, 7, 8, 9, 3]])  # (1, S), seven different tokens
deep = {"n_encoder_layers": DEPTH}


def cosines(x, y):
    """Return the cosine between each position of x and each of y, both (1, S, D), as a matrix (S, S)."""
    x, y = (array[0] / np.linalg.norm(array[0], axis=-1, keepdims=True) for array in (x, y))
    return x @ y.T


models = {"whole": fresh(**deep), "without": remove("residual", fresh(**deep)), "pre-norm": fresh(**deep, norm="pre")}
alike = {}
print("after layer    1     2     4     8    all    own embedding, after all")
for name, model in models.items():
    with npf.trace(model) as trace:
        model.forward(row, row)
    outputs = [trace["encoder.input_embedding"].output] + [trace[f"encoder.layers.{n}"].output for n in range(DEPTH)]
    alike[name] = [cosines(x, x)[~np.eye(7, dtype=bool)].mean() for x in outputs]
    own = np.diag(cosines(outputs[-1], outputs[0])).mean()
    print(f"{name:10}", *(f"{alike[name][n]:5.2f}" for n in (1, 2, 4, 8, DEPTH)), f"{own:12.2f}")

# %% tags=["hide-input"]
assert alike["without"][2] > 0.99 and max(alike["whole"][:3]) < 0.6 and alike["pre-norm"][-1] < 0.85

# %% [markdown]
# Without it, all seven positions have nearly the same vector after two layers. Attention takes means, and weights that
# have not learned anything give nearly the same mean at every position. So which token was where is lost, and the
# layers above have nothing left to learn from. (Dong et al. 2021 derive it for attention alone, and show that residual
# connections and feed-forward networks work against it.)
#
# With it a layer *adds* to the vectors, and the mixing is slower. In post-norm it does happen: each LayerNorm scales
# down what came before, so the embeddings fade a little in every box, and after twelve layers all positions are nearly
# alike. With pre-norm nothing scales the sum, and the embeddings are still in it at the top. The gradient has the same
# way back (05c).
#
# ## What is LayerNorm for?
#
# A model this small does without it, if it starts with weights of the right size. So make them too large, by a factor,
# and follow the standard deviation of the vectors through the four boxes of the encoder:

# %%
FACTOR = 2.0  # change this to 1 or 3 and run the section again


def scaled(model):
    """Multiply all matrices of a model by FACTOR, and return it."""
    for name, parameter in model.named_parameters():
        if name.endswith("weight"):
            parameter.data *= FACTOR
    return model


models = {"whole": scaled(fresh()), "without": remove("LayerNorm", scaled(fresh()))}
for name, model in models.items():
    with npf.trace(model) as trace:
        model.forward(row, row)
    names = [f"encoder.layers.{n}.{part}" for n in (0, 1) for part in ("self_attention", "feed_forward")]
    print(f"{name:8} standard deviation after each box", *(f"{trace[box].output.std():5.1f}" for box in names))
scaled_losses = {name: train(model, 3)[0] for name, model in models.items()}
for name, losses in scaled_losses.items():
    print(f"{name:8} first loss {losses[0]:9.1f}   mean of the last 20 {losses[-20:].mean():9.2f}")

# %% tags=["hide-input"]
ends = [scaled_losses[name][-20:].mean() for name in LOOKS]
costs.append(("LayerNorm", f"reversing, weights times {FACTOR:g}, 3 epochs", *ends))
assert FACTOR < 2 or ends[1] > 5 * ends[0]

# %% [markdown]
# Depth does the same. Here are weights of the right size, but twelve encoder layers, and two epochs of training:

# %%
DEPTH = 12  # change this to 24 and run it again
deep = {"n_encoder_layers": DEPTH}
for name, model in {"whole": fresh(**deep), "without": remove("LayerNorm", fresh(**deep))}.items():
    with npf.trace(model) as trace:
        model.forward(row, row)
    sizes = [trace[f"encoder.layers.{n}"].output.std() for n in (0, DEPTH // 2 - 1, DEPTH - 1)]
    print(f"{name:8} standard deviation after one layer, half of them, all:", *(f"{size:6.1f}" for size in sizes))
    losses, _ = train(model, 2)
    print(f"{'':8} first loss {losses[0]:9.1f}   mean of the last 20 {losses[-20:].mean():9.2f}")

# %% [markdown]
# Each sub-layer multiplies what it gets, and the *stream*, the vectors that run from box to box, grows. LayerNorm sets
# every position back to the same size, so the next sub-layer always meets what it expects, however many layers there
# are and whatever training has done to their weights. The price is information: the length of a vector is lost.
#
# ## What is the feed-forward network for?
#
# For one position on its own, attention is a *linear* map: a softmax over one key gives the weight 1, and $x W^V W^O$
# is left. Stack as many as you like, it stays linear. Try exclusive or, the smallest function that is not: of two bits,
# is exactly one set? A text is one position of eight features: the two bits, and six ones. The answer is read from
# feature 2 of $x + f(x)$.

# %%
bits = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
answers = np.array([0.0, 1.0, 1.0, 0.0])  # change this to bits[:, 0] * bits[:, 1], "and", and run it again
x = np.concatenate([bits, np.ones((4, 6))], -1)[:, None]  # (4, 1, 8): four texts, one position, eight features


def learn(sublayer, steps=1000, rate=0.05):
    """Train x + sublayer(x) to have the answers in feature 2; return what it has there in the end."""
    for _ in range(steps):
        sublayer.zero_grad()
        result = (x + sublayer.forward(x))[:, 0, 2]
        dy = np.zeros_like(x)
        dy[:, 0, 2] = 2 * (result - answers) / 4  # of the mean of squares
        sublayer.backward(dy)
        for parameter in sublayer.parameters():
            parameter.data -= rate * parameter.grad
    return result


attention = learn(layers.SelfAttention(8, 2, rng=0, dtype="float64"))
network = learn(layers.FeedForward(8, 32, rng=1, dtype="float64"))
print("bits        ", *("".join(str(int(bit)) for bit in pair).rjust(6) for pair in bits))
for name, result in (("right", answers), ("attention", attention), ("feed forward", network)):
    print(f"{name:12}", *(f"{value + 0.0:6.2f}" for value in result.round(2)))

# %% tags=["hide-input"]
assert abs(network - answers).max() < 0.1 and (answers[3] or abs(attention - 0.5).max() < 0.01)

# %% [markdown]
# Attention answers 0.5 four times: the best that a linear map can do. Attention *moves* information between positions,
# the feed-forward network *computes* with what has arrived at one. In a whole model it is not alone, because softmax
# and LayerNorm are not linear either. Here is a task that needs computing: of each two neighbors, write the difference.
# The model has one layer on each side. Without the network it also lacks 8,512 of its 21,824 numbers, so a third run
# keeps all of them and takes out the ReLU alone.

# %%
draw = np.random.default_rng(0)
rows = [draw.integers(0, 10, draw.integers(3, 8)) for _ in range(2000)]
differences = [([4 + int(a) for a in row], [4 + int(a) for a in abs(np.diff(row))]) for row in rows]
one = {"n_encoder_layers": 1, "n_decoder_layers": 1}
models = {"whole": fresh(**one), "without ReLU": remove("ReLU", fresh(**one))}
models["without network"] = remove("network", fresh(**one))
computed = {name: train(model, 16, differences)[0] for name, model in models.items()}  # change the 16 to 4
for name, losses in computed.items():
    print(f"4 8 3  ->  4 5   {name:15}   loss of the last 20 updates {losses[-20:].mean():.2f}")

# %% tags=["hide-input"]
whole, no_relu, no_network = (losses[-20:].mean() for losses in computed.values())
costs.append(("feed-forward network", "differences, 16 epochs, one layer", whole, no_network))
assert len(computed["whole"]) < 300 or no_network > no_relu > whole + 0.1
figure, ax = new_figure(width=7, height=3)
for (name, losses), color, style in zip(computed.items(), (main_color(), GREY, ORANGE), ("-", "-.", "--"), strict=True):
    ax.plot(running_mean(losses, 5), style, color=color, linewidth=2, label=name)
ax.set(xlabel="update", ylabel="loss per token (nats)", ylim=(0, None))
ax.legend()
figure

# %% [markdown]
# More than half of the gap is the bend of the ReLU: without it between them, two matrices are one matrix. The gap
# varies with the seed, the order does not: 0.34, 0.53 and 0.70 from seed 1, 0.15, 0.78 and 1.01 from seed 2. (After 4
# epochs none of the three has begun to compute.)
#
# ## What is dropout for?
#
# With 2000 pairs and a small model it did harm. With 200 pairs the model can learn them by heart:

# %%
FEW = train_pairs[:200]  # change this to train_pairs[:1000] and run it again
curves = {}
for name, dropout in (("whole", 0.1), ("without", 0.0)):
    model = fresh(dropout, **one)
    losses, curves[name] = train(model, 80, FEW)
    again = mean_loss(model, Batches(FEW, batch_tokens=512))  # the pairs of training, with all numbers
    print(f"dropout {dropout}: in training {losses[-20:].mean():.2f}, the same pairs without dropout {again:.2f}")
    print(f"             held-out pairs after 16, 32, ... 80 epochs {curves[name][1::2].round(2)}")

# %% tags=["hide-input"]
costs.append(("dropout", f"reversing, {len(FEW)} pairs, held out", *(curve[-1] for curve in curves.values())))
figure, ax = new_figure(width=7, height=3)
for (name, curve), label in zip(curves.items(), ("dropout 0.1", "dropout 0"), strict=True):
    ax.plot(range(8, 81, 8), curve, label=label, **LOOKS[name])
ax.set(xlabel="epoch", ylabel="loss on held-out pairs (nats)", ylim=(0, None))
ax.legend()
whole, without = curves.values()
assert (len(FEW), SEED) != (200, 0) or (without[-1] > without.min() + 0.02 and whole[-1] < without.min())
figure

# %% [markdown]
# Without dropout the training loss goes to 0, and the loss on held-out pairs falls and rises again: from there on the
# model learns the pairs and not the rule. With dropout no number can rely on any other being there. It learns more
# slowly. Its training loss stays high, because that is measured with numbers missing: without dropout the same pairs
# have a much lower one. On new pairs it is better, here by 0.20 at the end, from seeds 1 and 2 by 0.03 and 0.31. With
# 1000 pairs the rule is learned either way, and with dropout later.
#
# ## When each part is missed

# %% tags=["hide-input"]
print(f"{'taken out':21} {'experiment':43} {'whole':>7} {'without':>9}")
for part, experiment, whole, without in costs:
    print(f"{part:21} {experiment:43} {whole:7.2f} {without:9.2f}")

# %% [markdown]
# No part is there for the same reason as another. The residual connection keeps what the layers would wash out.
# LayerNorm keeps sizes right when weights or depth would not. The feed-forward network computes. Dropout helps when
# there is little to learn from.
#
# ## Questions
#
# **1.** Of the whole model with LayerNorm after each sum, the one without residual connections, and pre-norm: in which
# can the embeddings still be read at the top of twelve layers, and why?
#
# <details><summary>Answer</summary>
#
# In pre-norm alone, where the cosine with the own embedding is 0.44. Without residual connections all positions are
# alike after two layers, and with them each LayerNorm scales down what came before, until nothing is left of it
# (-0.00). Where nothing scales the sum, the embedding stays in it.
#
# </details>
#
# **2.** Without LayerNorm, and with weights twice as large, the standard deviation grew about threefold with each box.
# Pre-norm (notebook 06) does not normalize the stream either. Why does it not grow in the same way there?
#
# <details><summary>Answer</summary>
#
# With pre-norm each sub-layer reads a normalized copy, so each adds about the same amount, however large the stream is.
# After $n$ boxes the variance is about $n$ times that of one: the standard deviation grows with $\sqrt{n}$. Without any
# norm each sub-layer multiplies what it finds, and it grows like $3^n$.
#
# </details>
#
# **3.** Take out cross-attention, so that $x$ passes unchanged. What can the decoder still learn, and how low can the
# loss of reversing get?
#
# <details><summary>Answer</summary>
#
# It never sees the source, so it is a language model of rows of digits. The digits are drawn at random, each of the ten
# as probable as another: no model can guess one with less than $\ln 10 = 2.30$ nats. `<eos>` is cheaper: a row has
# three to six digits, about equally often, so its length costs $\ln 4$. With 4.5 digits and one `<eos>` on average that
# makes $(4.5 \ln 10 + \ln 4) / 5.5 = 2.14$ nats per token. Trained for 8 epochs, such a model has a loss of 2.20.
#
# </details>
#
# ---
#
# Back to the path: [notebook 18](18_debugging_a_training.ipynb), debugging a training.
#
# Write it yourself: exercise dropout. `npformer course start my-course` begins the course.

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
# # 18 Debugging a training
#
# **The idea:** a bug in a neural network seldom raises an error, and the loss often falls all the same. Four
# measurements, of seconds each, tell a working training from one with a bug.
#
# Paper: section 5. About 30 minutes to read and run, 50 with every change and question. What you need before: [notebook
# 16](16_one_training_step.ipynb) for the training step. Here every backward is correct, and so are the data: for
# wrong ones see notebooks 13 and 18b.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from npformer.tasks import LabelSmoothingLoss, TranslationBatch

# %% [markdown]
# ## A training that works
#
# The task is that of notebook 17, to write digits in reverse order; digit $n$ has the id $4 + n$. The model has one
# layer on each side. `train` has the lines of notebook 16.

# %%
V = 14
SIZES = {"d_model": 32, "d_ff": 128, "n_heads": 4, "n_encoder_layers": 1, "n_decoder_layers": 1}
config = npf.TransformerConfig(src_vocab_size=V, tgt_vocab_size=V, dropout=0.0, tie_embeddings="none", **SIZES)


def pairs_of_digits(n, seed):
    """Return n pairs of ids: three to six random digits, and the same digits in reverse order."""
    rng = np.random.default_rng(seed)
    rows = [rng.integers(4, 14, rng.integers(3, 7)).tolist() for _ in range(n)]
    return [(row, row[::-1]) for row in rows]


def train(model, updates=200, rate=3e-3, one_batch=None):
    """Train on batches of 32 pairs, or on one batch again and again; return the losses."""
    loss = LabelSmoothingLoss(eps=0.0)  # plain cross-entropy
    adam, losses = npf.training.Adam(model.parameters(), learning_rate=rate), []
    for n in range(updates):
        batch = one_batch or TranslationBatch.collate(train_pairs[32 * n : 32 * n + 32])
        model.zero_grad()
        losses.append(loss.forward(model.forward(batch.src, batch.tgt_in), batch.tgt_out))
        dlogits = loss.backward()
        model.backward(dlogits)
        adam.clip_gradient(1.0)
        adam.step()
    return np.array(losses)


train_pairs, held_out = pairs_of_digits(6400, seed=0), pairs_of_digits(100, seed=1)
healthy = npf.Transformer(config, rng=0)
healthy_losses = train(healthy)  # change this to train(healthy, rate=3e-4) and run it again
print("update  ", *(f"{n:6}" for n in (0, 20, 50, 100, 199)))
print("loss    ", *(f"{healthy_losses[n]:6.3f}" for n in (0, 20, 50, 100, 199)))

# %% [markdown]
# ## The loss at the start
#
# An untrained model knows nothing, so it should give all $V$ tokens about the same probability. Its loss is then
# $\ln V$, here $\ln 14 = 2.64$. Random logits $z$ with variance $\sigma^2$ add about $\sigma^2 / 2$: the loss is
# $\ln \sum_v e^{z_v}$ less the target's $z$ (0 on average), and for normal $z$ the mean of $e^z$ is
# $e^{\sigma^2 / 2}$.
#
# The first bug: the generator's table starts with numbers of size 1 and not $1 / \sqrt{d_{model}}$.


# %%
def start_loss(model):
    """Return the loss of a batch, and the variance of the logits over the vocabulary."""
    batch = TranslationBatch.collate(train_pairs[:32])
    logits = model.forward(batch.src, batch.tgt_in)
    return LabelSmoothingLoss(eps=0.0).forward(logits, batch.tgt_out), logits.var(-1).mean()


TOO_LARGE = np.sqrt(32)  # change this to 2 or 0.01 and run the section again


def large_table():
    """Return a model whose generator starts too large."""
    model = npf.Transformer(config, rng=0)
    model.generator.table.data *= TOO_LARGE
    return model


for name, model in (("healthy", npf.Transformer(config, rng=0)), ("table too large", large_table())):
    loss, variance = start_loss(model)
    print(f"{name:16} loss {loss:6.2f}, ln V + variance / 2 = {np.log(V):.2f} + {variance / 2:.2f}")
large_losses = train(large_table(), 100)
print(f"mean of losses 81 to 100: {healthy_losses[80:100].mean():.2f}, table too large {large_losses[80:].mean():.2f}")

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, main_color
from npformer.visualization.plots.curves import running_mean

HEALTHY, BUG = {"color": main_color(), "linewidth": 2}, {"color": ORANGE, "linewidth": 2, "linestyle": "--"}
LOSS = {"xlabel": "update", "ylabel": "loss per token (nats)"}

figure, ax = new_figure(width=7, height=3)
ax.plot(running_mean(healthy_losses[:100], 5), label="healthy", **HEALTHY)
ax.plot(running_mean(large_losses, 5), label="table too large", **BUG)
ax.axhline(np.log(V), color=GREY, linewidth=1, label="ln V")
ax.set(**LOSS, ylim=(0, None))
ax.legend()
assert start_loss(npf.Transformer(config, rng=0))[0] < 1.2 * np.log(V)
for width, expected in ((32, 3.6), (512, 12.6)):
    one_table = npf.TransformerConfig(**{**vars(config), "tie_embeddings": "all", "d_model": width})
    assert abs(start_loss(npf.Transformer(one_table, rng=0))[0] - expected) < 0.1
assert TOO_LARGE < 5 or start_loss(large_table())[0] > 2 * np.log(V)
figure

# %% [markdown]
# (For large variances the rule gives too much: 14 draws seldom contain the large $z$ that makes this mean.)
#
# The curve of the bug falls steeply and looks impressive, but its first updates only undo the start: the model is sure
# of nonsense. Read the *first* loss of every training. Much above $\ln V$: something is too large. Below it:
# the model knows something that it should not know, or the mean is over too many tokens.
#
# The rule is for `tie_embeddings="none"`, as here. With *one* table the logit of the token just read grows with $d_{model}$
# ([notebook 14](14_the_loss.ipynb)): 32 features start at 3.6 and 512 at 12.6, without a bug. Test such a model with
# `tie_embeddings="none"`.
#
# ## One batch
#
# Any model with enough parameters can learn 16 pairs by heart, and the loss goes to 0. Repeat one batch, without
# dropout or label smoothing. If the loss does not get there, there is a bug, found in two seconds and not in two hours.
#
# The second bug: the decoder receives zeros for the memory, as after a wrong reshape or a mask with its values
# swapped.


# %%
class Blind(npf.Transformer):
    """A Transformer whose decoder cannot see the source."""

    def decode(self, tgt, memory, mask):
        return super().decode(tgt, 0 * memory, mask)


one_batch = TranslationBatch.collate(train_pairs[:16])  # change the 16 to 4 and run the section again
memorized = train(npf.Transformer(config, rng=0), 100, one_batch=one_batch)
blind = train(Blind(config, rng=0), 100, one_batch=one_batch)
print("update  ", *(f"{n:6}" for n in (0, 20, 50, 75, 99)))
print("healthy ", *(f"{memorized[n]:6.3f}" for n in (0, 20, 50, 75, 99)))
print("blind   ", *(f"{blind[n]:6.3f}" for n in (0, 20, 50, 75, 99)))

# %% [markdown]
# The blind one stops at 0.5. This number says what is missing. Without the source a model can know the target's
# prefix and nothing else. Count, in this batch, which tokens follow each prefix, and compute the entropy:

# %%
followers = {}
for read, written in zip(one_batch.tgt_in.tolist(), one_batch.tgt_out.tolist(), strict=True):
    for t in range(written.index(3) + 1):  # up to <eos>
        followers.setdefault(tuple(read[: t + 1]), []).append(written[t])
total = 0.0
for tokens in followers.values():
    shares = np.bincount(tokens)[np.bincount(tokens) > 0] / len(tokens)
    total -= len(tokens) * (shares * np.log(shares)).sum()
floor = total / one_batch.n_tokens
print(f"least loss per token without the source: {floor:.3f}")

# %% tags=["hide-input"]
figure, ax = new_figure(width=7, height=3)
ax.plot(memorized, label="healthy", **HEALTHY)
ax.plot(blind, label="blind decoder", **BUG)
ax.axhline(floor, color=GREY, linewidth=1, label="least loss without the source")
ax.set(**LOSS, ylim=(0, None))
ax.legend()
assert memorized[-1] < 0.01 and abs(blind[-1] - floor) < 0.02
figure

# %% [markdown]
# So the model has learned all that can be learned without the source. On many sentences it would become a language
# model: fluent, whatever the input. A direct test needs no training: change the source and see whether the logits
# change.

# %%
for name, model in (("healthy", npf.Transformer(config, rng=0)), ("blind", Blind(config, rng=0))):
    logits = [model.forward(np.array([source]), np.array([[2, 9]])) for source in ([4, 5, 6, 3], [9, 9, 8, 3])]
    print(f"{name:8} largest change of a logit: {abs(logits[0] - logits[1]).max():.3f}")

# %% [markdown]
# ## Histograms, layer by layer
#
# The third bug: all matrices start with standard normal numbers, `rng.normal(size=shape)`, and not with the variance
# 2 / (inputs + outputs), Glorot's rule (notebook 03).
# LayerNorm hides this from the loss at the start. The loss still falls, but slowly:


# %%
STANDARD_DEVIATION = 1.0  # change this to 0.01 and run the section again


def normal_weights():
    """Return a model with two layers on each side and normal numbers in its matrices."""
    rng, model = np.random.default_rng(0), npf.Transformer(deeper, rng=0)
    for name, parameter in model.named_parameters():
        if name.endswith("weight"):
            parameter.data[...] = rng.normal(scale=STANDARD_DEVIATION, size=parameter.data.shape)
    return model


deeper = npf.TransformerConfig(**{**vars(config), "n_encoder_layers": 2, "n_decoder_layers": 2})
batch = TranslationBatch.collate(train_pairs[:32])


def traced(model):
    """Return the trace of a forward and backward."""
    objective = npf.tasks.Objective(model, label_smoothing=0.0)
    model.zero_grad()
    with npf.trace(model, depth=None) as trace:
        objective.forward(batch)
        objective.backward()
    return trace


two = {"Glorot": npf.Transformer(deeper, rng=0), "normal": normal_weights()}
traces = {name: traced(model) for name, model in two.items()}
for name, model in two.items():
    first, after = start_loss(model)[0], train(model, 75)[-20:].mean()
    print(f"{name:7} loss at the start {first:.2f}, after 75 updates {after:.2f}")

# %% [markdown]
# `npf.trace` has kept what passed through each layer before the training. First the numbers: the root mean square of
# the scores that go into each softmax, the mean of the largest weight that comes out, and the size of the gradient
# that arrives at each attention:


# %%
def rms(array):
    """Return the root mean square."""
    return np.sqrt(np.mean(np.square(array)))


boxes = [name for name in traces["Glorot"] if name.endswith("attention") and "sublayer" not in name]


def print_attentions(name, trace):
    print(f"{name:26} scores   largest weight   gradient of the output")
    for box in boxes:
        softmax = trace[f"{box}.sublayer.attention.softmax"]
        scores, weights = softmax.inputs[0], softmax.output
        size, largest = rms(scores[abs(scores) < 1e6]), weights.max(-1).mean()  # masked scores left out
        print(f"{box.replace('layers.', ''):26} {size:6.2f} {largest:16.2f} {rms(trace[box].dy):23.1e}")


for name, trace in traces.items():
    print_attentions(name, trace)

# %% tags=["hide-input"]
from helpers.pictures import plot_distributions

figure, axes = new_figure(2, 2, width=11, height=5.6)
for row, (name, trace) in zip(axes, traces.items(), strict=True):
    weights = {box.replace("layers.", ""): trace[f"{box}.sublayer.attention.softmax"].output for box in boxes}
    plot_distributions(row[0], {box: w[w > 0] for box, w in weights.items()}, log=False)
    plot_distributions(row[1], {box.replace("layers.", ""): trace[box].dy for box in boxes}, log=True)
    row[0].set(title=f"{name}: attention weights", xlabel="weight; the line is the root mean square", xlim=(0, 1))
    row[1].set(
        title=f"{name}: gradients of the outputs", xlabel="|gradient|; the line is the root mean square", xlim=(1e-7, 1)
    )
glorot, normal = ([rms(trace[box].dy) for box in boxes] for trace in traces.values())
assert max(glorot) < 4 * min(glorot) and (STANDARD_DEVIATION < 1 or max(normal) > 10 * min(normal))
figure

# %% [markdown]
# With Glorot's numbers the weights of attention begin undecided, and gradients have about one size from top to bottom.
# With normal numbers the scores have a size of 27 to 50, and each softmax is all or nothing before anything is learned
# (notebook 03). The gradient is 8e-4 at the top and 1.3e-2 at the bottom, 17 times as much. Too small is bad as well,
# though less so here: with a standard deviation of 0.01 all weights are alike, next to nothing reaches the encoder,
# 1.6e-6, and the loss after 75 updates is 1.52.
#
# Read such a picture so: rows should look alike. A row that is much wider or narrower than its neighbor names the
# layer with the bug. (The zeros are padding.)
#
# ## The learning rate, and dead ReLUs
#
# The next mistake is a learning rate that is too high. Train briefly at several, and after each training count the
# **dead** units of the feed-forward networks: those that ReLU sets to zero at every position of a batch. Such a unit
# gets no gradient from this batch. If it is zero on every batch, it recovers only if its inputs change.


# %%
def dead_share(model):
    """Return the share of feed-forward units that are zero at every position."""
    batch = TranslationBatch.collate(held_out)
    with npf.trace(model, depth=None) as trace:
        model.forward(batch.src, batch.tgt_in)
    outputs = [trace[name].output for name in trace if name.endswith("activation")]  # (B, T, F) each
    return np.mean([(output == 0).all((0, 1)).mean() for output in outputs])


RATES = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3)  # change these and run the section again
ends, dead = [], []
print("rate     loss of the last 20   dead units   first weights move, per update")
for rate in RATES:
    model = npf.Transformer(config, rng=0)
    weight = model.encoder.layers[0].feed_forward.sublayer.linear_1.weight
    before = weight.data.copy()
    train(model, 1, rate)
    moved = rms(weight.data - before) / rms(before)
    ends.append(train(model, 75, rate)[-20:].mean())
    dead.append(dead_share(model))
    print(f"{rate:<8} {ends[-1]:19.2f} {dead[-1]:12.0%} {moved:20.1%} of their size")

# %% tags=["hide-input"]
figure, (left, right) = new_figure(1, 2, width=10, height=3)
left.plot(RATES, ends, "o-", color=main_color(), linewidth=2)
left.axhline(np.log(V), color=GREY, linewidth=1, label="ln V")
left.set(xscale="log", xlabel="learning rate", ylabel="loss of the last 20 updates", ylim=(0, None))
left.legend()
right.plot(RATES, dead, "o-", color=ORANGE, linewidth=2)
right.set(xscale="log", xlabel="learning rate", ylabel="share of dead units", ylim=(0, 1))
best = int(np.argmin(ends))
assert RATES[::6] != (0.0003, 0.3) or (0 < best < 5 and dead[best] < 0.05 and dead[-1] > 0.3)
figure

# %% [markdown]
# The curve is a valley: a low rate is slow, and with one that is too high the model learns how often each token occurs
# and no more. At the highest rates most units die: a step moves their weights and bias so far that they
# never fire again.
#
# The last column is the size of the first update: 3 to 9% of the weights at the best rates. For larger models a tenth
# of that and less is usual, and warm-up begins with less still.
#
# ## A model that you have not seen
#
# Now a bug without a name. The folded cell makes a model with two layers on each side. It learns, but slowly:


# %% tags=["hide-input"]
def unseen():
    """Return a model with a bug."""
    model = npf.Transformer(deeper, rng=0)
    model.encoder.input_embedding.embedding.scale = 32  # change encoder to decoder and run the section again
    return model


# %%
for name, build in (("healthy", lambda: npf.Transformer(deeper, rng=0)), ("unseen", unseen)):
    first, one = start_loss(build())[0], train(build(), 75, one_batch=one_batch)[-1]
    model = build()
    after = train(model, 75)[-20:].mean()
    print(f"{name:8} loss after 75 updates {after:.2f}", end="; ")
    print(f"first loss {first:.2f}, one batch {one:.3f}, dead units {dead_share(model):.1%}")
print_attentions("unseen", traced(unseen()))

# %% [markdown]
# **Question.** Three tests pass. Which line of the model has the bug?
#
# <details><summary>Answer</summary>
#
# Only the encoder's first attention is all or nothing: so the bug is before the first layer of the encoder, and there
# is nothing but the source embedding. It is multiplied by $d_{model} = 32$ and not by
# $\sqrt{d_{model}}$ (section 3.4). Scores are products of two such vectors, so they grow by up to 32 (here by
# 22), and the positional encodings are small next to the tokens. After this layer LayerNorm hides the size. Open the
# folded cell to move the bug.
#
# </details>

# %% tags=["hide-input"]
sizes = {box: traced(unseen())[f"{box}.sublayer.attention.softmax"].output.max(-1).mean() for box in boxes}
assert max(sizes, key=sizes.get).endswith("0.self_attention") and max(sizes.values()) > 0.8
assert sorted(sizes.values())[-2] < 0.6 and one < 0.1 and first < 1.5 * np.log(V) and dead_share(model) < 0.1

# %% [markdown]
# Four tests, then, for any new model: the first loss, one batch, the attention layer by layer, and a sweep of the rate
# with a count of dead units. None needs a whole training. The first two, and more of
# the kind, are in Karpathy's "A Recipe for Training Neural Networks" (2019).
#
# The tests assume that the model sees what it should, and nothing else. A batch that gives away the answer passes all
# four: [notebook 18b](18b_bugs_in_the_data.ipynb).
#
# ## Questions
#
# **1.** A training starts at a loss of 1.3 with a vocabulary of 14. What do you look for?
#
# <details><summary>Answer</summary>
#
# It is below $\ln 14 = 2.64$, and an untrained model cannot know that much. Either the sum of the losses is divided by
# too many tokens, for instance by padding too, or the targets are in the input.
#
# </details>
#
# **2.** You left label smoothing at 0.1, and the loss of one batch stops at 0.55. Is there a bug?
#
# <details><summary>Answer</summary>
#
# No. The best prediction is then the smoothed target itself, and its entropy is left over: 0.547 for $V = 14$ (question
# 1 of notebook 14). So switch smoothing and dropout off for this test: 0 is a limit that you need not work out.
#
# </details>
#
# **3.** Two thirds of the units died at a rate of 0.1. Would GELU in the place of ReLU have kept them?
#
# <details><summary>Answer</summary>
#
# Hardly. Its derivative at $z = -5$ is not 0 but $-7 \cdot 10^{-6}$: a unit whose bias was moved that far gets almost
# no gradient either. Lower the rate, or raise it slowly (warm-up).
#
# </details>

# %% tags=["hide-input"]
from math import erf, exp, pi, sqrt

smoothed = np.full(V, 0.1 / V) + 0.9 * np.eye(V)[0]
assert abs(-(smoothed * np.log(smoothed)).sum() - 0.547) < 1e-3
assert abs((1 + erf(-5 / sqrt(2))) / 2 - 5 * exp(-12.5) / sqrt(2 * pi) + 7e-6) < 5e-7

# %% [markdown]
# ---
#
# Next: [notebook 18b](18b_bugs_in_the_data.ipynb), bugs that make the loss better.
#
# Write it yourself: exercise second_bug_hunt. `npformer course start my-course` begins the course.

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
# # 07e Debugging a training
#
# **The idea:** a bug in a neural network seldom raises an error, and the loss often falls all the same. A few
# measurements, of seconds each, tell a working training from one with a bug.
#
# About 60 minutes. What you need before: [notebook 07c](07c_one_training_step.ipynb) for the training step, and
# [notebook 06](06_encoder_and_decoder.ipynb) for masks. Wrong gradients are the subject of notebook 05d; here every
# backward is correct.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from npformer.tasks import LabelSmoothingLoss, TranslationBatch

# %% [markdown]
# ## A training that works
#
# The task is that of notebook 00, to write digits in reverse order; digit $n$ has the id $4 + n$. The model has one
# layer on each side. `train` has the lines of notebook 07c, and two settings through which bugs will come in:
# `collate` makes batches, and `rate` is the learning rate.

# %%
V = 14
SIZES = {"d_model": 32, "d_ff": 128, "n_heads": 4, "n_encoder_layers": 1, "n_decoder_layers": 1}
config = npf.TransformerConfig(src_vocab_size=V, tgt_vocab_size=V, dropout=0.0, tie="none", **SIZES)


def pairs_of_digits(n, seed):
    """Return n pairs of ids: three to six random digits, and the same digits in reverse order."""
    rng = np.random.default_rng(seed)
    rows = [rng.integers(4, 14, rng.integers(3, 7)).tolist() for _ in range(n)]
    return [(row, row[::-1]) for row in rows]


def train(model, updates=200, rate=3e-3, collate=TranslationBatch.collate, one_batch=None):
    """Train on batches of 32 pairs, or on one batch again and again; return the losses."""
    loss = LabelSmoothingLoss(eps=0.0)  # plain cross-entropy
    flat = npf.training.FlatParameters(model.parameters())
    adam, losses = npf.training.Adam(flat, learning_rate=rate), []
    for n in range(updates):
        batch = one_batch or collate(train_pairs[32 * n : 32 * n + 32])
        model.zero_grad()
        losses.append(loss.forward(model.forward(batch.src, batch.tgt_in), batch.tgt_out))
        dlogits, _ = loss.backward()
        model.backward(dlogits)
        flat.clip_gradient(1.0)
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
# $\ln V$, here $\ln 14 = 2.64$. Random logits with variance $\sigma^2$ add about $\sigma^2 / 2$ to it.
#
# The first bug: the generator's table starts with numbers of size 1 and not $1 / \sqrt{d_{model}}$.


# %%
def start_loss(model, collate=TranslationBatch.collate):
    """Return the loss of a batch, and the variance of the logits over the vocabulary."""
    batch = collate(train_pairs[:32])
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
assert TOO_LARGE < 5 or start_loss(large_table())[0] > 2 * np.log(V)
figure

# %% [markdown]
# (The rule is for small variances; for large ones it gives too much.)
#
# The curve of the bug falls steeply and looks impressive. Its first updates only undo what the start did: the model
# is sure of nonsense. Read the *first* loss of every training. Much above $\ln V$: something is too large. Below it:
# the model knows something that it should not know, or the mean is over too many tokens.
#
# ## One batch
#
# Any model with enough parameters can learn 16 pairs by heart, and the loss goes to 0. Repeat one batch, without
# dropout or label smoothing. If the loss does not get there, there is a bug, and you have found out in two seconds
# and not in two hours.
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
print("after <bos>:", sorted(followers[2,]))
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
# So the model has learned all that can be learned without the source. In a training on many sentences you would see a
# language model: the loss falls, the output is fluent, and it has nothing to do with the input. A direct test needs
# no training: change the source and see whether the logits change.

# %%
for name, model in (("healthy", npf.Transformer(config, rng=0)), ("blind", Blind(config, rng=0))):
    logits = [model.forward(np.array([source]), np.array([[2, 9]])) for source in ([4, 5, 6, 3], [9, 9, 8, 3])]
    print(f"{name:8} largest change of a logit: {abs(logits[0] - logits[1]).max():.3f}")

# %% [markdown]
# ## Histograms, layer by layer
#
# The third bug: all matrices start with standard normal numbers, `rng.normal(size=shape)`, in the place of Glorot's.
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
two = {"Glorot": npf.Transformer(deeper, rng=0), "normal": normal_weights()}
batch = TranslationBatch.collate(train_pairs[:32])
traces = {}
for name, model in two.items():
    loss, _ = start_loss(model)
    objective = npf.tasks.Objective(model, label_smoothing=0.0)
    model.zero_grad()
    with npf.trace(model, depth=None) as traces[name]:
        objective.forward(batch)
        objective.backward()
    print(f"{name:7} loss at the start {loss:.2f}, after 75 updates {train(model, 75)[-20:].mean():.2f}")

# %% [markdown]
# `npf.trace` has kept what passed through each layer before the training. First the numbers: the root mean square of
# the scores that go into each softmax, the mean of the largest weight that comes out, and the size of the gradient
# that arrives at each attention:


# %%
def rms(array):
    """Return the root mean square."""
    return np.sqrt(np.mean(np.square(array)))


boxes = [name for name in traces["Glorot"] if name.endswith("attention") and "sublayer" not in name]
for name, trace in traces.items():
    print(f"{name:26} scores   largest weight   gradient of the output")
    for box in boxes:
        softmax = trace[f"{box}.sublayer.attention.softmax"]
        scores, weights = softmax.inputs[0], softmax.output
        size, largest = rms(scores[abs(scores) < 1e6]), weights.max(-1).mean()  # masked scores left out
        print(f"{box.replace('layers.', ''):26} {size:6.2f} {largest:16.2f} {1e3 * rms(trace[box].dy):21.2f} e-3")

# %% tags=["hide-input"]
from pictures import plot_distributions

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
# With Glorot's numbers the weights of attention begin undecided, and gradients have about one size from top to
# bottom. With normal numbers the scores have a size of 27 to 50, and each softmax is all or nothing before anything
# is learned (notebook 02). The gradient is 0.8e-3 at the top and 13e-3 at the bottom, 17 times as much. It does not grow by one
# factor per layer: on four seeds we found 5 to 17 times with two layers on each side, and 9 to 52 times with six.
#
# Read such a picture so: rows should look alike. A row that is much wider or narrower than its neighbor names the
# layer with the bug. (The zeros are padding.)
#
# ## The learning rate, and dead ReLUs
#
# The next mistake is a learning rate that is too high. Train briefly at several, and after each training count the
# **dead** units of the feed-forward networks: those that ReLU sets to zero at every position of a batch. Such a unit gets no
# gradient from this batch. If it is zero
# on every batch, it gets none at all, and recovers only if its inputs change.


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
# The curve is a valley: a rate that is too low is slow, and with one that is too high the model learns how often each
# token occurs and no more. At the highest rates most units die: a step moves their weights and bias so far that they
# never fire again.
#
# The last column is the size of the first update. The best rates of this small model move the weights by 3 to 9% of
# their size. For larger models a tenth of that and less is usual, and warm-up begins with less still.
#
# ## A target shifted by the wrong number
#
# The decoder reads `tgt_in`, which begins with `<bos>` (2), and has to predict `tgt_out`, the same one step later.
# The next bug forgets the step: both are the same.


# %%
def unshifted(pairs):
    """Return a batch in which the decoder reads what it has to predict."""
    batch = TranslationBatch.collate(pairs)
    return TranslationBatch(batch.src, batch.tgt_out, batch.tgt_out)


from pictures import side_by_side

for collate in (TranslationBatch.collate, unshifted):
    batch = collate([([4, 5, 6], [6, 5, 4]), ([7, 9], [9, 7])])
    print(side_by_side(0, tgt_in=batch.tgt_in, tgt_out=batch.tgt_out))


# %% tags=["hide-input"]
def greedy(model, sources, padding=0, longest=8):
    """Write the most probable next tokens for sources of one length, each followed by `padding` zeros."""
    src = np.array([[*source, 3, *[0] * padding] for source in sources])  # (B, S)
    written = np.full((len(src), 1), 2)  # (B, T)
    for _ in range(longest):
        logits = model.forward(src, written)  # (B, T, V)
        written = np.append(written, logits[:, -1:].argmax(-1), axis=1)
    return [row[1 : row.index(3)] if 3 in row else row[1:] for row in written.tolist()]


def share_decoded(model, padding=0):
    """Return the share of held-out pairs that greedy decoding gets right, without padding except this."""
    correct = []
    for length in range(3, 7):
        same = [(x, y) for x, y in held_out if len(x) == length]
        outputs = greedy(model, [x for x, _ in same], padding)
        correct += [output == y for output, (_, y) in zip(outputs, same, strict=True)]
    return np.mean(correct)


def share_of_tokens(model, collate=TranslationBatch.collate):
    """Return the share of correct tokens where the decoder reads the true target."""
    batch = collate(held_out)
    correct = model.forward(batch.src, batch.tgt_in).argmax(-1) == batch.tgt_out
    return correct[batch.tgt_out != 0].mean()


# %%
copying = npf.Transformer(config, rng=0)
copying_losses = train(copying, 101, collate=unshifted)  # change collate to TranslationBatch.collate and run it again
print("update    ", *(f"{n:6}" for n in (0, 10, 20, 50, 100)))
print("healthy   ", *(f"{healthy_losses[n]:6.3f}" for n in (0, 10, 20, 50, 100)))
print("unshifted ", *(f"{copying_losses[n]:6.3f}" for n in (0, 10, 20, 50, 100)))
for name, model, collate in (("healthy", healthy, TranslationBatch.collate), ("unshifted", copying, unshifted)):
    by_token, by_sequence = share_of_tokens(model, collate), share_decoded(model)
    print(f"{name:9} held-out tokens correct {by_token:.0%}, held-out sequences decoded correctly {by_sequence:.0%}")
print(held_out[0][0], "->", *greedy(copying, [held_out[0][0]]))

# %% [markdown]
# This is the most pleasant bug of all: the loss is the best you have ever seen, on held-out data too. The model
# copies the token that it reads. In decoding there is nothing to copy. A missing causal mask has the same symptom.
#
# Two tests find it. Decode a few sentences during training, not only at the end. And, before any training: change one
# target token. The logits that predict it and those before must not change, because the model may not have seen it.


# %%
def leaks_target(model, collate=TranslationBatch.collate, t=2):
    """Return the largest change of the logits for positions 0 to t when target token t changes."""
    source, target = [4, 5, 6, 7], [7, 6, 5, 4]
    other = [*target[:t], 13, *target[t + 1 :]]
    first, second = (collate([(source, y)]) for y in (target, other))
    logits = model.forward(first.src, first.tgt_in), model.forward(second.src, second.tgt_in)
    return abs(logits[0] - logits[1])[0, : t + 1].max()


fresh = npf.Transformer(config, rng=0)
print(f"healthy   {leaks_target(fresh):.4f}\nunshifted {leaks_target(fresh, unshifted):.4f}")
assert leaks_target(fresh) == 0 < leaks_target(fresh, unshifted)

# %% [markdown]
# ## Padding that leaks
#
# Sentences of a batch are filled up with 0 to the same length. The mask of the encoder keeps attention away from
# these positions. The last bug has a mask that allows everything:


# %%
class Leaky(npf.Transformer):
    """A Transformer that attends to the padding of the source."""

    def encode(self, src):
        everything = np.ones((len(src), 1, src.shape[1]), bool)  # (B, 1, S)
        return self.encoder.forward(src, everything), everything


leaky = Leaky(config, rng=0)
leaky_losses = train(leaky)
print(f"mean of the last 20 losses: healthy {healthy_losses[-20:].mean():.3f}, leaky {leaky_losses[-20:].mean():.3f}")
for name, model in (("healthy", healthy), ("leaky", leaky)):
    by_token, by_sequence = share_of_tokens(model), share_decoded(model)
    print(f"{name:8} held-out tokens correct {by_token:.0%}, held-out sequences decoded correctly {by_sequence:.0%}")

# %% [markdown]
# Loss and accuracy are as good as ever. Decoding is not: there no sentence had padding. The model
# has learned to read padding, which in training was nearly always there. The same 100 sentences, with more or fewer
# zeros after them:

# %%
PADDING = (0, 1, 2, 4, 8)  # zeros after <eos>; change these and run it again
exact = {}
print("zeros after the source    ", *(f"{n:5}" for n in PADDING))
for name, model in (("healthy", healthy), ("leaky", leaky)):
    exact[name] = [share_decoded(model, n) for n in PADDING]
    print(f"{name:8} sequences correct", *(f"{share:5.0%}" for share in exact[name]))

# %% tags=["hide-input"]
figure, ax = new_figure(width=6, height=2.6)
ax.plot(PADDING, exact["healthy"], "o-", label="healthy", **HEALTHY)
ax.plot(PADDING, exact["leaky"], "o", label="leaky", **BUG)
ax.set(xlabel="zeros after the source", ylabel="sequences correct", ylim=(0, 1.05))
ax.legend()
assert len(set(exact["healthy"])) == 1
assert PADDING != (0, 1, 2, 4, 8) or max(exact["leaky"]) - min(exact["leaky"]) > 0.3
figure

# %% [markdown]
# The same sentence must give the same result, whatever is next to it. So the test needs no training either: a short
# source alone, and in a batch with a longer one.


# %%
def depends_on_padding(model, collate=TranslationBatch.collate):
    """Return the largest change of a pair's logits when a longer pair is in the same batch."""
    short, long = ([4, 5, 6], [6, 5, 4]), ([7, 8, 9, 10, 11, 12], [12, 11, 10, 9, 8, 7])
    alone, together = collate([short]), collate([short, long])
    logits = model.forward(alone.src, alone.tgt_in), model.forward(together.src, together.tgt_in)
    return abs(logits[0][0] - logits[1][0, :4]).max()


for name, model in (("healthy", npf.Transformer(config, rng=0)), ("leaky", Leaky(config, rng=0))):
    print(f"{name:8} {depends_on_padding(model):.7f}")

# %% [markdown]
# The healthy model differs by rounding, because sums over more positions are added in another order.
#
# ## Every test on every bug
#
# Which test finds what? Run all of them on all six bugs. A test fails above its limit: the first loss above
# $1.5 \ln V$, one batch above 0.1, the mean largest attention weight at the start above 0.6, the share of dead units
# after one batch above 0.1, and the two leaks above rounding.

# %%
LIMITS = {
    "first loss": 1.5 * np.log(V),
    "one batch": 0.1,
    "attention": 0.6,
    "dead units": 0.1,
    "target": 1e-4,
    "padding": 1e-4,
}


def all_tests(build, rate=3e-3, collate=TranslationBatch.collate):
    """Return the result of every test, of models that `build` makes."""
    model = build()
    batch = collate(train_pairs[:16])
    with npf.trace(model, depth=None) as trace:
        first_loss, _ = start_loss(model, collate)
    largest = [trace[name].output.max(-1).mean() for name in trace if name.endswith("attention.softmax")]
    leaks = leaks_target(model, collate), depends_on_padding(model, collate)
    one = train(model, 75, rate, one_batch=batch)[-1]  # after this the model is trained
    return dict(zip(LIMITS, (first_loss, one, np.mean(largest), dead_share(model), *leaks), strict=True))


def build(kind=npf.Transformer):
    return kind(config, rng=0)


TOO_FAST = 0.1  # change this to 0.01 and run it again
results = {
    "healthy": all_tests(build),
    "table too large": all_tests(large_table),
    "blind decoder": all_tests(lambda: build(Blind)),
    "normal weights": all_tests(normal_weights),
    f"rate {TOO_FAST}": all_tests(build, rate=TOO_FAST),
    "unshifted target": all_tests(build, collate=unshifted),
    "padding leaks": all_tests(lambda: build(Leaky)),
}
print(f"{'':16}", *(f"{name:>10}" for name in LIMITS))
for bug, result in results.items():
    cells = [f"{value:.2f}{'*' if value > LIMITS[name] else ' '}" for name, value in result.items()]
    print(f"{bug:16}", *(f"{cell:>10}" for cell in cells))
print("* above the limit")

# %% tags=["hide-input"]
figure, ax = new_figure(width=9, height=3.2)
found = np.array([[value > LIMITS[name] for name, value in result.items()] for result in results.values()])
for (i, j), fails in np.ndenumerate(found):
    ax.scatter(
        j, i, s=160, color=ORANGE if fails else main_color(), marker="X" if fails else "o", alpha=1 if fails else 0.3
    )
ax.set(xticks=range(len(LIMITS)), xticklabels=LIMITS, yticks=range(len(results)), yticklabels=results)
ax.set(xlim=(-0.5, len(LIMITS) - 0.5), ylim=(len(results) - 0.5, -0.5), title="cross: the test fails")
ax.grid(alpha=0.2)
still_a_bug = np.array([TOO_LARGE > 5, True, STANDARD_DEVIATION == 1, TOO_FAST >= 0.1, True, True])
assert not found[0].any() and found[1:][still_a_bug].any(1).all()
figure

# %% [markdown]
# No test finds everything, and each finds something that the others miss. Together they take less time than a hundred
# updates of a real training. Run them in this order for any new model: first loss, one batch, causality and padding,
# histograms, a sweep of the rate, and only then the whole training, with a few sentences decoded after each epoch.
#
# ## Questions
#
# **1.** A training starts at a loss of 1.3 with a vocabulary of 14. What do you look for?
#
# <details><summary>Answer</summary>
#
# It is below $\ln 14 = 2.64$, and an untrained model cannot know that much. Either the sum of the losses is divided
# by too many tokens, for instance by all positions where half of them are padding, or the targets are in the input.
#
# </details>
#
# **2.** One batch goes to 0 as it should. In the real training the loss stays at that of guessing by frequency. Which
# bug does one batch not find?
#
# <details><summary>Answer</summary>
#
# Sources that are paired with the wrong targets, for instance because only one of the two lists was shuffled. Any 16
# pairs can be learned by heart, wrong ones too. Print five pairs as text before the first update. (A learning rate
# that is good for one batch may also be too high or too low for the training.)
#
# </details>
#
# **3.** In which of the six would `npf.gradcheck` have reported an error?
#
# <details><summary>Answer</summary>
#
# In none. All backwards are correct: the gradient is that of the loss that was computed. But it was the wrong loss,
# the wrong start, or the wrong mask. Gradient checks find wrong derivatives ([notebook
# 05d](05d_gradient_checks_and_hidden_bugs.ipynb)), and these tests find the rest.
#
# </details>
#
# ---
#
# Next: [notebook 08](08_decoding.ipynb), from probabilities to a sentence.
#
# Write it yourself: exercises 06 masks, 24 training_step, 28 bug_hunt. `npformer class start my-course` begins the
# course.

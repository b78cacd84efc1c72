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
# # 18b Debugging a training: bugs in the data
#
# **The idea:** some bugs make the loss better. The model sees in training what it will not have later, and only
# decoding, or a test that changes one token, shows it.
#
# Paper: sections 3.1 and 3.2.3. About 30 minutes to read and run, 45 with every change and question. What you need
# before: [notebook 18](18_debugging_a_training.ipynb), whose tests are run again at the end, and
# [notebook 07](07_encoder_and_decoder.ipynb) for masks.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from npformer.tasks import LabelSmoothingLoss, TranslationBatch

# %% [markdown]
# ## The same training, with other batches
#
# The task and the model are those of notebook 18: digits in reverse order, one layer on each side. `train` has one
# more setting, `collate`, which makes the batches.

# %%
V = 14
SIZES = {"d_model": 32, "d_ff": 128, "n_heads": 4, "n_encoder_layers": 1, "n_decoder_layers": 1}
config = npf.TransformerConfig(src_vocab_size=V, tgt_vocab_size=V, dropout=0.0, tie_embeddings="none", **SIZES)


def pairs_of_digits(n, seed):
    """Return n pairs of ids: three to six random digits, and the same digits in reverse order."""
    rng = np.random.default_rng(seed)
    rows = [rng.integers(4, 14, rng.integers(3, 7)).tolist() for _ in range(n)]
    return [(row, row[::-1]) for row in rows]


def train(model, updates=200, rate=3e-3, collate=TranslationBatch.collate, one_batch=None):
    """Train on batches of 32 pairs, or on one batch again and again; return the losses."""
    loss = LabelSmoothingLoss(eps=0.0)  # plain cross-entropy
    adam, losses = npf.training.Adam(model.parameters(), learning_rate=rate), []
    for n in range(updates):
        batch = one_batch or collate(train_pairs[32 * n : 32 * n + 32])
        model.zero_grad()
        losses.append(loss.forward(model.forward(batch.src, batch.tgt_in), batch.tgt_out))
        dlogits = loss.backward()
        model.backward(dlogits)
        adam.clip_gradient(1.0)
        adam.step()
    return np.array(losses)


train_pairs, held_out = pairs_of_digits(6400, seed=0), pairs_of_digits(100, seed=1)
healthy = npf.Transformer(config, rng=0)
healthy_losses = train(healthy)
print(f"loss at the start {healthy_losses[0]:.2f}, at the end {healthy_losses[-1]:.2f}")

# %% [markdown]
# ## A target shifted by the wrong number
#
# The decoder reads `tgt_in`, which begins with `<bos>` (2), and has to predict `tgt_out`, the same one step later.
# The first bug forgets the step: both are the same.


# %%
def unshifted(pairs):
    """Return a batch in which the decoder reads what it has to predict."""
    batch = TranslationBatch.collate(pairs)
    return TranslationBatch(batch.src, batch.tgt_out, batch.tgt_out)


from helpers.pictures import side_by_side

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


def share_decoded(model, padding=0, lengths=(3, 4, 5, 6)):
    """Return the share of held-out pairs that greedy decoding gets right, without padding except this."""
    correct = []
    for length in lengths:
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
def report(name, losses, model, collate=TranslationBatch.collate):
    """Print some losses, the share of held-out tokens that are correct, and of sequences that decoding gets right."""
    by_token, by_sequence = share_of_tokens(model, collate), share_decoded(model)
    some = " ".join(f"{losses[n]:6.3f}" for n in (0, 20, 50, 100, 199))
    print(f"{name:10} {some}     {by_token:4.0%}   {by_sequence:4.0%}")


HEADER = "loss after update  0     20     50    100    199   tokens  decoded"
make_batch = unshifted  # change this to TranslationBatch.collate and run the cell again
copying = npf.Transformer(config, rng=0)
copying_losses = train(copying, collate=make_batch)
print(HEADER)
report("healthy", healthy_losses, healthy)
report(make_batch.__name__, copying_losses, copying, make_batch)
print(held_out[0][0], "->", *greedy(copying, [held_out[0][0]]))

# %% [markdown]
# This is the most pleasant bug of all: the loss is the best you have ever seen, on held-out data too. The model
# copies the token that it reads. In decoding there is nothing to copy.
#
# Without a causal mask the decoder sees the same token, one position to its right. Guess first: will this loss fall as
# fast?


# %%
def uncausal(config, rng):
    """Return a Transformer whose decoder sees all positions."""
    model = npf.Transformer(config, rng=rng)
    model.decoder.layers[0].self_attention.sublayer.attention.causal = False
    return model


ahead = uncausal(config, rng=0)  # change the 0 to 1 or 2 and run the cell again
ahead_losses = train(ahead)
print(HEADER)
report("healthy", healthy_losses, healthy)
report("uncausal", ahead_losses, ahead)
print(held_out[0][0], "->", *greedy(ahead, [held_out[0][0]]))

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREEN, GREY, ORANGE, main_color
from npformer.visualization.plots.curves import running_mean

HEALTHY, BUG = {"color": main_color(), "linewidth": 2}, {"color": ORANGE, "linewidth": 2, "linestyle": "--"}

figure, ax = new_figure(width=7, height=2.8)
ax.plot(running_mean(healthy_losses, 5), label="healthy", **HEALTHY)
ax.plot(running_mean(copying_losses, 5), label=make_batch.__name__, **BUG)
ax.plot(running_mean(ahead_losses, 5), label="uncausal", color=GREEN, linewidth=2, linestyle=":")
ax.axhline(np.log(V), color=GREY, linewidth=1, label="ln V")
ax.set(xlabel="update", ylabel="loss per token (nats)", ylim=(0, None))
ax.legend()
n_written = sum(bool(greedy(ahead, [source])[0]) for source, _ in held_out)
assert n_written <= 0.05 * len(held_out)
assert share_of_tokens(ahead) > 0.95 and ahead_losses[50] > 0.5
figure

# %% [markdown]
# It does not. The model must first learn where the next token is, so the loss falls like a healthy one, and neither
# loss nor tokens look suspicious. But *no* sequence is decoded: in training only the end had nothing to its right. In
# decoding the newest token never has, so the model nearly always writes `<eos>` at once. This bug is common, and harder
# to see.
#
# Two tests find both. Decode a few sentences during training, not only at the end. And, before any training: change one
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
print(f"uncausal  {leaks_target(uncausal(config, rng=0)):.4f}")
assert leaks_target(fresh) == 0 < leaks_target(fresh, unshifted)

# %% [markdown]
# ## Padding that leaks
#
# Sentences of a batch are filled up with 0 to the same length. The mask of the encoder keeps attention away from
# these positions. The third bug has a mask that allows everything:


# %%
class Leaky(npf.Transformer):
    """A Transformer that attends to the padding of the source."""

    def encode(self, src):
        everything = np.ones((len(src), 1, src.shape[1]), bool)  # (B, 1, S)
        return self.encoder.forward(src, everything), everything


leaky = Leaky(config, rng=0)
leaky_losses = train(leaky)
print(HEADER)
report("healthy", healthy_losses, healthy)
report("leaky", leaky_losses, leaky)

# %% [markdown]
# Loss and tokens are as good as ever. Decoding is not: there no sequence had padding. In training every batch was 7
# wide, so sources of 3, 4, 5 and 6 digits always had 3, 2, 1 and 0 zeros after their `<eos>`. Decode each length with
# each number of zeros:

# %%
PADDING = (0, 1, 2, 3)  # zeros after <eos>; add 4 and 8 and run the cell and the next again
exact = {}
for name, model in (("healthy", healthy), ("leaky", leaky)):
    exact[name] = np.array([[share_decoded(model, n, [length]) for n in PADDING] for length in (3, 4, 5, 6)])
print("leaky: sequences correct, with", *(f"{n:5}" for n in PADDING), "zeros")
for length, shares in zip((3, 4, 5, 6), exact["leaky"], strict=True):
    print(f"                      {length} digits", *(f"{share:5.0%}" for share in shares))

# %% tags=["hide-input"]
figure, axes = new_figure(1, 2, width=8, height=2.8)
for ax, (name, shares) in zip(axes, exact.items(), strict=True):
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for (i, j), share in np.ndenumerate(shares):
        ax.text(j, i, f"{share:.0%}", ha="center", va="center", color="white" if share > 0.5 else "black")
    ax.set(title=f"{name}: sequences correct", xlabel="zeros after the source", ylabel="digits")
    ax.set(xticks=range(len(PADDING)), xticklabels=PADDING, yticks=range(4), yticklabels=(3, 4, 5, 6))
widths = {TranslationBatch.collate(train_pairs[n : n + 32]).src.shape[1] for n in range(0, 6400, 32)}
assert widths == {7} and (exact["healthy"] == exact["healthy"][:, :1]).all()
assert PADDING != (0, 1, 2, 3) or exact["leaky"][:, ::-1].diagonal().min() > 0.7 > exact["leaky"].mean() + 0.2
figure

# %% [markdown]
# The leaky model is mostly right on the diagonal, where digits and zeros add up to 6, and sometimes one step beside it;
# further off it is mostly wrong. To the healthy one the zeros do not exist.
#
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
# Notebook 18 had a table that starts too large and a decoder that cannot see the source. Here are both again, and two
# more bugs of the model and the optimizer: all matrices start with standard normal numbers, and a learning rate that is
# too high. Each has one layer on each side:

# %%
TOO_FAST = 0.1  # the learning rate of the last bug; change this to 0.01 and run the section again


class Blind(npf.Transformer):
    """A Transformer whose decoder cannot see the source."""

    def decode(self, tgt, memory, mask):
        return super().decode(tgt, 0 * memory, mask)


def build(kind=npf.Transformer, table=1, normal=False):
    """Return a model; `table` multiplies the generator's table, and with `normal` all matrices have normal numbers."""
    rng, model = np.random.default_rng(0), kind(config, rng=0)
    model.generator.table.data *= table
    for name, parameter in model.named_parameters():
        if normal and name.endswith("weight"):
            parameter.data[...] = rng.normal(size=parameter.data.shape)
    return model


# %% [markdown]
# Now run all six tests on all seven bugs. A test fails above its limit: the first loss above $1.5 \ln V$, one batch
# above 0.1, the mean largest weight of any attention at the start above 0.7, the share of dead units after one batch
# above 0.1, and the two leaks above rounding. (A unit of the feed-forward network is *dead* if ReLU sets it to zero at
# every position: it gets no gradient from this batch.)

# %%
LIMITS = {
    "first loss": 1.5 * np.log(V),
    "one batch": 0.1,
    "attention": 0.7,
    "dead units": 0.1,
    "target": 1e-4,
    "padding": 1e-4,
}


def all_tests(build, rate=3e-3, collate=TranslationBatch.collate):
    """Return the result of every test, of a model that `build` makes."""
    model, batch = build(), collate(train_pairs[:16])
    with npf.trace(model, depth=None) as trace:
        logits = model.forward(batch.src, batch.tgt_in)
    first = LabelSmoothingLoss(eps=0.0).forward(logits, batch.tgt_out)
    largest = max(trace[name].output.max(-1).mean() for name in trace if name.endswith("attention.softmax"))
    leaks = leaks_target(model, collate), depends_on_padding(model, collate)
    one = train(model, 75, rate, one_batch=batch)[-1]  # after this the model is trained
    with npf.trace(model, depth=None) as trace:
        model.forward(batch.src, batch.tgt_in)
    dead = [(trace[name].output == 0).all((0, 1)).mean() for name in trace if name.endswith("activation")]
    return dict(zip(LIMITS, (first, one, largest, np.mean(dead), *leaks), strict=True))


results = {
    "healthy": all_tests(build),
    "table too large": all_tests(lambda: build(table=np.sqrt(32))),
    "blind decoder": all_tests(lambda: build(Blind)),
    "normal weights": all_tests(lambda: build(normal=True)),
    f"rate {TOO_FAST}": all_tests(build, rate=TOO_FAST),
    "unshifted target": all_tests(build, collate=unshifted),
    "no causal mask": all_tests(lambda: build(uncausal)),
    "padding leaks": all_tests(lambda: build(Leaky)),
}
print(f"{'':16}", *(f"{name:>10}" for name in LIMITS))
for bug, result in results.items():
    cells = [f"{value:.2f}{'*' if value > LIMITS[name] else ' '}" for name, value in result.items()]
    print(f"{bug:16}", *(f"{cell:>10}" for cell in cells))
print("* above the limit")

# %% tags=["hide-input"]
figure, ax = new_figure(width=9, height=3.5)
found = np.array([[value > LIMITS[name] for name, value in result.items()] for result in results.values()])
for (i, j), fails in np.ndenumerate(found):
    ax.scatter(
        j, i, s=160, color=ORANGE if fails else main_color(), marker="X" if fails else "o", alpha=1 if fails else 0.3
    )
ax.set(xticks=range(len(LIMITS)), xticklabels=LIMITS, yticks=range(len(results)), yticklabels=results)
ax.set(xlim=(-0.5, len(LIMITS) - 0.5), ylim=(len(results) - 0.5, -0.5), title="cross: the test fails")
ax.grid(alpha=0.2)
still_a_bug = np.array([True, True, True, TOO_FAST >= 0.1, True, True, True])
assert not found[0].any() and found[1:][still_a_bug].any(1).all() and not found[-3:, :4].any()
assert found[3:5, 1].all() or TOO_FAST < 0.1  # one batch finds what attention and dead units find
figure

# %% [markdown]
# No test finds everything. The last three rows pass the first four tests: for them the training is in order, and
# only its data give too much away. Attention and dead units find nothing here that one batch misses, but they say where
# the bug is, and the last model of notebook 18 is found only by its attention.
#
# Together the tests take less time than a hundred updates of a real training. Run them in this order for any new model:
# first loss, one batch, causality and padding, attention layer by layer, a sweep of the rate, and only then the whole
# training, with a few sentences decoded after each epoch.
#
# ## Questions
#
# **1.** One batch goes to 0 as it should. In the real training the loss stays at that of guessing by frequency. Which
# bug of the data does no test of the table find?
#
# <details><summary>Answer</summary>
#
# Sources that are paired with the wrong targets, for instance because only one of the two lists was shuffled. Any 16
# pairs can be learned by heart, wrong ones too. Print five pairs as text before the first update. (A learning rate
# that is good for one batch may also be too high or too low for the training.)
#
# </details>
#
# **2.** You sort the training pairs by length, so that batches have no padding. Does that repair the leaky model?
#
# <details><summary>Answer</summary>
#
# No, it hides the bug. A model trained so decodes sentences correctly as long as they have no padding, and hardly any
# with eight zeros after the source: the folded cell below has trained one. `depends_on_padding` needs no training, and
# still finds it. Repair the mask.
#
# </details>
#
# **3.** In which of the seven would `npf.gradcheck` have reported an error?
#
# <details><summary>Answer</summary>
#
# In none. All backwards are correct: the gradient is that of the loss that was computed. But it was the wrong loss,
# the wrong start, or the wrong mask. Gradient checks find wrong derivatives ([notebook
# 13](13_gradient_checks.ipynb)), and these tests find the rest.
#
# </details>

# %% tags=["hide-input"]
of_one_length = [[pair for pair in train_pairs if len(pair[0]) == length] for length in range(3, 7)]
batches = [pairs[i : i + 32] for pairs in of_one_length for i in range(0, len(pairs) - 31, 32)]
order = np.random.default_rng(0).permutation(4 * len(batches)) % len(batches)
train_pairs = [pair for k in order for pair in batches[k]]  # each batch of 32 has one length
by_length = Leaky(config, rng=0)
train(by_length, 700)
train(by_length, 100, rate=3e-4)
shares = [share_decoded(by_length, padding) for padding in (0, 8)]
print(f"question 2: sequences correct without padding {shares[0]:.0%}, with eight zeros {shares[1]:.0%}")
assert shares[0] > 0.9 and shares[1] < 0.4 and depends_on_padding(by_length) > LIMITS["padding"]

# %% [markdown]
# ---
#
# Next: [notebook 19](19_decoding.ipynb), from probabilities to a sentence.
#
# Write it yourself: exercise masks. `npformer course start my-course` begins the course.

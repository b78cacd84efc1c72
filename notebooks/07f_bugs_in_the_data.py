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
# # 07f Debugging a training: bugs in the data
#
# **The idea:** some bugs make the loss better. The model sees in training what it will not have later, and only
# decoding, or a test that changes one token, shows it.
#
# Paper: sections 3.1 and 3.2.3. About 25 minutes to read and run, 40 with every change and question. What you need
# before: [notebook 07e](07e_debugging_a_training.ipynb), whose four tests are run again at the end, and
# [notebook 06](06_encoder_and_decoder.ipynb) for masks.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from npformer.tasks import LabelSmoothingLoss, TranslationBatch

# %% [markdown]
# ## The same training, with other batches
#
# The task and the model are those of notebook 07e: digits in reverse order, one layer on each side. `train` has one
# more setting, `collate`, which makes the batches.

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

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, main_color

HEALTHY, BUG = {"color": main_color(), "linewidth": 2}, {"color": ORANGE, "linewidth": 2, "linestyle": "--"}

figure, ax = new_figure(width=7, height=2.8)
ax.plot(healthy_losses[:101], label="healthy", **HEALTHY)
ax.plot(copying_losses, label="unshifted", **BUG)
ax.axhline(np.log(V), color=GREY, linewidth=1, label="ln V")
ax.set(xlabel="update", ylabel="loss per token (nats)", ylim=(0, None))
ax.legend()
figure

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
# these positions. The second bug has a mask that allows everything:


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
# Notebook 07e had four bugs of the model and the optimizer, and four tests. In short, with one layer on each side, the
# bugs:


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
# Now run all six tests on all six bugs. A test fails above its limit: the first loss above $1.5 \ln V$, one batch
# above 0.1, the mean largest weight of any attention at the start above 0.7, the share of dead units after one batch
# above 0.1, and the two leaks above rounding.

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
still_a_bug = np.array([True, True, True, TOO_FAST >= 0.1, True, True])
assert not found[0].any() and found[1:][still_a_bug].any(1).all() and not found[-2:, :4].any()
assert found[3:5, 1].all() or TOO_FAST < 0.1  # one batch finds what attention and dead units find
figure

# %% [markdown]
# No test finds everything. The last two rows pass all tests of notebook 07e: for them the training is in order, and
# only its data give too much away. Attention and dead units find nothing here that one batch misses, but they say where
# the bug is, and the last model of notebook 07e is found by its attention alone.
#
# Together the tests take less time than a hundred updates of a real training. Run them in this order for any new model:
# first loss, one batch, causality and padding, histograms, a sweep of the rate, and only then the whole training, with
# a few sentences decoded after each epoch.
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
# **3.** In which of the six would `npf.gradcheck` have reported an error?
#
# <details><summary>Answer</summary>
#
# In none. All backwards are correct: the gradient is that of the loss that was computed. But it was the wrong loss,
# the wrong start, or the wrong mask. Gradient checks find wrong derivatives ([notebook
# 05d](05d_gradient_checks_and_hidden_bugs.ipynb)), and these tests find the rest.
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
# Next: [notebook 08](08_decoding.ipynb), from probabilities to a sentence.
#
# Write it yourself: exercise 06 masks. `npformer class start my-course` begins the course.

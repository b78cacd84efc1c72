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
# **The idea.** An LSTM or convolutions can take the encoder's place, with as many weights. Which reads best is a question
# for an experiment, and the answer explains what self-attention has to learn first.
#
# Paper: section 4, what self-attention replaced. Code: `npformer/models/baseline_layers.py`. Before this:
# [notebook 11a](11a_text_classification.ipynb), whose sentences are classified here, and
# [notebook 10](10_why_self_attention.ipynb), why self-attention. About 30 minutes, of which the training takes one.

# %%
# %matplotlib inline
import re
import time

import numpy as np

import npformer as npf
from npformer.datasets.synthetic import german_errors as mistakes
from npformer.decoding import TextClassifier
from npformer.models import Classifier, ClassifierConfig
from npformer.paper.multiply_adds import forward_multiply_adds
from npformer.tasks import Batches, ClassificationBatch, Objective, evaluate, held_out_scores
from npformer.text import UNK, Labels, Vocabulary, WordDropout
from npformer.training import Adam, FlatParameters, Trainer, WarmupSchedule
from npformer.visualization import sentence_attention
from npformer.visualization.hooks import wrap_methods
from npformer.visualization.plots import grid_size, new_figure, plot_attention_grid
from npformer.visualization.plots.colors import GREEN, GREY, ORANGE, PINK, main_color

# %% [markdown]
# ## Four encoders of one size
#
# The data are those of notebook 11a: 8,000 German sentences, half of them with a planted mistake of one of six kinds.

# %%
train, held_out, test = mistakes.split(8000, 500, 1000, seed=0)  # change the seed and run all again
words = Vocabulary.build(text for _, text in train)
labels = Labels.build(label for label, _ in train)
V, C = len(words), len(labels)

# %% [markdown]
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
D, EPOCHS, S = 64, 6, 10
ENCODERS = {
    "self-attention": {"encoder": "attention"},
    "neighbors only": {"encoder": "attention", "neighbors": 2},
    "LSTM": {"encoder": "lstm"},
    "convolution": {"encoder": "convolution"},
}
IN_TURN = {"LSTM": S}  # steps of a layer that must wait for each other; the others have one


def make(name):
    size = {"d_model": D, "d_ff": D, "n_heads": 4, "n_encoder_layers": 2, "dropout": 0.0}
    return Classifier(ClassifierConfig(vocab_size=V, n_classes=C, **size, **ENCODERS[name]), rng=0)


def n_weights(module):
    return sum(p.data.size for p in module.parameters())


print(f"{'':16s} {'weights of a layer':>18s} {'all parameters':>15s} {'multiplications':>16s} {'in turn':>8s}")
for name in ENCODERS:
    model = make(name)
    of_layer = sum(p.data.size for p in model.encoder.layers[0].parameters() if p.data.size > 4 * D)  # no biases
    products = forward_multiply_adds(model.config, S)
    print(f"{name:16s} {of_layer:18,d} {n_weights(model):15,d} {products:16,d} {IN_TURN.get(name, 1):8d}")
    assert of_layer == 6 * D**2 and abs(n_weights(model) / n_weights(make("LSTM")) - 1) < 0.01

# %% [markdown]
# Multiplications are those of one sentence of 10 tokens. They hardly differ. What differs is how many steps have to be
# done in turn: an LSTM cannot read word 7 before it has read word 6.
#
# ## Training the four
#
# The same batches, learning rates and number of epochs for each.


# %%
def ids_of(examples):
    return np.array([labels.id(label) for label, _ in examples])  # (N,)


examples = list(zip([words.encode(text) for _, text in train], ids_of(train), strict=True))
held = list(zip([words.encode(text) for _, text in held_out], ids_of(held_out), strict=True))
check = Batches(held, batch_tokens=2048, kind=ClassificationBatch)


def trained(name, recut=None):
    """Return a TextClassifier, the held-out accuracy after each epoch, and an epoch's seconds of the processor."""
    model = make(name)
    adam = Adam(FlatParameters(model.parameters()), learning_rate=WarmupSchedule.with_peak(0.003, D, 200))
    batches = Batches(examples, batch_tokens=512, kind=ClassificationBatch, recut=recut)
    accuracies, seconds, start = [], [], time.process_time()
    for record in Trainer(Objective(model), adam, batches).updates(EPOCHS):
        if record.ends_epoch:
            seconds.append(time.process_time() - start)
            accuracies.append(held_out_scores(Objective(model, label_smoothing=0.0), check).accuracy)
            start = time.process_time()
    model.eval()
    return TextClassifier(model, words, labels), accuracies, float(np.median(seconds))


runs = {name: trained(name) for name in ("self-attention", "neighbors only")}

# %%
runs |= {name: trained(name) for name in ("LSTM", "convolution")}  # change EPOCHS above to 12 and run it again

# %% tags=["hide-input"]
COLORS = dict(zip(ENCODERS, (main_color(), GREEN, PINK, ORANGE), strict=True))
figure, axes = new_figure(1, 2, width=10, height=3.8)
for name, (_, accuracies, seconds) in runs.items():
    axes[0].plot(range(1, EPOCHS + 1), accuracies, "o-", color=COLORS[name], label=name)
    axes[1].barh(name, seconds, color=COLORS[name])
    axes[1].text(seconds, name, f" {seconds:.1f}", va="center")
axes[0].set(xlabel="epoch", ylabel="held-out accuracy", title="How well", ylim=(0.4, 1))
axes[0].legend(fontsize=8, loc="lower right")
axes[0].grid(alpha=0.3)
axes[1].invert_yaxis()
axes[1].margins(x=0.12)
axes[1].set(xlabel="seconds of one core, an epoch", title="How fast")
figure

# %%
scores = {name: evaluate(classifier, test) for name, (classifier, *_) in runs.items()}
print(f"{'on the test set':17s} {'s an epoch':>10s} {'accuracy':>9s}   F1 of these classes")
some = ("adjective", "gender", "verb_last", "verb_second")
print(" " * 38, *(f"{name:>11s}" for name in some))
for name, result in scores.items():
    shares = (f"{100 * result.f1()[labels.id(one)]:9.0f}%" for one in some)
    print(f"{name:17s} {runs[name][2]:10.1f} {100 * result.accuracy:7.1f}% ", *shares)

# %% tags=["hide-input"]
accuracy = {name: result.accuracy for name, result in scores.items()}
assert accuracy["convolution"] > accuracy["self-attention"] + 0.05 < accuracy["neighbors only"]
assert accuracy["LSTM"] > accuracy["self-attention"] + 0.02

# %% [markdown]
# All four leave naive Bayes of notebook 11a far behind. But "attention is all you need" does not mean that it wins every
# comparison: at this size, with 8,000 sentences, the convolution reads best, and plain self-attention worst. Why? An
# adjective's mistake is within three adjacent words, and a convolution of width 3 sees just these from the first update on.
# Self-attention sees all words alike, and has to find out from the positional encodings which word is next to which
# (notebook 04).
#
# The green line supports this. "neighbors only" is self-attention with the same weights, from which all but the nearest
# words are hidden. It gains most of what was missing. What the others had was not better arithmetic but a head start:
# near words matter. Where far words matter as much, or the data are enough to learn what is near, it is worth less. This
# is one seed each; run the section from another before you believe a small difference.
#
# Seconds are of the machine that wrote this page; on yours look at their ratios. Sentences are short here. Notebook 10
# has the times of long ones.
#
# ## Where it looks at an adjective with a wrong ending
#
# "einen alten Hund" would be correct. The article says that it is masculine and accusative, so that the adjective must
# end in "en". Here is what two classifiers make of both sentences.

# %%
WRONG, RIGHT = "Der Mann sieht einen alte Hund.", "Der Mann sieht einen alten Hund."  # change these and run it again
for name in ("self-attention", "neighbors only"):
    for text in (WRONG, RIGHT):
        [found] = runs[name][0].classify(text)
        print(f"{name:16s} {text:33s} {found.label}, P = {found.probabilities[found.label]:.2f}")
local = runs["neighbors only"][0]
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
everywhere = sentence_attention(runs["self-attention"][0], WRONG)
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
    boxes = [layer.self_attention.sublayer.attention.softmax for layer in runs[name][0].model.encoder.layers]
    with wrap_methods([(box, "forward", uniform) for box in boxes]):
        flat[name] = evaluate(runs[name][0], test).accuracy
    print(f"{name:16s} accuracy {100 * accuracy[name]:.1f}%, with every weight alike {100 * flat[name]:.1f}%")

# %% tags=["hide-input"]
assert all(flat[name] < accuracy[name] - 0.1 for name in flat) and near < 0.6
assert scores["self-attention"].f1()[labels.id("adjective")] < 0.6

# %% [markdown]
# After six epochs it still looks at near words no more than at others. Ask it about right and wrong adjectives and it
# can hardly say more than that there is one. A map shows where it looked and not what it needed (notebook 09). So the
# last lines make all allowed weights alike. The accuracy falls: the patterns were needed.
#
# ## Words that are not in the vocabulary
#
# A word that the vocabulary lacks is read as `<unk>`. But our vocabulary has *every* word of the training sentences:
# the model has never seen an `<unk>`, and its row in the embedding matrix is what it was before training.

# %%
untrained = make("neighbors only").encoder.tokens.embedding.table.data[UNK]  # of the same seed
before = local.model.encoder.tokens.embedding.table.data[UNK]
print("sentences of training with <unk>:", sum(UNK in ids for ids, _ in examples))
print("its row is what it was before training:", np.array_equal(before, untrained))
assert np.array_equal(before, untrained)

# %% [markdown]
# *Word dropout* is the cure: in each epoch other words are hidden, that is, read as `<unk>`. A word that occurs $n$
# times in training is hidden with
#
# $$P = 1 - (1 - \text{share})\left(1 - \frac{\text{rare}}{\text{rare} + n}\right)$$
#
# so all words now and then, and rare ones, which are most similar to unknown words, more often. Here is one sentence as
# three epochs read it:

# %%
texts, classes = zip(*examples, strict=True)
hide = WordDropout(texts, share=0.1, rare=0.25, seed=0)  # change the share to 0.5 and run it again
longest = max(range(200), key=lambda i: len(texts[i]))
for epoch in (1, 2, 3):
    print(words.decode(hide.epoch(texts, epoch)[longest])[:88])
hidden = np.mean([i == UNK for text in hide.epoch(texts, 1) for i in text])
print(f"{100 * hidden:.1f}% of all words are hidden in epoch 1")

# %%
hiding, *_ = trained("neighbors only", recut=lambda epoch: list(zip(hide.epoch(texts, epoch), classes, strict=True)))
with_order = [text for text in test if text.label in ("right", "verb_second", "verb_last", "prefix")]


def with_unknown_nouns(text):
    return text._replace(text=re.sub(r"(?<=\w )[A-ZÄÖÜ]\w+", "Drache", text.text))


assert words.unknown("Drache") == ["Drache"]
print("such as:", with_unknown_nouns(with_order[1]).text)
measured = {}
for name, classifier in (("without word dropout", local), ("with word dropout", hiding)):
    strange = evaluate(classifier, [with_unknown_nouns(text) for text in with_order]).accuracy
    measured[name] = evaluate(classifier, test).accuracy, evaluate(classifier, with_order).accuracy, strange
without, with_dropout = measured.values()
lost = [100 * (plain - strange) for _, plain, strange in (without, with_dropout)]
print(f"unknown nouns cost {lost[0]:.0f} points without word dropout, {lost[1]:.0f} with it")

# %% tags=["hide-input"]
figure, ax = new_figure(width=8.5, height=3.2)
places = ("all of the test set", "right, or the verb wrong", "the same, nouns unknown")
for shift, (name, color) in zip((-0.2, 0.2), zip(measured, (GREY, GREEN), strict=True), strict=True):
    bars = ax.bar(np.arange(3) + shift, measured[name], 0.38, color=color, label=name)
    ax.bar_label(bars, [f"{100 * share:.0f}%" for share in measured[name]])
ax.set_xticks(range(3), places)
ax.set(ylim=(0.5, 1.1), ylabel="accuracy")
ax.legend(fontsize=8, loc="upper left", ncols=2)
assert 0.09 < hidden < 0.12 and lost[0] > 12 and lost[1] < lost[0] / 2
assert abs(with_dropout[0] - without[0]) < 0.05
figure

# %% [markdown]
# To see that a verb is in the wrong place one need not know the nouns. Both classifiers could know that, but only one
# ever had to. (Where no noun can be told from another, a wrong article cannot be seen; so the bars in the middle and on
# the right count sentences that are right or have a mistake of the verb.) What does word dropout cost? A hidden article
# hides its mistake too, and the sentence keeps its label: some of its training labels are then false.
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
# **3.** The LSTM has as many weights and multiplications as the convolution. Why does an epoch take it longer?
#
# <details><summary>Answer</summary>
#
# Its products are small and wait for each other: ten products of one word each, where the convolution has one of ten
# words. A processor is fastest on large products, and in Python each product also costs a call. The gap grows with the
# length of the sentences (notebook 10).
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

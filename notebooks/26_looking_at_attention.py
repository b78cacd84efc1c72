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
# # 26 Looking at attention
#
# **The idea.** Attention weights can be drawn, and "attention aligns words" can be turned into a number. But a map
# shows where a head looked, not what the model needed.
#
# Paper: section 3.2.3, and figures 3 to 5 of the appendix. Before this: notebook 19, decoding. About 30 minutes
# to read and run, 50 with every change and question. The training takes a quarter of a minute.

# %%
# %matplotlib inline
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import npformer as npf
from helpers.pictures import lines_size, plot_alignment, plot_attention_lines, plot_error_rates
from npformer.datasets import phrasebook
from npformer.evaluation import alignment_baselines, attention_error_rates
from npformer.tasks import Batches, TranslationBatch, mean_loss
from npformer.utils.wrap_methods import wrap_methods
from npformer.visualization import sentence_attention
from npformer.visualization.plots import (
    grid_size,
    map_size,
    new_figure,
    plot_attention,
    plot_attention_grid,
)
from npformer.visualization.plots.colors import GREY, ORANGE
from npformer.visualization.viewer import AttentionViewer

# %% [markdown]
# ## A model that translates
#
# The phrasebook is made by rules, so it knows which English word became which German word. Nobody tells the model. If
# you have a finished run of `npformer train`, of the size that the text below speaks of, it is used. Otherwise one
# epoch is trained here, each time the cell is run, with LayerNorm before each box so that it learns fast. That is
# enough to see all of what follows.

# %%
SIZE = {"n_encoder_layers": 2, "n_decoder_layers": 2, "n_heads": 4, "d_model": 64}


def found():
    """Return the translator of a finished run of that size, and the held-out pairs, or None."""
    for run in (Path("runs/phrasebook"), Path("../runs/phrasebook")):
        if run.exists():
            translator = npf.runs.load(run)
            config, tokenizer = translator.model.config, translator.source.tokenizer
            other = [f"{name} {getattr(config, name)}" for name in SIZE if getattr(config, name) != SIZE[name]]
            other += [f"tokenizer {tokenizer}"] if tokenizer != "word" else []
            if not other:
                print(f"{run} is used, and nothing is trained here")
                return translator, phrasebook.split(seed=0)[1]
            print(f"{run} is not used. It differs from what the text below speaks of:", ", ".join(other))
    return None


def trained():
    fast = {"norm": "pre", "learning_rate": 0.006, "warmup_steps": 100, "decay_steps": 394}
    settings = {"epochs": 1, **fast}  # change this to {"epochs": 3}, without the fast settings, and run it again
    run = npf.runs.begin("phrasebook", folder=f"{mkdtemp()}/run", **settings)
    for epoch in run.epochs():
        print(f"epoch {epoch.epoch}, update {epoch.step}: loss {epoch.loss:.2f}, held out {epoch.held_out_loss:.2f}")
    return run.predictor(), run.held_out


translator, held_out = found() or trained()
model = translator.model
pairs = held_out[:250]  # that training has not seen
ids = [(translator.source.encode(pair.source), translator.target.encode(pair.target)) for pair in pairs]
check = Batches(ids, batch_tokens=2048)
loss = mean_loss(model, check)
print(f"{model.config.n_decoder_layers} decoder layers, {model.config.n_heads} heads; held-out loss {loss:.2f} nats")
assert loss < 0.5, "the text below needs a better model: train the run for longer, or move it elsewhere"

# %%
pair = next(pair for pair in held_out if pair.source.startswith("On Sunday the doctors can watch television"))
[output] = translator.translate(pair.source)
print(pair.source)
print(output)
looked = sentence_attention(translator, pair.source, pair.target)
layers, heads, T, S = looked.cross.shape
print(f"cross-attention {looked.cross.shape}: layers, heads, T target positions, S source positions")
assert (T, S) == (len(looked.written), len(looked.source))
assert np.allclose(looked.cross.sum(-1), 1, atol=1e-5)

# %% [markdown]
# ## One map
#
# In cross-attention the decoder asks and the source answers (section 3.2.3). For head $h$ the map is
#
# $$A_h = \mathrm{softmax}\!\left(\frac{Q_h K_h^\top}{\sqrt{d_k}}\right), \qquad
# Q_h = x W_h^Q,\quad K_h = m W_h^K,$$
#
# with $x$ of the target and $m$, the memory, of the source. Each row sums to 1. Below is the mean over the heads of the
# last layer. A row is named by the word that its position *writes*. More about that soon.

# %%
last = looked.cross[-1]  # (H, T, S); change the -1 to 0 and run it again
figure, ax = new_figure(**map_size(looked.written, looked.source))
plot_attention(ax, last.mean(0), looked.written, looked.source, title="last layer, mean over its heads")
figure

# %% [markdown]
# ## All heads
#
# A mean hides who did what. A small map for each head, a row of maps for each layer:

# %% tags=["hide-input"]
figure, axes = new_figure(layers, heads, **grid_size(looked.written, looked.source, layers, heads))
plot_attention_grid(axes, looked.cross, looked.written, looked.source)
figure

# %% [markdown]
# The paper draws such weights (of its encoder) as lines, one color per head, opaque where large. Two words are enough
# here: "dem", whose form depends on "girl", and the verb that German puts at the end.

# %%
figure, ax = new_figure(**lines_size(looked.written, looked.source))
two = [looked.written.index(word) for word in ("dem", "fernsehen")]  # change these words and run it again
plot_attention_lines(ax, last, looked.written, looked.source, only=two, names=("writes", "looks at"))
figure

# %% [markdown]
# And here you can point at a word. In a running notebook the next cell shows every layer, head and kind of attention;
# where no scripts run, you see one picture of it. `AttentionViewer(looked).save("look.html")` makes a page of its own.

# %%
AttentionViewer(looked)

# %% [markdown]
# ## Alignment as a number
#
# Link each target word to the source word with the largest weight. Call these links $A$ and the right ones $S$. The
# alignment error rate (Och and Ney 2003) of links with one kind of right answer is
#
# $$\mathrm{AER} = 1 - \frac{2\,|A \cap S|}{|A| + |S|}$$
#
# 0 is perfect, 1 is no link right. A number needs something to compare it with: the words kept in order, links at
# random, and the best that one link per word can do. (The rules know words that have several links, such as
# "fernsehen", which is "watch television".)

# %%
rates = attention_error_rates(translator, pairs)  # (layers, H + 1); change pairs to pairs[:10] and run it again
baselines = alignment_baselines(pairs)
figure, ax = new_figure(width=7.5, height=2.6)
plot_error_rates(ax, rates, title="where a word is written")
figure

# %%
print(f"best column {100 * rates.min():.1f}%, mean of the last layer's heads {100 * rates[-1, -1]:.1f}%")
for name, rate in baselines._asdict().items():
    print(f"{name:9s} {100 * rate:5.1f}%")
assert rates[-1].min() < 0.25 and rates.min() < baselines.diagonal / 2
assert baselines.ideal < rates.min() < baselines.diagonal < baselines.random
assert rates[0].min() > 1.5 * rates[-1].min()

# %% [markdown]
# So "attention aligns words" is true of the last layer, most of all of the mean of its heads, and hardly of the heads
# of the first layer. Which is why you should ask which head, and which layer.

# %% [markdown]
# ## Which row belongs to a word?
#
# The decoder meets each target word twice. Position $t$ reads $y_{t-1}$ and writes $y_t$. Some tutorials name the rows
# of a map by the word read, others by the word written. The two pictures differ by one row, and only one of them shows
# an alignment. Measure it, and then look at our sentence, with the right links, the *gold* links, outlined:

# %%
read_rates = attention_error_rates(translator, pairs, row="reads")
print("position  reads ", looked.read[:3], " writes ", looked.written[:3])  # change the 3s and run it again
print(f"last layer, mean of the heads: where written {100 * rates[-1, -1]:.1f}%, read {100 * read_rates[-1, -1]:.1f}%")
print(f"best anywhere:                 where written {100 * rates.min():.1f}%, read {100 * read_rates.min():.1f}%")
assert looked.read[1:] == looked.written[:-1]
assert read_rates.min() > 0.6 and read_rates[-1, -1] > baselines.random

# %% tags=["hide-input"]
figure, axes = new_figure(1, 2, width=10.5, height=4.2)
n = T - 1  # <eos> is written and never read
plot_alignment(
    axes[0], last.mean(0)[:n], looked.written[:n], looked.source, pair.alignment, title="named by word written"
)
plot_alignment(axes[1], last.mean(0)[1:], looked.read[1:], looked.source, pair.alignment, title="named by word read")
figure

# %% [markdown]
# In this model the position that *writes* a word looks at its source. The position that reads it is already busy with
# the next word: the last layer's links are then worse than links at random. In deeper models a lower layer may align
# better where the word is read (Chen et al. 2020), so measure both on yours.

# %% [markdown]
# ## What the weights do not show
#
# Do the weights explain the output? "Attention is not Explanation" (Jain and Wallace 2019) and "Attention is not not
# Explanation" (Wiegreffe and Pinter 2019) disagree. You have a model, so try two experiments.
#
# **Same maps, other words.** The output of a head is $A_h V_h$: weights *times values*. Leave every weight as it is,
# and hand the values of the last cross-attention over in reverse order. `wrap_methods` replaces a method while its
# block runs: the function gets the original as `plain`, and then its arguments.


# %%
def reversed_values(plain, query, key, value, mask=None):
    return plain(query, key, value[..., ::-1, :], mask)  # change this to np.roll(value, 1, -2) and run it again


attention = model.decoder.layers[-1].cross_attention.sublayer.attention
with wrap_methods([(attention, "forward", reversed_values)]):
    again = sentence_attention(translator, pair.source, pair.target)
    loss_reversed = mean_loss(model, check)
    [nonsense] = translator.translate(pair.source, beam=1)

print(
    "weights equal:",
    all(np.array_equal(getattr(looked, k), getattr(again, k)) for k in ("encoder", "decoder", "cross")),
)
print(f"held-out loss {loss:.2f} -> {loss_reversed:.2f}")
print(nonsense[:88])
assert np.array_equal(looked.cross, again.cross) and loss_reversed > 3 * loss

# %% tags=["hide-input"]
with wrap_methods([(attention, "forward", reversed_values)]):  # one sentence at a time, so without padding
    assert np.mean([mean_loss(model, Batches([pair_ids], batch_tokens=2048)) for pair_ids in ids]) > 3 * loss

# %% [markdown]
# Not one weight of this sentence moved, and the sentence is lost. A map says where a head looked. What it carried away
# from there, it does not say. (In a batch the values of padding are handed over too. One sentence at a time the loss
# rises just as much.) Nor is position 5 of the memory still "the word 5": two encoder layers have mixed the
# whole sentence into it.
#
# **Other maps, same words.** Now make a whole attention uniform: all scores 0, every allowed position the same weight,
# in all heads of one layer. If the loss stays, the pattern in its maps was not needed.


# %%
SHARPNESS = 0  # change this to 0.5 and run it again: half as sharp


def uniform(plain, scores, mask=None):
    return plain(SHARPNESS * scores, mask)


boxes = {f"encoder {i + 1}": layer.self_attention for i, layer in enumerate(model.encoder.layers)}
boxes |= {f"decoder {i + 1}": layer.self_attention for i, layer in enumerate(model.decoder.layers)}
boxes |= {f"cross {i + 1}": layer.cross_attention for i, layer in enumerate(model.decoder.layers)}
flattened = {}
for name, box in boxes.items():
    with wrap_methods([(box.sublayer.attention.softmax, "forward", uniform)]):
        flattened[name] = mean_loss(model, check)

figure, ax = new_figure(width=7.5, height=3.2)
ax.barh(list(flattened), list(flattened.values()), color=ORANGE)
ax.axvline(loss, color=GREY, linestyle="--", label="as trained")
ax.invert_yaxis()
ax.set(xlabel="held-out loss (nats) with this attention made uniform")
ax.legend()
figure

# %%
for name, value in flattened.items():
    print(f"{name:10s} {value:.2f}, {value / loss:5.1f} x")
least = min(("encoder 1", "encoder 2"), key=flattened.get)
if SHARPNESS == 0:
    assert flattened[least] < 1.35 * loss and min(flattened["decoder 1"], flattened["cross 1"]) > 1.5 * loss
    assert max(flattened, key=flattened.get) == f"cross {layers}"

# %% [markdown]
# The encoder draws patterns too, and the model hardly misses those of one layer. The residual connection carries each
# word past them. The last cross-attention, which aligns best, matters most. So far so good. But the first
# cross-attention aligns worse in the table above, and the model needs it too. It also needs the decoder's first
# self-attention, which never sees the source. And with scores that are only halved, `SHARPNESS = 0.5`, all six losses
# stay within a tenth of the old one: which words get the larger weights matters more than how much larger these are.
# How good a map looks and how much it matters are two questions. Here is the encoder layer that is missed least:

# %% tags=["hide-input"]
figure, axes = new_figure(1, heads, **grid_size(looked.source, looked.source, 1, heads))
plot_attention_grid(axes, looked.encoder[int(least[-1]) - 1], looked.source, looked.source)
figure

# %% [markdown]
# ## Three questions
#
# **1.** Why can no model reach an alignment error rate of 0 here, when each target word is linked to one source word?
#
# <details><summary>Answer</summary>
#
# Some target words have several right links, "fernsehen" two. One link a word must miss the others. `ideal` above is
# what is left: the missing links count in $|S|$.
#
# </details>
#
# **2.** In the outlined map on the left, the position that writes "Mädchen" looks at "doctors" too. The word is right
# all the same. How can that be? Take out one head at a time and see.
#
# <details><summary>Answer</summary>
#
# The map is a mean over heads, and what a head brings from a word passes through a $W^V$ and $W^O$ of its own. The cell
# below prints where each head of the last layer looks most, and the probability of "Mädchen" without this head. If it
# falls, the head spoke for the word; if it rises, against it. Where a head looks does not decide this: a head that
# looks at "doctors" need not speak for "Ärzte". Which heads look where differs from training to training. The alignment
# error rate judges attention by our idea of alignment, not by its use.
#
# </details>
#
# **3.** You make one head uniform and the loss does not change. May you say that this head does nothing?
#
# <details><summary>Answer</summary>
#
# No. Another head may do the same work and cover for it. You have shown that the pattern of this head alone is not
# needed, on these sentences. Even a uniform head still adds the mean of its values.
#
# </details>

# %%
batch = TranslationBatch.collate([(translator.source.encode(pair.source), translator.target.encode(pair.target))])
place = looked.written.index("Mädchen")  # change the word and run it again
w_output = model.decoder.layers[-1].cross_attention.sublayer.w_output


def probability(kept):
    """Return the probability of the word at `place` with those heads of the last cross-attention that are `kept`."""
    size = model.config.d_model // heads
    with model.evaluating(), wrap_methods([(w_output, "forward", lambda f, x: f(x * np.repeat(kept, size)))]):
        logits = model.forward(batch.src, batch.tgt_in)[0, place].astype(float)  # (V,)
    return (np.exp(logits) / np.exp(logits).sum())[batch.tgt_out[0, place]]


every = np.ones(heads, "float32")
print(f"probability of {looked.written[place]!r} with all heads: {probability(every):.2f}")
for head, weights in enumerate(looked.cross[-1][:, place]):  # (S,)
    most = weights.argmax()
    without_it = probability(every - np.eye(heads, dtype="float32")[head])
    print(f"head {head + 1} looks most at {looked.source[most]!r} ({weights[most]:.2f}); without it {without_it:.2f}")

# %% [markdown]
# Next: [09b embeddings as geometry](27_embeddings.ipynb).

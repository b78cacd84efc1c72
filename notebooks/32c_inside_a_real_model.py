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
# # 32c Inside a real model
#
# *A detour from [32](32_induction_heads.ipynb): nothing later needs it. [Notation](../docs/reference/notation.md).*
#
# Notebook 32b imported models from other programs. Now look inside. What happens to a sentence on its way through, where
# does a word that matters arrive, and what do the heads of somebody else's model look at?
#
# **The idea:** a model from elsewhere can be stopped at every step. Follow one sentence through it, then measure over
# many sentences what each head looks at, and compare with chance.
#
# **After this you can** trace a sentence through any model that is imported; say where a word arrives; measure what heads
# look at, instead of reading it off one map.
#
# Paper: figure 1, and the appendix for what heads do. Code: `npformer/visualization/tracing/`. About 45 minutes with its
# writing.

# %%
# %matplotlib inline
import os
from importlib.util import find_spec
from pathlib import Path
from unicodedata import lookup

import numpy as np

import npformer as npf
from helpers.elsewhere import Shares, imported, measure_shares, neighbors, split
from helpers.elsewhere.shares import things_of_cross, things_of_decoder, things_of_encoder
from helpers.pictures import plot_heads, show_arrays
from npformer.visualization import sentence_attention
from npformer.visualization.plots import new_figure, plot_attention, plot_heat_map
from npformer.visualization.plots.colors import GREEN, ORANGE, main_color

# %% [markdown]
# ## Three imported models
#
# They are those of notebook 32b: a small nn.Transformer, a jadore and a Marian, trained for some seconds on a corner of
# German, written as their programs write, and imported.

# %%
train, held_out = split(3000, 100)
models = imported(train, Path("imported"))  # add epochs=6 and run all again: are the heads more certain?

# %% [markdown]
# ## One sentence, followed
#
# `npf.trace` records what passes through each layer. This is the whole path of a sentence through Marian (`depth=2`:
# the boxes in the boxes are left out; `depth=3` is figure 1).

# %%
SENTENCE, TRANSLATION = "the small dog has seen a young cow", "der kleine Hund hat eine junge Kuh gesehen"


def traced(translator, sentence, words=""):
    """Return the trace of a sentence and of the first words of its translation."""
    tgt = [translator.model.config.start_id, *(translator.target.encode(words) if words else [])]
    with npf.trace(translator.model, depth=2) as trace:
        translator.model.forward(np.array([translator.encode(sentence)]), np.array([tgt]))
    return trace


traced(models["Marian"], SENTENCE, TRANSLATION)

# %% [markdown]
# Everything between the embeddings and the generator is (1, positions, 64). That is the *stream*: each box reads it,
# and writes it again. Two questions about it. What norms do its vectors have on the way? And where does a word that
# matters arrive?
#
# For the second, trace a sentence twice: once as it is, once with *cat* instead of *dog*. German then needs *die*
# and not *der*. Wherever the two traces are equal, the model cannot know yet.


# %%
def stream(trace, stack):
    """Return what each box of a stack wrote, (positions, D), by the layer and the name of the box."""
    names = [name.split(".") for name in trace if name.startswith(f"{stack}.")]
    boxes = [
        parts for parts in names if len(parts) in (2, 4)
    ]  # encoder.input_embedding, encoder.layers.0.self_attention
    short = {"self_attention": "self", "cross_attention": "cross", "feed_forward": "ffn"}
    labels = [f"{int(parts[2])} {short[parts[3]]}" if parts[2:] else parts[1].removeprefix("input_") for parts in boxes]
    return {label: trace[".".join(parts)].output[0] for label, parts in zip(labels, boxes, strict=True)}


def difference(a, b):
    """Return by how much the vectors of two streams differ, relative to their norm (boxes, positions)."""
    norm = np.linalg.norm
    return np.array([2 * norm(a[box] - b[box], axis=-1) / (norm(a[box], axis=-1) + norm(b[box], axis=-1)) for box in a])


OTHER = SENTENCE.replace("dog", "cat")  # change "cat" to "horse" and run it again
both = {name: [traced(each, sentence) for sentence in (SENTENCE, OTHER)] for name, each in models.items()}

# %% tags=["hide-input"]
figure, axes = new_figure(1, 2, width=11, height=3.6)
arrives = {}
for (name, traces), color, mark in zip(both.items(), (main_color(), ORANGE, GREEN), "os^", strict=True):
    vectors = stream(traces[0], "encoder")
    norms = [np.linalg.norm(x, axis=-1).mean() for x in vectors.values()]
    axes[0].plot(list(vectors), norms, color=color, marker=mark, label=name)
    streams = [stream(trace, "decoder") for trace in traces]
    arrives[name] = difference(*streams)[:, 0]
    axes[1].plot(list(streams[0]), arrives[name], color=color, marker=mark, label=name)
axes[0].set(title="encoder", ylabel="norm of the stream's vectors (mean)")
axes[1].set(title="decoder, first position: dog against cat", ylabel="relative difference")
for ax in axes:
    ax.set(xlabel="layer and box of the stack", ylim=(0, None))
axes[0].legend()
figure

# %%
begins = {}
for name, traces in both.items():
    ids = [trace["generator"].output[0, 0].argmax() for trace in traces]
    begins[name] = " or ".join(models[name].target.tokens[i].strip("▁") for i in ids)
begins  # with "dog", and with "cat"

# %% [markdown]
# (The relative difference is that of two vectors, divided by their mean norm: 0 for equal ones, 1.4 for two of one
# length at a right angle, 2 for opposite ones.) On the left: with the norm *after* each sum (paper, jadore, Marian)
# the stream is brought back to one size in every box. With the norm before (nn.Transformer, as it was built here)
# nothing holds it, each box adds to it, and one norm at the end brings it back. On the right: the decoder begins with
# the same start token in both cases, and knows nothing of dogs and cats before the first cross-attention. There, and
# nowhere else, the source comes in.
#
# And in the encoder, word by word: in the embeddings only *dog* and *cat* differ. Where does it reach *the*?

# %% tags=["hide-input"]
figure, axes = new_figure(1, len(models), width=4.2 * len(models), height=3.4)
hears = {}
for ax, (name, traces) in zip(axes, both.items(), strict=True):
    streams = [stream(trace, "encoder") for trace in traces]
    hears[name] = difference(*streams)
    words = [word.strip("▁") for word in sentence_attention(models[name], SENTENCE, TRANSLATION).source]
    plot_heat_map(ax, hears[name], title=name, row_names=list(streams[0]), column_names=words, limit=0.6)
for bar in figure.axes[len(models) :]:
    bar.set_ylabel("relative difference, cut at 0.6")
figure

# %% [markdown]
# In the embeddings the noun is a word among others. One self-attention carries it everywhere, to its own article more
# than to most. Does the decoder take the gender from there, or from the noun itself?
#
# ## What does each head look at?
#
# A map of one sentence is easily read with wishful eyes. So measure: how much of its weight does a head give to a
# certain thing, and how much would it be if it looked everywhere equally ("chance")? A thing is a map of booleans, True
# where it is. Here the thing is the *noun* of an article that is being written, which decides between *der*, *die*
# and *das*:

# %%
pair = held_out[1]  # change the 1 to 2 and run it again
looked = sentence_attention(models["jadore"], pair.source, pair.target)
noun = things_of_cross(pair, looked)["noun"]  # (T, S), True at the noun in rows that write an article
rows = noun.any(-1)
share = (looked.cross * noun).sum(-1)[..., rows].mean(-1)  # (layers, H)
shown = {f"share of the noun: {pair.target}": share}
show_arrays(**shown, rows=["layer 0", "layer 1"], columns=[f"head {head}" for head in range(4)], limit=1)

# %% [markdown]
# The same over 100 sentences, and for three more things: the word that is **aligned** with the one that is being
# written (the rules know it); `<eos>`, while words are written; and the **end**, the same `<eos>` when no word is
# left. `measure_shares` adds up what the cell above does, in `notebooks/helpers/elsewhere/shares.py`.

# %%
shares = {name: measure_shares(translator, held_out) for name, translator in models.items()}

# %% tags=["hide-input"]
figure, axes = new_figure(1, len(models), width=3.7 * len(models), height=3.9)
for ax, name in zip(axes, models, strict=True):
    things, found, chance = shares[name]["cross"].table()
    plot_heads(ax, found, chance, things, title=name)
axes[0].set_ylabel("layer.head of cross-attention")
figure

# %% [markdown]
# (A head is named by its layer and its number: 1.0 is head 0 of layer 1.) In all three, some heads align words, best of all
# in layer 1. And in each, two or three heads give more than half of their weight to the noun when *der* or *die* is due,
# some in layer 0 and some in layer 1. So the decoder looks at the noun itself. These shares do not tell whether it also
# takes something from the article, which knows the noun too. Nobody told the models what gender is. `<eos>` seldom gets
# more than chance while words are written, and most of the weight of some heads when nothing is left to write. (Outlined:
# the head that looks most, where that is at least twice chance.)
#
# And self-attention? The head that looks most at each thing, and chance (0.11 in the encoder of jadore, which reads one
# token more):

# %%
largest = {}
for title in ("encoder", "decoder"):
    tables = [shares[name][title].table() for name in models]
    things = tables[0][0]
    largest[title] = np.array([found.max((0, 1)) for _, found, _ in tables] + [tables[0][2]])
columns = {title: shares["Marian"][title].table()[0] for title in largest}
show_arrays(**largest, rows=[*models, "chance"], columns=columns, limit=1)

# %% [markdown]
# You may have read that some heads look at the previous token. In these small models none does. Their language does
# need what was just written: an adjective's ending depends on the article (*ein schwarzes Kind*, *das schwarze
# Kind*). But that is the token that was just *read*, which the residual sum carries, and nothing earlier is needed.
# That is why one measures.
#
# ## A model that people use
#
# It is that of notebook 32b, from Arabic in Latin letters to Arabic script. Nobody has aligned its letters, but most
# consonants are typed by one Latin letter and written by one Arabic letter. That is enough to ask, of
# cross-attention: does a head look at the letter that its position *writes*, or at the one that it *reads*, which was
# written last?

# %%
TYPED = "ezayak 3amel eh, yalla bina, msh fahem 7aga, el akl helw awy, bokra isa, 3ayez aroo7, ana mabsoot".split(", ")
package, arabizi = find_spec("egyptian_arabizi_franco"), None  # add your own sentences above and run it again
if package is None or find_spec("onnx") is None:
    print('not installed: run  pip install "npformer[interop]"  and this page again')
else:
    where = Path(package.submodule_search_locations[0]) / "models"
    SETTINGS = {
        "tokenizer": "character",
        "lowercase": "source",
        "source_special_tokens": "none",
        "norm": "pre",
        "n_heads": 4,
    }
    arabizi = npf.interop.load(where, source_vocabulary=str(where / "vocab.json"), embedding_scale="sqrt", **SETTINGS)

# %% tags=["hide-input"]
LETTERS = "LAM=l KAF=k MEEM=m BEH=b NOON=n SHEEN=s SEEN=s FEH=f HAH=7 AIN=3 ZAIN=z REH=r HEH=h YEH=y WAW=w TEH=t DAL=d"
NAMES = dict(letter.split("=") for letter in LETTERS.split())
SOUNDS = {lookup(f"ARABIC LETTER {name}"): latin for name, latin in NAMES.items()}


def sounds_like(letters, source):
    """Return where in a source is what a letter sounds like, booleans (letters, S)."""
    return np.array([[SOUNDS.get(letter) == latin for latin in source] for letter in letters])


# %%
figure, real = None, {"encoder": Shares(), "decoder": Shares(), "cross": Shares()}
if arabizi is not None:
    for typed in TYPED:
        looked = sentence_attention(arabizi, typed)
        real["encoder"].add(looked.encoder, neighbors(len(looked.source)))
        real["decoder"].add(looked.decoder, things_of_decoder(looked), causal=True)
        sides = {"writes": looked.written, "reads": looked.read}
        real["cross"].add(looked.cross, {side: sounds_like(letters, looked.source) for side, letters in sides.items()})
    figure, axes = new_figure(1, 3, width=10, height=5)
    for ax, (title, kind) in zip(axes, real.items(), strict=True):
        things, found, chance = kind.table()
        plot_heads(ax, found, chance, things, title=title)
figure

# %% [markdown]
# Here they are, in the decoder: heads that look at the letter before the one just read. (What such heads can be good
# for, [notebook 32](32_induction_heads.ipynb) shows.) And cross-attention answers a question of notebook 26, where
# the row of the word *written* showed the alignment. Here one head of layer 0 looks at the letter that was
# just *read*, as if to find the place, and the layers above look at the one to be *written*. Chen et al. (2020) found
# the same in large models. Both heads, side by side, on "the food is nice":

# %% tags=["hide-input"]
figure = None
if arabizi is not None:
    _, found, _ = real["cross"].table()
    layer, head = np.unravel_index(found[..., 1].argmax(), found.shape[:2])
    looked, best = sentence_attention(arabizi, "el akl helw"), found[2, :, 0].argmax()
    figure, axes = new_figure(1, 2, width=10, height=4.6)
    heads = {f"head {layer}.{head}": looked.cross[layer, head], f"head 2.{best}": looked.cross[2, best]}
    rows = {"letter read": looked.read, "letter written": looked.written}
    for ax, (title, weights), (side, letters) in zip(axes, heads.items(), rows.items(), strict=True):
        plot_attention(ax, weights, letters, looked.source, title=title)
        ax.set_ylabel(side)
figure

# %% [markdown]
# ## Your own opus-mt
#
# Download a model such as `Helsinki-NLP/opus-mt-en-de` from Hugging Face (all files of its page, with Git LFS; some
# 300 MB), specify where it is, and run this page again:
# `NPFORMER_OPUS_MT=path/to/opus-mt-en-de jupyter lab notebooks`. It has 6 + 6 layers of 8 heads, `d_model` 512,
# 58,101 SentencePieces. The cells below then do with it what was done above.

# %%
path, opus = os.environ.get("NPFORMER_OPUS_MT"), None
if path is None:
    print("no model: NPFORMER_OPUS_MT is not set")
else:
    opus = npf.interop.load(path)
    print(*opus.translate(["The small dog has seen a young cow.", "She said that she would not come tomorrow."]))

# %% tags=["hide-input"]
figure = None
if opus is not None:
    kinds = {"encoder": Shares(), "decoder": Shares()}
    for pair in held_out[:20]:
        looked = sentence_attention(opus, f"{pair.source.capitalize()}.")
        kinds["encoder"].add(looked.encoder, things_of_encoder(looked))
        kinds["decoder"].add(looked.decoder, things_of_decoder(looked), causal=True)
    figure, axes = new_figure(1, 2, width=8, height=0.3 * looked.encoder[..., 0, 0].size + 1.5)
    for ax, (title, kind) in zip(axes, kinds.items(), strict=True):
        things, found, chance = kind.table()
        plot_heads(ax, found, chance, things, title=title)
figure

# %% [markdown]
# ## Three questions
#
# **1.** In the trace of Marian the generator's output has a mean of about $-10^7$. Is something broken?
#
# <details><summary>Answer</summary>
#
# No. Marian has no `<bos>`, our vocabularies have, so its row is a spare one, and its bias is $-10^9$: softmax gives it
# exactly 0. One such number among a hundred spoils any mean. The folded cell below looks at the others.
#
# </details>
#
# **2.** In the embeddings of the encoder, traces of *dog* and *cat* differ at one position. After one self-attention
# they differ at every position. Does that show that all words have *used* the noun?
#
# <details><summary>Answer</summary>
#
# No. Softmax gives every position some weight, so a trace of the noun goes everywhere, if only by accident. How much
# would be the question: compare *the* with *cow* in the picture. And only an experiment that takes it away tells whether it
# matters, such as those of notebooks 26 and 32.
#
# </details>
#
# **3.** With pre-norm the stream grows from box to box. Does the last feed-forward network get larger inputs than the
# first?
#
# <details><summary>Answer</summary>
#
# No. It reads a normalized copy of the stream. What changes is the proportion: each box adds about the same amount to a
# stream that grows, so the later a box is, the less it changes the direction of the stream.
#
# </details>

# %% tags=["hide-input"]
output = traced(models["Marian"], SENTENCE, TRANSLATION)["generator"].output
print(f"mean {output.mean():.2g}; without the spare token {np.delete(output, 2, -1).mean():.2f}")

# %% [markdown]
# **You can now**
#
# - trace a sentence through a model from elsewhere, and find where a word arrives;
# - measure what its heads look at, and compare with chance;
# - say what such a share does not show: whether anything depends on it.
#
# Back to the path: [the project](32d_project_a_head.ipynb), where you show what a head does.

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
# # 14b Inside a real model
#
# **The idea.** A model from elsewhere can be stopped at every step. Follow one sentence through it, then measure over many
# what each head looks at.
#
# This notebook and 14a are **optional**: they are for people who work with models from other programs.
#
# Paper: figure 1, and the appendix for what heads do. Code: `npformer/visualization/tracing/`. Before this:
# [notebook 14a](14a_importing_a_model.ipynb), which imports the models, and
# [notebook 09](09_looking_at_attention.ipynb), looking at attention. About 35 minutes.

# %%
# %matplotlib inline
import os
from importlib.util import find_spec
from pathlib import Path
from unicodedata import lookup

import numpy as np

import npformer as npf
from elsewhere import split, trained, write_jadore, write_marian, write_nn_transformer
from npformer.visualization import sentence_attention
from npformer.visualization.plots import new_figure, plot_attention, plot_heat_map
from npformer.visualization.plots.colors import GREEN, ORANGE, main_color
from pictures import plot_heads

# %% [markdown]
# ## Three imported models
#
# They are those of notebook 14a: a small nn.Transformer, a jadore and a Marian, trained for some seconds on a corner of
# German and written as their programs write. The folded cell makes and imports them again.

# %% tags=["hide-input"]
train, held_out = split(3000, 200)
write = {"nn.Transformer": write_nn_transformer, "jadore": write_jadore, "Marian": write_marian}
if find_spec("sentencepiece") is None:
    del write["Marian"]
    print('no Marian here: its text is cut by a library,  pip install "npformer[marian]"')
files = {name: write[name](trained(name, train, epochs=6), Path("imported") / name) for name in write}
of_nn, of_jadore = (files[name].parent for name in ("nn.Transformer", "jadore"))
SPECIFIED = {
    "nn.Transformer": {
        "source_vocabulary": f"{of_nn}/source.txt",
        "target_vocabulary": f"{of_nn}/target.txt",
        "n_heads": 4,
        "norm": "pre",
        "activation": "gelu",
        "embedding_scale": "sqrt",
    },
    "jadore": {"source_vocabulary": f"{of_jadore}/tokens.txt", "n_heads": 4, "scale": "prj"},
    "Marian": {},
}
models = {name: npf.interop.load(path, **SPECIFIED[name]) for name, path in files.items()}

# %% [markdown]
# ## One sentence, followed
#
# `npf.trace` records what passes through each layer. This is the whole path of a sentence through Marian, or whichever
# came last above (`depth=2`: the boxes in the boxes are left out; `depth=3` is figure 1).

# %%
SENTENCE, TRANSLATION = "the small dog has seen a young cow", "der kleine Hund hat eine junge Kuh gesehen"
translator = list(models.values())[-1]
print(*translator.translate(SENTENCE, beam=1))
assert all(translator.translate(SENTENCE, beam=1) == [TRANSLATION] for translator in models.values())


def traced(translator, sentence, words):
    """Return the trace of a sentence and of the first words of its translation."""
    ids = translator.target.encode(words) if words else []
    with npf.trace(translator.model, depth=2) as trace:
        translator.model.forward(
            np.array([translator.encode(sentence)]), np.array([[translator.model.config.start_id, *ids]])
        )
    return trace


traced(translator, SENTENCE, TRANSLATION)

# %% [markdown]
# Everything between the embeddings and the generator is (1, positions, 64). That is the *stream*: each box reads it, and
# writes it again. Two questions to it. What norms do its vectors have on the way? And where does a word arrive that
# matters?
#
# For the second, trace a sentence twice: once as it is, once with *cat* in the place of *dog*. German then needs *die*
# and not *der*. Wherever the two traces are equal, the model cannot know yet.


# %%
def stream(translator, trace, column):
    """Return the names of the boxes of a stack, in words, and what each wrote (positions, D)."""
    model = getattr(translator.model, column)
    parts = {"self_attention": "self", "cross_attention": "cross", "feed_forward": "ffn"}
    boxes = {"tokens": f"{column}.tokens"}
    for i, layer in enumerate(model.layers):
        boxes |= {
            f"{i + 1} {word}": f"{column}.layers.{i}.{part}" for part, word in parts.items() if hasattr(layer, part)
        }
    if model.norm is not None:
        boxes["norm"] = f"{column}.norm"
    return list(boxes), [trace[name].output[0] for name in boxes.values()]


def difference(a, b):
    """Return by how much the vectors of two streams differ, relative to their norm (boxes, positions)."""
    return np.array(
        [2 * np.linalg.norm(x - y, axis=-1) / np.linalg.norm([x, y], axis=-1).sum(0) for x, y in zip(a, b, strict=True)]
    )


OTHER = SENTENCE.replace("dog", "cat")  # change "cat" to "horse" and run it again
both = {name: [traced(each, sentence, "") for sentence in (SENTENCE, OTHER)] for name, each in models.items()}

# %% tags=["hide-input"]
figure, axes = new_figure(1, 2, width=11, height=3.6)
arrives = {}
for (name, traces), color, mark in zip(both.items(), (main_color(), ORANGE, GREEN), "os^", strict=False):
    boxes, vectors = stream(models[name], traces[0], "encoder")
    axes[0].plot(boxes, [np.linalg.norm(x, axis=-1).mean() for x in vectors], color=color, marker=mark, label=name)
    boxes, vectors = stream(models[name], traces[0], "decoder")
    arrives[name] = difference(vectors, stream(models[name], traces[1], "decoder")[1])[:, 0]
    axes[1].plot(boxes, arrives[name], color=color, marker=mark, label=name)
axes[0].set(title="encoder: norm of the stream's vectors", ylim=(0, None))
axes[1].set(title="decoder, first position: dog and cat differ by", ylim=(0, None))
axes[0].legend()
figure

# %%
for name, values in arrives.items():
    tokens = models[name].target.tokens
    logits = [trace["generator"].output[0, 0] for trace in both[name]]
    print(f"{name:15} up to cross-attention {values[:2].max():.2f}, after it {values[2]:.2f},", end=" ")
    print("begins with", " or ".join(tokens[row.argmax()].strip("▁") for row in logits))
    assert values[:2].max() == 0 < 0.1 < values[2] and logits[0].argmax() != logits[1].argmax()

# %% [markdown]
# On the left: with the norm *after* each sum (paper, jadore, Marian) the stream is brought back to one size in every
# box. With the norm before (nn.Transformer, as it was built here) nothing holds it, each box adds to it, and one norm
# at the end brings it back. On the right: the decoder begins with the same start token in both cases, and
# knows nothing of dogs and cats before the first cross-attention. There, and nowhere else, the source comes in.
#
# And in the encoder, word by word: in the embeddings only *dog* and *cat* differ. Where does it reach *the*?

# %% tags=["hide-input"]
figure, axes = new_figure(1, len(models), width=4.2 * len(models), height=3.4)
hears = {}
for ax, (name, traces) in zip(axes, both.items(), strict=True):
    (boxes, vectors), (_, others) = (stream(models[name], trace, "encoder") for trace in traces)
    hears[name] = difference(vectors, others)
    words = sentence_attention(models[name], SENTENCE, TRANSLATION).source
    plot_heat_map(
        ax, hears[name], title=name, row_names=boxes, column_names=[word.strip("▁") for word in words], limit=0.6
    )
figure

# %%
for name, values in hears.items():
    at = 1 if models[name].model.config.source_marks == "both" else 0  # where "the" is
    others = np.delete(values[0], at + 2)
    print(
        f"{name:15} embeddings, all but the noun: {others.max():.0f}; 'the' at the end: {values[-1, at]:.2f}", end=", "
    )
    print(f"'cow': {values[-1, at + 7]:.2f}")
    assert others.max() == 0 and values[-1, at] > 0.05

# %% [markdown]
# In the embeddings the noun is a word among others. One self-attention carries it everywhere, to its own article more than
# to most. Does the decoder take the gender from there, or from the noun itself?
#
# ## What does each head look at?
#
# A map of one sentence is easily read with wishful eyes. So measure: over 200 sentences, how much of its weight does a
# head give to a certain thing, and how much would it be if it looked everywhere alike ("chance")? Of cross-attention:
#
# - to the word that is **aligned** with the one that is being written (the rules know it);
# - where an article is written, to its **noun**, which decides between *der*, *die* and *das*;
# - to `<eos>`, while words are written; and at the **end**, when `<eos>` is written.
#
# The folded cell says where each thing is; the one after it adds up the weights.

# %% tags=["hide-input"]
ARTICLES = set("der die das den ein eine einen".split())


def things_of_cross(pair, first, S):
    """Return for each thing where it stands, booleans (T, S), `first` being the place of the source's first word."""
    words = pair.target.split()
    aligned = np.zeros((len(words) + 1, S), bool)
    for i, j in pair.alignment:
        aligned[j, first + i] = True
    noun = np.zeros_like(aligned)
    for j, word in enumerate(words):
        if word in ARTICLES:
            noun[j] = aligned[next(k for k in range(j, len(words)) if words[k][0].isupper())]
    eos = np.arange(S) == S - 1
    writes_word = np.arange(len(words) + 1)[:, None] < len(words)
    return {"aligned": aligned, "noun": noun, "<eos>": eos & writes_word, "end": eos & ~writes_word}


def things_of_encoder(pair, first, S):
    """Return for each thing where it stands, for the rows of words: booleans (S, S)."""
    place = np.arange(S)
    is_word = (place >= first) & (place < first + len(pair.source.split()))
    near = {"before": np.eye(S, k=-1), "itself": np.eye(S), "after": np.eye(S, k=1)}
    found = {name: cells * is_word[:, None] > 0 for name, cells in near.items()}
    return found | {"<eos>": (place == S - 1) & is_word[:, None]}


def things_of_decoder(T):
    """Return for each thing where it stands, booleans (T, T), from the third row on, where they are three."""
    rows = np.arange(T)[:, None] >= 2
    return {"before": rows * np.eye(T, k=-1) > 0, "itself": rows * np.eye(T) > 0, "start": rows & (np.arange(T) == 0)}


# %%
class Shares:
    """The mean share of weight that heads give to things, and what it would be by chance."""

    def __init__(self):
        self.found, self.by_chance = {}, {}

    def add(self, maps, things, *, causal=False):
        """Take in the maps (layers, H, Q, K) of a sentence; a row counts where the thing is there."""
        chance = np.tri(maps.shape[-1]) if causal else np.ones(maps.shape[-2:])
        chance /= chance.sum(-1, keepdims=True)
        for name, cells in things.items():
            rows = cells.any(-1)
            self.found.setdefault(name, []).append((maps * cells).sum(-1)[..., rows])
            self.by_chance.setdefault(name, []).append((chance * cells).sum(-1)[rows])

    def table(self):
        """Return the things' names, the shares (layers, H, things), and those by chance (things,)."""
        shares = np.stack([np.concatenate(rows, -1).mean(-1) for rows in self.found.values()], -1)
        return list(self.found), shares, np.array([np.concatenate(rows).mean() for rows in self.by_chance.values()])


cross, encoder, decoder = ({name: Shares() for name in models} for _ in range(3))
for name, translator in models.items():
    first = int(translator.model.config.source_marks == "both")
    for pair in held_out:  # change this to held_out[:5] and run it again
        looked = sentence_attention(translator, pair.source, pair.target)
        S, T = len(looked.source), len(looked.written)
        cross[name].add(looked.cross, things_of_cross(pair, first, S))
        encoder[name].add(looked.encoder, things_of_encoder(pair, first, S))
        decoder[name].add(looked.decoder, things_of_decoder(T), causal=True)

# %% tags=["hide-input"]
figure, axes = new_figure(1, len(models), width=3.7 * len(models), height=3.9)
for ax, name in zip(axes, models, strict=True):
    things, shares, chance = cross[name].table()
    plot_heads(ax, shares, chance, things, title=name)
axes[0].set_ylabel("layer.head of cross-attention")
figure

# %%
for name in models:
    things, shares, chance = cross[name].table()
    best = {thing: shares[..., i].argmax() for i, thing in enumerate(things)}
    called = {thing: f"{place // 4 + 1}.{place % 4 + 1}" for thing, place in best.items()}
    print(f"{name:15} the aligned word: head {called['aligned']}; an article's noun: head {called['noun']}")
    assert shares[..., 0].max() > 0.6 and shares[..., 1].max() > 0.4 > 2.5 * chance[1]
    assert best["aligned"] != best["noun"]

# %% [markdown]
# Three programs, three architectures, and all of them divided the work alike. Some heads align words, above all in
# the second layer. And in each, two or three heads have specialized in articles: when *der* or *die* is due, they
# look at the noun. Nobody told them what gender is. `<eos>` gets no more than chance, or hardly, while words are
# written, and most of the weight of some heads when nothing is left to write. (Outlined: the head that looks most,
# where that is at least twice chance.)
#
# And self-attention? The head that looks most at each thing, and chance:

# %%
for title, kinds in (("encoder", encoder), ("decoder", decoder)):
    print(f"{title}: largest share / by chance")
    for name in models:
        things, shares, chance = kinds[name].table()
        flat = shares.reshape(-1, len(things))
        most = (f"{thing} {flat[:, i].max():.2f}/{chance[i]:.2f}" for i, thing in enumerate(things))
        print(f"{name:14}", "  ".join(most))
        assert flat[:, 0].max() < 0.5

# %% [markdown]
# You may have read that some heads look at the previous token. In these small models none does, because their language
# asks for nothing that is just before. That is why one measures.
#
# ## A model that people use
#
# It is notebook 14a's, from Arabic in Latin letters to Arabic script. Nobody has aligned its letters, but most consonants
# are typed by one Latin letter and written by one Arabic letter. That is enough to ask, of cross-attention: does a head
# look at the letter that its position *writes*, or at the one that it *reads*, which was written last?

# %%
TYPED = [
    "ezayak 3amel eh",
    "yalla bina",
    "msh fahem 7aga",
    "el akl helw awy",
    "bokra isa",
    "3ayez aroo7",
    "ana mabsoot",
]  # add your own and run it again
package, arabizi = find_spec("egyptian_arabizi_franco"), None
if package is None or find_spec("onnx") is None:
    print('not installed: run  pip install "npformer[interop]"  and this page again')
else:
    where = Path(package.submodule_search_locations[0]) / "models"
    SETTINGS = {"unit": "characters", "lowercase": "source", "source_marks": "none", "norm": "pre", "n_heads": 4}
    arabizi = npf.interop.load(where, source_vocabulary=str(where / "vocab.json"), embedding_scale="sqrt", **SETTINGS)

# %%
SOUNDS = {
    "LAM": "l",
    "KAF": "k",
    "MEEM": "m",
    "BEH": "b",
    "NOON": "n",
    "SHEEN": "s",
    "SEEN": "s",
    "FEH": "f",
    "HAH": "7",
}
SOUNDS |= {"AIN": "3", "ZAIN": "z", "REH": "r", "HEH": "h", "YEH": "y", "WAW": "w", "TEH": "t", "DAL": "d"}
SOUNDS = {lookup(f"ARABIC LETTER {name}"): latin for name, latin in SOUNDS.items()}


def sounds_like(letters, source):
    """Return where in a source stands what a letter sounds like, booleans (letters, S)."""
    return np.array([[SOUNDS.get(letter) == latin for latin in source] for letter in letters])


figure, real = None, {"encoder": Shares(), "decoder": Shares(), "cross": Shares()}
if arabizi is not None:
    for typed in TYPED:
        looked = sentence_attention(arabizi, typed)
        S = len(looked.source)
        near = {"before": np.eye(S, k=-1) > 0, "itself": np.eye(S) > 0, "after": np.eye(S, k=1) > 0}
        real["encoder"].add(looked.encoder, near)
        real["decoder"].add(looked.decoder, things_of_decoder(len(looked.written)), causal=True)
        sides = {"writes": looked.written, "reads": looked.read}
        real["cross"].add(looked.cross, {side: sounds_like(letters, looked.source) for side, letters in sides.items()})
    figure, axes = new_figure(1, 3, width=10, height=5)
    for ax, (title, kind) in zip(axes, real.items(), strict=True):
        things, shares, chance = kind.table()
        plot_heads(ax, shares, chance, things, title=title)
figure

# %%
if arabizi is not None:
    _, shares, chance = real["decoder"].table()
    most = shares[..., 0].max()
    print(f"decoder: one head gives {most:.2f} of its weight to the letter before, by chance {chance[0]:.2f}")
    assert most > 0.5 > 2 * chance[0]
    _, shares, _ = real["cross"].table()
    layer, head = np.unravel_index(shares[..., 1].argmax(), shares.shape[:2])
    print(f"cross: head {layer + 1}.{head + 1} gives {shares[layer, head, 1]:.2f} to the letter read", end="; ")
    print(f"another {shares[..., 0].max():.2f} to the one written")
    assert layer == 0 and shares[..., 1].max() > 0.7 and shares[2, :, 0].max() > 0.7 and shares[1:, :, 1].max() < 0.4

# %% [markdown]
# Here they are, in the decoder: heads that look at the letter before the one just read. (That one they need not look
# at: the residual connection has it in the stream.) And cross-attention answers a question of notebook 09, where the
# row of the word *written* showed the alignment. Here one head of the first layer looks at the letter that was just
# *read*, as if to find the place, and the layers above look at the one to be *written*. Chen et al. (2020) found the
# same in large models. Both heads, side by side, on "the food is nice":

# %% tags=["hide-input"]
figure = None
if arabizi is not None:
    looked, best = sentence_attention(arabizi, "el akl helw"), shares[2, :, 0].argmax()
    figure, axes = new_figure(1, 2, width=10, height=4.6)
    heads = {f"head {layer + 1}.{head + 1}": looked.cross[layer, head], f"head 3.{best + 1}": looked.cross[2, best]}
    rows = {"letter read": looked.read, "letter written": looked.written}
    for ax, (title, weights), (side, letters) in zip(axes, heads.items(), rows.items(), strict=True):
        plot_attention(ax, weights, letters, looked.source, title=title)
        ax.set_ylabel(side)
figure

# %% [markdown]
# ## Your own opus-mt
#
# Download a model such as `Helsinki-NLP/opus-mt-en-de` from Hugging Face (all files of its page, with Git LFS; some 300
# MB), specify where it is, and run this page again: `NPFORMER_OPUS_MT=path/to/opus-mt-en-de jupyter lab notebooks`. It has
# 6 + 6 layers of 8 heads, `d_model` 512, 58,101 SentencePieces. The cells below then do with it what was done above.

# %%
path, opus = os.environ.get("NPFORMER_OPUS_MT"), None
if path is None:
    print("no model: NPFORMER_OPUS_MT is not set")
elif "Marian" not in models:
    print('Marian\'s text is cut by a library: run  pip install "npformer[marian]"  and this page again')
else:
    opus = npf.interop.load(path)
    for english in ("The small dog has seen a young cow.", "She said that she would not come tomorrow."):
        print(english, "->", *opus.translate(english))

# %% tags=["hide-input"]
figure = None
if opus is not None:
    kinds = {"encoder": Shares(), "decoder": Shares()}
    for pair in held_out[:20]:
        looked = sentence_attention(opus, f"{pair.source.capitalize()}.")
        S = len(looked.source)
        place = np.arange(S)
        near = {"before": np.eye(S, k=-1) > 0, "itself": np.eye(S) > 0, "after": np.eye(S, k=1) > 0}
        kinds["encoder"].add(looked.encoder, near | {"<eos>": (place == S - 1) & (place[:, None] < S - 1)})
        kinds["decoder"].add(looked.decoder, things_of_decoder(len(looked.written)), causal=True)
    figure, axes = new_figure(1, 2, width=8, height=0.3 * looked.encoder[..., 0, 0].size + 1.5)
    for ax, (title, kind) in zip(axes, kinds.items(), strict=True):
        things, shares, chance = kind.table()
        plot_heads(ax, shares, chance, things, title=title)
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
# **2.** In the embeddings of the encoder, traces of *dog* and *cat* differ at one position. After one self-attention they
# differ at every position. Does that show that all words have *used* the noun?
#
# <details><summary>Answer</summary>
#
# No. Softmax gives every position some weight, so a trace of the noun goes everywhere, if only by accident. How much
# would be the question: compare *the* with *cow* in the picture. And whether it matters, only an experiment tells that
# takes it away, such as those at the end of notebook 09.
#
# </details>
#
# **3.** With pre-norm the stream grows from box to box. Does the last feed-forward network get larger inputs than the first?
#
# <details><summary>Answer</summary>
#
# No. It reads a normalized copy of the stream. What changes is the proportion: each box adds about the same amount to a
# stream that grows, so the later a box is, the less it changes the direction of the stream.
#
# </details>

# %% tags=["hide-input"]
if "Marian" in models:
    output = traced(models["Marian"], SENTENCE, TRANSLATION)["generator"].output
    print(f"mean {output.mean():.2g}; without the spare token {np.delete(output, 2, -1).mean():.2f}")
    assert output.mean() < -1e6 and abs(np.delete(output, 2, -1).mean()) < 50

# %% [markdown]
# Next: [notebook 15a](15a_rope_and_rmsnorm.ipynb), on what models since 2017 do differently. To write the layers yourself:
# exercises 08 attention and 13 cross_attention_backward, after `npformer class start my-course`.

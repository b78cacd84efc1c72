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
# # 14 Inside a real model
#
# **The idea.** Other people's Transformers are the paper's with a few switches set otherwise. Name the switches, and a
# model from anywhere runs in these layers, where you can stop it at every step and look.
#
# Paper: figure 1, and what people have changed in it since. Code: `npformer/interop/`, `npformer/visualization/tracing/`.
# Before this: notebooks 06, the two columns, and 09, looking at attention. About an hour.

# %%
# %matplotlib inline
import os
from importlib.util import find_spec
from pathlib import Path
from unicodedata import lookup

import numpy as np

import npformer as npf
from elsewhere import split, trained, write_jadore, write_marian, write_nn_transformer
from npformer.interop import read_arrays
from npformer.layers.positional_encoding import sinusoids
from npformer.tasks import Batches, TranslationBatch, mean_loss
from npformer.visualization import sentence_attention
from npformer.visualization.plots import new_figure, plot_attention, plot_heat_map
from npformer.visualization.plots.colors import GREEN, ORANGE, main_color
from pictures import plot_heads

# %% [markdown]
# ## Three imported models
#
# `npformer import` knows three kinds of models:
#
# - **nn.Transformer**, the state dict of a module that somebody built around PyTorch's own;
# - **jadore**, checkpoints of `jadore801120/attention-is-all-you-need-pytorch`, from which many have learned;
# - **Marian**, in which the opus-mt models of Helsinki-NLP are published, more than a thousand.
#
# Published ones come at the end of this page, if you have them. Until then `notebooks/elsewhere/` makes a small one of
# each kind: it computes as theirs do, is trained for some seconds, and is written as their programs write. The language
# is a corner of German. It is small, but an article has to know the gender of a noun that comes later, and two tenses
# put the verb at the end.

# %%
train, held_out = split(3000, 200)
for pair in train[:3]:
    print(f"{pair.source:40} {pair.target}")

write = {"nn.Transformer": write_nn_transformer, "jadore": write_jadore, "Marian": write_marian}
if find_spec("sentencepiece") is None:
    del write["Marian"]
    print('no Marian here: its text is cut by a library,  pip install "npformer[marian]"')
originals = {name: trained(name, train, epochs=6) for name in write}
files = {name: write[name](originals[name], Path("imported") / name) for name in write}

# %% [markdown]
# This is how many arrays they wrote, and one of them, the first that makes queries. Names differ, and matrices stand
# the other way: PyTorch multiplies $x W^\top$, the paper and npformer $x W$. nn.Transformer stacks queries, keys and
# values.

# %%
QUERIES = ("self_attn.in_proj_weight", "w_qs.weight", "self_attn.q_proj.weight")
for name, path in files.items():
    arrays = read_arrays(path if path.is_file() else path / "model.safetensors")
    first = min(array for array in arrays if "encoder" in array and array.endswith(QUERIES))
    print(f"{name:15} {len(arrays)}  {first} {arrays[first].shape}")

# %% [markdown]
# ## Taking them in
#
# A file of weights holds weights. How many heads there are, it does not say: the matrices of four heads and of eight
# have the same shape. What is not in the file has to be said. A folder of Marian's says it all itself.
#
# On the command line that is
#
# ```
# npformer import imported/jadore/model.safetensors runs/jadore \
#     --source-vocabulary imported/jadore/tokens.txt --n-heads 4 --scale prj
# npformer translate runs/jadore "..."
# ```
#
# and so on.

# %%
theirs = {name: str(path.parent) for name, path in files.items() if path.is_file()}
SAID = {
    "nn.Transformer": {
        "source_vocabulary": f"{theirs['nn.Transformer']}/source.txt",
        "target_vocabulary": f"{theirs['nn.Transformer']}/target.txt",
        "n_heads": 4,
        "norm": "pre",
        "activation": "gelu",
        "embedding_scale": "sqrt",
    },
    "jadore": {"source_vocabulary": f"{theirs['jadore']}/tokens.txt", "n_heads": 4, "scale": "prj"},
    "Marian": {},
}
models = {name: npf.interop.load(path, **SAID[name]) for name, path in files.items()}


def batches(translator, pairs=held_out):
    """Return sentence pairs as a model reads them."""
    ids = [(translator.source.encode(pair.source), translator.target.encode(pair.target)) for pair in pairs]
    return Batches(ids, kind=TranslationBatch.of_model(translator.model.config), batch_tokens=4096)


def share_right(translator, pairs=held_out):
    """Return the share of sentences that are translated as the rules do."""
    outputs = translator.translate([pair.source for pair in pairs], beam=1)
    return np.mean([output == pair.target for output, pair in zip(outputs, pairs, strict=True)])


for name, translator in models.items():
    [batch] = batches(translator, held_out[:20]).epoch(1)
    found, expected = (model.forward(*batch.inputs) for model in (translator.model, originals[name].model))
    apart = np.abs(found - expected)[found > -1e6].max() / np.abs(expected).max()
    print(f"{name:15} logits apart by {apart:.0e} of the largest, {100 * share_right(translator):.1f}% right")
    assert apart < 1e-5 and share_right(translator) > 0.95

# %% [markdown]
# ## A wrong switch hides
#
# Suppose you say something wrong. All shapes still fit, so there is no error. Say it, and see what the model writes.


# %%
def with_another(name, **switch):
    """Print and return a model's share of right sentences and its loss when one setting is different."""
    translator = npf.interop.load(files[name], **SAID[name] | switch)
    right, loss = share_right(translator), mean_loss(translator.model, batches(translator))
    [[said, value]] = switch.items() or [["as it is", ""]]
    print(f"{name:15} {said:>15} {value!s:5} {100 * right:5.1f}% right   loss {loss:6.3f}")
    return right, loss


as_it_is = with_another("nn.Transformer")
wrong = [with_another("nn.Transformer", n_heads=8), with_another("nn.Transformer", norm="post")]
wrong += [with_another("nn.Transformer", activation="relu"), with_another("nn.Transformer", embedding_scale="1")]
theirs_right = with_another("jadore")
unscaled = with_another("jadore", scale="none")
assert all(loss > as_it_is[1] for _, loss in wrong)
assert wrong[0][0] > 0.5 and wrong[2][0] > 0.9 and wrong[3][0] < 0.5
assert unscaled[0] == theirs_right[0] and unscaled[1] < 0.5 * theirs_right[1]

# %% [markdown]
# Twice as many heads, LayerNorm in another place, ReLU for GELU: most sentences are right all the same, in a language
# as easy as this one. Only embeddings that are not scaled leave none right. The loss tells more, but not which way: in
# the last line it is *better* than it should be, as there the model is more certain than it ever learned to be,
# and on this language it happens to be right. So when you port a model, compare neither sentences nor losses but
# logits, to within rounding. Anything else is a bug that will show on the sentences that matter.
#
# ## What they do otherwise
#
# All that distinguishes the three from the paper is in their configs. The first column is what npformer does unless it
# is set otherwise: as in the paper, where that says anything. Of biases in attention, the eps of a LayerNorm and the
# marks around a text it does not. Settings on which all four agree, and sizes, are left out:

# %%
SIZES = {"src_vocab_size", "tgt_vocab_size", "max_len", "d_model", "d_ff", "d_k", "d_v", "n_heads", "dropout"}
SIZES |= {"n_encoder_layers", "n_decoder_layers"}


def switches(config):
    """Return the settings of a config that are no sizes, as words."""
    found = {name: value for name, value in vars(config).items() if name not in SIZES}
    found["final_norm"] = config.norm == "pre" if config.final_norm is None else config.final_norm
    found["start_id"] = ["<pad>", "<unk>", "<bos>", "<eos>"][config.start_id]
    words = {True: "yes", False: "-"}
    return {name: words.get(value, value) if isinstance(value, bool) else str(value) for name, value in found.items()}


usual = switches(npf.TransformerConfig(src_vocab_size=9, tgt_vocab_size=9))
columns = {"npformer": usual} | {name: switches(translator.model.config) for name, translator in models.items()}
differing = [name for name in usual if len({column[name] for column in columns.values()}) > 1]
print(f"{'':15}", *(f"{name:14}" for name in columns))
for name in differing:
    print(f"{name:15}", *(f"{column[name]:14}" for column in columns.values()))
assert {"norm", "activation", "positions", "tie", "embedding_norm"} <= set(differing)

# %% [markdown]
# (`final_norm`: a LayerNorm at the end of each column. `embedding_norm`: one at the foot. `source_marks`: what stands
# around a source. `start_id`: what a target begins with; Marian begins with padding. `layer_norm_eps` is one of these
# numbers that nobody mentions.)
#
# Two differences are in no config, because they vanish on the way in. Ids: special tokens get ours, and the rows of the
# tables move along. And scale: jadore's "prj" divides the *logits* by $\sqrt{d_{model}}$ where the paper multiplies the
# *embeddings* by it. With one shared table that is the same model, written with a table $\sqrt{d_{model}}$ times as
# large. A switch that turns out to be a change of units:

# %%
table = read_arrays(files["jadore"])["decoder.trg_word_emb.weight"]
ours = models["jadore"].model.generator.table.data
print(f"their table, length of a row {np.linalg.norm(table, axis=1).mean():.2f}", end="; ")
print(f"ours {np.linalg.norm(ours, axis=1).mean():.2f}, times {np.sqrt(64):.0f}")
assert np.allclose(table[4:], np.sqrt(64) * ours[4:], atol=1e-5)

# %% [markdown]
# Positions differ in kind or only in order. Here are 32 positions of each, a row a position, a column a feature:

# %%
waves, halves = sinusoids(32, 64), sinusoids(32, 64, halves=True)
learned = models["nn.Transformer"].model.encoder.tokens.positions.table.data
figure, axes = new_figure(1, 3, width=9.5, height=2.6)
kinds = {
    "sinusoidal (paper, jadore)": waves,
    "sinusoidal_halves (Marian)": halves,
    "learned (nn.Transformer here)": learned,
}
for ax, (title, positions) in zip(axes, kinds.items(), strict=True):
    plot_heat_map(ax, positions, title=title, column_label="feature")
axes[0].set_ylabel("position")
figure

# %%
order = [*range(0, 64, 2), *range(1, 64, 2)]
print("Marian's are the paper's with features in another order:", np.array_equal(halves, waves[:, order]))
fresh = npf.Transformer(models["nn.Transformer"].model.config, rng=0).encoder.tokens.positions.table.data
moved = np.abs(learned - fresh).max(1) > 0
print("learned positions that training has moved:", *np.flatnonzero(moved))
assert np.array_equal(halves, waves[:, order]) and moved[:7].all() and not moved[12:].any()

# %% [markdown]
# The middle picture is the left one with its columns sorted. A model that is yet to be trained does not care, but a
# trained one does: its feature 1 is then another wave. And the learned table knows nothing below its first rows. They
# hold what was drawn at random before training, for no sentence was that long.
#
# ## One sentence, followed
#
# `npf.trace` records what passes through each layer. This is the whole way of a sentence through Marian, or whichever
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
# Everything between the foot and the generator is (1, positions, 64). That is the *stream*: each box reads it, and
# writes it again. Two questions to it. How long are its vectors on the way? And where does a word arrive that matters?
#
# For the second, trace a sentence twice: once as it is, once with *cat* in the place of *dog*. German then needs *die*
# and not *der*. Wherever the two traces are equal, the model cannot know yet.


# %%
def stream(translator, trace, column):
    """Return the names of the boxes of a column, in words, and what each wrote (positions, D)."""
    model = getattr(translator.model, column)
    parts = {"self_attention": "self", "cross_attention": "cross", "feed_forward": "ffn"}
    boxes = {"foot": f"{column}.tokens"}
    for i, layer in enumerate(model.layers):
        boxes |= {
            f"{i + 1} {word}": f"{column}.layers.{i}.{part}" for part, word in parts.items() if hasattr(layer, part)
        }
    if model.norm is not None:
        boxes["norm"] = f"{column}.norm"
    return list(boxes), [trace[name].output[0] for name in boxes.values()]


def difference(a, b):
    """Return by how much the vectors of two streams differ, relative to their length (boxes, positions)."""
    return np.array(
        [2 * np.linalg.norm(x - y, axis=-1) / np.linalg.norm([x, y], axis=-1).sum(0) for x, y in zip(a, b, strict=True)]
    )


OTHER = SENTENCE.replace("dog", "cat")
both = {name: [traced(each, sentence, "") for sentence in (SENTENCE, OTHER)] for name, each in models.items()}
figure, axes = new_figure(1, 2, width=11, height=3.6)
arrives = {}
for (name, traces), color, mark in zip(both.items(), (main_color(), ORANGE, GREEN), "os^", strict=False):
    boxes, vectors = stream(models[name], traces[0], "encoder")
    axes[0].plot(boxes, [np.linalg.norm(x, axis=-1).mean() for x in vectors], color=color, marker=mark, label=name)
    boxes, vectors = stream(models[name], traces[0], "decoder")
    arrives[name] = difference(vectors, stream(models[name], traces[1], "decoder")[1])[:, 0]
    axes[1].plot(boxes, arrives[name], color=color, marker=mark, label=name)
axes[0].set(title="encoder: length of the stream's vectors", ylim=(0, None))
axes[1].set(title="decoder, first position: dog and cat differ by", ylim=(0, None))
axes[0].legend()
figure

# %%
for name, values in arrives.items():
    tokens = models[name].target.tokens
    logits = [trace["generator"].output[0, 0] for trace in both[name]]
    print(f"{name:15} up to cross-attention {values[:2].max():.2f}, behind it {values[2]:.2f},", end=" ")
    print("begins with", " or ".join(tokens[row.argmax()].strip("▁") for row in logits))
    assert values[:2].max() == 0 < 0.1 < values[2] and logits[0].argmax() != logits[1].argmax()

# %% [markdown]
# On the left: with the norm *after* each sum (paper, jadore, Marian) the stream is brought back to one length in every
# box. With the norm before (nn.Transformer, as it was built here) nothing holds it, each box adds to it, and one norm
# at the end brings it back to one length. On the right: the decoder begins with the same start token in both cases, and
# knows nothing of dogs and cats before the first cross-attention. There, and nowhere else, the source comes in.
#
# And in the encoder, word by word: at the foot only *dog* and *cat* differ. Where does *the* hear of it?

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
        f"{name:15} at the foot, all but the noun: {others.max():.0f}; 'the' at the end: {values[-1, at]:.2f}", end=", "
    )
    print(f"'cow': {values[-1, at + 7]:.2f}")
    assert others.max() == 0 and values[-1, at] > 0.05

# %% [markdown]
# The noun is a word among others at the foot. One self-attention carries it everywhere, to its own article more than to
# most. Does the decoder take the gender from there, or from the noun itself?
#
# ## What does each head look at?
#
# A map of one sentence is easily read with wishful eyes. So measure: over 200 sentences, how much of its weight does a
# head give to a certain thing, and how much would it be if it looked everywhere alike ("chance")? Of cross-attention:
#
# - to the word that is **aligned** with the one that is being written (the rules know it);
# - where an article is written, to its **noun**, which says *der*, *die* or *das*;
# - to `<eos>`, while words are written; and at the **end**, when `<eos>` is written.

# %%
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
    for pair in held_out:
        looked = sentence_attention(translator, pair.source, pair.target)
        S, T = len(looked.source), len(looked.written)
        cross[name].add(looked.cross, things_of_cross(pair, first, S))
        encoder[name].add(looked.encoder, things_of_encoder(pair, first, S))
        decoder[name].add(looked.decoder, things_of_decoder(T), causal=True)

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
# Three programs, three ways to build it, and all of them divided the work alike. Some heads align words, above all in
# the second layer. And in each, two or three heads have made articles their business: when *der* or *die* is due, they
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
# Little to write home about. You may have read that some heads look at the previous token. In these small models none
# does, for their language asks for nothing that stands just before. That is why one measures.

# %% [markdown]
# ## A model that people use
#
# `egyptian-arabizi-franco`, a package on PyPI, turns Egyptian Arabic as it is typed on phones, in Latin letters and
# digits ("3amel eh"), into Arabic script. Inside is an nn.Transformer of 3 + 3 layers that reads and writes single
# letters. With `pip install "npformer[interop]"` you have it, and the library that reads its files.

# %%
TYPED = [
    "ezayak 3amel eh",
    "yalla bina",
    "msh fahem 7aga",
    "el akl helw awy",
    "bokra isa",
    "3ayez aroo7",
    "ana mabsoot",
]
package, arabizi = find_spec("egyptian_arabizi_franco"), None
if package is None or find_spec("onnx") is None:
    print('not installed: run  pip install "npformer[interop]"  and this page again')
else:
    where = Path(package.submodule_search_locations[0]) / "models"
    arabizi = npf.interop.load(
        where,
        source_vocabulary=str(where / "vocab.json"),
        unit="characters",
        lowercase="source",
        source_marks="none",
        norm="pre",
        n_heads=4,
        embedding_scale="sqrt",
    )
    config = arabizi.model.config
    found = {name: value for name, value in switches(config).items() if value != usual[name]}
    names = list(found)
    print("set otherwise:", ", ".join(f"{name} {found[name]}" for name in names[:4]))
    print(f"{'':17}", ", ".join(f"{name} {found[name]}" for name in names[4:]), "\n", sep="")
    for typed, written in zip(TYPED[:4], arabizi.translate(TYPED[:4], beam=1), strict=True):
        print(f"{typed:16} {written}")

# %% [markdown]
# Nobody has aligned its letters, but most consonants are typed by one Latin letter and written by one Arabic letter.
# That will do to ask, of cross-attention: does a head look at the letter that its position *writes*, or at the one that
# it *reads*, which was written last?

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
# at: the residual connection has it in the stream.) And cross-attention settles a question of notebook 09, where the
# row of the word *written* showed the alignment. Here one head of the first layer looks at the letter that was just
# *read*, as if to find the place, and the layers above look at the one to be *written*. Chen et al. (2020) found as
# much in large models. Both heads, side by side, on "the food is nice":

# %%
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
# MB), say where it is, and run this page again: `NPFORMER_OPUS_MT=path/to/opus-mt-en-de jupyter lab notebooks`. It has
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

# %%
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
# **1.** You import jadore's checkpoint with `scale="none"` in place of `"prj"`. Greedily it writes the same sentences,
# and its loss is even better. Why? And would beam search notice?
#
# <details><summary>Answer</summary>
#
# The logits are then $\sqrt{d_{model}}$ times as large, 8 times in these models of width 64. Their order stays, so
# greedy decoding, which asks for the largest alone, cannot tell. The probabilities do change: the label smoothing that
# it was trained with kept it modest (notebook 07), and now it is sure. Where it is right, that is a better loss; where
# it is wrong, a far worse one. Beam search adds logarithms of probabilities, of several tokens, and so may choose
# otherwise.
#
# </details>
#
# **2.** In the trace of Marian the generator's output has a mean of about $-10^7$. Is something broken?
#
# <details><summary>Answer</summary>
#
# No. Marian has no `<bos>`, our vocabularies have, so its row is a spare one, and its bias is $-10^9$: softmax gives it
# exactly 0. One such number among a hundred spoils any mean. The cell below looks at the others.
#
# </details>
#
# **3.** At the foot of the encoder, traces of *dog* and *cat* differ at one position. After one self-attention they
# differ at every position. Does that show that all words have *used* the noun?
#
# <details><summary>Answer</summary>
#
# No. Softmax gives every position some weight, so a trace of the noun goes everywhere, if only by accident. How much
# would be the question: compare *the* with *cow* in the picture. And whether it matters, only an experiment tells that
# takes it away, such as those at the end of notebook 09.
#
# </details>

# %%
if "Marian" in models:
    output = traced(models["Marian"], SENTENCE, TRANSLATION)["generator"].output
    print(f"mean {output.mean():.2g}; without the spare token {np.delete(output, 2, -1).mean():.2f}")
    assert output.mean() < -1e6 and abs(np.delete(output, 2, -1).mean()) < 50
beams = [npf.interop.load(files["jadore"], **SAID["jadore"] | {"scale": scale}) for scale in ("prj", "none")]
[[prj], [none]] = (translator.n_best(SENTENCE, beam=4) for translator in beams)
print(f"score of the best of 4 beams: prj {prj[0].score:.3f}, none {none[0].score:.3f}")
assert none[0].score > prj[0].score

# %% [markdown]
# Next: [notebook 15a](15a_rope_and_rmsnorm.ipynb), on what models since 2017 do differently. To write the layers yourself:
# `npformer class start my-course`.

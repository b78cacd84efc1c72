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
# # 32b Importing a model from another program
#
# **The idea.** Other people's Transformers are the paper's with some settings changed. Name the settings, and a model
# from anywhere runs in these layers.
#
# This notebook and 14b are **optional**: they are for people who move weights between programs.
#
# Paper: figure 1, and what people have changed in it since. Code: `npformer/interop/`. Before this:
# [notebook 07](07_encoder_and_decoder.ipynb), encoder and decoder. About 30 minutes to read and run,
# 45 with every change and question.

# %%
# %matplotlib inline
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import npformer as npf
from helpers.elsewhere import pytorch_logits, split, trained, write_jadore, write_marian, write_nn_transformer
from helpers.pictures import side_by_side
from npformer.interop import read_arrays
from npformer.layers.positional_encoding import sinusoids
from npformer.tasks import mean_loss, translation_batches
from npformer.visualization.plots import new_figure, plot_heat_map

# %% [markdown]
# ## Three models to import
#
# `npformer import` knows three kinds of models:
#
# - **nn.Transformer**, the state dict of a module that somebody built around PyTorch's own;
# - **jadore**, checkpoints of `jadore801120/attention-is-all-you-need-pytorch`, from which many have learned;
# - **Marian**, in which the opus-mt models of Helsinki-NLP are published, more than a thousand.
#
# Until you have a published one, `notebooks/helpers/elsewhere/` makes a small one of each kind: a model of npformer with
# their settings, trained for some seconds, and written as their programs write. The language is a corner of German.
# It is small, but an article has to know the gender of a noun that comes later, and two tenses put the verb at the
# end.

# %%
train, held_out = split(3000, 100)
for pair in train[:3]:  # change the 3 to 10 and run it again
    print(f"{pair.source:40} {pair.target}")

write = {"nn.Transformer": write_nn_transformer, "jadore": write_jadore, "Marian": write_marian}
originals = {name: trained(name, train, epochs=2) for name in write}
files = {name: write[name](originals[name], Path("imported") / name) for name in write}

# %% [markdown]
# This is how many arrays they wrote, and one of them, the first that makes queries. Names differ, and matrices are
# transposed: PyTorch multiplies $x W^\top$, the paper and npformer $x W$. nn.Transformer stacks queries, keys and
# values.

# %%
QUERIES = ("self_attn.in_proj_weight", "w_qs.weight", "self_attn.q_proj.weight")
for name, path in files.items():
    arrays = read_arrays(path if path.is_file() else path / "model.safetensors")
    first = min(array for array in arrays if "encoder" in array and array.endswith(QUERIES))
    print(f"{name:15} {len(arrays)}  {first} {arrays[first].shape}")

# %% [markdown]
# ## Importing them
#
# A file of weights contains weights, and does not say how many heads there are. What is not in the file has to be
# specified. A folder of Marian's contains it all.
#
# On the command line that is
#
# ```
# npformer import imported/jadore/model.safetensors runs/jadore \
#     --source-vocabulary imported/jadore/tokens.txt --n-heads 4 --scale prj
# npformer translate runs/jadore "..."
# ```

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
    return translation_batches(ids, translator.model.config, batch_tokens=4096)


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
# The originals are models of npformer, so the zeros show only that reading undoes writing, not that PyTorch computes
# the same. This takes numbers from PyTorch itself. Here are some, for an nn.Transformer whose weights are a formula,
# so that anybody can make it again:

# %%
formula = pytorch_logits.write_formula(Path("imported/formula"))
said = SAID["nn.Transformer"] | dict.fromkeys(
    ["source_vocabulary", "target_vocabulary"], str(formula.parent / "tokens.txt")
)
said |= {"n_heads": 4}  # change the 4 to 8 and run it again
logits = npf.interop.load(formula, **said).model.forward(pytorch_logits.SRC, pytorch_logits.TGT)[0]  # (T, V)
print(side_by_side(5, npformer=logits[:, 4:8], pytorch=pytorch_logits.LOGITS[:, 4:8]))
apart = np.abs(logits - pytorch_logits.LOGITS).max()
print(f"apart by {apart:.5f}, and PyTorch {pytorch_logits.PYTORCH} was written down to five digits")

# %% tags=["hide-input"]
assert said["n_heads"] != 4 or apart < 5e-5

# %% [markdown]
# (`notebooks/helpers/elsewhere/pytorch_logits.py` has the lines of PyTorch. `tests/verification/parity/` runs them again, and
# compares models of Marian with Hugging Face's `MarianMTModel`. Jadore's is compared with formulas written from its
# source, in `tests/interop/`.)
#
# ## A wrong setting hides
#
# Suppose you specify something wrong. All shapes still fit, so there is no error. See what the model writes.


# %%
def with_another(name, **switch):
    """Print and return a model's share of right sentences and its loss when one setting is different."""
    translator = npf.interop.load(files[name], **SAID[name] | switch)
    right, loss = share_right(translator), mean_loss(translator.model, batches(translator))
    [[said, value]] = switch.items() or [["as it is", ""]]
    print(f"{name:15} {said:>15} {value!s:5} {100 * right:5.1f}% right   loss {loss:6.3f}")
    return right, loss


as_it_is = with_another("nn.Transformer")  # add with_another("nn.Transformer", n_heads=2) below and run it again
wrong = [with_another("nn.Transformer", n_heads=8), with_another("nn.Transformer", norm="post")]
wrong += [with_another("nn.Transformer", activation="relu"), with_another("nn.Transformer", embedding_scale="1")]
theirs_right = with_another("jadore")
unscaled = with_another("jadore", scale="none")
assert all(loss > as_it_is[1] for _, loss in wrong)
assert wrong[0][0] > 0.5 and wrong[2][0] > 0.9 and wrong[3][0] < 0.5
assert unscaled[0] == theirs_right[0] and unscaled[1] < 0.5 * theirs_right[1]

# %% [markdown]
# Twice as many heads, or ReLU for GELU: all sentences are right all the same, in a language as easy as this one, and
# most with LayerNorm in another place. Only embeddings that are not scaled leave none right. The loss tells more, but
# in the last line it is *better* than it should be (question 1). So when you port a model, compare neither sentences
# nor losses but logits, to within rounding.
#
# ## Find the wrong setting, layer by layer
#
# Suppose an import fails and you do not know why. You have the original program, and it can print what its layers
# compute for *one* sentence (in PyTorch, with forward hooks). Compare from the bottom up. The **first** layer that
# differs has the wrong setting, or reads from something that has; everything after it differs as a consequence.
# Repair it and compare again. Here three settings are wrong, and the model that was trained above stands for the
# original program:


# %%
def first_difference(wrong):
    """Return the first layer in which an import with wrong settings differs from the original, and how."""
    name = "nn.Transformer"
    [batch] = batches(models[name], held_out[:1]).epoch(1)
    traces = []
    for model in (originals[name].model, npf.interop.load(files[name], **SAID[name] | wrong).model):
        with npf.trace(model) as trace:
            model.forward(*batch.inputs)
        traces.append(trace)
    every = list(traces[0])[1:]  # without the model itself
    innermost = [layer for layer in every if not any(other.startswith(f"{layer}.") for other in every)]
    for i, layer in enumerate(innermost, 1):
        theirs, ours = (trace[layer].output for trace in traces)
        if ours.shape != theirs.shape:
            return f"layer {i}, {layer}:\n    shape {ours.shape}, expected {theirs.shape}"
        if not np.allclose(ours, theirs, atol=1e-4):
            return f"layer {i}, {layer}:\n    off by up to {abs(ours - theirs).max():.2f}"
    return f"all {len(innermost)} layers agree"


wrong = {"embedding_scale": "1", "n_heads": 8, "activation": "relu"}  # change the 8 to 2 and run it again
print(f"wrong: {', '.join(wrong)}\n    {first_difference(wrong)}")
for setting in list(wrong):
    del wrong[setting]
    print(f"{setting} repaired\n    {first_difference(wrong)}")
assert not wrong and first_difference(wrong).endswith("layers agree")

# %% [markdown]
# The embeddings were not scaled; the softmax had eight maps where the original has four; the activation gave other
# numbers for the same input. Each time the first difference pointed to one setting, although all layers after it were
# wrong too.
#
# ## How they differ
#
# All that distinguishes the three from the paper is in their configs. The first column is npformer's default: as in
# the paper, where that says anything. Settings on which all four agree are left out. The column after the names is
# the question of everybody who ports a model: is the setting *seen* in the file, by names and shapes, or must you ask
# for it?

# %% tags=["hide-input"]
SIZES = {"src_vocab_size", "tgt_vocab_size", "max_len", "d_model", "d_ff", "d_k", "d_v", "n_heads", "dropout"}
SIZES |= {"n_encoder_layers", "n_decoder_layers"}


def switches(config):
    """Return the settings of a config that are no sizes, as words."""
    found = {name: value for name, value in vars(config).items() if name not in SIZES}
    found["final_norm"] = config.norm == "pre" if config.final_norm is None else config.final_norm
    found["start_id"] = ["<pad>", "<unk>", "<bos>", "<eos>"][config.start_id]
    words = {True: "yes", False: "-"}
    return {name: words.get(value, value) if isinstance(value, bool) else str(value) for name, value in found.items()}


# %%
IN_THE_FILE = {"final_norm", "embedding_norm", "positions", "attention_bias", "tie_embeddings", "generator_bias"}
usual = switches(npf.TransformerConfig(src_vocab_size=9, tgt_vocab_size=9))
columns = {"npformer": usual} | {name: switches(translator.model.config) for name, translator in models.items()}
differing = [name for name in usual if len({column[name] for column in columns.values()}) > 1]
print(f"{'':19}", *(f"{name:14}" for name in columns))
for name in differing:
    seen = "seen" if name in IN_THE_FILE else "ask "
    print(f"{name:14} {seen}", *(f"{column[name]:14}" for column in columns.values()))
assert {"norm", "activation", "positions", "tie_embeddings", "embedding_norm"} <= set(differing)

# %% [markdown]
# (`final_norm`: a LayerNorm after the last layer of each stack. `embedding_norm`: one after the embeddings.
# `source_special_tokens`: what is around a source. `start_id`: what a target begins with.) Learned positions are in a file, and
# jadore writes its sinusoids too. Marian's file here has none: that they are sinusoids, and in which order, has to be
# asked. Heads and the scale of embeddings must be asked for, too: eight heads have the same matrices as four.
#
# Two differences are in no config, because they vanish in the import. Ids: special tokens get ours, and the rows of the
# embedding matrices move along. And scale: jadore's "prj" divides the *logits* by $\sqrt{d_{model}}$ where the paper
# multiplies the *embeddings* by it. With one shared matrix that is the same model, written with a matrix
# $\sqrt{d_{model}}$ times as large:

# %%
table = read_arrays(files["jadore"])["decoder.trg_word_emb.weight"]
ours = models["jadore"].model.generator.table.data
print(f"their matrix, norm of a row {np.linalg.norm(table, axis=1).mean():.2f}", end="; ")
print(f"ours {np.linalg.norm(ours, axis=1).mean():.2f}, times {np.sqrt(64):.0f}")
assert np.allclose(table[4:], np.sqrt(64) * ours[4:], atol=1e-5)

# %% [markdown]
# Positions differ in kind or only in order. Here are 32 positions of each, one row per position, one column per
# feature:

# %% tags=["hide-input"]
waves, halves = sinusoids(32, 64), sinusoids(32, 64, interleaved=False)
learned = models["nn.Transformer"].model.encoder.input_embedding.positions.table.data
figure, axes = new_figure(1, 3, width=9.5, height=2.6)
kinds = {
    "sinusoidal (paper, jadore)": waves,
    "sinusoidal_concatenated (Marian)": halves,
    "learned (nn.Transformer here)": learned,
}
for ax, (title, positions) in zip(axes, kinds.items(), strict=True):
    plot_heat_map(ax, positions, title=title, column_label="feature")
axes[0].set_ylabel("position")
figure

# %%
order = [*range(0, 64, 2), *range(1, 64, 2)]
print("Marian's are the paper's with features in another order:", np.array_equal(halves, waves[:, order]))
fresh = npf.Transformer(models["nn.Transformer"].model.config, rng=0).encoder.input_embedding.positions.table.data
moved = np.abs(learned - fresh).max(1) > 0
print("learned positions that training has moved:", *np.flatnonzero(moved))
assert np.array_equal(halves, waves[:, order]) and moved[:7].all() and not moved[12:].any()

# %% [markdown]
# The middle picture is the left one with its columns sorted. A model before training does not care, but a trained one
# does: its feature 1 is then another wave. And the learned positions know nothing below the first rows. Those are
# as they were drawn at random before training, because no sentence was that long.
#
# ## A model that people use
#
# `egyptian-arabizi-franco`, a package on PyPI, turns Egyptian Arabic as it is typed on phones, in Latin letters and
# digits ("3amel eh"), into Arabic script. Inside is an nn.Transformer of 3 + 3 layers that reads and writes single
# letters. With `pip install "npformer[interop]"` you have it, and the library that reads its files.

# %%
TYPED = ["ezayak 3amel eh", "yalla bina", "msh fahem 7aga", "el akl helw awy"]  # add your own and run it again
package = find_spec("egyptian_arabizi_franco")
if package is None or find_spec("onnx") is None:
    print('not installed: run  pip install "npformer[interop]"  and this page again')
else:
    where = Path(package.submodule_search_locations[0]) / "models"
    arabizi = npf.interop.load(
        where,
        source_vocabulary=str(where / "vocab.json"),
        tokenizer="character",
        lowercase="source",
        source_special_tokens="none",
        norm="pre",
        n_heads=4,
        embedding_scale="sqrt",
    )
    for typed, written in zip(TYPED, arabizi.translate(TYPED, beam=1), strict=True):
        print(f"{typed:16} {written}")

# %% [markdown]
# ## Three questions
#
# **1.** You import jadore's checkpoint with `scale="none"` in place of `"prj"`. Greedily it writes the same sentences,
# and its loss is even better. Why? And would beam search notice?
#
# <details><summary>Answer</summary>
#
# The logits are then $\sqrt{d_{model}}$ times as large, 8 times in these models of width 64. Their order stays, so
# greedy decoding, which asks for the largest alone, cannot tell. The probabilities do change: the label smoothing
# that it was trained with kept its confidence modest (notebook 14), and now it is confident. Where it is right, that
# is a better loss; where it is wrong, a far worse one. Beam search adds logarithms of probabilities, of several
# tokens, and so may choose otherwise. The folded cell compares its scores.
#
# </details>
#
# **2.** Which rows of PyTorch's `in_proj_weight`, (192, 64), make the *keys* of the second of four heads?
#
# <details><summary>Answer</summary>
#
# Queries, keys and values are stacked, 64 rows each, so keys are rows 64 to 127. A head has 16 features, so the second
# head's are rows 80 to 95. In npformer they are columns 16 to 31 of $W^K$, because the matrix is transposed. The folded
# cell checks it.
#
# </details>
#
# **3.** A file says nothing of its heads, and its author does not answer. How do you find out how many there are?
#
# <details><summary>Answer</summary>
#
# Try each divisor of $d_{model}$ on sentences with known translations. Here the loss is 0.12 with four heads and 0.18
# with eight. That is evidence and not a proof. One output of the original program decides it: compare logits.
#
# </details>

# %% tags=["hide-input"]
beams = [npf.interop.load(files["jadore"], **SAID["jadore"] | {"scale": scale}) for scale in ("prj", "none")]
[[prj], [none]] = (translator.n_best("the small dog has seen a young cow", beam=4) for translator in beams)
print(f"score of the best of 4 beams: prj {prj[0].score:.3f}, none {none[0].score:.3f}")
assert none[0].score > prj[0].score
stacked = read_arrays(files["nn.Transformer"])
[name] = [name for name in stacked if name.endswith("encoder.layers.0.self_attn.in_proj_weight")]
keys = models["nn.Transformer"].model.encoder.layers[0].self_attention.sublayer.w_key.weight.data
assert stacked[name].shape == (192, 64) and np.array_equal(stacked[name][80:96], keys[:, 16:32].T)

# %% [markdown]
# Next: [notebook 32c](32c_inside_a_real_model.ipynb), which looks inside these models. To write the layers yourself:
# exercises heads and multi_head, after `npformer course start my-course`.

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
# *A detour from [32](32_induction_heads.ipynb): nothing later needs it. [Notation](../docs/reference/notation.md).*
#
# Somebody has trained a Transformer with another program, and you want to look inside it. Its weights are in a file.
# Other people's Transformers are the paper's with some settings changed: name the settings, and the model runs in these
# layers. But a wrong setting raises no error. How do you find it?
#
# **After this you can** say which settings a file of weights shows, and which have to be asked for; find a wrong one,
# layer by layer.
#
# Paper: figure 1, and what people have changed in it since. Code: `npformer/interop/`. About 45 minutes with its
# writing.

# %%
# %matplotlib inline
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import npformer as npf
from helpers import elsewhere, schematics
from helpers.pictures import show_arrays
from npformer_course import Bet, exercise

schematics.first_difference()

# %% [markdown]
# ## Three models to import
#
# `npformer import` knows three kinds of models with an encoder and a decoder:
#
# - **nn.Transformer**, the state dict of a module that somebody built around PyTorch's own;
# - **jadore**, checkpoints of `jadore801120/attention-is-all-you-need-pytorch`, from which many have learned;
# - **Marian**, in which the opus-mt models of Helsinki-NLP are published, more than a thousand.
#
# Until you have a published one, `notebooks/helpers/elsewhere/` makes a small one of each kind: a model with their
# settings, trained for some seconds, and written as their programs write. The language is a corner of German. It is
# small, but an article has to know the gender of a noun that comes later, and two tenses put the verb at the end.

# %%
train, held_out = elsewhere.split(3000, 100)
[f"{pair.source} -> {pair.target}" for pair in train[:2]]

# %%
originals, files = elsewhere.trained_and_written(train, Path("imported"))

# %% [markdown]
# What has an import to do? Names differ, and matrices are transposed: PyTorch multiplies $x W^\top$, the paper and
# npformer $x W$. And nn.Transformer keeps the matrices of queries, keys and values, in this order, as the rows of one.
# **Write it:** the $W^K$ that npformer needs, from the first of these matrices.

# %%
stacked = elsewhere.first_stacked(files["nn.Transformer"])  # (192, 64), called in_proj_weight
expected = elsewhere.keys_to_write(stacked)

# %%
w_key = ...  # (64, 64)
w_key = expected.check(w_key=w_key)

# %% [markdown]
# The numbers are then in place. But a file of weights does not say, for example, how many heads there are. What is not
# in the file has to be specified, in Python as below or on the command line (a folder of Marian's contains everything):
#
# ```console
# $ npformer import imported/jadore/model.safetensors runs/jadore \
#       --source-vocabulary imported/jadore/tokens.txt --n-heads 4 --scale prj
# $ npformer translate runs/jadore "..."
# ```

# %%
folder = files["nn.Transformer"].parent
SETTINGS = {
    "nn.Transformer": {
        "source_vocabulary": f"{folder}/source.txt",
        "target_vocabulary": f"{folder}/target.txt",
        "n_heads": 4,
        "norm": "pre",
        "activation": "gelu",
        "embedding_scale": "sqrt",
    },
    "jadore": {"source_vocabulary": f"{files['jadore'].parent}/tokens.txt", "n_heads": 4, "scale": "prj"},
    "Marian": {},
}
models = {name: npf.interop.load(path, **SETTINGS[name]) for name, path in files.items()}
models["Marian"].translate([pair.source for pair in held_out[:3]], beam=1)

# %% [markdown]
# These models were made by npformer, so their logits are equal to the originals'. That shows only that reading undoes
# writing. For more we need numbers from PyTorch itself. Here are some, for an nn.Transformer whose weights are a
# formula, so that anybody can make it again:

# %%
from helpers.elsewhere import pytorch_logits

formula = pytorch_logits.write_formula(Path("imported/formula"))
tokens = str(formula.parent / "tokens.txt")
settings = SETTINGS["nn.Transformer"] | {"source_vocabulary": tokens, "target_vocabulary": tokens}
logits = npf.interop.load(formula, **settings).model.forward(pytorch_logits.SRC, pytorch_logits.TGT)[0]
show_arrays(npformer=logits[:, 4:8], pytorch=pytorch_logits.LOGITS[:, 4:8], decimals=5)

# %% [markdown]
# (`notebooks/helpers/elsewhere/pytorch_logits.py` has the lines of PyTorch; the project's tests run them again.)
#
# ## How they differ
#
# All that distinguishes the three from the paper is in their configs. The first column says whether a file shows the
# setting, by names and shapes ("seen"), or whether you have to ask for it. Settings on which all agree are left out.
# (`final_norm`: a LayerNorm after the last layer of each stack. `embedding_norm`: one after the embeddings.
# `source_special_tokens`: what is around a source: `<eos>` at its end ("eos"), and also `<bos>` before it ("both").
# `start_id`: what a target begins with. The paper's sinusoids have sine and cosine in turn, Marian's are sorted: all
# sines first.)

# %%
print(elsewhere.table_of_settings(models))

# %% [markdown]
# Two differences are in no config, because they vanish in the import. Ids: special tokens get ours, and the rows of the
# embedding matrices move along. And scale: jadore's "prj" divides the *logits* by $\sqrt{d_{model}}$ where the paper
# multiplies the *embeddings* by it. With one shared matrix that is the same model, written with a matrix
# $\sqrt{d_{model}}$ times as large.
#
# Positions differ in kind, or only in order. Here are 32 positions of each, one row per position, one column per
# feature:

# %% tags=["hide-input"]
from npformer.layers.positional_encoding import sinusoids
from npformer.visualization.plots import new_figure, plot_heat_map

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

# %% [markdown]
# The middle picture is the left one with its columns sorted. A model before training does not care, but a trained one
# does: its feature 1 is then another wave. And on the right only the first rows have learned anything. The others are
# as they were drawn at random, because no sentence was that long.
#
# ## A wrong setting hides
#
# Suppose you specify something wrong. All shapes still fit, so there is no error. What does the model write?

# %%
tried = {
    "as it is": ("nn.Transformer", {}),
    "8 heads": ("nn.Transformer", {"n_heads": 8}),
    "post-norm": ("nn.Transformer", {"norm": "post"}),
    "ReLU": ("nn.Transformer", {"activation": "relu"}),
    "unscaled": ("nn.Transformer", {"embedding_scale": "1"}),
    "jadore": ("jadore", {}),
    "jadore, unscaled": ("jadore", {"scale": "none"}),
}
found = []
for name, setting in tried.values():
    found.append(elsewhere.share_and_loss(npf.interop.load(files[name], **SETTINGS[name] | setting), held_out))
share, loss = np.array(found).T
columns = {"share right": share[:, None], "loss (nats)": loss[:, None]}
show_arrays(**columns, rows=list(tried), signed=["share right"])

# %% [markdown]
# Twice as many heads, or ReLU instead of GELU: all sentences are still right, in a language as easy as this one, and
# most with LayerNorm in another place. Only embeddings that are not scaled leave none right. The loss tells more, but
# in the last row it is *better* than it should be (question 2). So when you import a model, compare neither sentences
# nor losses but logits, to within rounding.
#
# Now an import fails, and you do not know why. You have the original program, and it can print what its layers compute
# for *one* sentence (in PyTorch, with forward hooks). Compare from the bottom up. The **first** layer that differs has
# the wrong setting, or reads from something that has; everything after it differs as a consequence.
#
# **Write it.** A layer differs if the shapes do, or if the largest difference is more than the tolerance times the
# largest absolute value of their output.


# %%
def first_differing_layer(theirs, ours, tolerance):
    """Return the index of the first layer whose outputs differ, and the number of layers if none does.

    theirs, ours: lists of as many arrays, one per layer, from the bottom up. tolerance: the largest
    difference that does not count, relative to the largest absolute value of their output. Neither
    list is changed.
    """
    raise NotImplementedError


# %%
first_differing_layer = exercise("first_differing_layer").check(first_differing_layer)

# %% [markdown]
# **A game.** Here is an import of the nn.Transformer that is broken. Of its four settings `n_heads`, `norm`,
# `activation` and `embedding_scale` some are wrong. Which? The first layer that differs says where to look. Put the
# right setting, from `SETTINGS` above, into `repairs`, one at a time, and run the cell again, until all layers agree.
# Three tries are enough.

# %%
bet = Bet("With 8 heads instead of 4, which layer is the first to differ?", ["w_query", "softmax", "w_output"])
bet.place(...)

# %%
broken = elsewhere.BrokenImport(
    originals["nn.Transformer"], files["nn.Transformer"], SETTINGS["nn.Transformer"], held_out[0]
)
repairs = {}  # such as {"norm": "pre"}
broken.compare(first_differing_layer, **repairs)

# %% [markdown]
# (In brackets are the shapes of what this layer returned.) The bet can be settled by a run in which nothing else is
# wrong:

# %%
only_heads = SETTINGS["nn.Transformer"] | {"n_heads": 8}
difference = broken.compare(first_differing_layer, **only_heads)
bet.settle(difference.name.split(".")[-1])

# %% [markdown]
# Eight heads have the same matrices as four, and so the same queries and keys. They are only cut differently.
#
# ## A model that people use
#
# `egyptian-arabizi-franco`, a package on PyPI, turns Egyptian Arabic as it is typed on phones, in Latin letters and
# digits, into Arabic script. Inside is an nn.Transformer of 3 + 3 layers that reads and writes single
# letters. With `pip install "npformer[arabizi]"` you have it, and the library that reads its files. The four sentences
# mean "How are you, how is it going?", "Come on, let's go", "I don't understand anything" and "The food is very nice".

# %%
TYPED = ["ezayak 3amel eh", "yalla bina", "msh fahem 7aga", "el akl helw awy"]  # add your own and run it again
package = find_spec("egyptian_arabizi_franco")
written = ['not installed: run  pip install "npformer[arabizi]"  and this page again']
if package is not None and find_spec("onnx") is not None:
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
    written = arabizi.translate(TYPED, beam=1)
written

# %% [markdown]
# The import is right, and the model makes mistakes. Three words are misspelled:
#
# | typed | it writes | should be | |
# |---|---|---|---|
# | yalla | يالى | يلا | the first *a* is not written, and the last one is another letter |
# | fahem | فهم | فاهم | here the *a* is written; فهم is "he understood" |
# | helw | هلو | حلو | *h* stands for two letters of Arabic, and only the word says which |
#
# So do not judge an import by whether you like what the model writes. A wrong setting could be the reason, or the
# model.
#
# ## Three questions
#
# **1.** Which settings of the broken import were wrong, and how could you tell from the first layer that differed?
#
# <details><summary>Answer</summary>
#
# Three. The embedding differs first, and only a scale can be wrong there. When that is repaired, it is the first
# softmax, whose shape says 8 heads where theirs has 4. Then it is the activation of the first feed-forward network: the
# same input, other numbers. The norm was right.
#
# </details>
#
# **2.** You import jadore's checkpoint with `scale="none"` instead of `"prj"`. Greedily it writes the same sentences,
# and its loss is even better. Why? And would beam search notice?
#
# <details><summary>Answer</summary>
#
# The logits are then $\sqrt{d_{model}}$ times as large, 8 times in these models of width 64. Their order stays, so
# greedy decoding, which only asks for the largest, cannot tell. The probabilities do change: label smoothing in
# training kept its confidence modest (notebook 14), and now it is confident. Where it is right, that is a better loss;
# where it is wrong, a far worse one. Beam search adds logarithms of probabilities, of several tokens, and so may choose
# otherwise.
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

# %% [markdown]
# **You can now**
#
# - import a model, and name the settings that its file does not show;
# - say why neither sentences nor losses prove that an import is right;
# - find a wrong setting by the first layer that differs.
#
# Back to the path: [the project](32d_project_a_head.ipynb). Or further off it: [32c](32c_inside_a_real_model.ipynb),
# which looks inside these models.

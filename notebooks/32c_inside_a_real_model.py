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
# Notebook 32b imported models from other programs. Now look inside. What happens to a sentence on its way through,
# where does a word that matters arrive, and what do the heads of somebody else's model look at?
#
# **After this you can** follow a sentence through any model that is imported; say where a word arrives; measure what
# heads look at, and compare with chance, instead of reading it off one map.
#
# Paper: figure 1, and the appendix for what heads do. About 35 minutes with its writing.

# %%
# %matplotlib inline
import os
from pathlib import Path

import numpy as np

import npformer as npf
from helpers import schematics
from helpers.elsewhere import following, imported, letters, shares, split
from helpers.pictures import show_arrays
from npformer.visualization import sentence_attention
from npformer_course import Bet

schematics.two_runs()

# %% [markdown]
# ## One sentence, followed
#
# The models are those of notebook 32b: a small nn.Transformer, a jadore and a Marian, trained for some seconds on a
# corner of German, written as their programs write, and imported. `npf.trace` records what passes through each layer.
# This is the whole path of a sentence through Marian, from its start to the end (the boxes in the boxes are left out):

# %%
train, held_out = split(3000, 100)
models = imported(train, Path("imported"))  # add epochs=6 and run all again: are the heads more certain?
SENTENCE, TRANSLATION = "the small dog has seen a young cow", "der kleine Hund hat eine junge Kuh gesehen"
following.traced(models["Marian"], SENTENCE, TRANSLATION)

# %% [markdown]
# Everything between the embeddings and the generator is (1, positions, 64). That is the *stream*: each box reads it,
# and writes it again. Where in it does a word that matters arrive?
#
# Follow the sentence twice: once as it is, once with *cat* instead of *dog*. German then needs *die* and not *der*.
# Wherever the two streams are equal, the model cannot know yet. How different two vectors are is measured relative to
# their size: the norm of $a - b$, divided by the mean of the norms of $a$ and $b$. It is 0 for equal vectors, 1.4 for
# two of one length at a right angle, 2 for opposite ones. **Write it**, for each box of jadore's encoder and each
# position.

# %%
OTHER = SENTENCE.replace("dog", "cat")  # change "cat" to "horse" and run it again
a = following.vectors(following.stream(models["jadore"], SENTENCE, "encoder"))  # (boxes, positions, 64)
b = following.vectors(following.stream(models["jadore"], OTHER, "encoder"))
expected = following.difference_to_write(a, b)

# %%
apart = ...  # (boxes, positions), from a and b
apart = expected.check(apart=apart)

# %% tags=["hide-input"]
encoders = {name: following.stream(each, SENTENCE, "encoder") for name, each in models.items()}
heard = {}
words = {}
for name, each in models.items():
    with_other = following.stream(each, OTHER, "encoder")
    heard[name] = following.difference(following.vectors(encoders[name]), following.vectors(with_other))
    words[name] = following.words_of(sentence_attention(each, SENTENCE, TRANSLATION).source)
heard["jadore"] = apart
following.plot_heard(heard, encoders, words)

# %% [markdown]
# In the embeddings the noun is a word among others. One self-attention carries it everywhere, to its own article more
# than to most. And the decoder? It begins with the same start token in both cases.

# %%
bet = Bet("Where does the decoder's first position hear of dog or cat?", ["0 self", "0 cross", "1 self"])
bet.place(...)

# %%
arrives = {}
for name, each in models.items():
    of_dog = following.stream(each, SENTENCE, "decoder")
    of_cat = following.stream(each, OTHER, "decoder")
    arrives[name] = {box: float(following.difference(of_dog[box][0], of_cat[box][0])) for box in of_dog}
bet.settle(next(box for box, value in arrives["Marian"].items() if value > 0))

# %% tags=["hide-input"]
following.plot_norms_and_arrival(encoders, arrives)

# %% [markdown]
# On the right: before the first cross-attention the decoder knows nothing of dogs and cats. There the source comes in,
# and in layer 1 once more. On the left the same streams in the encoder: with the norm *after* each sum (paper, jadore,
# Marian) they are brought back to one size in every box. With the norm before (nn.Transformer, as it was built here)
# nothing holds them, each box adds to them, and one norm at the end brings them back.
#
# Does the decoder take the gender from the article, which has heard the noun, or from the noun itself?
#
# ## What does each head look at?
#
# A map of one sentence is easily read with wishful eyes. So measure: how much of its weight does a head give to a
# certain thing, and how much would it be if it looked everywhere equally ("chance")? A thing is a map of booleans, True
# where it is. Here the thing is the *noun* of an article that is being written, which decides between *der*, *die* and
# *das*. **Write both**: the share of the noun, for each head the mean over the rows that write an article, and the
# share by chance.

# %%
pair = held_out[1]  # change the 1 to 2 and run it again
looked = sentence_attention(models["jadore"], pair.source, pair.target)
weights = looked.cross  # (2, 4, T, S): layers, heads, target, source
noun = shares.things_of_cross(pair, looked)["noun"]  # (T, S), True at the noun in rows that write an article
rows = noun.any(-1)  # (T,), True where an article is written
expected = shares.shares_to_write(weights, noun, rows)

# %%
share = ...  # (2, 4), from weights, noun and rows
chance = ...  # one number
share = expected.check(share=share)
chance = expected.check(chance=chance)

# %%
title = f"share of the noun, by chance {float(chance):.2f}: {pair.target}"
show_arrays(**{title: share}, rows=["layer 0", "layer 1"], columns=[f"head {head}" for head in range(4)], limit=1)

# %% [markdown]
# The same over 100 sentences, and for three more things: the word that is **aligned** with the one that is being
# written (the rules know it); `<eos>`, while words are written; and the **end**, the same `<eos>` when no word is
# left.

# %%
measured = {name: shares.measure_shares(translator, held_out) for name, translator in models.items()}

# %% tags=["hide-input"]
shares.plot_cross_attention(measured)

# %% [markdown]
# (A head is named by its layer and its number: 1.0 is head 0 of layer 1.) In all three, some heads align words, best of
# all in layer 1. And in each, two or three heads give more than half of their weight to the noun when its article is
# due, some in layer 0 and some in layer 1. So the decoder looks at the noun itself. These shares do not tell whether it
# also takes something from the article, which knows the noun too. Nobody told the models what gender is. `<eos>` seldom
# gets more than chance while words are written, and most of the weight of some heads when nothing is left to write.
# (Outlined: the head that looks most, where that is at least twice chance.)
#
# And self-attention? The head that looks most at each thing, and chance (0.11 in the encoder of jadore, which reads one
# token more):

# %%
largest = {}
for title in ("encoder", "decoder"):
    tables = [measured[name][title].table() for name in models]
    things = tables[0][0]
    largest[title] = np.array([found.max((0, 1)) for _, found, _ in tables] + [tables[0][2]])
columns = {title: measured["Marian"][title].table()[0] for title in largest}
show_arrays(**largest, rows=[*models, "chance"], columns=columns, limit=1)

# %% [markdown]
# You may have read that some heads look at the previous token. In these small models none does. Their language does
# need what was just written: an adjective's ending depends on the article (*ein schwarzes Kind*, *das schwarze
# Kind*). But that is the token that was just *read*, which the residual sum carries. Perhaps that is why no head looks
# one further back; we have not tested it. What models in general do, these need not: measure.
#
# ## A model that people use
#
# It is that of notebook 32b, from Arabic in Latin letters to Arabic script. Nobody has aligned its letters, but most
# consonants are typed by one Latin letter and written by one Arabic letter. That is enough to ask, of
# cross-attention: does a head look at the letter that its position *writes*, or at the one that it *reads*, which was
# written last?

# %%
TYPED = "ezayak 3amel eh, yalla bina, msh fahem 7aga, el akl helw awy, bokra isa, 3ayez aroo7, ana mabsoot".split(", ")
arabizi = letters.published_model()  # add your own sentences above and run it again
figure = 'not installed: run  pip install "npformer[arabizi]"  and this page again'
if arabizi is not None:
    real = letters.measure_letters(arabizi, TYPED)
    figure = letters.plot_shares(real)
figure

# %% [markdown]
# Here they are, in the decoder: heads that look at the letter before the one just read. (What such heads can be good
# for, [notebook 32](32_induction_heads.ipynb) shows.) And cross-attention answers a question of notebook 26, where
# the row of the word *written* showed the alignment. Here one head of layer 0 looks at the letter that was
# just *read*, as if to find the place, and the layers above look at the one to be *written*. Chen et al. (2020) found
# the same in large models. Both heads, side by side, on "the food is nice":

# %% tags=["hide-input"]
letters.plot_reader_and_writer(arabizi, real, "el akl helw") if arabizi is not None else None

# %% [markdown]
# **Your own opus-mt.** Download a model such as `Helsinki-NLP/opus-mt-en-de` from Hugging Face (all files of its page,
# with Git LFS; some 300 MB), specify where it is, and run this page again: `NPFORMER_OPUS_MT=path/to/opus-mt-en-de
# jupyter lab notebooks`. It has 6 + 6 layers of 8 heads, `d_model` 512, 58,101 SentencePieces.

# %%
path = os.environ.get("NPFORMER_OPUS_MT")
figure = "no model: NPFORMER_OPUS_MT is not set"
if path is not None:
    figure = shares.plot_neighbors(npf.interop.load(path), held_out[:20])
figure

# %% [markdown]
# ## Three questions
#
# **1.** In the trace of Marian the generator's output has a mean of about $-10^7$. Is something broken?
#
# <details><summary>Answer</summary>
#
# No. Marian has no `<bos>`, our vocabularies have, so its row is a spare one, and its bias is $-10^9$: softmax gives it
# exactly 0. One such number among a hundred spoils any mean. Without it the mean is 0.04.
#
# </details>
#
# **2.** In the embeddings of the encoder, traces of *dog* and *cat* differ at one position. After one self-attention
# they differ at every position. Does that show that all words have *used* the noun?
#
# <details><summary>Answer</summary>
#
# No. Softmax gives every position some weight, so a trace of the noun goes everywhere, if only by accident. How much
# would be the question: compare *the* with *cow* in the picture. And only an experiment that takes it away tells
# whether it matters, such as those of notebooks 26 and 32.
#
# </details>
#
# **3.** With pre-norm the stream grows from box to box. Does the last feed-forward network get larger inputs than the
# first?
#
# <details><summary>Answer</summary>
#
# No. It reads a normalized copy of the stream. What changes is the proportion. Here the two feed-forward networks add
# vectors of norm 9.2 and 7.7, to streams of norm 9.2 and 15.3. So the second changes the direction of the stream less.
#
# </details>

# %% [markdown]
# **You can now**
#
# - follow a sentence through a model from elsewhere, and find where a word arrives;
# - measure what its heads look at, and compare with chance;
# - say what such a share does not show: whether anything depends on it.
#
# Back to the path: [the project](32d_project_a_head.ipynb), where you show what a head does.

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
# *Part IV, Understand it. Before: [25](25_kv_cache.ipynb). Next: [27](27_embeddings.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# A map of attention is a beautiful picture, and people read it as an explanation: the model wrote *das* because it looked
# at "radio". May one read it so? You have the whole model, so you need not argue. You can try.
#
# **After this you can** turn maps into links and give them a number; tell where a head looks from what it brings along; switch
# a head off, and say what it was needed for.
#
# Paper: section 3.2.3, and figures 3 to 5. About 40 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers import heads_off, schematics
from helpers.compare import compare
from helpers.course_sentence import CourseSentence
from helpers.live_figures import live_head_off
from helpers.pictures import plot_alignment, show_arrays
from npformer_course import Bet, exercise

schematics.looking()

# %% [markdown]
# ## One map
#
# In cross-attention the decoder asks and the source answers. Here are the weights of the last cross-attention of the
# translator, as a mean over its four heads, for the sentence of the course. The phrasebook is made by rules, which know
# which word became which. These *gold* links are outlined. Nobody tells them to the model.

# %%
sentence = CourseSentence()
weights = sentence.attention("decoder.layers.1.cross_attention")["weights"]  # (4, 10, 10)
pair = heads_off.pair_of_the_course()

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure

figure, ax = new_figure(width=6, height=4.4)
plot_alignment(ax, weights.mean(0), sentence.target_tokens, sentence.source_words, pair.alignment)
figure

# %% [markdown]
# Each row adds up to 1. It is named by the word that its position **writes**. But position 4, which writes *das*, has
# just read *Tag*. Some texts name the rows by the word that was read, and then all names move down by one. Only one of
# the two shows an alignment, and a number will say which.
#
# ## A number
#
# Link each written word to the word it looks at most. Compare these links $A$ with the gold links $G$:
#
# $$\mathrm{AER} = 1 - \frac{2\,|A \cap G|}{|A| + |G|}$$
#
# This *alignment error rate* (Och and Ney 2003) is 0 where both are equal, and 1 where they have nothing in common.
#
# **Write both functions.**


# %%
def links(weights):
    """Return the links (T, S): True at the largest weight of each row, and False elsewhere.

    weights (T, S): the attention weights of T words that are written. No row has its largest weight
    twice. They are not changed.
    """
    raise NotImplementedError


def alignment_error_rate(found, gold):
    """Return the alignment error rate, one number.

    found, gold (T, S): True where there is a link. Each of them has at least one. Neither is
    changed.
    """
    raise NotImplementedError


# %%
links, alignment_error_rate = exercise("alignment_error_rate").check(links, alignment_error_rate)

# %% [markdown]
# Now 250 sentences that the model was not trained on, all layers and all heads, and the mean of the heads as a fifth. (A
# word that looks at `<eos>` most is linked to nothing.)

# %%
maps, golds = heads_off.cross_maps(sentence.translator, heads_off.held_out_pairs())
gold = np.concatenate([table.ravel() for table in golds])[None]


def rate_of(layer, head, first_row=0):
    """Return the error rate of a head, or of the mean of the heads where head is 4."""
    found = []
    for one in maps:
        of_head = one[layer].mean(0) if head == 4 else one[layer, head]
        table = links(of_head)[:, :-1]  # without <eos>
        found.append(np.roll(table, -first_row, axis=0)[:-1].ravel())
    return alignment_error_rate(np.concatenate(found)[None], gold)


rates = np.array([[rate_of(layer, head) for head in range(5)] for layer in range(2)])
columns = ["head 0", "head 1", "head 2", "head 3", "mean"]
show_arrays(**{"alignment error rate": rates}, rows=["layer 0", "layer 1"], columns=columns)

# %% [markdown]
# What is good? Words kept in order would have 0.46, and random links 0.87. Nobody gets below 0.05 with one link per word,
# because some words have two gold links. So "attention aligns words" is true of layer 1, most of all of the mean of its
# heads, and hardly of layer 0. Ask which head, and which layer.
#
# And the names of the rows? If a row belonged to the word that its position *reads*, the links of row 1 would be those of
# the first word:

# %%
compare(rate_of(1, 4, first_row=1), 0.99, "error rate of the mean, rows named by the word read", tolerance=0.01)

# %% [markdown]
# Worse than random links. The position that reads a word is already busy with the next one. (In deeper models a lower
# layer can align better where a word is read, Chen et al. 2020. Measure both.)
#
# ## Where it looks, and what it brings along
#
# Do weights explain the output? "Attention is not Explanation" (Jain and Wallace 2019), "Attention is not not Explanation"
# (Wiegreffe and Pinter 2019). You have a model, so try two experiments.
#
# **Same maps, other words.** A head returns weights times values. Leave every weight of the last cross-attention as it is,
# and pass its values in reverse order: each word now brings what another one has. How probable are the ten right words?

# %%
model = sentence.model
batch = sentence.batch
sublayers = heads_off.attentions(model)  # six, by name
as_trained = heads_off.probabilities_of_right(model, batch)
with heads_off.values_reversed(sublayers["cross 1"]):
    same_maps = heads_off.probabilities_of_right(model, batch)
both = np.stack([as_trained, same_maps])
show_arrays(p=both, rows=["as trained", "values reversed"], columns=sentence.target_tokens)

# %% [markdown]
# Not one weight has moved, and the sentence is lost. A map says where a head looked. What it took along from there, it
# does not say. Nor is position 5 still "the word radio": two encoder layers have mixed the whole sentence into it.
#
# **Other maps, same words.** Now make all weights of a whole attention equal, by multiplying its scores with 0. If the
# loss stays, its pattern was not needed. The model has six attentions: two of the encoder, two of the decoder, and two
# that look from one to the other. All of them draw patterns.

# %%
bet = Bet("Which of these is missed least, with equal weights?", ["encoder 0", "decoder 0", "cross 1"])
bet.place(...)

# %%
from npformer.tasks import mean_loss

batches = heads_off.batches_of(sentence.translator, heads_off.held_out_pairs())
loss = mean_loss(model, batches)
flat = heads_off.losses_with_scores_times(model, batches, 0)
softer = heads_off.losses_with_scores_times(model, batches, 0.5)
bet.settle(min(bet.options, key=flat.get))

# %% tags=["hide-input"]
heads_off.show_losses(loss, flat, softer)

# %% [markdown]
# The first attention of the encoder draws patterns, and the model hardly misses them: the loss goes from 0.12 to 0.13. Does
# the second do its work? No: with equal weights in both it is 0.27, and 94 of 100 words are about as probable as before.
# The others are such as *können* and *Arbeitet*, verbs with the ending that their subject asks for. Most words of this small
# language can be translated without their neighbors.
#
# The last cross-attention, which aligns best, is missed most. So far, so good. But next comes decoder 0, which never sees
# the source, and aligns nothing. And halving all scores costs next to nothing anywhere (blue): which words get the larger
# weights matters more than how much larger these are.
#
# How good a map looks, and how much it matters, are two questions.
#
# ## Switch a head off
#
# The results of the heads stand side by side, (T, 4 · 16), before $W^O$ mixes them. A head whose result is 0 says nothing to
# anybody. **Write** the array without what head 2 brings.

# %%
heads = sentence.attention("decoder.layers.1.cross_attention")["y"].copy()  # (4, 10, 16)
merged = heads.swapaxes(0, 1).reshape(10, 64)
expected = heads_off.expected_lines(merged)
w_output = sublayers["cross 1"].w_output
y = w_output.forward(merged)  # (10, 64)
without_head_2 = ...  # (10, 64), from merged or from heads

# %%
without_head_2 = expected.check(without_head_2=without_head_2)
change = y - w_output.forward(without_head_2)
compare(float(np.linalg.norm(change[4])), 7.29, "norm of what head 2 brings to das")

# %% [markdown]
# Now do the same inside the model, one head at a time, and see what the words of the sentence lose.

# %%
rows = [as_trained]
for head in range(4):
    with heads_off.heads_off(sublayers["cross 1"], [head]):
        rows.append(heads_off.probabilities_of_right(model, batch))
names = ["all heads", "without 0", "without 1", "without 2", "without 3"]
show_arrays(p=np.array(rows), rows=names, columns=sentence.target_tokens)

# %% tags=["hide-input"]
from helpers.pictures import show_attention

show_attention(weights, sentence.target_tokens, sentence.source_words)

# %% [markdown]
# Without head 2 *das* falls from 0.93 to 0.19, and *aus* to 0. It looks at "radio" where *das* is written, and at "off"
# where *aus* is. Here map and need agree: this head finds what decides a form. But head 0 looks at "the" for *das*, with a
# weight of 0.97, the clearest line of all, and without it *das* still has 0.84. And without head 0 *jeden* rises, from 0.80 to
# 0.90: what this head said spoke for another word. A map shows none of that.
#
# Switch them off yourself, in every combination. The figure also has what the model then writes by itself. Look for the head
# that brings "off", the one that brings "every day", and two that change no word of the translation one at a time, but do
# together.

# %%
live_head_off(sentence, sublayers["cross 1"])

# %% [markdown]
# One sentence is an anecdote. So here is the loss of all 250 without each of the 24 heads; it is 0.12 with all of them.

# %%
without = heads_off.losses_without_heads(model, batches)
show_arrays(loss=without, rows=list(sublayers), columns=["head 0", "head 1", "head 2", "head 3"], decimals=3)

# %% [markdown]
# Head 2 of the last cross-attention is missed most. Of the encoder's eight heads no single one is missed much. (Voita et
# al. 2019 could take most heads out of a large translator, one after the other.)
#
# ## Three questions
#
# **1.** Why can no model reach an alignment error rate of 0 here, when each written word is linked to one word?
#
# <details><summary>Answer</summary>
#
# Some written words have several gold links: *schalte* belongs to "turn" and to "off". With one link per word the others
# are missed, and the missing links count in $|G|$.
#
# </details>
#
# **2.** You switch one head off, and the loss does not change. May you say that this head does nothing?
#
# <details><summary>Answer</summary>
#
# No. Another head may do the same work and cover for it. Without head 0, or without head 3, the figure still writes
# *schalte*; without both, *schaltet*, which is the wrong person. You have shown that this head is not needed while the
# others are there, on these sentences.
#
# </details>
#
# **3.** The opposite mistake: a head is switched off, and everything breaks. Does the head do what broke?
#
# <details><summary>Answer</summary>
#
# Not necessarily. A result of 0 is something that the layers above have never met, and they may fail because of that. It
# is fairer to replace what the head brings by its mean over many sentences, or by what it brings in a sentence that
# differs in one word. This is *patching*, and notebook 32 does it.
#
# </details>

# %% [markdown]
# **You can now**
#
# - turn attention weights into links, and compare them with gold links and with rivals;
# - show that a map says where a head looks, neither what it takes along nor whether it is needed;
# - switch heads off one by one, and say what each was needed for.
#
# Next: [notebook 27](27_embeddings.ipynb), what the rows of the embedding table know.

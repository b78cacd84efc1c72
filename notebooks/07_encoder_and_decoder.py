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
# # 07 Masks, encoder and decoder
#
# *Part I, See it. Before: [06](06_one_encoder_layer.ipynb). Next: [08](08_build_it.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# Attention looks everywhere. But a batch of sentences has positions without a word, and a decoder that learns to
# predict the next word must not see it. Who may look at whom? And where do encoder and decoder meet?
#
# **After this you can** write the masks of the Transformer, say why the decoder predicts at all positions in one
# forward pass, and say what joins the encoder to the decoder.
#
# Paper: figure 1, sections 3.1 and 3.2.3. About 35 minutes with its writing.

# %%
# %matplotlib inline
import math

import numpy as np

import npformer as npf
from helpers.course_sentence import CourseSentence, tally
from helpers.pictures import show_arrays, show_attention
from helpers.schematics import masks
from npformer_course import Bet, exercise, yours

masks()

# %% [markdown]
# ## Two sentences in one array
#
# An array is rectangular. To be translated together with our sentence, a shorter one is filled up with `<pad>`, id 0:

# %%
from helpers.without_masks import batch_of, change_of_length, looks_at_source, tokens_of, write

translator = npf.load("phrasebook")
lines = ["I turn off the new radio every day.", "The dog sleeps."]
src = batch_of(translator, lines)  # (2, 10)
show_arrays(src=src, rows=["our sentence", "the short one"])

# %% [markdown]
# For the code `<pad>` is a token like any other. It has a row in the table, and a query, a key and a value in every
# head.

# %%
question = "If nobody hides <pad>: how does the German for 'The dog sleeps.' change?"
bet = Bet(question, ["not at all", "shorter", "longer"])
bet.place(...)

# %%
[alone] = write(translator, batch_of(translator, lines[1:]))
_, together = write(translator, src, hide_padding=False)
bet.settle(change_of_length(alone, together))
alone, together

# %% [markdown]
# "The dog sleeps a new horse sleeps." After *schläft* it should have stopped. Where did it look then?

# %% tags=["hide-input"]
short_tokens = tokens_of(translator, src[1])
written, looks = looks_at_source(translator, src[1:], "Der Hund schläft", hide_padding=False)
show_attention(looks, written, short_tokens, title="cross-attention of layer 1, mean of the heads")

# %% [markdown]
# In the last row, from which the next word is predicted, all weight is on `<pad>`. The layers have made vectors of it,
# as they do of words, and the decoder makes words of these. Now a translation depends on its neighbors in the batch:
# next to a sentence of six tokens, with one `<pad>`, it is *Der Hund schläft ein Pferd.* We put 60 sentences that the
# translator had not seen into one array, and 53 of them got another translation than with `<pad>` hidden. (The paper
# never mentions padding, but `<pad>` can be seen in its figure 3.)
#
# A **mask** forbids looks. It is an array of booleans, True where a query may look at a key. As in a map of weights, a
# row is a query and a column is a key. (Check what True means in the library that you use. In PyTorch it is "hidden"
# for `MultiheadAttention`, and "may look" for `scaled_dot_product_attention`.)
#
# For padding it does not matter who looks: in one sentence all rows of the mask are equal. So one row is enough, the
# axis of the queries has length 1, and NumPy broadcasts it. (`x[:, None]` puts an axis of length 1 after the first.)
# **Write it.**


# %%
def padding_mask(ids, pad_id):
    """Return a mask (B, 1, S), True where a key is no padding.

    ids: integers (B, S).
    """
    raise NotImplementedError


# %%
padding_mask = exercise("masks").check(padding_mask)

# %%
mask = padding_mask(src, 0)  # (2, 1, 10)
show_arrays(mask=mask[:, 0], rows=["our sentence", "the short one"])

# %% [markdown]
# **Before softmax.** A hidden place must have the weight 0. Do not set finished weights to 0: in notebook 02 "who" had
# the weights 0.665, 0.245 and 0.090. If the third word were padding, the other two would only sum to 0.91. The paper
# sets hidden *scores* to $-\infty$, before softmax. As $e^{-\infty} = 0$, those places get no weight, and the others
# share the whole 1: here 0.731 and 0.269. (Would a large negative number do as well? Detour:
# [03b](03b_additive_attention.ipynb).)
#
# **Write it** for the first attention of the encoder, with softmax. `np.where(mask, a, b)` takes a where the mask is
# True, and b elsewhere.

# %%
from helpers.without_masks import first_attention

softmax = yours("softmax")  # of notebook 03
q, k, v = first_attention(translator, src)  # (2, 4, 10, 16): sentences, heads, positions, features
scores = q @ k.swapaxes(-1, -2) / math.sqrt(16)  # (2, 4, 10, 10)
mask_4 = mask[:, None]  # (2, 1, 1, 10), the same for all heads and queries
blank = exercise("masked_attention").on(q=q, k=k, v=v, mask=mask_4)

# %%
weights = ...  # (2, 4, 10, 10), from scores and mask_4
weights = blank.check(weights=weights)

# %%
show_attention(weights[1, 3], short_tokens, title="encoder, layer 0, head 3")

# %% [markdown]
# The columns of `<pad>` are empty. Their rows are not: a `<pad>` looks too, and what it finds does not matter, because
# nobody looks at it.
#
# A row in which everything is hidden has no weights at all: softmax makes NaN of it. `masked_softmax` gives such a row
# the weight 0 everywhere, and is your `softmax` in all others. **Write** equation 1 with it, for any queries, keys and
# values.

# %%
masked_softmax = yours("masked_softmax")


def masked_attention(q, k, v, mask):
    """Return the result of scaled dot-product attention and its weights, in this order.

    They are y (B, H, T, d_v) and weights (B, H, T, S), of q (B, H, T, d_k), k (B, H, S, d_k) and v
    (B, H, S, d_v). mask: booleans, (B, 1, T, S) or (B, 1, 1, S), True = may attend. A query that
    may attend to nothing has weights of 0 and a result of 0. None of the inputs is changed.
    """
    raise NotImplementedError


# %%
masked_attention = exercise("masked_attention").check(masked_attention)

# %% [markdown]
# With `<pad>` hidden in every attention, the short sentence is translated as it was without neighbors:

# %%
write(translator, src)

# %% [markdown]
# ## The decoder must not look ahead
#
# The decoder reads what has been written, and predicts what comes next. When it is trained, the German sentence is
# known. It reads all of it, one position to the right:
#
# | position | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 |
# |---|---|---|---|---|---|---|---|---|---|---|
# | reads | `<bos>` | Ich | schalte | jeden | Tag | das | neue | Radio | aus | . |
# | shall predict | Ich | schalte | jeden | Tag | das | neue | Radio | aus | . | `<eos>` |
#
# These are ten predictions in one forward pass. The recurrent networks that translated before 2017 had to take one word
# after the other, and the Transformer was trained in a fraction of their time.
#
# But compare each column with the next: what position 1 shall predict, position 2 reads. If position 1 could look
# there, it would learn to copy. Later, when it translates, there is nothing to copy. So position t looks at 0 to t, and
# no further. This **causal mask** depends on no sentence, only on a length. **Write it:** NumPy can keep the lower
# triangle of a matrix, or you compare the positions of keys with those of queries.


# %%
def causal_mask(length):
    """Return a mask (length, length), True where a query may look at a key.

    A query may look at itself and at what is before it.
    """
    raise NotImplementedError


# %%
causal_mask = exercise("masks").check(causal_mask)

# %%
sentence = CourseSentence()
tokens = sentence.read_tokens
show_arrays(causal=causal_mask(10), rows=tokens, columns=tokens)

# %% [markdown]
# The target has padding too. Which operator joins (B, 1, T) and (T, T)? **Write it** with your other two masks.


# %%
def target_mask(ids, pad_id):
    """Return a mask (B, T, T) for a decoder's attention to its own sentence: no padding, no future.

    ids: integers (B, T).
    """
    raise NotImplementedError


# %%
target_mask = exercise("masks").check(target_mask)

# %%
short_read = np.array([[2, *translator.target.encode("Der Hund schläft."), 0, 0]])  # (1, 7)
short_words = ["<bos>", "Der", "Hund", "schläft", ".", "<pad>", "<pad>"]
show_arrays(target=target_mask(short_read, 0)[0], rows=short_words, columns=short_words)

# %% [markdown]
# Is one pass really as good as ten, each of which reads one token more? Compare the logits, with the mask and without.

# %%
from helpers.without_masks import effects, logits_of, show_effects

source = sentence.batch.src  # (1, 10)
read = sentence.batch.tgt_in  # (1, 10)


def apart(hide_future):
    """Return the largest difference of a logit between one pass and ten, at each position (10,)."""
    at_once = logits_of(translator, source, read, hide_future=hide_future)[0]  # (10, 825)
    one_by_one = np.zeros_like(at_once)
    for t in range(10):
        so_far = read[:, : t + 1]
        one_by_one[t] = logits_of(translator, source, so_far, hide_future=hide_future)[0, -1]
    return abs(at_once - one_by_one).max(-1)


show_arrays(apart=np.stack([apart(True), apart(False)]), rows=["with mask", "without"], columns=tokens)

# %% [markdown]
# With the mask they agree to rounding (a few millionths): a position cannot know whether anything follows it. Without
# it only the last position agrees, because nothing follows there. So the mask is what makes one pass enough.
#
# ## Change a later word
#
# A mask that leaks makes no error message. But there is a test that finds every leak: change one token, and see which
# predictions change. None before it may, not even in the last digit. Here each token in turn becomes *Lampe*:

# %%
hidden = effects(translator, source, read)  # (10, 10)
seen = effects(translator, source, read, hide_future=False)
show_effects(tokens, with_the_causal_mask=hidden, without_it=seen)

# %% [markdown]
# A column is a cause, and its rows are the effects: how much a probability changes. Gray is exactly 0. On the left you
# see your mask again. The column of *das* is dark in one place: with *Lampe* there, the next word is no longer *neue*.
# On the right every change reaches every prediction. What does such a translator write?

# %%
write(translator, source, hide_future=False)

# %% [markdown]
# "every day" is lost. That may be surprising: when it writes, nothing is ahead of the newest word. But the words before
# it can look ahead now, at the newest. So they get vectors that they never had in training. Still, 40 of our 60
# sentences come out unchanged. You cannot rely on a bad translation to show you a bug; rely on the picture.
#
# ## Where encoder and decoder meet
#
# The second attention of a decoder layer is *cross-attention*: its queries come from the decoder, its keys and values
# from the **memory**, which is what leaves the last layer of the encoder. With T words written and S words in the
# source, its weights are (T, S). Its mask is your padding mask of the source.
#
# This is the only place where the two meet. Many drawings join encoder layer 0 to decoder layer 0, and 1 to 1. In the
# paper *all* decoder layers read the same memory. Does it matter? Try the paper's way, the drawings', the output of
# encoder layer 0 for both, and the two exchanged:

# %%
from helpers.without_masks import write_with_memories

choices = [[1, 1], [0, 1], [0, 0], [1, 0]]  # the encoder layer that decoder layers 0 and 1 read
[write_with_memories(translator, source, layers)[0] for layers in choices]

# %% [markdown]
# Our sentence is unlucky: of the 60 others the drawings' way changes only 3. `[0, 0]` changes 38, and `[1, 0]` 26.
# So in this translator decoder layer 1 is the one that needs the finished memory.

# %%
tally("embedding", "encoder", "decoder")

# %% [markdown]
# These are the numbers of notebook 06, by where they are. A mask has none. The decoder has more than the encoder
# because each of its layers has two attentions.
#
# ## Two questions
#
# **1.** The decoder's attention to its own words has a causal mask. Why has cross-attention none, and the encoder
# neither?
#
# <details><summary>Answer</summary>
#
# The whole source is known before the first word is written, so nothing of it is the future. Only its padding is
# hidden. And an encoder that could not look ahead would have to read "turn" without "off".
#
# </details>
#
# **2.** In the left picture no cell of the diagonal is gray: a change of token t changes the prediction at t. Is that a
# leak? And why are the cells of *Ich* and *Radio* so pale?
#
# <details><summary>Answer</summary>
#
# No. Position t *reads* token t and predicts the one after it. What it must not know is at t + 1, so a leak would be a
# change one row above the diagonal. With a mask that hides the diagonal, too, position 0 could look at nothing at all.
# The two cells are pale, but not gray: after *Lampe*, too, the most probable words are *schalte* and *aus*.
#
# </details>

# %% [markdown]
# **You can now**
#
# - write the masks of the Transformer, and attention that obeys them;
# - say why one forward pass of the decoder has a prediction at every position, and test that none of them sees the
#   future;
# - say what the memory is, who reads it, and what it costs to forget a mask.
#
# `masked_softmax` is an exercise of its own. Next: [notebook 08](08_build_it.ipynb), where you put your parts together,
# and they translate.

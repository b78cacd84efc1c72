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
# # 25 The KV cache
#
# *Part III, Use it. Before: [24](24_generating_text.ipynb). Next: [26](26_looking_at_attention.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# A decoder writes one token at a time. To choose the tenth, it reads nine, and it has read eight of them before: all
# its layers compute again what they computed a moment ago. Must they?
#
# **After this you can** say what stays the same when a token is appended, and why; write the step of a decoder that
# keeps it; count what this saves, and say what it costs.
#
# Paper: section 3.2.3, the causal mask, which makes this possible. About 40 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers import cached_decoding
from helpers.compare import compare
from helpers.pictures import show_arrays
from helpers.schematics import kv_cache
from npformer_course import Bet, exercise, yours

kv_cache()

# %% [markdown]
# ## Which rows change when a token is appended?
#
# Take four tokens of two features each, one head, and self-attention in two layers. To keep it small, both layers have
# the same matrices. The keys of layer 0 are made from the tokens themselves, each from its own. Look at those of layer
# 1, which are made from what layer 0 returned:

# %%
x = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [-1.0, 1.0]])  # (T, D)
W_Q = np.array([[0.0, 1.0], [1.0, 0.0]])
W_K = np.array([[1.0, 0.0], [1.0, 1.0]])
W_V = np.array([[1.0, 0.0], [0.0, 2.0]])


def keys_of_layer_1(x, mask):  # (T, D), (T, T)
    weights = np.exp((x @ W_Q) @ (x @ W_K).T / np.sqrt(2)) * mask
    y = weights / weights.sum(-1, keepdims=True) @ (x @ W_V)  # what layer 0 returns
    return y @ W_K


bet = Bet("Three tokens, then a fourth. Without a mask, how many of the first three keys change?", [0, 1, 3])
bet.place(...)

# %%
open_3 = keys_of_layer_1(x[:3], np.ones((3, 3)))
open_4 = keys_of_layer_1(x, np.ones((4, 4)))
is_new = ~np.isclose(open_3, open_4[:3]).all(1)  # for each of the first three rows
bet.settle(is_new.sum())

causal_3 = keys_of_layer_1(x[:3], np.tri(3))
causal_4 = keys_of_layer_1(x, np.tri(4))
labels = [f"token {i}" for i in range(4)]
show_arrays(
    "causal_3 → causal_4 · open_3 → open_4",
    causal_3=causal_3,
    causal_4=causal_4,
    open_3=open_3,
    open_4=open_4,
    rows={"causal_3": labels[:3], "causal_4": labels, "open_3": labels[:3], "open_4": labels},
)

# %% [markdown]
# With the causal mask the first three rows stay as they were. Token 0 cannot look at token 3, so layer 0 returns the
# same for it, and so does every layer above. Without a mask all rows are new, because each token has looked at the new
# one. So a decoder can keep what it has computed, and an encoder, which has no causal mask, cannot.
#
# ## Keep them
#
# What must be kept? To choose the next token, only the newest position $t$ is needed, and it asks for
#
# $$y_t = \mathrm{softmax}\left(\frac{q_t K^\top}{\sqrt{d_k}}\right) V$$
#
# That is one query, and the keys and values of *all* positions so far. All but one of these rows are there already. So
# a step makes the query, the key and the value of the newest position, appends the last two to the **cache**, and lets
# the query look at everything in it. And the mask? With one new position it hides nothing: the future is not in the
# cache yet.
#
# But a text often begins with a prompt, and reading its words one by one would be slow. They are known, so they can
# come in one step, $N$ new positions behind $L$ old ones. Then the first of the new ones could look at the last. So
# with a prompt **the mask is needed again**. **Write it**: a row for each new position, a column for each position in
# the cache.


# %%
def new_positions_mask(n_new, n_old):
    """Return the mask of N new positions behind L old ones.

    It is boolean, (N, L + N), True where a position may look. n_new: N, at least 1. n_old: L, at least 0.
    """
    raise NotImplementedError


# %%
new_positions_mask = exercise("kv_cache").check(new_positions_mask)

# %%
cached_decoding.show_masks(
    {
        "a prompt of 4": new_positions_mask(4, 0),
        "the next token": new_positions_mask(1, 4),
        "three more": new_positions_mask(3, 5),
    }
)

# %% [markdown]
# The first is the square mask of notebook 07, the second a row in which everything is seen, and the third has both.
#
# Now the step. `W` has the four matrices $W^Q$, $W^K$, $W^V$ and $W^O$, in this order, each for all heads at once. You
# have what it needs: `split_heads` and `merge_heads` of notebook 04, and `attend(q, k, v, mask)`, which is your
# `masked_attention` of notebook 07 without its weights. Arrays are joined by `np.concatenate([a, b], axis)`. **Write
# it** for any number of new positions.

# %%
split_heads, merge_heads = yours("heads")
masked_attention, _ = yours("masked_attention")
attend = cached_decoding.attend_with(masked_attention)


def self_attention_step(x, W, keys, values):
    """Let new positions look at the old ones and at themselves.

    x (B, N, D): the new positions, the table already added. W (4, D, D). keys and values (B, H, L,
    K): the cache. Returns y (B, N, D), behind W^O and without the residual, and the longer keys and
    values (B, H, L + N, K).
    """
    raise NotImplementedError


# %%
self_attention_step = exercise("kv_cache").check(self_attention_step)

# %% [markdown]
# (`K` in the docstring is $d_k$.) Put it into the translator, let its decoder read *Ich schalte jeden Tag das neue
# Radio aus.* in three ways, and look at the keys of layer 1 again: how far is each from the one that is made when all
# positions are read at once? The second way reads the first six positions in one step, as a prompt. So does the third,
# with a mask in which everything is seen.

# %%
from helpers.course_sentence import CourseSentence

sentence = CourseSentence()
apart = cached_decoding.keys_apart(sentence, self_attention_step, new_positions_mask)
show_arrays(
    **{"largest difference of a key": np.stack(list(apart.values()))}, rows=list(apart), columns=sentence.read_tokens
)

# %% [markdown]
# Zero means equal up to rounding. In the last row a prompt of six has been read without a mask: each of its words but
# the last has looked ahead, and the cache does not forget it: every later token reads these keys. With the shorter
# prompt *Ich schalte*, the next word is then another one:

# %%
next_words = {}
for name, mask in {"with the mask": new_positions_mask, "without": cached_decoding.all_seen}.items():
    _, logits = cached_decoding.read_with_cache(sentence, [3], self_attention_step, mask)  # <bos> Ich schalte
    next_words[name] = sentence.translator.target.tokens[logits.argmax()]
next_words

# %% [markdown]
# Without the mask "every day" is lost.
#
# Nothing else in a decoder needs a change. The feed-forward network and LayerNorm look at one position at a time,
# positions are added from row $L$ of the table on, and the keys and values of cross-attention are those of the memory:
# they are made once, before the first step, and never grow. The other functions of the exercise are these.
#
# ## Count
#
# How much does it save? First the squares of the picture at the top, added up over all steps, for a longer text.
# (Without a cache those that the mask hides count too.)

# %%
step = np.arange(1, 201)
without = np.cumsum(step**2)  # scores of one head, after each step
with_cache = np.cumsum(step)
cached_decoding.show_scores_made(without, with_cache)

# %% [markdown]
# From 100 to 200 tokens the lines grow 8, 4 and 2 times. Stack the steps of the first picture to see why. Squares of
# $1, 4, 9, \dots$ are a pyramid, a third of a cube. Rows of $1, 2, 3, \dots$ are a triangle, half of a square. One key
# per step is a line. The cache takes one from each power of $n$.
#
# Scores are not all. A product of an $(a, b)$ and a $(b, c)$ matrix takes $a\,b\,c$ multiplications. With $t$ target
# tokens so far and a source of $S$ tokens, a decoder layer without a cache takes for the next token:
#
# | | multiplications |
# |---|---|
# | self-attention: $W^Q$, $W^K$, $W^V$, $W^O$ | $4tD^2$ |
# | self-attention: $QK^\top$, and weights times $V$ | $2t^2D$ |
# | cross-attention: $W^Q$, $W^O$ | $2tD^2$ |
# | cross-attention: $W^K$, $W^V$ of the memory | $2SD^2$ |
# | cross-attention: $QK^\top$, and weights times $V$ | $2tSD$ |
# | feed-forward network | $2tDF$ |
#
# **Write** the same sum for a decoder that keeps all keys and values. Go through the table row by row: how many queries
# are there now, how many keys, and what is not done at all?

# %%
D, F, S = 512, 2048, 50  # the paper's base model, and a source of 50 tokens
t = np.arange(1, 201)  # tokens so far
plain = 4 * t * D**2 + 2 * t**2 * D + 2 * t * D**2 + 2 * S * D**2 + 2 * t * S * D + 2 * t * D * F
cached = ...  # (200,)
cached = cached_decoding.multiplications(D, F, S, t).check(cached=cached)

# %% tags=["hide-input"]
cached_decoding.show_multiplications(t, plain, cached)

# %%
compare(plain[-1] / cached[-1], 207, "times fewer: one layer, token 200", tolerance=0.01)

# %% [markdown]
# At token 200 a layer without a cache computes 200 rows to use one. So it is about 200 times, and a little more,
# because it also makes the keys and values of the memory again.
#
# Some texts say that the cache makes the cost of a token constant. Not quite: each new token still looks at all earlier
# ones. The lower line rises by 5.5 %, too slowly to be seen. At token 100,000 looking at the earlier ones is nearly all
# that a token costs.
#
# ## By the clock, and in memory
#
# Here is a small decoder, two layers of 64 features, that reads 200 tokens. Over all of them, the short beginnings and
# the output matrix included, it needs 80 times fewer multiplications with a cache. How many times as fast is it?

# %%
print(f"{cached_decoding.times_as_fast(200):.1f} times as fast")

# %% [markdown]
# A likely reason (not measured): both ways take 200 steps with about as many calls of NumPy, and a call with arrays as
# small as these takes about the same time whatever it multiplies. In a large model it is memory that is slow. With the cache every product has a
# single row: each parameter is fetched for one multiplication, and fetching takes longer than multiplying. On one core
# of several machines, token 200 of the paper's base model took 6 to 11 times as long without a cache as with it. By
# counting it would be 115: 207 in each of its six layers, and the output matrix, 512 by 37,000, is used for one row in
# both.
#
# **Batching.** So servers write many texts at once. The rows of all of them are multiplied with a matrix that is
# fetched once: on those cores a step of 64 texts took only 4 to 10 times as long as a step of one. A prompt is read
# quickly for the same reason. What texts cannot share is the cache, because each has its own keys and values.
#
# **Tiled attention.** The $N^2$ scores of a long prompt are slow for the same reason: they are written to memory and
# read again for the softmax and for the product with $V$. *FlashAttention* (Dao et al. 2022) makes them tile by tile in
# fast memory, and never has the whole matrix. It returns the same numbers, up to rounding, with about as many
# multiplications. In npformer it is `attention="flash"`.
#
# **Memory.** The cache takes room: a key and a value in each layer, for each token, each text, and each hypothesis of a
# beam. **Write** how many bytes the cache of the paper's base model (six decoder layers, $D = 512$, float32) needs for
# one target token.

# %%
bytes_per_token = ...  # one number
bytes_per_token = cached_decoding.bytes_per_token().check(bytes_per_token=bytes_per_token)

# %% tags=["hide-input"]
cached_decoding.show_memory(int(bytes_per_token))

# %% [markdown]
# With 10,600 tokens, one text of that length or fifty of 212, the cache is as large as the model's 65 million
# parameters. [Notebook 31](31_swiglu_and_grouped_queries.ipynb) lets heads share keys and values, which makes it
# smaller.
#
# ## Three questions
#
# **1.** Why are keys and values kept, and queries not?
#
# <details><summary>Answer</summary>
#
# A query is used in one row only, that of its own position, and in the step in which that position is read. Then its
# row of scores is finished. A key is used by the queries of all later positions, and so is a value.
#
# </details>
#
# **2.** Ten tokens are in the cache, and then you replace token 3 by another word. Which rows can you keep, in layer 0
# and in layer 5? Try it with `x` and `keys_of_layer_1`.
#
# <details><summary>Answer</summary>
#
# Rows 0 to 2, in every layer. In layer 0 only row 3 changes, because its keys are made from the embedded tokens before
# anything has looked at anything. From layer 1 on rows 3 to 9 change: tokens 4 to 9 have looked at token 3. A chat
# program that sends the same beginning again can use its cache again up to the first token that differs.
#
# </details>
#
# **3.** How much memory does the cache of the base model take for one sentence, with 200 target tokens and 50 source
# tokens, in float32? And for 64 sentences with a beam of 4? Hypotheses of a sentence share the keys and values of its
# memory.
#
# <details><summary>Answer</summary>
#
# 250 tokens, of the target or of the source, are 6.1 MB. For 64 sentences it is $64 \cdot (4 \cdot 200 + 50)$ tokens,
# 1.3 GB: five times the 260 MB of the parameters.
#
# </details>

# %% [markdown]
# **You can now**
#
# - say which rows stay when a token is appended, and that the causal mask is the reason;
# - write a decoder's self-attention for any number of new positions, with a cache;
# - count what is saved and what it costs, and say why the clock shows less.
#
# Exercise: kv_cache has four more short functions, for positions, cross-attention and a whole decoder; `npformer course
# start my-course` writes it. In the folder of your functions `npformer course translate` then writes with your cache.
# This was the last notebook of part III. Next: [notebook 26](26_looking_at_attention.ipynb), where a trained model
# looks.

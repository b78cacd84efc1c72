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
# # 05 Embedding and positions
#
# *Part I, See it. Before: [04](04_many_heads.ipynb). Next: [06](06_one_encoder_layer.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# *The old man sees the young woman. The young woman sees the old man.* The same words, and not the same story. Attention
# takes weighted means, and a mean does not know what came first. How does a model learn which word is where?
#
# **After this you can** turn ids into vectors, show that attention does not see order, and write the waves by which the
# paper tells it.
#
# Paper: sections 3.4 and 3.5, and row E of table 3. About 40 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers.course_sentence import CourseSentence, tally
from helpers.expected import Expected
from helpers.pictures import show_arrays
from helpers.schematics import embedding_and_positions
from npformer_course import Bet, exercise, yours

embedding_and_positions()

# %% [markdown]
# ## A row for each token
#
# The picture has a toy table, of a few words with four features each. The translator's is larger. Its vocabulary is a
# list of 825 tokens, and an *id* is a place in this list. Our sentence in ids:

# %%
sentence = CourseSentence()
tokens = sentence.source_words
ids = sentence.batch.src  # (1, 10)
show_arrays(ids=ids, columns=tokens)

# %% [markdown]
# "new" is 110. Next to it are 109, "it", and 111, *heute*: an id is a name, and nobody can compute with names. So the
# model has a table with a row of D numbers for each of the V tokens, the **embedding**, and the id says which row. Its
# numbers are parameters. They started at random, and training has changed them like all others.
#
# Section 3.4 has a factor too. With $E$ for the table, and $d_{model} = D$:
#
# $$x_{b,t} = \sqrt{d_{model}} \; E[\mathit{ids}_{b,t}]$$
#
# **Write it.** `ids` is (B, T), and each id becomes a row of D numbers.


# %%
def embed(ids, table):
    """Look up the row of each id, times the root of d_model.

    ids (B, T), integers from 0 to V - 1; table (V, D). Returns y (B, T, D). The inputs are not
    changed.
    """
    raise NotImplementedError


# %%
embed = exercise("embedding").check(embed)

# %%
translator = sentence.translator
table = translator.model.encoder.input_embedding.embedding.table.data  # (825, 64)
some_ids = np.array([[109, 110, 111]])
embedded = embed(some_ids, table)[0]  # (3, 64); here are 12 of the 64 features
show_arrays(table=table[109:112, :12], embedded=embedded[:, :12], rows=["it", "new", "heute"])

# %% [markdown]
# Why the root? The same table is used at the other end of the model too, where its rows score the tokens, and scores need
# small numbers: about $1/\sqrt{d_{model}} = 0.125$. Here they would drown, because numbers up to 1 will be added to them
# in a moment. Times $\sqrt{64} = 8$ they do not.

# %%
tally("w_query", "w_key", "w_value", "w_output", "embedding")

# %% [markdown]
# ## Attention does not see order
#
# Take two sentences of the same words. `order` says where each word of the second is in the first.

# %%
first, second = "The old man sees the young woman.", "The young woman sees the old man."
words = "the old man sees the young woman . <eos>".split()
order = np.array([0, 5, 6, 3, 4, 1, 2, 7, 8])
attention = yours("attention")  # of notebook 03

x = embed(np.array([translator.encode(first)]), table)[0]  # (9, 64)
x_second = embed(np.array([translator.encode(second)]), table)[0]
y, weights = attention(x, x, x)

# %% tags=["hide-input"]
expected = Expected(y_second=attention(x_second, x_second, x_second)[0])

# %% [markdown]
# **Write it:** what does attention give for `x_second`? You need no attention to say it, only `y` and `order`.

# %%
y_second = ...  # (9, 64)
y_second = expected.check(y_second=y_second)

# %%
words_second = [words[i] for i in order]
show_arrays(y=y[:, :8], y_second=y_second[:, :8], rows={"y": words, "y_second": words_second})

# %% [markdown]
# Each word gets the same numbers in both sentences. Its score with another word depends on these two, wherever they are,
# and a sum does not depend on the order of its terms. Projections work on each row, and change nothing about that. In one
# line, with a matrix $P$ that exchanges rows:
#
# $$\mathrm{softmax}\!\left(\tfrac{1}{\sqrt{d_k}}\,P Q (P K)^\top\right) P V
#   = P\,\mathrm{softmax}\!\left(\tfrac{1}{\sqrt{d_k}}\,Q K^\top\right) P^\top P V
#   = P\,\mathrm{Attention}(Q, K, V)$$
#
# So the decoder would get the same set of vectors for both stories. And the two rows "the" are equal: nothing could tell
# them apart.
#
# ## How would you write a position?
#
# Attention sees only vectors, so the place has to be in the vector. The paper *adds* to each word's vector one for its
# position $n$. Which? Four ideas:

# %% tags=["hide-input"]
from helpers.pictures import show_ideas_of_positions

show_ideas_of_positions()

# %% [markdown]
# - The number $n$ grows, and in a long text it drowns the word.
# - $n$ divided by the length does not. But a step is then 0.1 in a sentence of ten words and 0.02 in one of fifty: "one
#   word before" is something else in each.
# - The binary digits of $n$ are at most 1. The last changes at each step, the first rarely. But from 7 to 8 all four
#   change, from 8 to 9 only one does.
# - Give the digits round edges, and they are **waves**, fast and slow ones. The numbers change smoothly, and in pairs of
#   sine and cosine every step has the same length. (Here the slow pair is only ten times slower than the fast one, so that
#   you see it move.)
#
# The paper takes pairs of them, a sine and a cosine for each $i = 0, 1, \dots, d_{model}/2 - 1$:
#
# $$PE_{(n,\,2i)} = \sin\!\left(\frac{n}{10000^{2i/d_{model}}}\right), \qquad
#   PE_{(n,\,2i+1)} = \cos\!\left(\frac{n}{10000^{2i/d_{model}}}\right)$$
#
# **Write the table.** A column of positions divided by a row of powers gives all angles at once, and `waves[:, 0::2]` is
# every second column. For $d_{model} = 4$ the powers are 1 and 100, and the row of position 1 is (0.84, 0.54, 0.01, 1.00).


# %%
def sinusoids(n_positions, d_model):
    """Return the table of section 3.5, shape (n_positions, d_model).

    Its rows are those of positions 0 to n_positions - 1. d_model is even. Sines stand at the even features, cosines at the odd ones.
    """
    raise NotImplementedError


# %%
sinusoids = exercise("positions").check(sinusoids)

# %%
waves = sinusoids(100, 64)
show_arrays(waves=waves[:24])

# %% [markdown]
# Each row is a position. Neighboring rows differ much on the left, and hardly on the right. A pair of features is also the
# hand of a clock: its end is as far to the right as the sine, and as far up as the cosine. Here are the eight clocks of
# 16 features. Set `other` to 10 and drag `position` to 11, then to 73: which hands tell neighbors apart? Which tell 10
# from 73?

# %% tags=["hide-input"]
from helpers.live_figures import live_clock_hands

live_clock_hands(16)

# %% [markdown]
# Fast hands tell neighbors apart, but soon are back where they were, while slower ones are not. From 10 to 73 hands 0 and
# 2, counted from the left, are back where they were, or nearly; 1, 3 and 4 are not. No single hand is enough, the row is.
#
# And the dot product of two rows depends only on how far apart they are. Compare 5 and 0 with 50 and 45:

# %%
np.round([waves[5] @ waves[0], waves[50] @ waves[45]], 3)

# %% [markdown]
# Detour: [05b](05b_sinusoids_measure_distance.ipynb), sinusoids measure distance.
#
# **Write it:** add to each sentence the rows from `start` on. (A decoder that writes word by word puts in one word at a
# time, and that is not always at position 0.)


# %%
def add_positions(x, table, start):
    """Return x with a row of the table added at each position, (B, T, D).

    x (B, T, D), table (at least start + T, D). Of every sentence, x[:, t] is at position start + t.
    The inputs are not changed.
    """
    raise NotImplementedError


# %%
add_positions = exercise("positions").check(add_positions)

# %% [markdown]
# ## What the translator makes of it
#
# Now your vectors go into its encoder, in place of its own:

# %%
from helpers.given_vectors import translate_vectors

with_waves = add_positions(x[None], waves, 0)[0]  # (9, 64)
translate_vectors(translator, with_waves)

# %% [markdown]
# Now the words stay where they are: the old man sees the young woman. Only the rows of waves are exchanged. "old" gets
# the row of "young", "man" that of "woman", and the other way round.

# %% tags=["hide-input"]
from helpers.given_vectors import with_exchanged_waves

expected = Expected(exchanged=with_exchanged_waves(x, waves, [("old", "young"), ("man", "woman")], words))

# %% [markdown]
# **Write it**, from `x`, `waves` and `order`.

# %%
exchanged = ...  # (9, 64)
exchanged = expected.check(exchanged=exchanged)

# %%
bet = Bet(
    "The words stay, their rows of waves are exchanged. Which of the two stories does it write?",
    ["the first", "the second", "none"],
)
bet.place(...)

# %%
stories = {"Der alte Mann sieht die junge Frau.": "the first", "Die junge Frau sieht den alten Mann.": "the second"}
written = translate_vectors(translator, exchanged)
bet.settle(stories.get(written, "none"))
written

# %% [markdown]
# For the encoder a word is where its waves say. Leave out all waves, or some of them, or let the sentence begin later:

# %%
START = 2  # change this to 3
fast = waves[:9] * (np.arange(64) < 16)  # the 8 fastest clocks
slow = waves[:9] - fast
{
    "no waves": translate_vectors(translator, x),
    "the 8 fastest clocks": translate_vectors(translator, x + fast),
    "the 24 others": translate_vectors(translator, x + slow),
    "from START on": translate_vectors(translator, add_positions(x[None], waves, START)[0]),
}

# %% [markdown]
# Without waves it writes a full stop. That does not show that no model could do without: this one was trained with
# waves, and gets vectors that it has never met. For a short sentence the 8 fastest clocks are enough. The 24
# slow ones hardly tell neighbors apart: a full stop again. And from position 3 on it is lost. All its training sentences
# began at 0, and it has learned places, not only distances. The paper promised no more: waves "may allow the model to
# extrapolate".
#
# **A myth.** "A Transformer without positions sees no order at all." For the encoder that is right. In the decoder each
# word sees only itself and those before it (notebook 07): the first sees one, the second two, and so some order gets in.
# Take the waves out of the decoder only:

# %%
translate_vectors(translator, with_waves, decoder_positions=False)

# %% [markdown]
# It begins with the correct words in the correct order. But it does not know how far it has got.
#
# **Learned positions.** A second table of parameters can replace the waves, with a row per position. In the paper it
# translates as well (row E of table 3). But it ends somewhere: BERT has 512 rows, GPT-2 1,024, and neither reads a longer
# text. The waves have no last row.
#
# ## Two questions
#
# **1.** Somebody does not add but concatenates: 64 features of the word, then 64 of its position. $W^Q$ has 128 rows then.
# What is gained, and what does it cost?
#
# <details><summary>Answer</summary>
#
# $[x;\,p]\,W = x\,W_1 + p\,W_2$: words and positions get matrices of their own. Adding is the case $W_1 = W_2$, because
# $(x + p)\,W = x\,W + p\,W$. So concatenating can do more. But all vectors are twice as wide, and so is every matrix that
# reads one. And with enough features training can put words and positions into different directions anyway.
#
# </details>
#
# **2.** A decoder has no positions, and only *one* layer. Can what it predicts next depend on the order of the words before
# the last one?
#
# <details><summary>Answer</summary>
#
# No. The last position sees all words, and takes a mean of their values, which are rows of one table times $W^V$. With two
# layers it can: in layer 1 the value of a word has something of the words before *it*, and these are others in another
# order. The translator's decoder has two.
#
# </details>

# %% [markdown]
# **You can now**
#
# - turn ids into vectors, and say why they are multiplied by $\sqrt{d_{model}}$;
# - show that attention does not see order, and where in a decoder some order gets in;
# - write the waves, and say what the fast and the slow ones are for.
#
# Next: [notebook 06](06_one_encoder_layer.ipynb), all that happens to these vectors in one encoder layer.

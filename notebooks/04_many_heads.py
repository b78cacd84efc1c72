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
# # 04 Many heads
#
# *Part I, See it. Before: [03](03_why_divide_by_sqrt_dk.ipynb). Next: [05](05_embedding_and_positions.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# To translate "turn" in "turn off the new radio" you look at "off", and at what is turned off: the radio. One softmax
# gives one mean. What "off" gets, "radio" loses, and both arrive mixed. How can a word look at two places at once?
#
# **After this you can** cut queries, keys and values into heads, and put the results together again; write the whole
# of multi-head attention; say what $W^O$ is for.
#
# Paper: section 3.2.2, figure 2 right. About 40 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers.pictures import show_arrays
from helpers.schematics import many_heads
from npformer_course import Bet, exercise, yours

attention = yours("attention")  # the one that you wrote in notebook 03, or else npformer's
many_heads()

# %% [markdown]
# ## What one head cannot do
#
# Five words with ten features each. A key says where its word is, twice: in features 0 to 4, and in 5 to 9. "turn" asks
# for two words in one query: the next one, in place 2, and the last one, in place 4. A value says what kind of word it
# is, also twice. So what arrives at "turn" says of which kinds the words are that it found.

# %%
words = ["I", "turn", "off", "the", "radio"]
places = ["place 0", "place 1", "place 2", "place 3", "place 4"]
kinds = ["pronoun", "verb", "particle", "article", "noun"]
where = np.eye(5)
what = np.eye(5)
k = np.concatenate([where, where], axis=1)[None]  # (1 sentence, 5 words, 10 features)
v = np.concatenate([what, what], axis=1)[None]
q = np.zeros((1, 1, 10))
q[0, 0, 2] = 10
q[0, 0, 5 + 4] = 10
show_arrays(q=q[0], k=k[0], rows={"q": ["turn"], "k": words}, columns=places + places)

# %%
y, weights = attention(q, k, v)
show_arrays(
    "weights · v = y", weights=weights[0], v=v[0], y=y[0], rows={"v": words}, columns={"v": kinds + kinds}, decimals=1
)

# %% [markdown]
# The two scores are equal, so "off" and "radio" get the same weight. Both halves of y say the same: half a particle, half
# a noun. *Which* of them comes next, and which is last? Put "radio" into place 2 and "off" into place 4, and y is exactly
# the same.
#
# Other values do not help as long as a value says only what its word is: there is one row of weights, and every feature
# of y is a mean by these same weights. The paper: "With a single attention head, averaging inhibits this."
#
# ## Split and merge
#
# The way out costs not one parameter. Cut the features into $h$ parts. Part 0 of the queries meets part 0 of the keys: that is
# **head 0**, with its own scores, its own softmax, its own mean. In an array the heads are an axis, before the
# positions, because attention works on the last two axes:
#
# $$(B, T, D) \;\to\; (B, h, T, d_k), \qquad d_k = D / h$$
#
# Afterwards the results are laid side by side again. **Write both.** You need a reshape, and you need to swap two axes.
# With a reshape only, the shape can be right and the numbers in the wrong places.


# %%
def split_heads(x, n_heads):
    """Return the heads (B, H, T, d_k) of x (B, T, D), where H = n_heads divides D, and d_k = D / H.

    Head h has the features h * d_k to (h + 1) * d_k - 1 of each position. x is not changed.
    """
    raise NotImplementedError


def merge_heads(heads):
    """Return the heads (B, H, T, d_k) side by side, (B, T, H * d_k): what `split_heads` took apart.

    heads is not changed.
    """
    raise NotImplementedError


# %%
split_heads, merge_heads = exercise("heads").check(split_heads, merge_heads)

# %% [markdown]
# Here each number is the position that it belongs to: 4 words with 6 features. On the left is head 0 of 2, on the right
# what you get from a reshape only.

# %%
position = np.zeros((1, 4, 6), int) + np.arange(4)[:, None]
correct = split_heads(position, 2)
mixed = position.reshape(1, 2, 4, 3)
show_arrays(position=position[0], correct=correct[0, 0], mixed=mixed[0, 0], rows={"position": words[:4]})

# %% [markdown]
# Mixed up, head 0 never meets the last two words, and its first two rows are both made of word 0. Nothing raises an
# error.
#
# ## The whole layer
#
# Each head needs queries, keys and values of its own. The paper gives head $i$ three matrices. Here $Q$, $K$ and $V$ are
# what is handed to the layer, before any projection (in notebook 02 all three were $x$):
#
# $$\mathrm{head}_i = \mathrm{Attention}(Q W_i^Q,\; K W_i^K,\; V W_i^V), \qquad
# \mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(\mathrm{head}_0, \dots, \mathrm{head}_{h-1})\, W^O$$
#
# Code keeps the $W_i^Q$ side by side in one matrix, multiplies once, and cuts the product. Figure 2 of the paper, with
# the shapes of our translator ("Linear" is "times a matrix", and "Mask" has to wait for notebook 07):

# %% tags=["hide-input"]
from helpers.pictures import figure_2
from npformer.layers import MultiHeadAttention

figure_2(MultiHeadAttention(64, 4))

# %% [markdown]
# **Write it**, without a loop over heads. You have `attention`, `split_heads` and `merge_heads`.


# %%
def multi_head_attention(query, key, value, w_query, w_key, w_value, w_output, n_heads):
    """Return y (B, T, D) and the weights (B, H, T, S) of multi-head attention, in this order.

    H is n_heads. query (B, T, D), key and value (B, S, D). The four matrices are (D, D), used as
    x @ w; head h has the columns h * d_k to (h + 1) * d_k - 1 of the first three, d_k = D / H. None
    of the inputs is changed.
    """
    raise NotImplementedError


# %%
multi_head_attention = exercise("multi_head").check(multi_head_attention)

# %% [markdown]
# Now "turn" asks again, with the same query. The features are what we want already, so all four matrices are the
# identity. Two heads:

# %%
n_heads = 2  # then 1, and 5: what happens? (set it back to 2)
same = np.eye(10)
y, weights = multi_head_attention(q, k, v, same, same, same, same, n_heads)
heads = [f"head {i}" for i in range(n_heads)]
labels = {"weights": words, "y": kinds + kinds}
show_arrays("weights → y", weights=weights[0, :, 0], y=y[0], rows={"weights": heads}, columns=labels)

# %% [markdown]
# Head 0 looks at "off", head 1 at "radio". The first half of y says "the next word is a particle", the second "the last
# word is a noun". If the two words change places, the halves change too. And the matrices have the same size, whatever
# the number of heads.
#
# More is not always better. Of five heads, each has two features and knows only two of the places. Head 1 finds "off" and
# head 4 "radio", but the other three were asked nothing: all their weights are 0.2. And of a value each head brings only
# its own two features: head 1 has no feature for a noun, and could not say that one stands in place 2.
#
# **And $W^O$?** Head 0 writes into the first half of y and nowhere else. Without $W^O$ the heads would never meet. $W^O$
# lets each of them write into all features:
#
# $$\mathrm{Concat}(\mathrm{head}_0, \dots, \mathrm{head}_{h-1})\, W^O = \sum_{i} \mathrm{head}_i\, W_i^O$$
#
# Of the rows of $W^O$ each head uses only its own, $W_i^O$. **Write it** for the row of "turn": what head 0 adds to the
# result, and what head 1 adds.

# %%
concat, _ = multi_head_attention(q, k, v, same, same, same, same, 2)
concat = concat[0, 0]  # (10,), both heads side by side
w_output = np.random.default_rng(0).integers(0, 3, size=(10, 10)).astype(float)  # any numbers
show_arrays("concat · w_output", concat=concat, w_output=w_output, decimals=1, signed=["concat"])

# %% tags=["hide-input"]
from helpers.expected import Expected
from helpers.heads_off import shares_of_heads

expected = Expected(of_heads=shares_of_heads(concat, w_output, 2))

# %%
of_heads = ...  # (2, 10), a row for each head, from concat and w_output
of_heads = expected.check(of_heads=of_heads)

# %%
grids = {"of_heads": of_heads, "their sum": of_heads.sum(0), "concat · w_output": concat @ w_output}
show_arrays(**grids, rows={"of_heads": ["head 0", "head 1"]}, decimals=1)

# %% [markdown]
# The layer's result is the sum of what the heads add. A sum is easy to take apart: leave out a row and see what the model
# can no longer do. This is how part IV finds out what a head is for.
#
# ## Four heads that translate
#
# Here is the last attention of our translator. Its queries come from the German sentence: a row for each word that it
# writes. Keys and values come from the English one. Run your function on its arrays and its matrices.

# %%
from helpers.course_sentence import CourseSentence, tally

sentence = CourseSentence()
name = "decoder.layers.1.cross_attention"
arrays = sentence.arrays(f"{name}.sublayer")
german = arrays["x"][None]  # (1, 10, 64)
english = arrays["memory"][None]  # memory: what the encoder returns
layer = sentence.model.decoder.layers[1].cross_attention.sublayer
matrices = [linear.weight.data for linear in (layer.w_query, layer.w_key, layer.w_value, layer.w_output)]
y, weights = multi_head_attention(german, english, english, *matrices, n_heads=4)  # weights (1, 4, 10, 10)

# %%
written = sentence.target_tokens
read = sentence.source_words
off = read.index("off")
at_aus = weights[0, :, written.index("aus")]  # (4, 10), a row for each head

# %% [markdown]
# The last word is *aus*, the other half of *schalte*. In English that is "off".

# %%
bet = Bet("When it writes 'aus', how many of the four heads look most at 'off'?", ["1", "2", "4"])
bet.place(...)

# %%
heads_at_off = (at_aus.argmax(-1) == off).sum()
bet.settle(str(heads_at_off))
heads = ["head 0", "head 1", "head 2", "head 3"]
at_schalte = weights[0, :, written.index("schalte")]
show_arrays(schalte=at_schalte, aus=at_aus, rows=heads, columns=read)

# %% [markdown]
# For *aus*, only head 2 looks at "off". Head 3 looks at "turn", and heads 0 and 1 rest on `<eos>`, as if they had nothing
# to do. For *schalte*, head 1 looks at "turn": which verb? Heads 0 and 2 look at "I": which ending? (*ich schalte*, but
# *du schaltest*.) Now the article. Which is it, *der*, *die* or *das*?

# %%
at_das = weights[0, :, written.index("das")]
show_arrays(das=at_das, rows=heads, columns=read)

# %% [markdown]
# Head 1 looks at "the", with 0.99: an article comes now. Head 2 looks at the noun. *Radio* is neuter, so it is *das
# Radio*; a lamp would be *die Lampe*. Two heads have fetched two facts from two words, and kept them apart. Nobody
# assigned them these tasks.
#
# It is not always so clear. At *das* heads 0 and 1 are nearly the same, and head 3 is the most mixed. In layer 0 of the
# encoder most rows of every head are spread over many words. Does head 2 really look for the noun, or for place 5? Swap
# it for another noun, in another place, and see:

# %%
from npformer.visualization import sentence_attention

looked = sentence_attention(sentence.translator, "Every day I turn off the new lamp.")
at_die = looked.cross[1, :, looked.written.index("die")]  # layer 1, all heads
show_arrays(**{"when it writes die": at_die}, rows=heads, columns=looked.source)

# %% [markdown]
# The noun now stands somewhere else, and head 2 still finds it. (A map shows where a head looks, and not yet what the model needs: notebook 26.)
#
# With $W^O$ you know every parameter of attention. (The translator also adds a small bias to each product, which the
# paper does not have. Without it, as in your function, no weight here changes by more than 0.06.)

# %%
tally("embedding", "w_query", "w_key", "w_value", "w_output")

# %% [markdown]
# ## Three questions
#
# **1.** In one training run head 1 has learned to look at nouns, in another head 3. You want the heads of both models in the
# same order. Which matrices do you rearrange, so that the result of the layer stays the same?
#
# <details><summary>Answer</summary>
#
# Reorder the column blocks of $W^Q$, $W^K$ and $W^V$ and the row blocks of $W^O$, all in the same way. The result is a
# sum over heads, and a sum has no order: the number of a head means nothing.
#
# </details>
#
# **2.** Training has made two heads equal: the same $W_i^Q$, $W_i^K$ and $W_i^V$. Can $W^O$ get more out of two than out
# of one?
#
# <details><summary>Answer</summary>
#
# No. $\mathrm{head}\, W_0^O + \mathrm{head}\, W_1^O = \mathrm{head}\, (W_0^O + W_1^O)$, which one head can do. A second
# head helps only where it differs.
#
# </details>
#
# **3.** In "I turn on the new radio every day" the last word is *ein*, because of "on". When the model writes *ein*, no
# head of this layer gives "on" more than 0.02: all look at "turn" or at `<eos>`. How can it know that it is not *aus*?
#
# <details><summary>Answer</summary>
#
# The keys and values are not those of single words. They come out of the encoder, in which "turn" has looked at "on"
# (with 0.3, in head 1 of both layers), so the vector of "turn" can have "on" in it. A large weight on a position is a
# weight on all that has been collected there. (The decoder's layer 0 has looked at "on" a little, too.)
#
# </details>

# %% [markdown]
# **You can now**
#
# - split arrays into heads and merge them, without mixing up words;
# - write multi-head attention in five lines;
# - say why one mean is not enough, with *das* as the example.
#
# Next: [notebook 05](05_embedding_and_positions.ipynb), the vectors that all this starts from.
# Detour: [04b](04b_what_heads_cost.ipynb), what heads cost, and what a narrow head does less easily.

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
# # 02 Attention by hand
#
# *Part I, See it. Before: [01](01_a_translator_at_work.ipynb). Next: [03](03_why_divide_by_sqrt_dk.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# "the" becomes *das* next to "radio" and *die* next to "lamp". So the vector of "the" must take something from the noun,
# wherever that is, and nobody tells it where to look. What could it compute to find out?
#
# **After this you can** compute attention with a pencil, write it in NumPy for one word and for a sentence, and say why
# a word asks with one vector and is found by another.
#
# Paper: section 3.2.1, equation 1, figure 2 left. About 30 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers.at_work import largest_of, show_own_and_model
from helpers.course_sentence import CourseSentence, tally
from helpers.pictures import show_arrays, show_attention
from helpers.schematics import attention
from npformer.layers import Softmax
from npformer_course import Bet, exercise

attention()

# %% [markdown]
# ## Draw your own weights
#
# In the picture "turn" asks: its new vector is a mean of what all words have to say. The *weights* of this mean say where
# it looks. Now let "the" ask. Where must it look, to become *das* and not *die*? Give every word a number, 0 or more. At
# the end you see the translator's own weights next to yours.

# %%
tokens = ["I", "turn", "off", "the", "new", "radio", "every", "day", ".", "<eos>"]
word = "the"  # or another word
mine = np.array([1, 1, 1, 1, 1, 1, 1, 1, 1, 1])  # change these, in the order of the words above
mine = mine / mine.sum()
show_arrays(mine=mine, columns=tokens)

# %% [markdown]
# You understand the sentence. A model must *compute* its weights, from vectors.
#
# ## One word asks, then all
#
# Three words, "who am I", are enough for a pencil. Each has four numbers. Training would find them; here they are only
# 1 and -1.

# %%
words = ["who", "am", "I"]
x = np.array([[1.0, 1, 1, 1], [1, 1, 1, -1], [1, -1, 1, -1]])  # (3 words, 4 features)
show_arrays(x=x, rows=words)

# %% [markdown]
# Each word has three roles. Its **query** is what it asks, its **key** what it can be found by, and its **value** what it
# gives when it is found. A database returns the value of the one key that fits the query. Here every key fits a little,
# and you get a little of every value.
#
# At first all three are the word's own numbers. Let "who" ask: $q$ is the first row of x, and the keys are all its rows.
#
# **Step 1: scores.** How well does a key fit? The score is the dot product of query and key. For "who" and "am" it is
# $1 \cdot 1 + 1 \cdot 1 + 1 \cdot 1 + 1 \cdot (-1) = 2$. Work out the other two on paper. Then **write it** for any number
# of keys.


# %%
def scores(q, k):
    """Return the scores of one query for S keys: (S,).

    q: (D,). k: (S, D), a key in each row. Neither is changed.
    """
    raise NotImplementedError


# %%
scores = exercise("scores").check(scores)

# %%
q = x[0]  # "who" asks
k = x
show_arrays("q k → scores", q=q, k=k, scores=scores(q, k), rows={"q": ["who"], "k": words}, columns={"scores": words})

# %% [markdown]
# **Step 2: weights.** They are positive, their sum is 1, and a higher score has a larger weight. The paper divides the
# scores by $\sqrt{d_k}$, where $d_k$ is the number of features of a key: here by $\sqrt 4 = 2$. *Softmax* then
# raises $e$ to each of them, and divides by the sum of these. Notebook 03 has you write softmax and explains the root;
# here both are given.
#
# | key | score | half of it | $e$ to its power | divided by their sum, 11.107 |
# |---|--:|--:|--:|--:|
# | who | 4 | 2 | 7.389 | 0.665 |
# | am | 2 | 1 | 2.718 | 0.245 |
# | I | 0 | 0 | 1.000 | 0.090 |
#
# **Step 3: the mean.** "who" gets $0.665\, v_{who} + 0.245\, v_{am} + 0.090\, v_I$. The values $v$ are the rows of x, for
# now. **Write it** for any weights and values.


# %%
def weighted_mean(weights, v):
    """Return the mean of S values, each with its weight: (F,).

    weights: (S,), none below 0, with sum 1. v: (S, F), a value in each row. Neither is changed.
    """
    raise NotImplementedError


# %%
weighted_mean = exercise("scores").check(weighted_mean)

# %%
v = x
softmax = Softmax()
weights = softmax(scores(q, k) / 2)  # change the 2 to 1, or to 20: who looks where?
mean = weighted_mean(weights, v)
show_arrays("weights v → mean", weights=weights, v=v, mean=mean, rows={"v": words}, columns={"weights": words})

# %% [markdown]
# The fourth number of "who" was 1 and is 0.33 now: some of "am" and of "I" has come in.
#
# **All words at once.** Now "am" and "I" ask too. With the queries as rows of one matrix, row i and column j of
# $QK^\top$ is the score of query i for key j. Equation 1 of the paper has all three steps:
#
# $$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V$$
#
# **Write it:** the weights of all three words, a row for each. `softmax` works on each row of a matrix.

# %%
q = k = v = x  # (3, 4)
blank = exercise("attention").on(q=q, k=k, v=v)
weights = ...  # (3, 3), from q and k
weights = blank.check(weights=weights)

# %%
show_arrays(weights=weights, rows=words, columns=words, decimals=3)

# %% [markdown]
# The diagonal is the darkest, and that is no accident. A word's score with itself is the square of its norm,
# $x_i \cdot x_i = |x_i|^2$, and with another word it is $|x_i||x_j|\cos\alpha$. Here all norms are equal, so no other
# word can have a higher score.
#
# Such attention is of little use: every word mostly finds itself. And the scores are symmetric (the weights not quite,
# because each row has its own sum). If "the" needs "radio", then "radio" must need "the" just as much.
#
# ## What I ask is not what I am
#
# If you look for a lamp, you do not show a picture of yourself. So the paper first multiplies x with three matrices, the
# *projections*: $Q = xW^Q$, $K = xW^K$, $V = xW^V$. Training finds them (part II). Here are three that are small enough
# for a pencil. $W^Q$ changes the sign of the second and the fourth number. $W^K$ changes nothing. $W^V$ keeps only the
# second and the fourth number, because a value need not have the size of a key.

# %%
w_q = np.diag([1.0, -1, 1, -1])  # change a sign: who finds whom?
w_k = np.eye(4)
w_v = np.eye(4)[:, [1, 3]]
q = x @ w_q
k = x @ w_k
v = x @ w_v
show_arrays("x w_q = q", x=x, w_q=w_q, q=q, rows=words)

# %%
bet = Bet("With these queries, which word does 'am' look at most?", ["who", "am", "I", "who and I"])
bet.place(...)

# %%
projected = softmax(np.stack([scores(one, k) for one in q]) / 2)
bet.settle(" and ".join(largest_of(projected[1], words)))
show_arrays(projected=projected, rows=words, columns=words)

# %% [markdown]
# One matrix has made the diagonal the smallest number of each row. "who" finds "I", "I" finds "who", and "am" looks at
# both. What "who" gets, (-0.33, -0.82), is mostly the value of "I", (-1, -1):

# %%
means = np.stack([weighted_mean(row, v) for row in projected])
show_arrays("projected · v = means", projected=projected, v=v, means=means, rows=words)

# %% [markdown]
# You can see why in a plane. The first and the third number of all keys are 1, so only the second and the fourth tell
# them apart. A score is large where the arrow of the query points the same way as that of the key.

# %% tags=["hide-input"]
from helpers.pictures.planes import show_queries_and_keys

show_queries_and_keys(
    words,
    x[:, [1, 3]],
    {"query = key": x[:, [1, 3]], "projected": q[:, [1, 3]]},
    axes_names=("second number", "fourth number"),
)

# %% [markdown]
# On the left each query is on its own key: every word finds itself. On the right $W^Q$ has rotated each query by half a
# turn. Those of "who" and "I" are now on each other's key. That of "am" is opposite to its own key, which scores -2 in
# this plane, and at a right angle to both others, which scores 0: the less bad ones win.
#
# ## One head of the translator
#
# The translator does the same, with $d_k = 16$ and matrices that training has found. Three such matrices, with a bias
# each, are a *head*. Here are the queries and keys of one head of its encoder, in which English words look at English
# words; its values, also (10, 16), are not shown. Layers and heads count from 0: layer 1 is the last layer.

# %%
heads = CourseSentence().attention("encoder.layers.1.self_attention")
q = heads["q"][1]  # head 1, (10, 16)
k = heads["k"][1]
show_arrays(q=q, k=k, rows=tokens)

# %% [markdown]
# Nobody can read these numbers. But what you did for "who" works on them. **Write it:** the weights of the query
# `asking`. They are compared with the head's own, `expected_head`, which the folded cell takes from the translator: run
# it first.

# %% tags=["hide-input"]
from helpers.expected import Expected

expected_head = Expected(head_weights=heads["weights"][1][tokens.index(word)])

# %%
asking = q[tokens.index(word)]  # (16,)
head_weights = ...  # (10,), from asking and k; d_k is 16
head_weights = expected_head.check(head_weights=head_weights)

# %%
show_own_and_model(tokens, mine, head_weights)

# %% [markdown]
# In this sentence "the" finds "radio" with almost half of its weight. Nobody told the head to: training changed its
# matrices a little at a time, until the translations came out right. In other sentences it finds the noun less well, and
# it is one of eight: without its values this sentence still comes out with *das*. Here are all words:

# %%
show_attention(heads["weights"][1], tokens, title="encoder, layer 1, head 1: rows ask, columns are found")

# %% [markdown]
# "turn" looks at "off", the other half of its verb. And nothing is symmetric any more: "the" needs "radio", 0.48, but
# "radio" hardly needs "the", 0.10. Not every row makes sense to us.
#
# The translator has six attentions, with four heads each. The course counts the parameters that it has explained, here
# six matrices (64, 64) of each kind, with a bias of 64 each:

# %%
tally("w_query", "w_key", "w_value")

# %% [markdown]
# ## Two questions
#
# **1.** "am" is replaced by a word with twice its norm in the same direction: $(2, 2, 2, -2)$. Which word does "who"
# look at most, with query = key = value?
#
# <details><summary>Answer</summary>
#
# At itself and at "am", equally: 0.468 each. The score of "am" doubles, and so equals that of "who" with itself. With a
# slightly larger norm "am" wins. If all words have the same norm, each scores highest with itself; a longer word can
# beat it.
#
# </details>
#
# **2.** You shuffle the three words: queries, keys and values alike. What happens to the result?
#
# <details><summary>Answer</summary>
#
# The rows of the result are shuffled in the same way, and no number changes. Attention does not know the order of the
# words. Notebook 05 tells it.
#
# </details>

# %% [markdown]
# **You can now**
#
# - compute attention with a pencil: scores, weights, mean;
# - write it for one word, and its weights for a whole sentence;
# - say what query, key and value are, and why they come from three different matrices.
#
# Next: [notebook 03](03_why_divide_by_sqrt_dk.ipynb), why softmax, and why the scores are divided.

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
# # 03b Additive attention, and minus infinity
#
# *A detour from [03](03_why_divide_by_sqrt_dk.ipynb): nothing later needs it.
# [Notation](../docs/reference/notation.md).*
#
# The paper's score is a dot product, and a hidden word gets a score of $-\infty$. Other models have chosen otherwise.
# What does each choice cost, and when does it fail?
#
# **After this you can** write the score by addition, and say what it costs; say why it needs no factor; say what three
# ways to hide a word do to a row in which no word may be seen.
#
# Paper: section 3.2.1, its third paragraph; section 3.2.3 for the mask. Code: `npformer/layers/softmax.py`.
# About 30 minutes with its writing.

# %%
# %matplotlib inline
import math

import numpy as np

from helpers import additive, schematics
from helpers.pictures import show_arrays
from npformer.layers import Softmax
from npformer_course import Bet

schematics.softmax_and_scale()

# %% [markdown]
# ## Attention by addition
#
# Before the Transformer a score was often a small network (Bahdanau et al. 2015), not a product:
#
# $$\mathrm{score}(q, k) = \tanh(q W + k U)\, v$$
#
# $v$ has $d_k$ parameters, and is not a value. Section 3.2.1 compares the two kinds in three statements. They do about
# equally well for small $d_k$. For larger $d_k$ addition does better than the dot product *without* the factor. And the
# dot product is much faster and takes less memory, because it is a matrix product.
#
# **Write it:** the scores of three queries and five keys. Each query meets each key, so the sum has three axes.

# %%
q, k, W, U, v = additive.small_example()  # (3, 4), (5, 4), (4, 4), (4, 4), (4,)
expected = additive.scores_to_write(q, k, W, U, v)

# %%
scores = ...  # (3, 5)
scores = expected.check(scores=scores)

# %%
show_arrays(scores=scores, rows=["query 0", "query 1", "query 2"], columns=[f"key {j}" for j in range(5)])

# %% [markdown]
# How large are such scores, and how large is the largest of ten weights that softmax makes of them? Queries and keys are
# random, and npformer draws the parameters as those of a `Linear` layer.

# %%
deviations, largest = additive.deviations_and_weights()
additive.show_deviations(deviations, largest)

# %% [markdown]
# The standard deviation of the additive score settles near 1, and the score needs no factor. The reason is not the
# addition. $\tanh$ keeps each feature between $-1$ and $1$, and their sum is kept small by $v$, which `Linear` *draws*
# with the variance $2 / (d_k + 1)$, smaller the more features there are (Glorot's rule). With a $v$ of variance 1 the
# standard deviation would grow like $\sqrt{d_k}$ here too: the dotted line. A dot product has no parameters of its own
# that could be drawn smaller. $1/\sqrt{d_k}$ takes the place of that small $v$.
#
# Now the cost, for 128 queries and 128 keys of 64 features:

# %%
T, S, d_k = 128, 128, 64  # change the 64 to 8 and run it again: which of the numbers become 8 times smaller?
products = T * S * d_k
print("                    dot product    additive")
print(f"multiplications   {products:>13,} {products + (T + S) * d_k**2:>11,}")
print(f"calls of tanh     {0:>13,} {products:>11,}")
print(f"numbers in memory {T * S:>13,} {products:>11,}")

# %% [markdown]
# The counts of multiplications have the same order, as the paper says ("similar in theoretical complexity"). The
# projections $W$ and $U$ are included for addition; the dot product has its own in
# [notebook 04b](04b_what_heads_cost.ipynb). But the sum $qW + kU$ has to be stored for every pair before $\tanh$ can be
# taken: 64 times the memory, and a million calls of $\tanh$ that no matrix product can do for you. How much slower is
# it? That depends on the machine: ask `%timeit` in a cell of your own.
#
# ## Minus infinity, or minus a lot?
#
# Now the second choice. A *mask* hides a word from a query: its weight must be 0 ([notebook
# 07](07_encoder_and_decoder.ipynb) shows what masks are for). The paper sets the score of a hidden word to $-\infty$,
# and $e^{-\infty} = 0$. Many programs add $-10^9$ to it instead, and some only $-100$. Does it matter? Add each of the
# three to the score of a hidden word and look at the weight that is left, in three situations:
#
# - *usual*: scores 2, 1 and 0, the third word hidden;
# - *loud*: the hidden word's own score is 150, which is rare, but nothing forbids it;
# - *all hidden*: a row in which no word may be seen, such as a sentence that is padding throughout.
#
# The line *npformer* of each float type hands the mask to npformer's `Softmax` as booleans instead.

# %%
bet = Bet("float32, -1e9 is added, all is hidden: which weights?", ["unchanged", "equal", "NaN"])
bet.place(...)


# %%
def plain_softmax(x):
    exponentials = np.exp(x - x.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)


usual = [2, 1, 0]
loud = [2, 1, 150]
visible = [True, True, False]
allowed = np.array([visible, visible, [False] * 3])
left = {}
print("          added   usual: hidden   loud: hidden   all hidden: the three weights")
for dtype in ("float32", "float16"):
    for penalty in (-math.inf, -1e9, -100, None):  # add -10 and run it again
        rows = np.array([usual, loud, usual], dtype)
        with np.errstate(over="ignore", invalid="ignore"):  # -1e9 is past the end of float16
            if penalty is None:
                y = Softmax().forward(rows, allowed)
            else:
                y = plain_softmax(rows + np.where(allowed, 0, penalty).astype(dtype))
        left[dtype, penalty] = y
        name = "npformer" if penalty is None else f"{penalty:g}"
        print(f"{dtype} {name:>8}  {y[0, 2]:>13.2g}  {y[1, 2]:>13.2g}   {y[2].astype(float).round(3)}")

weights = left["float32", -1e9][2]
if np.isnan(weights).any():
    bet.settle("NaN")
else:
    bet.settle("equal" if np.allclose(weights, 1 / 3) else "unchanged")

# %% [markdown]
# What the table says:
#
# - $-100$ is not enough. The loud hidden word takes all the weight, and even the usual one keeps a trace in float32. In
#   a row that is hidden throughout it does nothing at all: all scores drop by the same amount, which softmax ignores.
# - $-10^9$ hides well in float32. But a row that is hidden throughout becomes an even average over words that nobody
#   may see: a float32 near $10^9$ has steps of 64, so all three sums are the same number. Replacing the score by
#   $-10^9$, as other programs do, ends in the same thirds. In float16, whose largest number is 65504, $-10^9$ *is*
#   $-\infty$.
# - $-\infty$ hides perfectly and gives NaN in the row that is hidden throughout: $-\infty - (-\infty)$ has no value.
#   One NaN spreads through everything that is computed from it.
# - npformer takes booleans, uses $-\infty$ and then defines what an empty row is: no weights, and a result of zeros.
#   It is the same in every float type, and nobody has to choose a number.
#
# And **True means: may attend**, in npformer. Check what True means in the library you use. PyTorch has both meanings:
# in `nn.MultiheadAttention` True hides, in `scaled_dot_product_attention` True takes part.
#
# ## Three questions
#
# **1.** Additive attention has parameters, the dot product has none. Is it a disadvantage of the dot product?
#
# <details><summary>Answer</summary>
#
# Hardly: $q$ and $k$ come out of $W^Q$ and $W^K$, and $q \cdot k = x\, W^Q {W^K}^\top x'^\top$, so the parameters are
# there, one step earlier. What the dot product lacks is the bend of $\tanh$: twice the query is always twice the
# score.
#
# </details>
#
# **2.** A program in float32 adds $-10^9$, and never has a row that is hidden throughout. Is it safe?
#
# <details><summary>Answer</summary>
#
# Yes: a hidden score can compete only if it is $10^9$ above the others. In float16 it is safe too, because
# $-10^9$ becomes $-\infty$ there. The trouble begins with the first empty row, say a sentence without words: thirds
# in one type, NaN in the other.
#
# </details>
#
# **3.** A program sets the *weights* of hidden words to 0, after softmax. What is different?
#
# <details><summary>Answer</summary>
#
# The weights that are left no longer sum to 1: what the hidden words had is lost, and the hidden words still decide how
# much is left for the others. With the scores 2, 1 and a hidden 150 nothing is left for anybody.
#
# </details>

# %% [markdown]
# **You can now**
#
# - write scores by addition, and count what they cost;
# - say what keeps them small, and why a dot product needs a factor instead;
# - hide words so that no row of weights breaks.
#
# Back to the path: [notebook 04](04_many_heads.ipynb), many heads.

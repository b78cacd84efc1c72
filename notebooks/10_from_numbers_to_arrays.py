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
# # 10 From numbers to arrays
#
# *Part II, Learn it. Before: [09](09_backpropagation_from_zero.ipynb). Next: [11](11_the_backward_of_attention.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# `Value` of notebook 09 needs an object for every number. The queries of one sentence are 640 numbers, made by 40,960
# products: far too many objects. An array has to go backward in one piece. With which formula?
#
# **After this you can** say what a Jacobian is and why nobody builds it; write the linear layer forward and backward, for
# any number of sentences; go backward through broadcasting.
#
# Most of a Transformer's arithmetic is this one layer. About 35 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers.pictures import show_arrays
from helpers.schematics import rows_and_jacobian
from npformer_course import Bet, exercise, yours

numeric_gradient, _ = yours("numeric_gradient")
rows_and_jacobian()

# %% [markdown]
# ## Several results: the Jacobian
#
# Let $y_0 = x_0 x_1$ and $y_1 = x_1 + 2 x_2$. (We count from 0, as in code, also in sums.) Two results of three inputs
# have six slopes, $\partial y_i / \partial x_j$. They form a matrix, the **Jacobian** $J$: a row per result, a column per
# input. Move one input, see by how much every result moves, and you have a column:


# %%
def two_results(x):
    """Return y (2,) of x (3,)."""
    return np.array([x[0] * x[1], x[1] + 2 * x[2]])


x = np.array([2.0, 3.0, 1.0])
eps = 1e-6
columns = []
for step in eps * np.eye(3):  # in each step one input moves
    columns.append((two_results(x + step) - two_results(x - step)) / (2 * eps))
J = np.stack(columns, axis=1)
show_arrays(J=J, rows=["y 0", "y 1"], columns=["x 0", "x 1", "x 2"], decimals=0)

# %% [markdown]
# The loss reaches $x_j$ through every result that $x_j$ moves. Each sends a share, and shares are added:
#
# $$dx_j = \sum_i dy_i\, J_{ij}, \qquad \text{in one product:} \quad dx = dy\, J$$
#
# The sizes show which way round: a row $dy$ of two numbers, times (2, 3), gives three.

# %%
dy = np.array([1.0, 10.0])  # change this to (0, 1): which numbers are dx now?
show_arrays("dy · J = dx", dy=dy, J=J, dx=dy @ J, decimals=0)

# %% [markdown]
# $x_1$ moves both results, so $dx_1 = 1 \cdot 2 + 10 \cdot 1 = 12$. With $dy = (0, 1)$ only $y_1$ counts, and $dx$ is
# row 1 of $J$. So **moving gives one column at a time, backward one row**. And a loss is a single result: its Jacobian
# has a single row, which is all of its slopes at once.
#
# But $J$ itself is out of the question. Take a batch of 2,500 positions with 512 features, and a layer that returns as
# many: $J$ has $(2500 \cdot 512)^2 > 10^{12}$ numbers, mostly zeros. The picture at the top shows them for two positions:
# no position moves the result of another, and each has the same small block. **No backward builds $J$.** It has a short
# formula for $dy\, J$. You find the first one now.
#
# ## The linear layer
#
# Queries, keys, values, the feed-forward network, logits: all are $y = x W + b$. **Write it** for any number of axes
# before the last. The same $W$ and $b$ serve every position.


# %%
def linear(x, w, b):
    """Return y = x w + b, of shape (..., F).

    x (..., D): any number of axes before the last, at least one. w (D, F), b (F,).
    """
    raise NotImplementedError


# %%
linear = exercise("linear").check(linear)

# %% [markdown]
# Two positions, three features, four results for each, all sizes different. The gradient $dy$ has come from the loss.
#
# Which results does *one* entry move? $x_{01}$ is multiplied with row 1 of $W$, and moves row 0 of $y$:

# %%
x = np.array([[1.0, 2, 3], [0, 1, -1]])  # (2, 3)
w = np.array([[1.0, 0, 2, 1], [0, 3, 1, -1], [1, 1, 0, 2]])  # (3, 4)
b = np.array([1.0, 0, -1, 0])
dy = np.array([[1.0, 0, -1, 2], [0.5, 1, 0, 0]])  # (2, 4)
row_0 = [(0, f) for f in range(4)]
row_1 = [(1, f) for f in range(4)]
marked = {"x": [(0, 1)], "w": row_1, "y": row_0}
show_arrays("x · w + b = y", x=x, w=w, b=b, y=linear(x, w, b), marked=marked)

# %% [markdown]
# When $x_{01}$ rises by 1, $y_{0f}$ rises by $W_{1f}$: times swaps. The loss moves by $dy_{0f}$ for each unit of that, and
# the four ways add up:
#
# $$dx_{01} = \sum_f dy_{0f}\, W_{1f}$$
#
# Two rows meet, entry by entry. Work $dx_{01}$ out on paper from the frames.

# %%
show_arrays(dy=dy, w=w, marked={"dy": row_0, "w": row_1}, decimals=1)

# %% [markdown]
# Now an entry of $W$. $W_{12}$ is multiplied with column 1 of $x$, at every position, and moves column 2 of $y$. So two
# columns meet, and the sum is over positions:
#
# $$dW_{12} = \sum_i x_{i1}\, dy_{i2}$$

# %%
show_arrays(x=x, dy=dy, marked={"x": [(0, 1), (1, 1)], "dy": [(0, 2), (1, 2)]}, decimals=1)

# %% [markdown]
# **Write both** without a loop. A matrix product lets a *row* of its left factor meet a *column* of its right one. If two
# rows are to meet, or two columns, something has to be transposed. You need not remember what: $dx$ must have the shape of
# $x$, and $dw$ that of $W$. All sizes differ, so only one product fits.

# %%
blank = exercise("linear").on(dy=dy, x=x, w=w)
dx = ...  # (2, 3)
dw = ...  # (3, 4)
dx, dw = blank.check(dx=dx, dw=dw)

# %% [markdown]
# `numeric_gradient` of notebook 09 knows no formula. Here are your two results next to its own, with a frame around the
# entries that you have worked out:

# %%
dx_by_moving = numeric_gradient(lambda x: linear(x, w, b), x, dy)
dw_by_moving = numeric_gradient(lambda w: linear(x, w, b), w, dy)
framed = {"dx": [(0, 1)], "dw": [(1, 2)], "dx_by_moving": [(0, 1)], "dw_by_moving": [(1, 2)]}
show_arrays(dx=dx, dx_by_moving=dx_by_moving, dw=dw, dw_by_moving=dw_by_moving, marked=framed, decimals=1)

# %% [markdown]
# This is why you should test a backward with sizes that all differ. With square matrices a wrong product fits, too, and
# nothing raises an error.
#
# ## Forward repeats, backward sums
#
# The bias is still missing. $b$ has the shape (4,), and is added to each row of (2, 4): NumPy *broadcasts* it, that is,
# repeats it. Another case of this is a factor for each row, as in LayerNorm: $y = x \odot r + b$. The sign $\odot$
# multiplies entry by entry, as `*` does. Here $r$ is (2, 1). Each of its numbers is used in a whole row:

# %% tags=["hide-input"]
from npformer.visualization.plots.colors import BLUE, ORANGE

x_small = np.array([[1.0, 2, 3], [4, 5, 6]])
r = np.array([[2.0], [10.0]])
bias = np.array([0.1, 0.2, 0.3])
dy_small = np.array([[1.0, 0, -1], [2, 1, 0]])
of_row_0 = {(0, column): BLUE for column in range(3)}
of_row_1 = {(1, column): ORANGE for column in range(3)}
both = {"r": {(0, 0): BLUE, (1, 0): ORANGE}, "scaled": {**of_row_0, **of_row_1}}
show_arrays("x ⊙ r = scaled", x=x_small, r=r, scaled=x_small * r, marked=both)

# %% [markdown]
# And each number of $b$ in a whole column:

# %% tags=["hide-input"]
of_column_0 = {(row, 0): BLUE for row in range(2)}
of_column_2 = {(row, 2): ORANGE for row in range(2)}
both = {"b": {(0, 0): BLUE, (0, 2): ORANGE}, "y": {**of_column_0, **of_column_2}}
show_arrays("scaled + b = y", scaled=x_small * r, b=bias, y=x_small * r + bias, marked=both, decimals=1)

# %% [markdown]
# What is used several times gets a sum. **Write** $dr$ and $db$, with the shapes of $r$ and of $b$. (`keepdims=True` keeps
# an axis that is summed.)

# %% tags=["hide-input"]
from helpers.expected import Expected

dr_by_moving = numeric_gradient(lambda r: x_small * r + bias, r, dy_small)
db_by_moving = numeric_gradient(lambda bias: x_small * r + bias, bias, dy_small)
expected = Expected(dr=dr_by_moving, db=db_by_moving)

# %%
dr = ...  # (2, 1), from dy_small and x_small
db = ...  # (3,), from dy_small
dr = expected.check(dr=dr)
db = expected.check(db=db)

# %%
show_arrays(dy=dy_small, x=x_small, dr=dr, db=db)

# %% [markdown]
# It holds the other way round, too. Where forward sums, as in $s_i = \sum_k x_{ik}$, every $x_{ik}$ moves $s_i$ by 1, and
# backward repeats: $dx_{ik} = ds_i$. A mean over $n$ numbers repeats $ds_i / n$.
#
# ## The whole layer, in the translator
#
# Now put it together. With several sentences, $W$ and $b$ are used at every position of every sentence, so their
# gradients are sums over all of these. **Write it** for any number of axes. `x.reshape(-1, x.shape[-1])` makes one axis of
# all positions.


# %%
def linear_backward(dy, x, w):
    """Return the gradients of y = x w + b: dx (..., D), dw (D, F), db (F,).

    dy (..., F): the gradient at y. x (..., D), w (D, F): what forward was given. None of them is
    changed.
    """
    raise NotImplementedError


# %%
linear_backward = exercise("linear").check(linear_backward)

# %% [markdown]
# In one head of the translator, "the" finds "radio" (notebook 02). Its queries are such a layer. Could you teach this head
# to look at "radio" even more? Let $L$ be the score of "radio" for "the", $q_{the} \cdot k_{radio} / 4$. For once we want
# $L$ to rise. Only row "the" of the queries is in it, so $dq$ has one row that is not 0: $k_{radio} / 4$.

# %%
from helpers.course_sentence import CourseSentence

sentence = CourseSentence()
tokens = sentence.source_words
the = tokens.index("the")
radio = tokens.index("radio")
layer = sentence.model.encoder.layers[1].self_attention.sublayer.w_query
w_query = layer.weight.data[:, 16:32].astype(float)  # (64, 16), of head 1
b_query = layer.bias.data[16:32].astype(float)
x = sentence.arrays("encoder.layers.1.self_attention.sublayer")["x"].astype(float)  # (10, 64)
k = sentence.attention("encoder.layers.1.self_attention")["k"][1].astype(float)  # (10, 16)

q = linear(x, w_query, b_query)
dq = np.zeros((10, 16))
dq[the] = k[radio] / 4
dx, dw_query, db_query = linear_backward(dq, x, w_query)
show_arrays(dq=dq, dx=dx, rows=tokens)

# %% [markdown]
# Gradients go back only to "the": positions do not meet in this layer. Now take a step up: add a hundredth of their
# gradients to $W^Q$ and $b$.

# %%
bet = Bet("Whose queries does this step change?", ["only that of 'the'", "all ten"])
bet.place(...)

# %%
new_q = linear(x, w_query + 0.01 * dw_query, b_query + 0.01 * db_query)
moved = abs(new_q - q).max(-1) > 1e-6  # (10,)
bet.settle("all ten" if moved.all() else "only that of 'the'")
scores = np.stack([q @ k[radio] / 4, new_q @ k[radio] / 4])
show_arrays(**{"scores of radio": scores}, rows=["before", "after"], columns=tokens)

# %% [markdown]
# The score of "the" rises from 2.16 to 2.80, which takes its weight on "radio" from 0.48 to 0.61. But $W^Q$ serves all
# positions. "new", "radio" and "every" have something in common with "the", and look at "radio" more, too; most others a
# little less. Whatever one word learns, all words learn a little. This helps where words are alike and hurts where they
# are not, so training asks many sentences at once, and adds up what they want.
#
# ## Three questions
#
# **1.** The Jacobian of relu on a vector of 512 is 512 by 512. What does it look like, and what is $dy\, J$?
#
# <details><summary>Answer</summary>
#
# It is diagonal, because each result depends on its own input only: 1 where $x_i > 0$, else 0. The product is one
# multiplication per entry: $dx_i = dy_i$ where $x_i > 0$, else 0.
#
# </details>
#
# **2.** One could also multiply the Jacobians of all layers from the input to the loss, in the order of forward. Why
# from the loss back?
#
# <details><summary>Answer</summary>
#
# Take two layers with Jacobians $J_0$ and $J_1$ of 3 by 3. A loss is one number, so $dy$ is a row, and a row times a
# matrix stays a row: $(dy\,J_1)\,J_0$ takes $9 + 9 = 18$ multiplications. In the order of forward the two matrices are
# multiplied first: $dy\,(J_1 J_0)$ takes $27 + 9 = 36$. With 1000 numbers per layer it is 2 million against 1001 million.
#
# </details>
#
# **3.** In self-attention the same $x$ goes into three linear layers, for $q$, $k$ and $v$. Each `linear_backward` returns
# a $dx$. What is the gradient of $x$?
#
# <details><summary>Answer</summary>
#
# Their sum: $x$ is used three times. With the residual connection it is used a fourth time.
#
# </details>

# %% [markdown]
# **You can now**
#
# - say what a Jacobian is: moving gives its columns, backward a row, and a short formula replaces it;
# - write the linear layer forward and backward, and find each transpose from the shapes;
# - go backward through broadcasting: forward repeats, backward sums.
#
# Next: [notebook 11](11_the_backward_of_attention.ipynb), the backward of softmax, in which every result depends on every
# input.

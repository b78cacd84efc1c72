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
# **The idea:** a number in an array moves many results, and each of them sends a share of the gradient back. The
# derivatives form a matrix, but a backward never builds it: a short formula gives its product with $dy$.
#
# About 25 minutes to read and run, 45 with every change and question. What you need before: [notebook
# 09](09_backpropagation_from_zero.ipynb) for the chain rule and the sum where something is used twice, matrix
# products, the quotient rule, and softmax from [notebook 02](02_attention_by_hand.ipynb). As there, $dx$ is short for
# $\partial L / \partial x$.

# %%
# %matplotlib inline
import numpy as np

from helpers.pictures import plot_arrays, side_by_side
from npformer.visualization.plots import new_figure

# %% [markdown]
# ## Several outputs of several inputs: the Jacobian
#
# Let $y_0 = x_0 x_1$ and $y_1 = x_1 + 2 x_2$. Two outputs and three inputs have six derivatives,
# $\partial y_i / \partial x_j$. They form a matrix, the **Jacobian** $J$: a row per output, a column per input.
#
# You can find it without any rule, as in 05a. Move one input a little, and see by how much every output moves: that is
# a column of $J$.


# %%
def jacobian_by_moving(f, x, h=1e-6):
    """Return the derivatives of f at x: a row per number of f(x), a column per number of x."""
    columns = []
    for place in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[place] = h
        columns.append((f(x + step) - f(x - step)).ravel() / (2 * h))
    return np.stack(columns, axis=1)


def two_outputs(x):
    """Return y of the text."""
    return np.array([x[0] * x[1], x[1] + 2 * x[2]])


x = np.array([2.0, 3.0, 1.0])
J = np.array([[x[1], x[0], 0.0], [0.0, 1.0, 2.0]])  # (outputs, inputs) = (2, 3), by the rules
print(side_by_side(1, J=J, by_moving=jacobian_by_moving(two_outputs, x)))
assert np.allclose(J, jacobian_by_moving(two_outputs, x))

# %% [markdown]
# The loss reaches an input through every output that the input moves, and the chain rule adds up these ways:
#
# $$dx_j = \sum_i dy_i\, J_{ij}, \qquad \text{in one product:} \quad dx = dy\, J$$
#
# This is a **vector-Jacobian product**: a row vector times the matrix. The sizes show which way round it goes: $dy$ has
# two numbers, $J$ is (2, 3), and $dx$ has three.

# %%
dy = np.array([1.0, 10.0])  # change this to (0, 1) and run it again
dx = dy @ J
print(side_by_side(1, dy=dy, J=J, dx=dx))

# %% [markdown]
# $x_1$ moves both outputs: its gradient is $1 \cdot x_0 + 10 \cdot 1$. With $dy = (0, 1)$ only $y_1$ counts, and $dx$
# is row 1 of $J$. So moving gives one column at a time, and backward gives one row at a time. A loss is a single
# output: one row is all of its derivatives.
#
# ## Softmax, without its Jacobian
#
# In softmax every input moves every output, so no entry of $J$ is 0. Take three scores:

# %%
x = np.array([2.0, 1.0, 0.0])


def softmax(x):
    """Return exp(x) / sum(exp(x)) of the last axis."""
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


y = softmax(x)
print(side_by_side(3, x=x, y=y))

# %% [markdown]
# Each is a fraction, $y_i = e^{x_i} / \Sigma$ with $\Sigma = \sum_k e^{x_k}$. By the quotient rule, and because moving
# $x_j$ moves $\Sigma$ by $e^{x_j}$:
#
# $$\frac{\partial y_i}{\partial x_i} = \frac{e^{x_i}\,\Sigma - e^{x_i} e^{x_i}}{\Sigma^2} = y_i - y_i\,y_i, \qquad
# \frac{\partial y_i}{\partial x_j} = \frac{0 - e^{x_i} e^{x_j}}{\Sigma^2} = -y_i\,y_j \quad (j \neq i)$$
#
# In one formula, where $\mathbb{1}[i = j]$ is 1 if $i = j$ and 0 otherwise:
#
# $$J_{ij} = \frac{\partial y_i}{\partial x_j} = y_i\,(\mathbb{1}[i = j] - y_j)$$

# %%
J = np.diag(y) - np.outer(y, y)  # (outputs, inputs)
print(side_by_side(3, J=J, by_moving=jacobian_by_moving(softmax, x)))
assert np.allclose(J, jacobian_by_moving(softmax, x))
assert np.allclose(J.sum(0), 0)  # what one output gains, the others lose

# %% [markdown]
# (This $J$ is symmetric, a peculiarity of softmax; that of the first example is not.) Now the loss. Suppose only $y_0$
# matters to it, $L = y_0$, so the gradient of the result is $dy = (1, 0, 0)$, and again $dx = dy\, J$:

# %%
dy = np.array([1.0, 0.0, 0.0])  # change this to (1, 1, 1) and run it again
dx = dy @ J
print(side_by_side(2, dy=dy, J=J, dx=dx))

# %% [markdown]
# Raising $x_0$ raises $y_0$; raising another score lowers it, because the weights share a total of 1. And
# $dy = (1, 1, 1)$ gives $dx = 0$: the sum of the weights is always 1, whatever the scores are.
#
# A backward never builds $J$. Put the formula into the sum, and the matrix disappears:
#
# $$dx_j = \sum_i dy_i\, y_i\,(\mathbb{1}[i = j] - y_j) = y_j \Big( dy_j - \sum_i dy_i\, y_i \Big)$$

# %%
without_J = y * (dy - (dy * y).sum())
print(side_by_side(2, dx=dx, without_J=without_J))
assert np.allclose(dx, without_J)
print(f"numbers in J for a vocabulary of 37,000 tokens: {37_000**2:,}")

# %% [markdown]
# This is the last line of `npformer/layers/softmax.py`. All backwards are of this kind: a short formula for $dy\,J$.
#
# ## The matrix product, entry by entry
#
# Most of a Transformer's arithmetic is $Y = A B$. Here $A$ is (2, 3) and $B$ is (3, 4), so $Y$ is (2, 4):
#
# $$Y_{ij} = \sum_k A_{ik} B_{kj}$$
#
# Which results does *one* entry move? $A_{01}$ is multiplied with row 1 of $B$, and moves row 0 of $Y$.

# %%
A = np.array([[1.0, 2.0, 3.0], [0.0, 1.0, -1.0]])  # (2, 3); change one number and run the section again
B = np.array([[1.0, 0.0, 2.0, 1.0], [0.0, 3.0, 1.0, -1.0], [1.0, 1.0, 0.0, 2.0]])  # (3, 4)
Y = A @ B  # (2, 4)
dY = np.array([[1.0, 0.0, -1.0, 2.0], [0.5, 1.0, 0.0, 0.0]])  # (2, 4), from the loss
print(side_by_side(1, Y=Y, dY=dY))

# %% tags=["hide-input"]
figure, axes = new_figure(1, 3, width=9, height=2.2)
row = [(0, j) for j in range(4)]
plot_arrays(axes, {"A": A, "B": B, "Y = A B": Y}, {"A": [(0, 1)], "B": [(1, j) for j in range(4)], "Y = A B": row})
figure

# %% [markdown]
# When $A_{01}$ rises by 1, $Y_{0j}$ rises by $B_{1j}$. The loss moves by $dY_{0j}$ for each unit of that, and the four
# ways add up:
#
# $$dA_{01} = \sum_j dY_{0j}\, B_{1j}$$

# %%
terms = dY[0] * B[1]
print(side_by_side(1, dY_row_0=dY[0], B_row_1=B[1], terms=terms), f"  sum {terms.sum():g}")

# %% [markdown]
# The same for every entry: row $i$ of $dY$ meets row $k$ of $B$. An entry $B_{kj}$ moves column $j$ of $Y$, by the
# numbers in column $k$ of $A$, so there the two columns meet:
#
# $$dA_{ik} = \sum_j dY_{ij} B_{kj}, \qquad dB_{kj} = \sum_i A_{ik}\, dY_{ij}$$

# %%
dA, dB = np.zeros_like(A), np.zeros_like(B)
for i in range(2):
    for j in range(4):
        for k in range(3):  # the term A[i, k] B[k, j] of Y[i, j]
            dA[i, k] += dY[i, j] * B[k, j]
            dB[k, j] += dY[i, j] * A[i, k]
assert np.allclose(dA, dY @ B.T) and np.allclose(dB, A.T @ dY)
assert np.isclose(dA[0, 1], terms.sum())

# %% tags=["hide-input"]
figure, axes = new_figure(2, 3, width=9, height=4.4)
plot_arrays(axes[0], {"dY": dY, "B": B, "dA": dA}, {"dY": row, "B": [(1, j) for j in range(4)], "dA": [(0, 1)]})
columns = {"A": [(i, 1) for i in range(2)], "dY": [(i, 2) for i in range(2)], "dB": [(1, 2)]}
plot_arrays(axes[1], {"A": A, "dY": dY, "dB": dB}, columns)
figure

# %% [markdown]
# Above, two rows meet and give $dA_{01}$; below, two columns give $dB_{12}$. A matrix product lets a *row* of the left
# factor meet a *column* of the right one. For two rows, transpose the right one; for two columns, the left one:
#
# $$dA = dY\, B^\top, \qquad dB = A^\top dY$$
#
# You need not remember where the transposes go. $dA$ has the shape of $A$, (2, 3), and must come from $dY$, (2, 4), and
# $B$, (3, 4): only $dY\,B^\top$ fits. Give all sizes different values when you test, so that a wrong product cannot
# fit.
#
# There is a Jacobian here, too: 8 results and 6 numbers of $A$ give 48 derivatives. At least half of them are 0,
# because a row of $A$ moves its own row of $Y$ alone. With 2,500 positions of 512 numbers it has $(2500 \cdot 512)^2$,
# more than $10^{12}$. The formula needs one matrix product.
#
# ## Broadcasting: forward repeats, backward sums
#
# $Y = X \odot r + b$, where $X$ is (2, 3), $r$ is (2, 1) and $b$ is (3,). The sign $\odot$ multiplies *entry by entry*,
# as `*` does in NumPy; it is no matrix product. The shapes differ, so NumPy repeats: $r_0$ is used in all of row 0, and
# $b_1$ in all of column 1. What is used several times gets a sum, over the axis along which it was repeated.

# %%
X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
r, b = np.array([[2.0], [10.0]]), np.array([0.1, 0.2, 0.3])
dY = np.array([[1.0, 0.0, -1.0], [2.0, 1.0, 0.0]])  # change this and run the cell again: a row of zeros, for instance
Y = X * r + b

dX = dY * r
dr = (dY * X).sum(1, keepdims=True)  # one per row
db = dY.sum(0)  # one per column
print(side_by_side(1, dY=dY, dX=dX, dr=dr, db=db))

# %% tags=["hide-input"]
figure, axes = new_figure(1, 4, width=9.5, height=1.7)
shown = {"X": X, "r": r, "b": b, "Y = X ⊙ r + b": Y}
plot_arrays(axes, shown, {"r": [(0, 0)], "b": [(0, 1)], "Y = X ⊙ r + b": [(0, 0), (0, 1), (0, 2), (1, 1)]})
for mine, f, at in (dX, lambda X: X * r + b, X), (dr, lambda r: X * r + b, r), (db, lambda b: X * r + b, b):
    assert np.allclose(mine.ravel(), dY.ravel() @ jacobian_by_moving(f, at), atol=1e-6)
figure

# %% [markdown]
# It holds the other way round, too. If forward sums, $s_i = \sum_k X_{ik}$, then every $X_{ik}$ moves $s_i$ by 1, and
# backward repeats: $dX_{ik} = ds_i$. A mean over $n$ numbers repeats $ds_i / n$.
#
# ## A whole chain
#
# Now put the rules together. A layer with weights $W$ and bias $b$, then a softmax over each row. Backward reads
# forward from its last line to its first, and each line has its formula above.

# %%
rng = np.random.default_rng(0)
X, W, b = rng.normal(size=(2, 3)), rng.normal(size=(3, 4)), rng.normal(size=4)
dP = rng.normal(size=(2, 4))  # from the loss


def forward(X, W, b):
    """Return the weights of each row, (2, 4)."""
    return softmax(X @ W + b)


P = forward(X, W, b)
dY = P * (dP - (dP * P).sum(-1, keepdims=True))  # drop the first "P *" and run it again: the check fails
dX, dW, db = dY @ W.T, X.T @ dY, dY.sum(0)

moved = [
    jacobian_by_moving(lambda X: forward(X, W, b), X),  # (8, 6)
    jacobian_by_moving(lambda W: forward(X, W, b), W),  # (8, 12)
    jacobian_by_moving(lambda b: forward(X, W, b), b),  # (8, 4)
]
for name, gradient, J in zip(("dX", "dW", "db"), (dX, dW, db), moved, strict=True):
    error = abs(gradient.ravel() - dP.ravel() @ J).max()
    print(f"{name} {gradient.shape!s:7} differs from dP J by {error:.0e}, with J {J.shape}")
    assert error < 1e-8

# %% [markdown]
# Two lines of backward give what three Jacobians give. Attention, too, is no more than this: a product, a softmax and
# another product.
#
# ## Questions
#
# **1.** The Jacobian of an operation that works on each number by itself, such as relu on a vector of 512, is 512
# by 512. What does it look like, and what is its vector-Jacobian product?
#
# <details><summary>Answer</summary>
#
# It is diagonal, because no output depends on another entry of the input. The product is one multiplication per entry:
# $dx_i = dy_i$ where $x_i > 0$, else 0.
#
# </details>
#
# **2.** One could also multiply the Jacobians of all layers from the input to the loss, in the order of forward. Why
# from the loss back?
#
# <details><summary>Answer</summary>
#
# Take two layers with Jacobians $J_1$ and $J_2$ of 3 by 3. A loss is one number, so $dy$ is a row, and a row times a
# matrix stays a row: $(dy\,J_2)\,J_1$ takes $9 + 9 = 18$ multiplications. In the order of forward the two matrices are multiplied first:
# $dy\,(J_2 J_1)$ takes $27 + 9 = 36$. With 1000 numbers per layer it is 2 million against 1001 million.
#
# </details>
#
# **3.** A batch has two sentences of five words: $X$ is (2, 5, 3), $W$ is (3, 4), and $Y = X W$ is (2, 5, 4). What is
# $dW$?
#
# <details><summary>Answer</summary>
#
# $W$ is used at all ten positions, so $dW$ is a sum over both axes of positions. Make them one axis, and it is the
# formula of the text. A sum over both axes, written with their names, gives the same:
#
# ```python
# X, dY = rng.normal(size=(2, 5, 3)), rng.normal(size=(2, 5, 4))
# dW = X.reshape(10, 3).T @ dY.reshape(10, 4)
# assert np.allclose(dW, np.einsum("btd,bte->de", X, dY))
# ```
#
# </details>
#
# ---
#
# Next: [notebook 12](12_the_backward_of_each_layer.ipynb), where each layer of the Transformer gets its formula.
#
# Write it yourself: exercises linear, softmax_backward. `npformer course start my-course` begins the course.

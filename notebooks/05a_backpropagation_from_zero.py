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
# # 05a Backpropagation from zero
#
# **The idea:** every operation turns the gradient of its result into the gradients of its inputs. Do this from the loss
# back to the inputs, one operation at a time, and you have all gradients after one pass.
#
# About 60 minutes. What you need before: derivatives of $x^2$ and $e^x$, the chain, product and quotient rules, matrix
# products, and softmax from [notebook 01](01_attention_by_hand.ipynb). Below, $dx$ is short for
# $\partial L / \partial x$, where $L$ is the loss: by how much $L$ moves when $x$ moves a little.

# %%
# %matplotlib inline
import numpy as np

from npformer.visualization.plots import new_figure
from pictures import plot_arrays, plot_graph, side_by_side

h = 1e-6  # the small step of all numeric derivatives below

# %% [markdown]
# ## One number at a time
#
# A model with two numbers to learn, $w$ and $c$, reads $x$ and predicts $y = \max(0, w x + c)$. The right answer is
# $t$, and the loss is $L = (y - t)^2$. Forward computes it in five operations. Each gets a name.

# %%
w, c, x, t = 2.0, -1.0, 3.0, 7.0  # change these, and run this cell and the next three again


def forward(w, c, x, t):
    """Return every number on the way to the loss, by name."""
    a = w * x
    b = a + c
    y = max(0.0, b)
    e = y - t
    L = e**2
    return {"w": w, "c": c, "x": x, "t": t, "a": a, "b": b, "y": y, "e": e, "L": L}


values = forward(w, c, x, t)
print("  ".join(f"{name} = {value:g}" for name, value in values.items()))

# %% [markdown]
# Backward goes through the same lines from the last to the first, by the **chain rule**: if $e$ moves $L$ by $dL/de$ for
# each unit, and $y$ moves $e$ by $\partial e / \partial y$ for each unit, then $y$ moves $L$ by their product. So each line
# multiplies the gradient that comes back with the derivative of its own operation:
#
# | forward | backward | because |
# |---|---|---|
# | $L = e^2$ | $de = 2e\, dL$ | the derivative of $e^2$ is $2e$ |
# | $e = y - t$ | $dy = de,\quad dt = -de$ | $e$ moves as $y$ does, and against $t$ |
# | $y = \max(0, b)$ | $db = dy$ where $b > 0$, else $0$ | the slope is 1 above 0, and 0 below |
# | $b = a + c$ | $da = db,\quad dc = db$ | a sum passes the gradient on to both |
# | $a = w x$ | $dw = x\, da,\quad dx = w\, da$ | product rule: the derivative for one factor is the other |
#
# It begins with $dL = 1$: the loss moves as itself.


# %%
def backward(v):
    """Return the gradient of the loss with respect to every number of `forward`, by name."""
    dL = 1.0
    de = 2 * v["e"] * dL
    dy, dt = de, -de
    db = dy if v["b"] > 0 else 0.0
    da, dc = db, db
    dw, dx = v["x"] * da, v["w"] * da
    return {"w": dw, "c": dc, "x": dx, "t": dt, "a": da, "b": db, "y": dy, "e": de, "L": dL}


gradients = backward(values)
print("  ".join(f"d{name} = {value + 0.0:g}" for name, value in gradients.items()))  # + 0.0: no -0

# %% [markdown]
# The same as a graph, drawn from these two dictionaries: a box for each operation, and on each edge the value above, from
# left to right, and the gradient below, from right to left.

# %% tags=["hide-input"]
STEPS = [
    ("a", "times", ("w", "x")),
    ("b", "plus", ("a", "c")),
    ("y", "relu", ("b",)),
    ("e", "minus", ("y", "t")),
    ("L", "square", ("e",)),
]
figure, ax = new_figure(width=9.5, height=4.6)
plot_graph(ax, STEPS, values, gradients)
figure

# %% [markdown]
# Read one edge: $dw = -12$ says that raising $w$ by 0.001 lowers the loss by 0.012. You need no theory to test this.
# Raise $w$ by a small $h$, lower it by $h$, and compare the two losses. Do it for each input:

# %%
inputs = {"w": w, "c": c, "x": x, "t": t}
for name, value in inputs.items():
    higher = forward(**{**inputs, name: value + h})["L"]
    lower = forward(**{**inputs, name: value - h})["L"]
    numeric = (higher - lower) / (2 * h)
    print(f"d{name}: backward {gradients[name] + 0.0:8.4f}   by moving it {numeric + 0.0:8.4f}")
    assert values["b"] == 0 or np.isclose(numeric, gradients[name], rtol=1e-5, atol=1e-5)  # b = 0: see below

# %% [markdown]
# **Change this and run it again.** Set $c = -7$ in the second cell. Then $b < 0$, relu returns 0, and every gradient before
# it is 0: this model does not learn from this example, although its loss is large. Then set $w, c, x$ to $0.5, 1, -2$: now
# $b$ is exactly 0, and the two columns differ, $dw = 0$ against 14. Backward is not wrong. At 0 relu has a **kink**: slope
# 0 on the left, 1 on the right, and no derivative at all. Moving by $h$ to both sides straddles it and gives the mean of
# the two slopes, $\frac12$; backward takes 0, as npformer and PyTorch do. A check by moving says nothing about a kink.
#
# Moving each number takes two forwards per number. Backward took five short lines for all of them: that is why models
# with millions of numbers can be trained.
#
# ## What is used twice gets a sum
#
# Let $x$ go two ways: $s = x^2$ and $L = s + x$. A residual connection does this, and so does a token that occurs twice in
# a sentence. Each way brings a gradient back to $x$, and both count: $dx = 2x\,ds + dL$, with $x = 3$ so $6 + 1 = 7$.
#
# This is why layers of npformer *add* to the gradients of their parameters, `self.weight.grad += ...`: a parameter may be
# used more than once.
#
# ## A graph that runs backward by itself
#
# Until now you wrote `backward` line by line. A program can do it, if each number remembers how it was made: from which
# numbers (`inputs`), and with which derivatives (`slopes`). Forward then builds the graph while it computes. Backward
# goes through it from the end and knows two things only: the chain rule is a product, and what is used twice gets a sum.
# This is **automatic differentiation**. PyTorch does the same with arrays in the place of numbers.


# %%
class Value:
    """A number that remembers the numbers that it was made from, and its derivative with respect to each."""

    def __init__(self, number, operation="", inputs=(), slopes=()):
        self.number, self.grad = number, 0.0
        self.operation, self.inputs, self.slopes = operation, inputs, slopes

    def __add__(self, other):
        return Value(self.number + other.number, "plus", (self, other), (1.0, 1.0))

    def __sub__(self, other):
        return Value(self.number - other.number, "minus", (self, other), (1.0, -1.0))

    def __mul__(self, other):  # product rule
        return Value(self.number * other.number, "times", (self, other), (other.number, self.number))

    def __truediv__(self, other):  # quotient rule
        result = self.number / other.number
        return Value(result, "divide", (self, other), (1 / other.number, -result / other.number))

    def square(self):
        return Value(self.number**2, "square", (self,), (2 * self.number,))

    def relu(self):
        return Value(max(0.0, self.number), "relu", (self,), (float(self.number > 0),))

    def exp(self):
        return Value(np.exp(self.number), "exp", (self,), (np.exp(self.number),))

    def graph(self):
        """Return all numbers that lead to this one, each after those that it was made from."""
        found = []

        def visit(value):
            for source in value.inputs:
                if source not in found:
                    visit(source)
            found.append(value)

        visit(self)
        return found

    def backward(self):
        """Set the gradient of this number with respect to each of its graph."""
        for value in self.graph():
            value.grad = 0.0
        self.grad = 1.0
        for value in reversed(self.graph()):
            for source, slope in zip(value.inputs, value.slopes, strict=True):
                source.grad += slope * value.grad  # chain rule: a product; used twice: a sum


# %% [markdown]
# The model of the beginning, with `Value`s. Nobody writes a backward now. Are its gradients those found by hand?

# %%


def model(w, c, x, t):
    """Return the loss of the model."""
    return ((w * x + c).relu() - t).square()


L = model(**{name: Value(number) for name, number in inputs.items()})
L.backward()
for name, value in zip("wxacbyteL", L.graph(), strict=True):  # in the order of the graph
    print(f"{name} = {value.number:g}: {value.grad + 0.0:g} by itself, {gradients[name] + 0.0:g} by hand")
    assert value.number == values[name] and value.grad == gradients[name]

# %% [markdown]
# And the graph in which $x$ is used twice. The picture is drawn from the `Value`s alone:

# %%
x = Value(3.0)
s = x.square()
L = s + x  # change this to s * x or s / x and run this cell and the next again
L.backward()
print(f"L = {L.number:g}, dx = {x.grad:g}")

# %% tags=["hide-input"]
named = {"x": x, "s": s, "L": L}
name_of = {value: name for name, value in named.items()}
steps, shares = [], {}
for name, value in named.items():
    if value.inputs:
        steps.append((name, value.operation, tuple(name_of[source] for source in value.inputs)))
    for source, slope in zip(value.inputs, value.slopes, strict=True):
        shares[name_of[source], name] = slope * value.grad
figure, ax = new_figure(width=8, height=2.6)
numbers, grads = ({name: getattr(value, part) for name, value in named.items()} for part in ("number", "grad"))
plot_graph(ax, steps, numbers, grads | shares)

assert set(L.graph()) == set(named.values()) and np.isclose(shares["x", "s"] + shares["x", "L"], x.grad)
assert L.operation != "plus" or x.grad == 2 * x.number + 1
figure

# %% [markdown]
# ## From numbers to vectors: the Jacobian
#
# Now several outputs of several inputs. Let $y_0 = x_0 x_1$ and $y_1 = x_1 + 2 x_2$. Two outputs and three inputs have six
# derivatives, $\partial y_i / \partial x_j$. They form a matrix, the **Jacobian** $J$: a row per output, a column per input.
#
# The loss reaches an input through every output that the input moves, and the chain rule adds up these ways:
#
# $$dx_j = \sum_i dy_i\, J_{ij}, \qquad \text{in one product:} \quad dx = dy\, J$$
#
# This is a **vector-Jacobian product**: a row vector times the matrix. The sizes show which way round it goes: $dy$ has two
# numbers, $J$ is (2, 3), and $dx$ has three.

# %%
x = np.array([2.0, 3.0, 1.0])
dy = np.array([1.0, 10.0])  # change this to (0, 1) and run it again
J = np.array([[x[1], x[0], 0.0], [0.0, 1.0, 2.0]])  # (outputs, inputs) = (2, 3)
dx = dy @ J
print(side_by_side(1, dy=dy, J=J, dx=dx))

x0, x1, x2 = (Value(number) for number in x)
L = Value(dy[0]) * (x0 * x1) + Value(dy[1]) * (x1 + Value(2.0) * x2)  # a loss with exactly the gradient dy for y
L.backward()
print("by the graph:", x0.grad, x1.grad, x2.grad)
assert np.allclose(dx, [x0.grad, x1.grad, x2.grad])

# %% [markdown]
# $x_1$ moves both outputs: its gradient is $1 \cdot x_0 + 10 \cdot 1$.
#
# In softmax every input moves every output, so no entry of $J$ is 0. Take three scores:

# %%
x = np.array([2.0, 1.0, 0.0])


def softmax(x):
    """Return exp(x) / sum(exp(x)) of one vector."""
    e = np.exp(x - x.max())
    return e / e.sum()


y = softmax(x)
print(side_by_side(3, x=x, y=y))

# %% [markdown]
# Each is a fraction, $y_i = e^{x_i} / \Sigma$ with $\Sigma = \sum_k e^{x_k}$. By the quotient rule, and because moving $x_j$
# moves $\Sigma$ by $e^{x_j}$:
#
# $$\frac{\partial y_i}{\partial x_i} = \frac{e^{x_i}\,\Sigma - e^{x_i} e^{x_i}}{\Sigma^2} = y_i - y_i\,y_i, \qquad
# \frac{\partial y_i}{\partial x_j} = \frac{0 - e^{x_i} e^{x_j}}{\Sigma^2} = -y_i\,y_j \quad (j \neq i)$$
#
# In one formula, where $\mathbb{1}[i = j]$ is 1 if $i = j$ and 0 otherwise:
#
# $$J_{ij} = \frac{\partial y_i}{\partial x_j} = y_i\,(\mathbb{1}[i = j] - y_j)$$
#
# Compute it from this formula, and row by row by the graph: one backward from each $y_i$ gives row $i$.

# %%
J = np.diag(y) - np.outer(y, y)  # (outputs, inputs)


def row_by_graph(i):
    """Return the derivatives of y[i] with respect to each score."""
    scores = [Value(number) for number in x]
    exponentials = [score.exp() for score in scores]
    (exponentials[i] / (exponentials[0] + exponentials[1] + exponentials[2])).backward()
    return [score.grad for score in scores]


by_graph = np.array([row_by_graph(i) for i in range(3)])
print(side_by_side(3, J=J, by_graph=by_graph))
assert np.allclose(J, by_graph)
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
# The same for every entry, $dA_{ik} = \sum_j dY_{ij} B_{kj}$. Row $i$ of $dY$ meets row $k$ of $B$: that is a product
# with $B$ transposed. For $B$, entry $B_{kj}$ moves column $j$ of $Y$, through column $k$ of $A$.
#
# $$dA = dY\, B^\top, \qquad dB = A^\top dY$$

# %%
dA, dB = np.zeros_like(A), np.zeros_like(B)
for i in range(2):
    for j in range(4):
        for k in range(3):  # the term A[i, k] B[k, j] of Y[i, j]
            dA[i, k] += dY[i, j] * B[k, j]
            dB[k, j] += dY[i, j] * A[i, k]
print(side_by_side(1, dA=dA, dB=dB))
assert np.allclose(dA, dY @ B.T) and np.allclose(dB, A.T @ dY)
assert np.isclose(dA[0, 1], terms.sum())

# %% [markdown]
# You need not remember where the transposes go. $dA$ has the shape of $A$, (2, 3), and must come from $dY$, (2, 4), and
# $B$, (3, 4): only $dY\,B^\top$ fits. Give all sizes different values when you test, so that a wrong product cannot fit.
#
# ## Questions
#
# **1.** `backward` above needs values of forward: $e$, $b$, $x$ and $w$. What does a sum, $b = a + c$, need?
#
# <details><summary>Answer</summary>
#
# Nothing: its gradients are $db$ itself. A product needs both factors, relu needs to know where its input was above 0,
# softmax needs its result. This is what layers `remember` in forward, and it takes most of the memory of a training.
#
# </details>
#
# **2.** The Jacobian of an operation that works on each number by itself, such as relu on a vector of 512, is 512 by 512.
# What does it look like, and what is its vector-Jacobian product?
#
# <details><summary>Answer</summary>
#
# It is diagonal, because no output depends on another entry of the input. The product is one multiplication per entry:
# $dx_i = dy_i$ where $x_i > 0$, else 0.
#
# </details>
#
# **3.** One could also multiply the Jacobians of all layers from the input to the loss, in the order of forward. Why from
# the loss back?
#
# <details><summary>Answer</summary>
#
# Take two layers with Jacobians $J_1$ and $J_2$ of 3 by 3. From the loss back there is always a single row:
# $(dy\,J_2)\,J_1$ takes $9 + 9 = 18$ multiplications. In the order of forward the two matrices are multiplied first:
# $dy\,(J_2 J_1)$ takes $27 + 9 = 36$. With 1000 numbers per layer it is 2 million against 1001 million.
#
# </details>
#
# ---
#
# Next: [notebook 05c](05c_the_backward_of_each_layer.ipynb), where each layer of the Transformer gets its formula.
#
# Write it yourself: exercises 01 numeric_gradient, 02 linear, 04 softmax_backward. To begin the course:
# `npformer class start my-course`.

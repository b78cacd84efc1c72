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
# # 09 Backpropagation from zero
#
# **The idea:** every operation turns the gradient of its result into the gradients of its inputs. Do this from the loss
# back to the inputs, one operation at a time, and you have all gradients after one pass.
#
# About 25 minutes to read and run, 45 with every change and question. What you need before: the derivative of $x^2$,
# the chain rule and the product rule. Below, $dx$ is short for $\partial L / \partial x$, where $L$ is the loss: by how
# much $L$ moves when $x$ moves a little.

# %%
# %matplotlib inline
import numpy as np

from helpers.pictures import plot_graph
from npformer.visualization.plots import new_figure

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
# Backward goes through the same lines from the last to the first, by the **chain rule**: if $e$ moves $L$ by $dL/de$
# for each unit, and $y$ moves $e$ by $\partial e / \partial y$ for each unit, then $y$ moves $L$ by their product. So
# each line multiplies the gradient that comes back with the derivative of its own operation:
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
# The same as a graph: a box for each operation, and at each edge its value, from forward, and its gradient, once
# backward has reached it. Move the step from 0 to 6, and work out each gradient before it appears. Then set $c$ to
# $-7$: from which step on is every gradient 0, and why?

# %% tags=["hide-input"]
from helpers.live_figures import live_backward

live_backward(values, gradients)

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
# **Change this and run it again.** Set $c = -7$ in the second cell. Then $b < 0$, relu returns 0, and every gradient
# before it is 0: this model does not learn from this example, although its loss is large. Then set $w, c, x$ to
# $0.5, 1, -2$: now $b$ is exactly 0, and the two columns differ, $dw = 0$ against 14. Backward is not wrong. At 0 relu
# has a **kink**: slope 0 on the left, 1 on the right, and no derivative at all. Moving by $h$ to both sides straddles
# it and gives the mean of the two slopes, $\frac12$; backward takes 0, as npformer and PyTorch do. A check by moving
# says nothing about a kink.
#
# Moving each number takes two forwards per number. Backward took five short lines for all of them: that is why models
# with millions of numbers can be trained.
#
# ## What is used twice gets a sum
#
# Let $x$ go two ways: $s = x^2$ and $L = s + x$. Each way brings a gradient back to $x$, and both count:
# $dx = 2x\,ds + dL$, with $x = 3$ so $6 + 1 = 7$.

# %% tags=["hide-input"]
twice = [("s", "square", ("x",)), ("L", "plus", ("s", "x"))]
figure, ax = new_figure(width=8, height=2.6)
plot_graph(ax, twice, {"x": 3.0, "s": 9.0, "L": 12.0}, {("x", "s"): 6.0, ("x", "L"): 1.0, "s": 1.0, "L": 1.0})
figure

# %% [markdown]
# One edge carries $6 \cdot 1$ back to $x$, the other 1, and $x$ adds them up. In a Transformer this is common: each
# layer adds its input to its result, and a word that occurs twice in a sentence reads the same numbers twice.
#
# This is why layers of npformer *add* to the gradients of their parameters, `self.weight.grad += ...`: a parameter may
# be used more than once.
#
# ## A graph that runs backward by itself
#
# Until now you wrote `backward` line by line. A program can do it, if each number remembers how it was made: from which
# numbers (`inputs`), and with which derivatives (`slopes`). Forward then builds the graph while it computes. Backward
# goes through it from the end and knows two things only: the chain rule is a product, and what is used twice gets a
# sum. One condition: a number must have all its shares before it hands them on. So `graph` lists each number after
# those that it was made from, and backward takes them in reverse (question 3 shows what goes wrong otherwise). This is
# **automatic differentiation**. PyTorch does the same with arrays in the place of numbers.


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

    def square(self):
        return Value(self.number**2, "square", (self,), (2 * self.number,))

    def relu(self):
        return Value(max(0.0, self.number), "relu", (self,), (float(self.number > 0),))

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
# And the graph in which $x$ is used twice:

# %%
x = Value(3.0)
s = x.square()
L = s + x  # change this to s * x or s - x and run it again
L.backward()
for value in reversed(L.graph()):
    for source, slope in zip(value.inputs, value.slopes, strict=True):
        print(f"{value.operation:6} hands {slope:g} times {value.grad:g} back to the {source.number:g}")
print(f"L = {L.number:g}, dx = {x.grad:g}")

# %% tags=["hide-input"]
assert L.graph() == [x, s, L]
assert L.operation != "plus" or x.grad == 2 * x.number + 1

# %% [markdown]
# ## What the gradients are for
#
# A gradient says which way the loss rises. So move each number that is to be learned a little the other way, by a
# **learning rate** times its gradient, and repeat. Here are nine updates of $w$ and $c$, with four rates:

# %%
RATES = (0.01, 0.05, 0.1, 0.12)  # change one and run it again


def losses(rate, n=9):
    """Return the loss before each of n updates of w and c."""
    w, c = Value(2.0), Value(-1.0)
    found = []
    for _ in range(n):
        L = model(w, c, Value(3.0), Value(7.0))
        L.backward()
        found.append(L.number)
        w, c = (Value(value.number - rate * value.grad) for value in (w, c))
    return found


table = {rate: losses(rate) for rate in RATES}
for rate, row in table.items():
    print(f"rate {rate:4}: ", *(f"{loss:6.2f}" for loss in row))

# %% tags=["hide-input"]
assert np.allclose(losses(0.01), 4 * 0.8 ** (2 * np.arange(9)))
assert np.allclose(losses(0.05)[1:], 0) and np.allclose(losses(0.1), 4) and np.allclose(losses(0.12)[-3:], 49)

# %% [markdown]
# With 0.01 the loss falls at each update. With 0.05 one update is enough, no accident: moving $w$ and $c$ against their
# gradients, $L$ is a parabola with second derivative $2(x^2 + 1) = 20$, and a step of $1/20$ of the gradient ends at
# its bottom. Twice that, 0.1, jumps as far beyond the answer as it was before it. With 0.12 it jumps farther each time,
# until $b$ falls below 0: then relu returns 0, no gradient is left, and the loss stays at $7^2 = 49$. The gradient
# gives the direction. How far to go is a question of its own; [notebook 15](15_adam_and_warm_up.ipynb) is about it.
#
# A Transformer is trained like this, with millions of numbers in place of $w$ and $c$. They are in arrays, and the next
# notebook finds out what backward does with an array.
#
# ## Questions
#
# **1.** `backward` above needs values of forward: $e$, $b$, $x$ and $w$. What does a sum, $b = a + c$, need?
#
# <details><summary>Answer</summary>
#
# Nothing: its gradients are $db$ itself. A product needs both factors, and relu needs to know where its input was
# above 0. This is what layers `remember` in forward, and it takes most of the memory of a training.
#
# </details>
#
# **2.** `Value` cannot divide. What does `__truediv__` have to return? The quotient rule has both slopes of
# $r = u / v$.
#
# <details><summary>Answer</summary>
#
# The slopes are $1 / v$ for $u$ and $-u / v^2 = -r / v$ for $v$. Add these lines to the class, and `L = s / x` has the
# gradient 1, because $x^2 / x = x$:
#
# ```python
#     def __truediv__(self, other):
#         result = self.number / other.number
#         return Value(result, "divide", (self, other), (1 / other.number, -result / other.number))
# ```
#
# </details>
#
# **3.** `Value.backward` visits a number only after everything that was made from it. Suppose $x$ of the second graph
# is itself made from another number, $x = 3u$, and $x$ is visited before $s$. What does $u$ get?
#
# <details><summary>Answer</summary>
#
# At that time only $L$ has handed its share to $x$, which is 1. So $u$ gets $3 \cdot 1$ in place of $3 \cdot 7$. The 6
# from $s$ arrives at $x$ too late to be handed down.
#
# </details>
#
# **4.** A loss depends on a million numbers. What would it cost to train by moving each of them?
#
# <details><summary>Answer</summary>
#
# Two forwards for each, so two million forwards for a single update. One backward gives all million derivatives for
# about twice the price of one forward: where forward has one product, $wx$, backward has two, $x\,da$ and $w\,da$.
# Moving is for checks ([notebook 13](13_gradient_checks.ipynb)).
#
# </details>
#
# ---
#
# Next: [notebook 10](10_from_numbers_to_arrays.ipynb), where numbers become arrays.
#
# Write it yourself: exercise numeric_gradient. To begin the course: `npformer course start my-course`.

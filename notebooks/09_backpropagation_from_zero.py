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
# *Part II, Learn it. Before: [08](08_build_it.ipynb). Next: [10](10_from_numbers_to_arrays.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# Your code translates, but only with the 286,272 numbers that training has found. It changed each of them a little,
# again and again. How does a program know, for every single one, whether to make it larger or smaller?
#
# **After this you can** find the slope of a loss by moving a number; find all slopes at once by going backward; read the
# heart of PyTorch in fifty lines, two of which you write, and let a model learn with it.
#
# You need: partial derivatives, the derivatives of $x^2$ and $e^x$, the chain rule, the product and the quotient rule.
# About 45 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers.compare import compare
from helpers.pictures import show_arrays
from helpers.schematics import chain_of_gradients
from npformer_course import Bet, exercise

chain_of_gradients()

# %% [markdown]
# ## One number at a time
#
# A model with two numbers to learn, $w$ and $c$, reads $x$ and predicts $y = \max(0, w x + c)$. The right answer is $t$.
# The **loss** $L = (y - t)^2$ says how far off it is. Forward computes it in five operations, and each result has a name.

# %%
w, c, x, t = 2.0, -1.0, 3.0, 7.0  # change these, and run the cells from here on again


def forward(w, c, x, t):
    """Return every number on the way to the loss, by name."""
    a = w * x
    b = a + c
    y = max(0.0, b)
    e = y - t
    L = e**2
    return {"w": w, "c": c, "x": x, "t": t, "a": a, "b": b, "y": y, "e": e, "L": L}


values = forward(w, c, x, t)
show_arrays(forward=np.array(list(values.values())), columns=list(values))

# %% [markdown]
# The loss is 4. Would a larger $w$ make it smaller? With $w = 2.001$ it is $(5.003 - 7)^2 = 3.988$. It falls by 0.012
# when $w$ rises by 0.001: by 12 per unit that $w$ moves. This slope is the derivative $\partial L / \partial w$, the
# **gradient** of the loss with respect to $w$. We write it $dw$: here $dw = -12$.
#
# Better than a step up is one up and one down, because the curvature cancels:
#
# $$dw \approx \frac{L(w + \varepsilon) - L(w - \varepsilon)}{2\varepsilon}$$
#
# **Write it** for an array of any shape, one number after the other; $\varepsilon$ is `h` in the code. (`np.ndindex(x.shape)`
# goes through all indices.) `f` may return an array, too. Then `dy` says how much each of its numbers counts, and you take
# the slope of the sum of `dy * f(x)`.


# %%
def numeric_gradient(f, x, dy, h=1e-5):
    """Return the gradient at x of L(x) = sum(dy * f(x)), by centered differences.

    f: a function from an array like x to an array y. x: floats, one axis or more. dy: of the shape
    of y. h: how far each number is moved to both sides. Returns dx, of the shape of x, which is
    left as it was.
    """
    raise NotImplementedError


# %%
numeric_gradient = exercise("numeric_gradient").check(numeric_gradient)


# %%
def loss_of(inputs):
    """Return the loss of an array (w, c, x, t), as an array with one number."""
    return np.array([forward(*inputs)["L"]])


by_moving = numeric_gradient(loss_of, np.array([w, c, x, t]), dy=np.array([1.0]))
show_arrays(by_moving=by_moving, columns=["dw", "dc", "dx", "dt"])

# %% [markdown]
# So $w$ and $c$ should grow. This needs no theory, and works for any function. It has one fault: two forwards for each
# number. The translator would need 572,544, for one small change of its numbers.
#
# ## Backward: all slopes at once
#
# If $e$ moves $L$ by $de$ per unit, and $y$ moves $e$ by $\partial e / \partial y$ per unit, then $y$ moves $L$ by their
# product. This is the **chain rule**. So start with $dL = 1$, the slope of $L$ with respect to itself, and go through the
# same five lines from the last to the first. Each multiplies the gradient that comes to it by its own slope:
#
# - **square**, $L = e^2$: the slope is $2e$, so $de = 2e\, dL$.
# - **minus**, $e = y - t$: $e$ rises with $y$ and falls with $t$, so $dy = de$ and $dt = -de$.
# - **max routes**, $y = \max(0, b)$: the gradient goes to the larger of the two, and the other gets 0. So $db = dy$ where
#   $b$ is above 0, and $db = 0$ where it is not.
# - **plus copies**, $b = a + c$: whichever of them rises, $b$ rises as much. Both get $db$.
# - **times swaps**, $a = w x$: when $w$ rises by 0.001, $a$ rises by 0.001 times the *other* factor.
#
# (These rules of thumb follow CS231n, Stanford's course.) **Write it:** $dw$ as one product of slopes, all the way from
# $L$ to $w$. In Python `b > 0` counts as 1 or 0.

# %% tags=["hide-input"]
from helpers.backpropagation import expected_chain

expected = expected_chain(values)

# %%
e = values["e"]
b = values["b"]
dw = ...  # from e, b and x
dw = expected.check(dw=dw)

# %% [markdown]
# And $dx$? All factors except the last are the same. Backward computes their product once, as $da$, and all that leads to
# $a$ uses it. This makes it fast: one pass gives all slopes, for about twice the price of a forward.
#
# Here is the pass as a graph. **Move the step** from 0 to 6, and work out each gradient before it appears. Then set $c$
# to $-7$: from which step on is every gradient 0, and why?

# %% tags=["hide-input"]
from helpers.live_figures import live_backward

live_backward(values)

# %% [markdown]
# With $c = -7$ the max routes everything to the 0. The loss is large, and yet the model learns nothing from this example.
# A relu for which that is so with every example is called *dead*.
#
# With $c = -6$, $b$ is exactly 0, and the two methods disagree: backward gives $dw = 0$, and moving $-21$. Neither is
# wrong. At 0 the max has a **kink**, slope 0 on the left and 1 on the right, and no derivative at all. A step to both
# sides finds the mean, $\frac12$. Backward takes 0, as npformer and PyTorch do.
#
# **What is used twice gets a sum.** Let $x$ go two ways: $s = x^2$, and $L = s + x$. Each way brings a share of the
# gradient back to $x$, and both count:

# %% tags=["hide-input"]
from helpers.pictures import plot_graph
from npformer.visualization.plots import new_figure

figure, ax = new_figure(width=5.5, height=2.3)
twice = [("s", "square", ("x",)), ("L", "plus", ("s", "x"))]
plot_graph(ax, twice, {"x": 3.0, "s": 9.0, "L": 12.0}, {("x", "s"): 6.0, ("x", "L"): 1.0, "s": 1.0, "L": 1.0})
figure

# %% [markdown]
# In a Transformer this is everywhere: a residual connection uses $x$ twice, and a word that occurs twice in a sentence
# reads the same row of the table twice. So layers of npformer *add* to the gradients of their parameters,
# `self.weight.grad += ...`.
#
# ## A graph that runs backward by itself
#
# A program can do all this, if each number remembers how it was made: from which numbers (`inputs`), and with which
# slopes. Forward then builds the graph while it computes. Backward goes through it from the end and knows only two
# things: the chain rule is a product, and what is used twice gets a sum. A number must have received every share before it
# passes its gradient on. So `graph` lists each number after those that it was made from, and backward takes them in
# reverse. PyTorch does the same with arrays. (Andrej Karpathy's *micrograd* made this famous.)
#
# **Write it:** the slopes of a product and of a fraction, two numbers each. The quotient rule gives those of $u / v$.


# %%
class Value:
    """A number that remembers the numbers that it was made from, and its slope for each."""

    def __init__(self, number, operation="", inputs=(), slopes=()):
        self.number = number
        self.operation = operation
        self.inputs = inputs
        self.slopes = slopes
        self.grad = 0.0

    def __add__(self, other):
        return Value(self.number + other.number, "plus", (self, other), (1.0, 1.0))

    def __sub__(self, other):
        return Value(self.number - other.number, "minus", (self, other), (1.0, -1.0))

    def __mul__(self, other):
        slopes = ...  # of the product: for self, for other
        return Value(self.number * other.number, "times", (self, other), slopes)

    def __truediv__(self, other):
        slopes = ...  # of the fraction: for self, for other
        return Value(self.number / other.number, "divide", (self, other), slopes)

    def square(self):
        return Value(self.number**2, "square", (self,), (2 * self.number,))

    def relu(self):
        return Value(max(0.0, self.number), "relu", (self,), (float(self.number > 0),))

    def exp(self):
        result = np.exp(self.number)
        return Value(result, "exp", (self,), (result,))

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
        """Set grad, the gradient of this number, in every number of the graph."""
        for value in self.graph():
            value.grad = 0.0
        self.grad = 1.0
        for value in reversed(self.graph()):
            for source, slope in zip(value.inputs, value.slopes, strict=True):
                source.grad += slope * value.grad  # chain rule: a product; used twice: a sum


# %% tags=["hide-input"]
from helpers.backpropagation import check_operations

Value = check_operations(Value)

# %% [markdown]
# The model of the beginning, with `Value`s. Nobody writes a backward for it now:


# %%
def model(w, c, x, t):
    """Return the loss of the model, a Value."""
    return ((w * x + c).relu() - t).square()


inputs = [Value(number) for number in (w, c, x, t)]
L = model(*inputs)
L.backward()
by_itself = np.array([value.grad for value in inputs])
both = np.stack([by_moving, by_itself])
show_arrays(gradients=both, rows=["by moving", "by itself"], columns=["dw", "dc", "dx", "dt"])

# %% [markdown]
# The same. And the fraction? **A weight of attention is one:** $e^{s_j}$ divided by a sum. Take the head of notebook 02 in
# which "the" looks at "radio", and its ten scores. How does the weight of "radio" change with each score?

# %%
from helpers.course_sentence import CourseSentence

sentence = CourseSentence()
tokens = sentence.source_words
head = sentence.attention("encoder.layers.1.self_attention")["scores"][1]
scores = [Value(float(score)) for score in head[tokens.index("the")]]

exponentials = [score.exp() for score in scores]
total = sum(exponentials[1:], start=exponentials[0])
weights = [exponential / total for exponential in exponentials]

weights[tokens.index("radio")].backward()
numbers = [value.number for value in scores]
shares = [value.number for value in weights]
slopes = [value.grad for value in scores]
show_arrays(the=np.array([numbers, shares, slopes]), rows=["score", "weight", "slope"], columns=tokens)

# %% [markdown]
# The score of "radio" has the slope 0.25: raise it by 0.1, and the weight of "radio" rises by 0.025, from 0.48. Raise
# another score, and it falls: the more weight that word has, the more. The ten slopes add up to 0. Notebook 11 says why;
# to get them, you did not need to know.
#
# ## One step down
#
# A gradient says which way the loss rises. So move each number that is to be learned the other way, by its gradient
# times a small **learning rate**. This is *gradient descent*, and it is nearly 180 years old (Cauchy, 1847).
#
# **Write it:** $w$ and $c$ after one step. (If you have changed the numbers above, set them back first.)

# %%
rate = 0.01
parameters = np.array([w, c])
gradient = by_itself[:2]  # dw, dc

# %% tags=["hide-input"]
from helpers.backpropagation import expected_step

expected = expected_step(parameters, gradient, rate)

# %%
updated = ...  # w and c, as one array
updated = expected.check(updated=updated)

# %%
compare(model(*map(Value, updated), Value(x), Value(t)).number, 2.56, "loss after one step")

# %% [markdown]
# From 4 to 2.56, in one step. With five times the rate, 0.05, a single step ends at a loss of 0. And with 0.1?

# %%
bet = Bet("What is the loss after one step with the rate 0.1?", ["0", "2.56", "4", "16"])
bet.place(...)

# %%
from helpers.backpropagation import losses_of_descent, show_descent

after_one = losses_of_descent(model, Value, 0.1)[1]
bet.settle(f"{after_one:.3g}")
show_descent(model, Value, rates=(0.01, 0.05, 0.1, 0.12))

# %% [markdown]
# With 0.01 the loss falls at each update. With 0.05 one is enough, and that is no accident: along the gradient $L$ is a
# parabola with second derivative $2(x^2 + 1) = 20$, and a step of $1/20$ of the gradient ends at its bottom. Twice that,
# 0.1, jumps as far beyond the answer as it was before it, again and again. With 0.12 it jumps farther each time, until
# $b$ falls below 0. Then no gradient is left, and the loss stays at $7^2 = 49$.
#
# The gradient gives the direction. How far to go is a question of its own: [notebook 15](15_adam_and_warm_up.ipynb).
#
# ## Three questions
#
# **1.** A product needs both its factors to go backward, and relu must know where its input was above 0. What does a sum
# need to remember?
#
# <details><summary>Answer</summary>
#
# Nothing: plus copies. What the others `remember` in forward takes most of the memory of a training.
#
# </details>
#
# **2.** In $L = x^2 + x$ let $x$ be made from another number, $x = 3u$ with $u = 1$, and suppose that backward visits
# $x$ before $s$. What does $u$ get?
#
# <details><summary>Answer</summary>
#
# At that time only $L$ has sent its share to $x$, which is 1. So $u$ gets $3 \cdot 1$ in place of $3 \cdot 7$. The 6 from
# $s$ arrives at $x$ too late to be passed on.
#
# </details>
#
# **3.** `Value.backward` first sets every `grad` to 0. Without these two lines, what does a second `L.backward()` do?
# PyTorch leaves them out on purpose: what could it be good for?
#
# <details><summary>Answer</summary>
#
# The new shares are added to the old gradients, and those of the numbers in between are passed on once more: $dw$
# becomes $-72$, and no error says so. PyTorch adds up in the parameters only: after a new forward without
# `optimizer.zero_grad()` it would be $-24$. It is good for a batch that does not fit into memory: run it in two halves,
# and the gradients of both add up as they should.
#
# </details>

# %% [markdown]
# **You can now**
#
# - check any gradient by moving numbers, without theory;
# - go backward through a computation: plus copies, times swaps, max routes, and what is used twice gets a sum;
# - let a model learn: forward, backward, one step down.
#
# The exercise `numeric_gradient` has one more function, `relative_error`: when are two gradients the same?
# Next: [notebook 10](10_from_numbers_to_arrays.ipynb), where numbers become arrays.

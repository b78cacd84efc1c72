# %% [markdown]
# # A gradient from forward alone
#
# **What a gradient is here.** Training makes one number small, the loss $L$. It is computed from
# arrays by a chain of functions, and for each array $x$ on the way we want to know: if I move this
# one number of $x$ a little, how does $L$ move? The answers, one for each number of $x$, make an
# array of the same shape as $x$:
#
# $$dx_i = \frac{\partial L}{\partial x_i}$$
#
# It is called the gradient of the loss at $x$, and written `dx` in code.
#
# **What `dy` is.** Look at one function of the chain, $y = f(x)$. What comes after it is no
# business of $f$: all that $f$ needs to know of the rest is how $L$ moves with each number of $y$.
# That is `dy`, the gradient at $y$, of the same shape as $y$. Someone hands it to you, and you turn
# it into `dx`:
#
# $$dx_i = \sum_j dy_j\, \frac{\partial y_j}{\partial x_i}$$
#
# The sum runs over *all* numbers of $y$, since $x_i$ may move many of them. This is the chain rule,
# and every backward in this course is this line for another $f$. Now read it with `dy` held fixed:
# the right side is the derivative of $\sum_j dy_j\, f(x)_j$. So for the sake of checking, we may
# pretend that the loss is
#
# $$L(x) = \sum_j dy_j\, f(x)_j$$
#
# ## Why without formulas
#
# The paper says what goes forward, and not a word of what comes back. From exercise 2 on you work
# that out on paper, and paper does not object to a wrong sign. So the first thing to have is a
# judge that knows no formula and needs $f$ alone: what you write here can try every backward of
# yours to come. For a function of one number, the slope comes from two points at equal distances on
# both sides:


# %%
import numpy as np


def slope(f, x, h):
    """The slope at the number x of a function from a number to a number."""
    return (f(x + h) - f(x - h)) / (2 * h)


# %% [markdown]
# Why both sides? Expand $f(x + h) = f + h f' + \tfrac12 h^2 f'' + \tfrac16 h^3 f''' + \dots$ and
# the same for $-h$. In the difference the terms with $f''$ cancel, and the error is $\tfrac16 h^2
# f'''$. From one side, $(f(x + h) - f(x)) / h$, the error is $\tfrac12 h f''$: about $3/h$ times as
# much, where $f''$ and $f'''$ are of one size. (A tiny $h$ does not save it: $f$ is known to 16
# digits, and what is lost in the 16th is divided by $h$. Notebook 13 draws both errors.)
#
# An array has many numbers. Move one of them, leave all others where they are, and take the slope
# of $L$:
#
# $$dx_i = \frac{L(x + h e_i) - L(x - h e_i)}{2h}$$
#
# where $e_i$ is 1 at $i$ and 0 elsewhere. For an $x$ of two numbers, this is all of it:


# %%
def numeric_gradient_of_two(f, x, dy, h):
    """What you write below, for an x of shape (2,) alone."""
    first, second = np.array([h, 0.0]), np.array([0.0, h])
    return np.array(
        [
            (np.sum(dy * f(x + first)) - np.sum(dy * f(x - first))) / (2 * h),
            (np.sum(dy * f(x + second)) - np.sum(dy * f(x - second))) / (2 * h),
        ]
    )


# %% [markdown]
# ## When are two gradients the same?
#
# With rounding, two right answers seldom agree in all digits. "They differ by $10^{-8}$" says
# nothing on its own: for gradients around 1 that is rounding, for gradients around $10^{-9}$ it is
# nonsense all over. So measure the difference by the size of what is expected, one number for the
# whole array:
#
# $$\mathrm{error} = \frac{\max_i |\mathrm{got}_i - \mathrm{expected}_i|}{\max_i |\mathrm{expected}_i|}$$
#
# Under the bar stands the largest magnitude of the *array* and not each number's own: an entry that
# happens to be nearly 0 would otherwise turn harmless rounding into an error of 100%. Where
# everything expected is 0 there is nothing to measure by, and the error is the largest difference
# itself. Every check of this course uses just this error, and calls a result right whose error is
# below $10^{-6}$.
#
# ## Your turn
#
# Write `numeric_gradient` for an `x` with any number of axes, at least one, and `relative_error`.
# To try both out, you know a case by heart: for `f = np.sin`, `dx` is `dy * np.cos(x)`. Three
# things to know:
#
# - `np.ndindex` walks through all indices of a shape: `list(np.ndindex(1, 2))` is `[(0, 0), (0,
#   1)]`, and with such a tuple both `x[0, 1]` is read and a number is stored there.
# - You may move numbers in `x` itself or in a copy. But when you return, `x` must be what it was,
#   to the last bit. In floats `x + h - h` is not always `x`.
# - `y` may have another shape than `x`, and `f` may return a *view* of the array that it was given
#   (its transpose, say). A view shows the array as it is now, not as it was when `f` was called.
#   `x` may be such a view, too.


# %%
def numeric_gradient(f, x, dy, h=1e-5):
    """Return the gradient at x of L(x) = sum(dy * f(x)), by centered differences.

    f: a function from an array like x to an array y. x: floats, one axis or more. dy: of the shape
    of y. h: how far each number is moved to both sides. Returns dx, of the shape of x, which is
    left as it was.
    """
    # BEGIN SOLUTION
    dx = np.zeros(x.shape)
    for index in np.ndindex(x.shape):
        value = x[index]
        x[index] = value + h
        up = (dy * f(x)).sum()
        x[index] = value - h
        down = (dy * f(x)).sum()
        x[index] = value
        dx[index] = (up - down) / (2 * h)
    return dx
    # END SOLUTION


def relative_error(got, expected):
    """Return the largest difference as a part of the largest expected magnitude, one number.

    got, expected: arrays of the same shape. Where everything expected is 0, return the largest
    difference itself. An array without axes is accepted as a number.
    """
    # BEGIN SOLUTION
    distance = np.abs(got - expected).max()
    scale = np.abs(expected).max()
    return distance / scale if scale > 0 else distance
    # END SOLUTION

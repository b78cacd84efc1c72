# id: numeric_gradient | points: 10 | minutes: 50 | level: 1 | needs: numpy | notebook: 05a

# %% [markdown]
# # A gradient from forward alone
#
# **What a gradient is here.** Training makes one number small, the loss $L$. It is computed from arrays by a chain of
# functions, and for each array $x$ on the way we want to know: if I move this one number of $x$ a little, how does $L$
# move? The answers, one for each number of $x$, make an array of the same shape as $x$:
#
# $$dx_i = \frac{\partial L}{\partial x_i}$$
#
# It is called the gradient of the loss at $x$, and written `dx` in code.
#
# **What `dy` is.** Look at one function of the chain, $y = f(x)$. What comes after it is no business of $f$: all that
# $f$ needs to know of the rest is how $L$ moves with each number of $y$. That is `dy`, the gradient at $y$, of the same
# shape as $y$. Someone hands it to you, and you turn it into `dx`:
#
# $$dx_i = \sum_j dy_j\, \frac{\partial y_j}{\partial x_i}$$
#
# The sum runs over *all* numbers of $y$, since $x_i$ may move many of them. This is the chain rule, and every backward
# in this course is this line for another $f$. Now read it with `dy` held fixed: the right side is the derivative of
# $\sum_j dy_j\, f(x)_j$. So for the sake of checking, we may pretend that the loss is
#
# $$L(x) = \sum_j dy_j\, f(x)_j$$
#
# ## Why without formulas
#
# The paper says what goes forward, and not a word of what comes back. From exercise 2 on you work that out on paper,
# and paper does not object to a wrong sign. So the first thing to have is a judge that knows no formula and needs $f$
# alone: what you write here can try every backward of yours to come. For a function of one number, the slope comes from
# two points at equal distances on both sides:


# %%
import numpy as np


def slope(f, x, h):
    """The slope at the number x of a function from a number to a number."""
    return (f(x + h) - f(x - h)) / (2 * h)


# %% [markdown]
# Why both sides? Expand $f(x + h) = f + h f' + \tfrac12 h^2 f'' + \tfrac16 h^3 f''' + \dots$ and the same for $-h$. In
# the difference the terms with $f''$ cancel, and the error is $\tfrac16 h^2 f'''$. From one side,
# $(f(x + h) - f(x)) / h$, the error is $\tfrac12 h f''$: about $3/h$ times as much, where $f''$ and $f'''$ are of one
# size. (A tiny $h$ does not save it: $f$ is known to 16 digits, and what is lost in the 16th is divided by $h$.
# Notebook 05d draws both errors.)
#
# An array has many numbers. Move one of them, leave all others where they are, and take the slope of $L$:
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
# With rounding, two right answers seldom agree in all digits. "They differ by $10^{-8}$" says nothing on its own: for
# gradients around 1 that is rounding, for gradients around $10^{-9}$ it is nonsense all over. So measure the difference
# by the size of what is expected, one number for the whole array:
#
# $$\mathrm{error} = \frac{\max_i |\mathrm{got}_i - \mathrm{expected}_i|}{\max_i |\mathrm{expected}_i|}$$
#
# Under the bar stands the largest magnitude of the *array* and not each number's own: an entry that happens to be
# nearly 0 would otherwise turn harmless rounding into an error of 100%. Where everything expected is 0 there is
# nothing to measure by, and the error is the largest difference itself. Every check of this course uses just this
# error, and calls a result right whose error is below $10^{-6}$.
#
# ## Your turn
#
# Write `numeric_gradient` for an `x` with any number of axes, at least one, and `relative_error`. To try both out, you
# know a case by heart: for `f = np.sin`, `dx` is `dy * np.cos(x)`. Three things to know:
#
# - `np.ndindex` walks through all indices of a shape: `list(np.ndindex(1, 2))` is `[(0, 0), (0, 1)]`, and with such a
#   tuple both `x[0, 1]` is read and a number is stored there.
# - You may move numbers in `x` itself or in a copy. But when you return, `x` must be what it was, to the last bit. In
#   floats `x + h - h` is not always `x`.
# - `y` may have another shape than `x`, and `f` may return a *view* of the array that it was given (its transpose,
#   say). A view shows the array as it is now, not as it was when `f` was called.


# %%
def numeric_gradient(f, x, dy, h=1e-5):
    """Return the gradient at x of L(x) = sum(dy * f(x)), by centered differences.

    f: a function from an array like x to an array y. x: floats, one axis or more. dy: of the shape of y.
    h: how far each number is moved to both sides. Returns dx, of the shape of x, which is left as it was.
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

    got, expected: arrays of the same shape. Where everything expected is 0, return the largest difference itself. An
    array without axes is accepted as a number.
    """
    # BEGIN SOLUTION
    distance = np.abs(got - expected).max()
    scale = np.abs(expected).max()
    return distance / scale if scale > 0 else distance
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction

SIZES = {"B": (2, 5), "T": (2, 5), "D": (2, 5), "F": (2, 5)}  # small, for f runs twice for every number of x


def inputs(draw, B, T, D, F):
    """Draw arrays for three functions f, and two arrays to compare, of which each sign that is lost will show."""
    expected = draw.normal(T, D)
    expected[-1, -1] = -2 * np.abs(expected).max()
    difference = draw.normal(T, D)
    difference[0, 0] = -2 * np.abs(difference).max()
    difference *= -0.3 * expected[-1, -1] / np.abs(difference).max()
    difference[-1, -1] = -np.abs(difference[-1, -1])  # so that what came is the larger of the two arrays
    size = 10.0 ** (draw.rng.uniform(2, 4) * (-1 if draw.lowest else draw.rng.choice([-1, 1])))
    return {
        "h": float(10 ** draw.rng.uniform(-4.2, -3.8)),  # one-sided shows, and centered is as good as exact
        "x": draw.normal(T, D),
        "w": draw.normal(D, F),
        "dy": draw.normal(T, F),
        "x_mixed": draw.normal(B, T, D),
        "dy_mixed": draw.normal(B, T, D),
        "x_viewed": draw.normal(B, D),
        "dy_viewed": draw.normal(D, B),
        "got": size * (expected + difference),
        "expected": size * expected,
        "got_for_zeros": size * difference,
    }


def matrix(student, h, x, w, dy):
    return student.numeric_gradient(lambda x: np.tanh(x @ w), x, dy, h)


def mixed(student, h, x_mixed, dy_mixed):
    return student.numeric_gradient(lambda x: np.sin(x + x.sum()), x_mixed, dy_mixed, h)


def viewed(student, h, x_viewed, dy_viewed):
    return student.numeric_gradient(np.transpose, x_viewed, dy_viewed, h)


def compare(student, got, expected):
    return student.relative_error(got, expected)


def compare_with_zeros(student, got_for_zeros):
    return student.relative_error(got_for_zeros, np.zeros(got_for_zeros.shape))


CALLS = [
    Call(matrix, {"dx of tanh(x W)": 3}),
    Call(mixed, {"dx of sin(x + sum of x)": 2}),
    Call(viewed, {"dx of a transpose": 1}),
    Call(compare, {"relative error": 2}),
    Call(compare_with_zeros, {"relative error where 0 is expected": 1}),
]


def numeric_gradient_slowly(f, x, dy, h):
    """Like `numeric_gradient_of_two`, for any shape: every moved x is an array of its own."""
    units = np.eye(x.size).reshape(x.size, *x.shape)
    slopes = [slope(lambda a, unit=unit: np.sum(dy * f(x + a * unit)), 0.0, h) for unit in units]
    return np.array(slopes).reshape(x.shape)


def relative_error_slowly(got, expected):
    """The same error, one number at a time."""
    pairs = list(zip(got.ravel().tolist(), expected.ravel().tolist(), strict=True))
    return max(abs(a - b) for a, b in pairs) / (max(abs(b) for _, b in pairs) or 1.0)


SLOW = {
    "matrix": lambda h, x, w, dy: numeric_gradient_slowly(lambda x: np.tanh(x @ w), x, dy, h),
    "mixed": lambda h, x_mixed, dy_mixed: numeric_gradient_slowly(lambda x: np.sin(x + x.sum()), x_mixed, dy_mixed, h),
    "viewed": lambda h, x_viewed, dy_viewed: numeric_gradient_slowly(np.transpose, x_viewed, dy_viewed, h),
    "compare": relative_error_slowly,
    "compare_with_zeros": lambda got_for_zeros: relative_error_slowly(got_for_zeros, 0 * got_for_zeros),
}

PREDICTION = Prediction(
    "The slope of x * x at 3 is 6. With the step h = 0.1, the one-sided difference gives 6.1. What does the centered "
    "difference give with the same step?",
    {"a": "6.01", "b": "6.05", "c": "6, apart from rounding"},
    answer="c",
    because="(3.1 * 3.1 - 2.9 * 2.9) / 0.2 = (9.61 - 8.41) / 0.2 = 6. The error of a centered difference comes from "
    "the third derivative, and x * x has none. The one-sided error comes from the second: h / 2 times 2.",
)

MISTAKES = [
    Mistake(
        "one_sided",
        "dx is what the difference of L(x + h) and L(x) gives: its error shrinks like h, not like h squared",
        Edit("x[index] = value - h", "x[index] = value"),
        Edit("(up - down) / (2 * h)", "(up - down) / h"),
        ask="At which two points is L taken, and which point is in the middle between them?",
    ),
    Mistake(
        "moved_back_once",
        "dx is about half of what it should be: L is taken at x + h and at x, and divided by 2h",
        Edit("x[index] = value - h", "x[index] = value"),
        ask="At which two points is L taken, and how far apart are they?",
    ),
    Mistake(
        "not_put_back",
        "dx is what comes out when the numbers that were moved earlier stay moved",
        Edit("        x[index] = value\n", ""),
        ask="When the second number of x has its turn, where does the first one stand?",
    ),
    Mistake(
        "step_once",
        "dx is twice what it should be",
        Edit("(up - down) / (2 * h)", "(up - down) / h"),
        ask="How far apart are the two points at which you take L?",
    ),
    Mistake(
        "multiplied_by_the_step",
        "dx shrinks with the square of h: half the step gives a quarter of dx",
        Edit("(up - down) / (2 * h)", "(up - down) / 2 * h"),
        ask="In which order does Python work out what you do with the difference of the two L?",
    ),
    Mistake(
        "dy_missing",
        "dx does not depend on dy: it is the gradient of the plain sum of f(x)",
        Edit("up = (dy * f(x)).sum()", "up = f(x).sum()"),
        Edit("down = (dy * f(x)).sum()", "down = f(x).sum()"),
        ask="If the rest of the chain doubles the weight of one number of y, where does your code notice?",
    ),
    Mistake(
        "view_kept",
        "dx is 0 where f returns a view, as if both results showed the same array in the same state",
        Edit("up = (dy * f(x)).sum()", "up = f(x)"),
        Edit("down = (dy * f(x)).sum()", "down = f(x)"),
        Edit("(up - down) / (2 * h)", "(dy * (up - down)).sum() / (2 * h)"),
        ask="Let y = x.T and then change x[0, 0]. What does y[0, 0] say now?",
    ),
    Mistake(
        "single_precision",
        "dx has the errors of float32: 7 digits of x, and what is lost in the seventh is divided by h",
        Edit("dx = np.zeros(x.shape)", "dx, x = np.zeros(x.shape), x.astype(np.float32)"),
        ask="How many digits of x does your code keep, and how many does a step of h = 0.0001 need?",
    ),
    Mistake(
        "absolute",
        "the error is not measured by anything: it grows when both arrays are multiplied by 1000",
        Edit("return distance / scale if scale > 0 else distance", "return distance"),
        ask="Somebody measures the loss in thousandths. Has the answer become a thousand times worse?",
    ),
    Mistake(
        "entry_by_entry",
        "each difference is divided by its own expected number, and the largest of these ratios is the error",
        Edit("return distance / scale if", "return (np.abs(got - expected) / np.abs(expected)).max() if"),
        ask="One of the numbers expected is 1e-17, the others are around 1. Which error do you report?",
    ),
    Mistake(
        "difference_signed",
        "a difference below 0 does not count as a difference",
        Edit("np.abs(got - expected).max()", "(got - expected).max()"),
        ask="What is the error of an answer all of whose numbers are too small?",
    ),
    Mistake(
        "scale_signed",
        "the differences are measured by the largest number expected, not by the one farthest from 0",
        Edit("scale = np.abs(expected).max()", "scale = expected.max()"),
        ask="How large are the numbers -5 and 1: what do you measure them by?",
    ),
    Mistake(
        "mean_difference",
        "the error is that of an average entry, not of the worst",
        Edit("np.abs(got - expected).max()", "np.abs(got - expected).mean()"),
        ask="One entry in a million is wrong. What does your error say?",
    ),
    Mistake(
        "norms",
        "{part} is what norms give: all entries have a part in it, not only the worst",
        Edit("distance = np.abs(got - expected).max()", "distance = np.linalg.norm(got - expected)"),
        Edit("scale = np.abs(expected).max()", "scale = np.linalg.norm(expected)"),
        ask="A million entries have an error of 1e-9 each. What does your error say of them, and what the formula?",
    ),
    Mistake(
        "norms_of_both",
        "the error is the norm of the difference, measured by the norms of both arrays together",
        Edit(
            "return distance / scale if",
            "return np.linalg.norm(got - expected) / (np.linalg.norm(got) + np.linalg.norm(expected)) if",
        ),
        ask="Whose size is under the bar, and is it a size of the whole array or of one entry?",
    ),
    Mistake(
        "larger_of_both",
        "the difference is measured by what came, which is the larger of the two arrays here",
        Edit("scale = np.abs(expected).max()", "scale = expected.any() * np.abs([got, expected]).max()"),
        ask="Everything is a million times too large. How large is the error by the formula, and how large by yours?",
    ),
    Mistake(
        "sum_of_both",
        "the difference is measured by the sizes of both arrays together",
        Edit("scale = np.abs(expected).max()", "scale = expected.any() * (np.abs(got).max() + np.abs(expected).max())"),
        ask="Whose size is under the bar?",
    ),
    Mistake(
        "larger_of_each_pair",
        "each difference is divided by the larger of its own two numbers, and the largest of these ratios is the error",
        Edit(
            "return distance / scale if scale > 0 else distance",
            "larger = np.maximum(np.abs(got), np.abs(expected))\n"
            "    return (np.abs(got - expected) / larger).max() if scale > 0 else distance",
        ),
        ask="One of the numbers expected is 1e-17, the others are around 1. Which error do you report?",
    ),
    Mistake(
        "zeros_by_what_came",
        "where everything expected is 0, the error is 1, as if it were measured by what came",
        Edit("if scale > 0 else distance", "if scale > 0 else 1.0"),
        ask="Everything expected is 0. Is an answer of 1e-12 as wrong as one of 1000?",
    ),
    Mistake(
        "zeros_ignored",
        "where everything expected is 0, the error is 0, whatever came",
        Edit("if scale > 0 else distance", "if scale > 0 else 0.0"),
        ask="Everything expected is 0. Is an answer of 1000 right?",
    ),
    Mistake(
        "zeros_divided",
        "where everything expected is 0, the error is infinite",
        Edit("if scale > 0 else distance", "if True else distance"),
        ask="What do you divide by when everything expected is 0?",
    ),
    Mistake(
        "all_moved",
        "all entries of dx are the same: they are what L gains when all numbers of x are moved together",
        Edit("x[index] = value + h", "x += h"),
        Edit("x[index] = value - h", "x -= 2 * h"),
        Edit("        x[index] = value\n", "        x += h\n"),
        ask="How many numbers of x are moved when you take the slope for one of them?",
    ),
    *(
        Mistake(
            f"rows_moved{id}",
            "dx[i] is the same number everywhere, because all of x[i] is moved together",
            Edit("for index in np.ndindex(x.shape):", "for index in range(len(x)):"),
            Edit("value = x[index]\n", f"value = x[index]{copied}\n"),
            ask="How many numbers of x are moved when you take the slope for one of them?",
        )
        for id, copied in (("", ""), ("_and_copied", ".copy()"))
    ),
    Mistake(
        "at_least_one",
        "where everything expected is smaller than 1, the differences are not measured by it",
        Edit("scale = np.abs(expected).max()", "scale = max(np.abs(expected).max(), 1)"),
        ask="Gradients of 1e-9 come with errors of 1e-9. What does your error say of them, and what the formula?",
    ),
    Mistake(
        "sum_of_differences",
        "the differences are added up, and not the largest taken",
        Edit("np.abs(got - expected).max()", "np.abs(got - expected).sum()"),
        ask="A million entries have an error of 1e-9 each. What does your error say of them, and what the formula?",
    ),
    Mistake(
        "difference_of_maxima",
        "the largest magnitudes of the two arrays are compared, and not the arrays entry by entry",
        Edit("np.abs(got - expected).max()", "abs(np.abs(got).max() - np.abs(expected).max())"),
        ask="Which error do you report when two numbers of the array are exchanged?",
    ),
    Mistake(
        "scale_of_an_average_entry",
        "the difference is measured by an average magnitude, not by the largest",
        Edit("scale = np.abs(expected).max()", "scale = np.abs(expected).mean()"),
        ask="What is below the bar in the formula?",
    ),
    Mistake(
        "means_for_maxima",
        "a mean of the differences is measured by a mean of the magnitudes",
        Edit("return distance / scale if", "return np.abs(got - expected).mean() / np.abs(expected).mean() if"),
        ask="One entry in a million is wrong. What does your error say?",
    ),
    *(
        Mistake(
            f"zeros_divided_by_{tiny}",
            "where everything expected is 0, the difference is divided by a tiny number",
            Edit("if scale > 0 else distance", f"if scale > 0 else distance / {tiny}"),
            ask="Everything expected is 0, and 1e-9 came. Which error should that be, and which is it?",
        )
        for tiny in ("1e-8", "1e-12")
    ),
]

HINTS = [
    "Begin with `slope`: its f(x + h) becomes the number L of an array in which a single entry was moved. So write "
    "down how you get L, one number, from an array, and then how you get from x to the array with one entry moved.",
    "Make dx of zeros, and loop with np.ndindex over the shape of x. Inside: keep the entry, store it plus h and take "
    "L, store it minus h and take L, store what you kept. Take L as a number each time, before x moves again.",
    "An entry of dx is the difference of the two L over 2h, with the brackets around 2h. For the error you need two "
    "numbers, each the largest of an np.abs(...), and an if: when the second is 0, the first is the answer.",
]

ALTERNATIVES = [
    """
def numeric_gradient(f, x, dy, h=1e-5):
    slopes = []
    for i in range(x.size):
        moved = np.zeros(x.size)
        moved[i] = h
        moved = moved.reshape(x.shape)
        slopes.append(np.sum(dy * (f(x + moved) - f(x - moved))) / (2 * h))
    return np.array(slopes).reshape(x.shape)

def relative_error(got, expected):
    largest = abs(expected).max()
    if largest == 0:
        largest = 1.0
    return abs((got - expected) / largest).max()
""",
    """
def numeric_gradient(f, x, dy, h=1e-5):
    def loss(i, step):
        moved = x.copy()
        moved.flat[i] += step
        return np.vdot(dy, f(moved))
    dx = np.empty_like(x)
    for i in range(x.size):
        near = loss(i, h) - loss(i, -h)
        far = loss(i, 2 * h) - loss(i, -2 * h)
        dx.flat[i] = (8 * near - far) / (12 * h)
    return dx

def relative_error(got, expected):
    return relative_error_of_lists(got.ravel().tolist(), expected.ravel().tolist())

def relative_error_of_lists(got, expected):
    worst = max(abs(a - b) for a, b in zip(got, expected))
    return worst / (max(map(abs, expected)) or 1)
""",
]

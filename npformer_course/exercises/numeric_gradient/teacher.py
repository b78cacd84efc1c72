"""How the answers to numeric_gradient are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import slope

WITH_ZEROS = (
    "where the numbers expected add up to 0",
    "where most numbers expected are 0 and the others negative",
    "where numbers above 0 are expected and their opposites came",
)


def inputs(draw, B, T, D, F):
    """Draw arrays for five functions f, and arrays to compare.

    Each sign that is lost in comparing them shows.
    """
    expected = draw.normal(T, D)
    expected[-1, -1] = -2 * np.abs(expected).max()
    largest = -expected[-1, -1]
    difference = draw.normal(T, D)
    difference[0, 0] = -2 * np.abs(difference).max()
    difference *= 0.3 * largest / np.abs(difference).max()
    # so that what came is the larger of the two arrays
    difference[-1, -1] = -np.abs(difference[-1, -1])
    got = expected + difference

    exponent = draw.rng.uniform(2, 4)
    if draw.lowest:
        exponent = -exponent
    size = 10.0**exponent

    # with this step a one-sided difference shows, and a centered one is as good as exact
    h = float(10 ** draw.rng.uniform(-4.2, -3.8))
    # quarters, so that their sum is exactly 0 in any order
    quarters = draw.rng.integers(12, 20, (T, D)) / 4
    sum_0 = np.stack([quarters, quarters, -2 * quarters], -1)
    negative = np.concatenate([np.zeros(D + 1), draw.rng.uniform(-5, -3, D), [0.0]])
    return {
        "h": h,
        "wide": draw.uniform(0.1, 0.3),
        "x": draw.normal(T, D),
        "w": draw.normal(D, F),
        "dy": draw.normal(T, F),
        "x_mixed": draw.normal(B, T, D),
        "dy_mixed": draw.normal(B, T, D),
        "x_viewed": draw.normal(B, D),
        "dy_viewed": draw.normal(D, B),
        "x_row": draw.normal(D),
        "dy_row": draw.normal(D, F),
        "x_turned": draw.normal(B, D),
        "dy_turned": draw.normal(D, B),
        "got": size * got,
        "expected": size * expected,
        "got_for_zeros": size * difference,
        # with the other sign: of one of the two pairs the largest number is above 0, of one below;
        # and with an error of about 1e-7, which a rounded result would lose
        "got_tiny": -1e-20 * (expected + 1e-6 * difference),
        "expected_tiny": -1e-20 * expected,
        # what came is the smaller of the two arrays here
        "got_sum_0": 0.6 * sum_0 + draw.rng.uniform(-0.3, 0.3, sum_0.shape),
        "sum_0": sum_0,
        "got_negative": 0.6 * negative + draw.rng.uniform(-0.3, 0.3, negative.shape),
        "negative": negative,
    }


def matrix(student, h, x, w, dy):
    return student.numeric_gradient(lambda x: np.tanh(x @ w), x, dy, h)


def mixed(student, x_mixed, dy_mixed):
    return student.numeric_gradient(lambda x: np.sin(x + x.sum()), x_mixed, dy_mixed)


def viewed(student, h, x_viewed, dy_viewed):
    return student.numeric_gradient(np.transpose, x_viewed, dy_viewed, h)


def one_axis(student, wide, x_row, w, dy_row):
    # y has an axis more than x
    return student.numeric_gradient(lambda x: np.tanh(x @ w + x[:, None]), x_row, dy_row, wide)


def turned(student, h, x_turned, dy_turned):
    # x is a view, whose numbers do not lie in the order of its axes
    return student.numeric_gradient(np.sin, x_turned.T, dy_turned, h)


def compare(student, got, expected, got_tiny, expected_tiny):
    usual = student.relative_error(got, expected)
    tiny = student.relative_error(got_tiny, expected_tiny)
    return usual, tiny


def compare_among_zeros(student, got_sum_0, sum_0, got_negative, negative):
    found = [
        student.relative_error(got_sum_0, sum_0),
        student.relative_error(got_negative, negative),
        student.relative_error(negative, -negative),
    ]
    if any(one is None for one in found):
        return None
    return np.array(found)


def compare_with_zeros(student, got_for_zeros):
    return student.relative_error(got_for_zeros, np.zeros(got_for_zeros.shape))


def numeric_gradient_slowly(f, x, dy, h):
    """Like `numeric_gradient_of_two`, for any shape: every moved x is an array of its own."""
    slopes = []
    for unit in np.eye(x.size):
        unit = unit.reshape(x.shape)

        def loss(a, unit=unit):
            return np.sum(dy * f(x + a * unit))

        slopes.append(slope(loss, 0.0, h))
    return np.array(slopes).reshape(x.shape)


def matrix_slowly(h, x, w, dy):
    return numeric_gradient_slowly(lambda x: np.tanh(x @ w), x, dy, h)


def mixed_slowly(x_mixed, dy_mixed):
    return numeric_gradient_slowly(lambda x: np.sin(x + x.sum()), x_mixed, dy_mixed, 1e-5)


def viewed_slowly(h, x_viewed, dy_viewed):
    return numeric_gradient_slowly(np.transpose, x_viewed, dy_viewed, h)


def one_axis_slowly(wide, x_row, w, dy_row):
    return numeric_gradient_slowly(lambda x: np.tanh(x @ w + x[:, None]), x_row, dy_row, wide)


def turned_slowly(h, x_turned, dy_turned):
    return numeric_gradient_slowly(np.sin, x_turned.T, dy_turned, h)


def relative_error_slowly(got, expected):
    """The same error, one number at a time."""
    worst = 0.0
    largest = 0.0
    for one, right in zip(got.ravel().tolist(), expected.ravel().tolist(), strict=True):
        worst = max(worst, abs(one - right))
        largest = max(largest, abs(right))
    if largest == 0:
        return worst
    return worst / largest


def compare_slowly(got, expected, got_tiny, expected_tiny):
    usual = relative_error_slowly(got, expected)
    tiny = relative_error_slowly(got_tiny, expected_tiny)
    return usual, tiny


def compare_among_zeros_slowly(got_sum_0, sum_0, got_negative, negative):
    return np.array(
        [
            relative_error_slowly(got_sum_0, sum_0),
            relative_error_slowly(got_negative, negative),
            relative_error_slowly(negative, -negative),
        ]
    )


def compare_with_zeros_slowly(got_for_zeros):
    return relative_error_slowly(got_for_zeros, 0 * got_for_zeros)


EXERCISE = Exercise(
    minutes=50,
    difficulty=2,
    importance=5,
    needs=("numpy",),
    inputs=inputs,
    sizes={"B": (2, 5), "T": (2, 5), "D": (2, 5), "F": (2, 5)},
    calls=[
        Call(matrix, {"dx of tanh(x W)": 3}),
        Call(mixed, {"dx of sin(x + sum of x)": 2}),
        Call(viewed, {"dx of a transpose": 1}),
        Call(one_axis, {"dx of one axis": 1}),
        Call(turned, {"dx at a transposed x": 1}),
        Call(compare, {"relative error": 1, "relative error of tiny gradients": 1}),
        Call(compare_among_zeros, {"relative error of other gradients": 1}),
        Call(compare_with_zeros, {"relative error where 0 is expected": 1}),
    ],
    axes={"relative error of other gradients": WITH_ZEROS},
    slow={
        "matrix": matrix_slowly,
        "mixed": mixed_slowly,
        "viewed": viewed_slowly,
        "one_axis": one_axis_slowly,
        "turned": turned_slowly,
        "compare": compare_slowly,
        "compare_among_zeros": compare_among_zeros_slowly,
        "compare_with_zeros": compare_with_zeros_slowly,
    },
    prediction=Prediction(
        "The slope of x * x at 3 is 6. With the step h = 0.1, the one-sided difference gives "
        "6.1. What does the centered difference give with the same step?",
        {"a": "6.01", "b": "6.05", "c": "6, apart from rounding"},
        answer="c",
        because=(
            "(3.1 * 3.1 - 2.9 * 2.9) / 0.2 = (9.61 - 8.41) / 0.2 = 6. The error of a centered "
            "difference comes from the third derivative, and x * x has none. The one-sided error "
            "comes from the second: h / 2 times 2."
        ),
    ),
    hints=[
        "Begin with `slope`: its f(x + h) becomes the number L of an array in which a single "
        "entry was moved. So write down how you get L, one number, from an array, and then how "
        "you get from x to the array with one entry moved.",
        "Make dx of zeros, and loop with np.ndindex over the shape of x. Inside: keep the entry, "
        "store it plus h and take L, store it minus h and take L, store what you kept. Take L as "
        "a number each time, before x moves again.",
        "An entry of dx is the difference of the two L over 2h, with the brackets around 2h. For "
        "the error you need two numbers, each the largest of an np.abs(...), and an if: when the "
        "second is 0, the first is the answer.",
    ],
)

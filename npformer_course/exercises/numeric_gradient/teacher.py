"""How the answers to numeric_gradient are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import slope


def inputs(draw, B, T, D, F):
    """Draw arrays for three functions f, and two arrays to compare, of which each sign that is lost will show."""
    expected = draw.normal(T, D)
    expected[-1, -1] = -2 * np.abs(expected).max()
    difference = draw.normal(T, D)
    difference[0, 0] = -2 * np.abs(difference).max()
    difference *= -0.3 * expected[-1, -1] / np.abs(difference).max()
    difference[-1, -1] = -np.abs(
        difference[-1, -1]
    )  # so that what came is the larger of the two arrays
    size = 10.0 ** (draw.rng.uniform(2, 4) * (-1 if draw.lowest else draw.rng.choice([-1, 1])))
    return {
        "h": float(
            10 ** draw.rng.uniform(-4.2, -3.8)
        ),  # one-sided shows, and centered is as good as exact
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


def numeric_gradient_slowly(f, x, dy, h):
    """Like `numeric_gradient_of_two`, for any shape: every moved x is an array of its own."""
    units = np.eye(x.size).reshape(x.size, *x.shape)
    slopes = [slope(lambda a, unit=unit: np.sum(dy * f(x + a * unit)), 0.0, h) for unit in units]
    return np.array(slopes).reshape(x.shape)


def relative_error_slowly(got, expected):
    """The same error, one number at a time."""
    pairs = list(zip(got.ravel().tolist(), expected.ravel().tolist(), strict=True))
    return max(abs(a - b) for a, b in pairs) / (max(abs(b) for _, b in pairs) or 1.0)


EXERCISE = Exercise(
    minutes=50,
    difficulty=2,
    importance=5,
    needs=("numpy",),
    notebook="05a",
    inputs=inputs,
    sizes={"B": (2, 5), "T": (2, 5), "D": (2, 5), "F": (2, 5)},
    calls=[
        Call(matrix, {"dx of tanh(x W)": 3}),
        Call(mixed, {"dx of sin(x + sum of x)": 2}),
        Call(viewed, {"dx of a transpose": 1}),
        Call(compare, {"relative error": 2}),
        Call(compare_with_zeros, {"relative error where 0 is expected": 1}),
    ],
    slow={
        "matrix": lambda h, x, w, dy: numeric_gradient_slowly(lambda x: np.tanh(x @ w), x, dy, h),
        "mixed": lambda h, x_mixed, dy_mixed: numeric_gradient_slowly(
            lambda x: np.sin(x + x.sum()), x_mixed, dy_mixed, h
        ),
        "viewed": lambda h, x_viewed, dy_viewed: numeric_gradient_slowly(
            np.transpose, x_viewed, dy_viewed, h
        ),
        "compare": relative_error_slowly,
        "compare_with_zeros": lambda got_for_zeros: relative_error_slowly(
            got_for_zeros, 0 * got_for_zeros
        ),
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

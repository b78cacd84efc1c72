"""How the answers to bug_hunt are checked."""

import zlib

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import CODE
from .implementations import implementations

WRONG_LINES = {  # of the functions in CODE, counted from 1
    "layer_norm_backward": 6,
    "softmax_backward": 5,
    "split_heads": 5,
    "average_backward": 5,
    "embedding_backward": 5,
    "tied_backward": 6,
}
N_RIGHT = 3  # of the six implementations, the first


def verdicts(test, name, order):
    """Return for each implementation 0, the test passes it, or 1, it fails it.

    They are called in this order. 2 throughout stands for a test that passes all of them and
    returns what it should raise.
    """
    six = implementations(name)
    failures = np.zeros(len(order), int)
    returned = []
    for i in order:
        try:
            returned.append(test(six[i]))
        except AssertionError:
            failures[i] = 1
        except Exception as error:
            if i < N_RIGHT:
                raise
            test(six[0])  # raises as well, unless the exception comes of the wrong code
            what = f"{error} ({type(error).__name__})"
            raise RuntimeError(f"{what}, on wrong code: expected AssertionError") from error

    returns_something = any(value is not None for value in returned)
    if returns_something and not failures.any():
        return failures + 2
    return failures


def number_of(name, answer):
    """Return the line that an answer names by its number or its text, or 0."""
    if isinstance(answer, str):
        lines = [line.strip() for line in CODE[name].split("\n")]
        text = answer.strip()
        return 1 + lines.index(text) if text in lines else 0
    if isinstance(answer, bool) or not isinstance(answer, int | np.integer):
        return 0
    return int(answer)


def sealed(name, answer, seal):
    """Return a number of four digits by which a right answer is recognized and not betrayed."""
    return 1000 + zlib.crc32(f"{name} {number_of(name, answer)} {seal}".encode()) % 9000


def inputs(draw):
    """Draw the order in which each test meets the implementations, and a seal for the answers."""
    seal = int(draw.rng.integers(10**6))
    drawn = {f"order{i}": draw.rng.permutation(6) for i in range(len(CODE))}
    return {**drawn, "seal": seal}


def on_layer_norm(student, order0):
    return verdicts(student.test_layer_norm_backward, "layer_norm_backward", order0)


def on_softmax(student, order1):
    return verdicts(student.test_softmax_backward, "softmax_backward", order1)


def on_split_heads(student, order2):
    return verdicts(student.test_split_heads, "split_heads", order2)


def on_average(student, order3):
    return verdicts(student.test_average_backward, "average_backward", order3)


def on_embedding(student, order4):
    return verdicts(student.test_embedding_backward, "embedding_backward", order4)


def on_tied(student, order5):
    return verdicts(student.test_tied_backward, "tied_backward", order5)


def lines(student, seal):
    answers = student.guilty_lines()
    return tuple(sealed(name, answers.get(name), seal) for name in CODE)


def right_lines(seal):
    return tuple(sealed(name, number, seal) for name, number in WRONG_LINES.items())


EXPECTED = np.array([0, 0, 0, 1, 1, 1])

IMPLEMENTATIONS = (
    "on right code",
    "on right code in another style",
    "on right code that rounds otherwise",
    "on the planted code",
    "on results twice as large",
    "on results of ones",
)
OF_SPLIT_HEADS = (
    "on right code",
    "on right code in another style",
    "on right code in a third style",
    "on the planted code",
    "on results twice as large",
    "on results of ones",
)

EXERCISE = Exercise(
    minutes=90,
    difficulty=5,
    importance=4,
    needs=("numeric_gradient", "tied_generator"),
    inputs=inputs,
    unchanged=0,
    calls=[
        Call(on_layer_norm, {"test of layer_norm_backward": 2}),
        Call(on_softmax, {"test of softmax_backward": 2}),
        Call(on_split_heads, {"test of split_heads": 2}),
        Call(on_average, {"test of average_backward": 2}),
        Call(on_embedding, {"test of embedding_backward": 2}),
        Call(on_tied, {"test of tied_backward": 2}),
        Call(lines, {f"line of {name}": 1 for name in CODE}),
    ],
    axes={
        "test of layer_norm_backward": IMPLEMENTATIONS,
        "test of softmax_backward": IMPLEMENTATIONS,
        "test of split_heads": OF_SPLIT_HEADS,
        "test of average_backward": IMPLEMENTATIONS,
        "test of embedding_backward": IMPLEMENTATIONS,
        "test of tied_backward": IMPLEMENTATIONS,
        **{f"line of {name}": () for name in CODE},
    },
    slow={
        "on_layer_norm": lambda order0: EXPECTED,
        "on_softmax": lambda order1: EXPECTED,
        "on_split_heads": lambda order2: EXPECTED,
        "on_average": lambda order3: EXPECTED,
        "on_embedding": lambda order4: EXPECTED,
        "on_tied": lambda order5: EXPECTED,
        "lines": right_lines,
    },
    prediction=Prediction(
        "You test softmax_backward with dy of ones, against the numeric gradient. Which wrong "
        "implementations will pass?",
        {
            "a": "none: the numeric gradient finds every mistake",
            "b": "those that are wrong by a factor",
            "c": "only those that are right for a batch of one",
        },
        answer="b",
        because=(
            "The entries of softmax add up to 1 whatever x is, so with dy of ones the loss never "
            "moves, and dx is zero. Zero times any factor is zero. A gradient from above that is "
            "all ones is the most popular, and the worst."
        ),
    ),
    hints=[
        "For five of the six, one recipe will do: random inputs, run the forward, call the "
        "implementation with a random dy, and compare each of its results with the numeric "
        "gradient of the forward by that input. split_heads has no forward: say by slices or by a"
        " loop which number must stand where.",
        "Read the wrong line as a formula and ask for which inputs it gives the same as the right"
        " one: a gain of ones, a batch of one sentence, one position, nothing dropped, no id "
        "twice, one of two gradients zero. Your inputs must be none of these.",
        "On tolerances: the numeric gradient is right to about 1e-9 of the largest entry, other "
        "roundings to 1e-10, and a bug is seldom below 1e-2. Anything between 1e-8 and 1e-4 "
        "separates them. The lines: layer_norm_backward takes a mean before the gain, "
        "softmax_backward has a line that belongs to a loss, split_heads lets features of one "
        "head come from other positions.",
    ],
)

"""How the answers to bug_hunt are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import CODE
from .implementations import implementations
from .verdicts import EXPECTED, IMPLEMENTATIONS, sealed_lines, verdicts

WRONG_LINES = {  # of the functions in CODE, counted from 1
    "layer_norm_backward": 6,
    "softmax_backward": 5,
    "average_backward": 5,
}


def inputs(draw):
    """Draw the order in which each test meets the implementations, and a seal for the answers."""
    seal = int(draw.rng.integers(10**6))
    drawn = {f"order{i}": draw.rng.permutation(6) for i in range(len(CODE))}
    return {**drawn, "seal": seal}


def on_layer_norm(student, order0):
    six = implementations("layer_norm_backward")
    return verdicts(student.test_layer_norm_backward, six, order0)


def on_softmax(student, order1):
    six = implementations("softmax_backward")
    return verdicts(student.test_softmax_backward, six, order1)


def on_average(student, order2):
    six = implementations("average_backward")
    return verdicts(student.test_average_backward, six, order2)


def lines(student, seal):
    return sealed_lines(CODE, student.guilty_lines(), seal)


def right_lines(seal):
    return sealed_lines(CODE, WRONG_LINES, seal)


EXERCISE = Exercise(
    minutes=45,
    difficulty=4,
    importance=4,
    needs=("numeric_gradient", "softmax_backward", "layer_norm_backward", "dropout"),
    inputs=inputs,
    unchanged=0,
    calls=[
        Call(on_layer_norm, {"test of layer_norm_backward": 2}),
        Call(on_softmax, {"test of softmax_backward": 2}),
        Call(on_average, {"test of average_backward": 2}),
        Call(lines, {f"line of {name}": 1 for name in CODE}),
    ],
    axes={
        "test of layer_norm_backward": IMPLEMENTATIONS,
        "test of softmax_backward": IMPLEMENTATIONS,
        "test of average_backward": IMPLEMENTATIONS,
        **{f"line of {name}": () for name in CODE},
    },
    slow={
        "on_layer_norm": lambda order0: EXPECTED,
        "on_softmax": lambda order1: EXPECTED,
        "on_average": lambda order2: EXPECTED,
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
        "One recipe will do for all three: random inputs, run the forward, call the "
        "implementation with a random dy, and compare each of its results with the numeric "
        "gradient of the forward by that input.",
        "Read the wrong line as a formula and ask for which inputs it gives the same as the right"
        " one: a gain of ones, a batch of one sentence, nothing dropped. Your inputs must be none "
        "of these.",
        "On tolerances: the numeric gradient is right to about 1e-9 of the largest entry, other "
        "roundings to 1e-10, and a bug is seldom below 1e-2. Anything between 1e-8 and 1e-4 "
        "separates them. The lines: layer_norm_backward takes a mean before the gain, "
        "softmax_backward has a line that belongs to a loss, average_backward leaves out an "
        "argument that forward used.",
    ],
)

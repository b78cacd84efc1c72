"""How the answers to dropout are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import dropout_slowly


def inputs(draw, B, T, D):
    """Draw x, dy, and the seed of the random numbers.

    A third of x is 0 before anything is dropped. In every third draw p is 0.
    """
    x = draw.normal(B, T, D)
    return {
        "x": np.where(draw.rng.random(x.shape) < 1 / 3, 0.0, x),
        "dy": draw.normal(B, T, D),
        "p": 0.0 if draw.lowest else draw.uniform(0.2, 0.6),
        "seed": int(draw.rng.integers(2**31)),
    }


def both(a, b):
    """Return two results as one, or None where either is."""
    if a is None or b is None:
        return None
    return np.stack([a, b])


def train(student, x, p, seed):
    return student.Dropout(p, np.random.default_rng(seed)).forward(x)


def backward(student, x, dy, p, seed):
    layer = student.Dropout(p, np.random.default_rng(seed))
    layer.forward(x)
    # another layer of the model, with factors of its own
    student.Dropout(p, np.random.default_rng(seed + 1)).forward(x)
    return layer.backward(dy)


def second_step(student, x, dy, p, seed):
    rng = np.random.default_rng(seed)
    # another layer of the model: where its p is 0, it draws its numbers all the same
    student.Dropout(p, rng).forward(x[0])
    layer = student.Dropout(p or 0.5, rng)
    twice = 2 * x
    layer.forward(x[0])  # of another shape
    layer.backward(dy[0].copy())
    layer.forward(x[0])  # without a backward
    y = layer.forward(twice)
    return y, layer.backward(dy)


def evaluate(student, x, p, seed):
    layer = student.Dropout(p, np.random.default_rng(seed))
    layer.training = False
    # a copy, because y may be this array itself, and the next forward may write into x
    y = layer.forward(x.copy())
    layer.training = True
    return both(y, layer.forward(x))


def evaluate_backward(student, x, dy, p, seed):
    layer = student.Dropout(p, np.random.default_rng(seed))
    layer.forward(x)
    layer.training = False
    dx = layer.backward(dy)
    layer.forward(x)
    layer.training = True
    return both(dx, layer.backward(dy))


def train_slowly(x, p, seed):
    """Drop by the loop."""
    return dropout_slowly(x, p, True, np.random.default_rng(seed))


def backward_slowly(dy, p, seed):
    """Backward is a straight line in dy with the same factors."""
    return dropout_slowly(dy, p, True, np.random.default_rng(seed))


def second_step_slowly(x, dy, p, seed):
    """Draw what the first forwards have drawn, then drop."""
    results = []
    for array in (2 * x, dy):
        rng = np.random.default_rng(seed)
        rng.random((3, *x[0].shape))  # what came before
        results.append(dropout_slowly(array, p or 0.5, True, rng))
    return tuple(results)


def evaluate_slowly(x, p, seed):
    """Drop nothing, then drop."""
    rng = np.random.default_rng(seed)
    in_eval = dropout_slowly(x, p, False, rng)
    in_training = dropout_slowly(x, p, True, rng)
    return np.stack([in_eval, in_training])


def evaluate_backward_slowly(dy, p, seed):
    """Drop, then drop nothing."""
    rng = np.random.default_rng(seed)
    after_training = dropout_slowly(dy, p, True, rng)
    after_eval = dropout_slowly(dy, p, False, rng)
    return np.stack([after_training, after_eval])


EXERCISE = Exercise(
    minutes=40,
    difficulty=2,
    importance=3,
    inputs=inputs,
    calls=[
        Call(train, {"y": 2}),
        Call(backward, {"dx": 2}),
        Call(second_step, {"y of a second step": 1, "dx of a second step": 1}),
        Call(evaluate, {"y in eval mode, then training": 1}),
        Call(evaluate_backward, {"dx in training, then eval mode": 1}),
    ],
    axes={
        "y in eval mode, then training": ("in eval mode", "in training after it"),
        "dx in training, then eval mode": (
            "after a forward in training",
            "after a forward in eval mode",
        ),
    },
    slow={
        "train": train_slowly,
        "backward": backward_slowly,
        "second_step": second_step_slowly,
        "evaluate": evaluate_slowly,
        "evaluate_backward": evaluate_backward_slowly,
    },
    prediction=Prediction(
        "In training, with p = 0.5, a feature of x is 3. What can come out at its place?",
        {"a": "0 or 3", "b": "0 or 6", "c": "1.5"},
        answer="b",
        because=(
            "Half of the time it is 0, so that it must be 6 in the other half if the mean is to "
            "stay 3. Nothing has to be corrected later: eval mode may forget that there ever was "
            "dropout."
        ),
    ),
    hints=[
        "What is the derivative of y_i by x_i where x_i was kept, and where it was dropped? "
        "Forward and backward multiply by the same array.",
        "The random numbers compared with p make an array of booleans. Divided by 1 - p, it "
        "becomes an array of factors, 0 or 1 / (1 - p). y is x times these.",
        "Keep the factors on self at the end of each forward, and let backward multiply dy by "
        "them. In eval mode, which must draw nothing, the factors are ones: keep those too, or "
        "backward will find the old ones.",
    ],
)

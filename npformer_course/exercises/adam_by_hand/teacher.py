"""How the answers to adam_by_hand are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import move_slowly


def inputs(draw, N):
    """Draw a number in the middle of a training, and the first gradients of another one."""
    signs = draw.rng.choice([-1, 1], N)
    return {
        "theta": draw.uniform(0.5, 1.5),
        "g": draw.uniform(0.5, 2) * float(draw.rng.choice([-1, 1])),
        "m": draw.uniform(0.3, 1) * float(draw.rng.choice([-1, 1])),
        "v": draw.uniform(0.3, 2),
        "t": int(draw.rng.integers(2, 8)),
        "lr": draw.uniform(0.1, 0.3),
        "beta1": draw.uniform(0.7, 0.9),
        "beta2": draw.uniform(0.92, 0.98),
        "eps": draw.uniform(0.2, 0.6),  # large, so that its place shows
        # sizes between 1/1000 and 1000
        "gradients": signs * 10 ** draw.rng.uniform(-3, 3, N),
    }


def mean(student, m, g, beta1):
    return student.running_mean(m, g, beta1)


def correction(student, m, beta1, t):
    return student.corrected(m, beta1, t)


def one_update(student, theta, g, m, v, t, lr, beta1, beta2, eps):
    return student.move_one_number(theta, g, m, v, t, lr, beta1, beta2, eps)


def first_updates(student, theta, gradients, lr):
    m = 0.0
    v = 0.0
    thetas = []
    for t, g in enumerate(gradients.tolist(), 1):
        theta, m, v = student.move_one_number(theta, g, m, v, t, lr)
        thetas.append(theta)
    return np.array(thetas)


def first_updates_slowly(theta, gradients, lr):
    """Return theta after one update, after two, and so on."""
    thetas = []
    for t in range(1, len(gradients) + 1):
        thetas.append(move_slowly(theta, gradients[:t], lr))
    return np.array(thetas)


def terms_of_mean(m, g, beta1):
    """What is left of the old mean, and the part of the new number."""
    return {"the old mean": np.array(beta1 * m), "the new number": np.array((1 - beta1) * g)}


EXERCISE = Exercise(
    minutes=15,
    difficulty=1,
    importance=4,
    unchanged=0,  # the functions get no arrays
    inputs=inputs,
    sizes={"N": (3, 8)},
    calls=[
        Call(mean, {"running mean": 1}),
        Call(correction, {"corrected mean": 1}),
        Call(one_update, {"theta": 2, "m": 1, "v": 1}),
        Call(first_updates, {"theta of the first updates": 2}),
    ],
    axes={"theta of the first updates": ("update",)},
    slow={"first_updates": first_updates_slowly},
    terms={"running mean": terms_of_mean},
    prediction=Prediction(
        "The first update, m and v both 0. One number has the gradient 700, another 0.0001. "
        "Forget epsilon. How far does each move, with a learning rate of 0.1?",
        {"a": "70 and 0.00001", "b": "both by 0.1", "c": "both by 0.01, since m is still small"},
        answer="b",
        because=(
            "With t = 1 the corrected m is g and the corrected v is g squared, so each number "
            "moves by lr * g / |g|: the whole learning rate, whatever the size of its gradient. "
            "So the rate has to be small in the first updates."
        ),
    ),
    hints=[
        "The first two functions are one formula each, with the names of the arguments. Try them "
        "with numbers: a running mean of 0 that takes in 5 with beta = 0.9 is 0.5, and corrected "
        "with t = 1 it is 5.",
        "The third calls each of them twice: once for m with the gradient and beta1, once for v "
        "with the gradient's square and beta2. The gradient of this update is taken in before the "
        "step is made.",
        "New m, new v, their corrected copies, the step: the rate times the corrected m, divided "
        "by the root of the corrected v plus eps. Return theta less the step, and the m and v that "
        "are not corrected.",
    ],
)

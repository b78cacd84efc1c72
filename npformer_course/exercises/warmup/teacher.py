"""How the answers to warmup are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import learning_rate_slowly


def inputs(draw, D, N):
    """Draw a width and a warm-up, a step on each side of its end, and N steps in any order.

    The first step is among them, and of five or more also the last of the warm-up, the one before
    and the one after. The steps on each side lie anywhere there: what is true of the first few need
    not be true of those near the end.
    """
    warmup_steps = int(draw.rng.integers(27, 64))
    steps = draw.rng.integers(2, 3 * warmup_steps, N)
    if N > 1:  # a single one may be any
        steps[0] = 2 * warmup_steps
        steps[-1] = 1
    if N > 4:
        steps[1:4] = warmup_steps + np.array([1, -1, 0])
    return {
        "early": draw.whole(1, warmup_steps - 1),
        "late": int(draw.rng.integers(warmup_steps + 1, 4 * warmup_steps)),
        "steps": steps,
        "d_model": D,
        "warmup_steps": warmup_steps,
    }


def one_step(student, early, late, d_model, warmup_steps):
    before = student.learning_rate(early, d_model, warmup_steps)
    after = student.learning_rate(late, d_model, warmup_steps)
    return before, after


def many_steps(student, steps, d_model, warmup_steps):
    return student.learning_rate(steps, d_model, warmup_steps)


def one_step_slowly(early, late, d_model, warmup_steps):
    before = learning_rate_slowly(early, d_model, warmup_steps)
    after = learning_rate_slowly(late, d_model, warmup_steps)
    return before, after


def many_steps_slowly(steps, d_model, warmup_steps):
    return np.array([learning_rate_slowly(int(step), d_model, warmup_steps) for step in steps])


def places_of_steps(steps):
    """Return each step in words."""
    return [f"at step {step}" for step in steps]


EXERCISE = Exercise(
    minutes=15,
    difficulty=1,
    importance=3,
    inputs=inputs,
    sizes={"N": (5, 8)},
    calls=[
        Call(one_step, {"a step of the warm-up": 2, "a step after it": 2}),
        Call(many_steps, {"an array of steps": 2}),
    ],
    axes={"an array of steps": ()},
    where={"an array of steps": places_of_steps},
    slow={"one_step": one_step_slowly, "many_steps": many_steps_slowly},
    prediction=Prediction(
        "You make warmup_steps four times as long and change nothing else. What happens to the "
        "highest learning rate?",
        {
            "a": "it stays the same and comes later",
            "b": "it is half as high",
            "c": "it is a quarter as high",
        },
        answer="b",
        because=(
            "The highest rate is reached at step = warmup_steps, where it is (d_model * "
            "warmup_steps) ** -0.5: four times the steps, half the rate. A longer warm-up is "
            "also a lower one, which is easily forgotten."
        ),
    ),
    hints=[
        "Give each of the two in the bracket a name and a line of its own. Python's ** takes "
        "exponents like -0.5.",
        "Python's min compares two numbers; for two arrays you need the smaller one at each "
        "place. NumPy has a function for that, which also takes numbers.",
        "np.minimum(a, b) is what you need. Whole numbers in an array: `step ** -0.5` works, as "
        "does 1 / np.sqrt(step). The factor in front multiplies the result.",
    ],
)

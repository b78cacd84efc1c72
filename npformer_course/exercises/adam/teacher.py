"""How the answers to adam are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import adam_step_slowly


def inputs(draw, D, F, N):
    """Draw a gain (D,), a weight (D, F) and a bias (F,) in mid-training, and N updates' gradients.

    In every third draw there is no gain: a list has any number of arrays.
    """
    shapes = [(D,), (D, F), (F,)]
    if draw.lowest:
        shapes = shapes[1:]
    return {
        "parameters": [draw.normal(*shape) for shape in shapes],
        "each_gradients": [[draw.normal(*shape) for shape in shapes] for _ in range(N)],
        "state": {
            "m": [draw.normal(*shape) for shape in shapes],
            "v": [0.1 + draw.normal(*shape) ** 2 for shape in shapes],
            "t": int(draw.rng.integers(1, 6)),
        },
        "lr": draw.uniform(0.1, 0.3),
        "beta1": draw.uniform(0.7, 0.9),
        "beta2": draw.uniform(0.92, 0.98),
        "eps": draw.uniform(0.2, 0.6),  # large, so that its place shows
    }


def updates(step, parameters, each_gradients, state, *settings):
    """Return the weight and the bias after the updates, and the state."""
    for gradients in each_gradients:
        parameters, state = step(parameters, gradients, state, *settings)
    return tuple(parameters)[-2:], state


def one_update(student, parameters, each_gradients, state, lr, beta1, beta2, eps):
    settings = (lr, beta1, beta2, eps)
    moved, _ = updates(student.adam_step, parameters, each_gradients[:1], state, *settings)
    return moved


def some_updates(student, parameters, each_gradients, state, lr, beta1, beta2, eps):
    settings = (lr, beta1, beta2, eps)
    moved, last = updates(student.adam_step, parameters, each_gradients, state, *settings)
    return *moved, last["m"][0], last["v"][-2]


def one_update_slowly(parameters, each_gradients, state, lr, beta1, beta2, eps):
    settings = (lr, beta1, beta2, eps)
    moved, _ = updates(adam_step_slowly, parameters, each_gradients[:1], state, *settings)
    return moved


def some_updates_slowly(parameters, each_gradients, state, lr, beta1, beta2, eps):
    settings = (lr, beta1, beta2, eps)
    moved, last = updates(adam_step_slowly, parameters, each_gradients, state, *settings)
    return *moved, last["m"][0], last["v"][-2]


EXERCISE = Exercise(
    minutes=30,
    difficulty=2,
    importance=4,
    needs=("adam_by_hand",),
    inputs=inputs,
    calls=[
        Call(one_update, {"weight after one update": 2, "bias after one update": 1}),
        Call(
            some_updates,
            {
                "weight after some updates": 2,
                "bias after some updates": 1,
                "m kept": 1,
                "v kept": 1,
            },
        ),
    ],
    slow={"one_update": one_update_slowly, "some_updates": some_updates_slowly},
    prediction=Prediction(
        "Training has gone on for a while. The word 'Zug' is not in this batch, so all gradients "
        "of its row of the embedding matrix are 0. It was in the batch before. Does Adam move "
        "this row?",
        {
            "a": "no: a gradient of 0 moves nothing",
            "b": "yes, a little: m still holds the gradients of earlier batches",
            "c": "yes, by the whole learning rate",
        },
        answer="b",
        because=(
            "The step is made with m, not with the gradient, and m only shrinks by beta1 in an "
            "update with the gradient 0. After some dozens of batches without the word the row is "
            "nearly at rest."
        ),
    ),
    hints=[
        "Work on one array at a time, with NumPy's arithmetic on whole arrays: the formulas hold "
        "as they stand. What does not belong inside the loop over the arrays?",
        "Take t out of the state and raise it by one before the loop. Inside it: new m, new v, "
        "their corrected copies, the moved array. Collect three lists.",
        "zip gives you p, g, m and v of each array together. Four lines of formulas follow, in "
        "the text's order; the state that you return holds the uncorrected m and v, and the t "
        "that you have corrected with.",
    ],
)

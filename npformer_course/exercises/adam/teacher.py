"""How the answers to adam are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import adam_step_slowly


def inputs(draw, D, F, N):
    """Draw a weight (D, F) and a bias (F,) in mid-training, and their gradients at N updates."""
    beta1 = draw.uniform(0.7, 0.9)
    beta2 = draw.uniform(0.92, 0.98)
    drawn = {
        "weight": draw.normal(D, F),
        "bias": draw.normal(F),
        "dweight": draw.normal(N, D, F),
        "dbias": draw.normal(N, F),
    }
    m = [draw.normal(D, F), draw.normal(F)]
    v = [0.1 + draw.normal(D, F) ** 2, 0.1 + draw.normal(F) ** 2]
    state = {"m": m, "v": v, "t": int(draw.rng.integers(1, 6))}
    return {
        **drawn,
        "state": state,
        "lr": draw.uniform(0.1, 0.3),
        "beta1": beta1,
        "beta2": beta2,
        "eps": draw.uniform(0.2, 0.6),  # large, so that its place shows
    }


def updates(step, n, weight, bias, dweight, dbias, state, lr, beta1, beta2, eps):
    """Return the parameters and the state after n updates."""
    parameters = [weight, bias]
    for i in range(n):
        gradients = [dweight[i], dbias[i]]
        parameters, state = step(parameters, gradients, state, lr, beta1, beta2, eps)
    return parameters, state


def one_update(student, weight, bias, dweight, dbias, state, lr, beta1, beta2, eps):
    step = student.adam_step
    parameters, _ = updates(step, 1, weight, bias, dweight, dbias, state, lr, beta1, beta2, eps)
    return tuple(parameters)


def some_updates(student, weight, bias, dweight, dbias, state, lr, beta1, beta2, eps):
    step = student.adam_step
    n = len(dweight)
    parameters, last = updates(step, n, weight, bias, dweight, dbias, state, lr, beta1, beta2, eps)
    return *parameters, last["m"][0], last["v"][0]


def one_update_slowly(weight, bias, dweight, dbias, state, lr, beta1, beta2, eps):
    parameters, _ = updates(
        adam_step_slowly, 1, weight, bias, dweight, dbias, state, lr, beta1, beta2, eps
    )
    return tuple(parameters)


def some_updates_slowly(weight, bias, dweight, dbias, state, lr, beta1, beta2, eps):
    n = len(dweight)
    parameters, last = updates(
        adam_step_slowly, n, weight, bias, dweight, dbias, state, lr, beta1, beta2, eps
    )
    return *parameters, last["m"][0], last["v"][0]


EXERCISE = Exercise(
    minutes=40,
    difficulty=2,
    importance=4,
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
        "The first update of a fresh model, m and v both 0. One number has the gradient 700, "
        "another 0.0001. Forget epsilon. How far does each move, with a learning rate of 0.1?",
        {"a": "70 and 0.00001", "b": "both by 0.1", "c": "both by 0.01, since m is still small"},
        answer="b",
        because=(
            "With t = 1 the corrected m is g and the corrected v is g squared, so each number "
            "moves by lr * g / |g|: the whole learning rate, whatever the size of its gradient. "
            "So the rate has to be small in the first updates."
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

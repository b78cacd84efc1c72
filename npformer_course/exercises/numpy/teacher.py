"""How the answers to numpy are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import center_slowly, pick_slowly, scale_slowly


def inputs(draw, B, T, D, V):
    """Draw an array with a weight for each position, and scores with an id for each position."""
    return {
        "x": draw.normal(B, T, D) + 1,
        "weights": draw.normal(B, T),
        "scores": draw.normal(B, T, V),
        # draw.ids starts at 1, and here 0 is an id like any other
        "ids": draw.ids(B, T, vocab_size=V + 1, pad=False) - 1,
    }


def on_center(student, x):
    return student.center(x)


def on_scale(student, x, weights):
    return student.scale(x, weights)


def on_pick(student, scores, ids):
    return student.pick(scores, ids)


EXERCISE = Exercise(
    minutes=25,
    difficulty=1,
    importance=4,
    inputs=inputs,
    calls=[
        Call(on_center, {"center": 2}),
        Call(on_scale, {"scale": 2}),
        Call(on_pick, {"pick": 2}),
    ],
    slow={"on_center": center_slowly, "on_scale": scale_slowly, "on_pick": pick_slowly},
    prediction=Prediction(
        "x has the shape (4, 4, 4), and you write x - x.mean(-1), without keepdims. What happens?",
        {
            "a": "an error: the shapes (4, 4, 4) and (4, 4) do not fit",
            "b": "the right result, since NumPy adds the axis that is missing",
            "c": "no error, and features lose the means of other positions",
        },
        answer="c",
        because=(
            "Compared from the right, (4, 4) goes with the last two axes, positions and "
            "features, although the axes of the means are sentences and positions. With the "
            "shape (2, 3, 4) it would be an error, which is better luck."
        ),
    ),
    hints=[
        "For center, write down the shape of the mean, with and without keepdims, below the "
        "shape of x. For scale, write (B, T) below (B, T, D), flush right: which axis has to be "
        "added to the weights, and where?",
        "For pick you need three arrays of integers that broadcast to (B, T), one for each axis "
        "of scores. The last one is ids. The first says b and must not depend on t: what shape "
        "has it? np.arange makes 0, 1, 2 and so on.",
        "mean(-1, keepdims=True) keeps an axis of length 1; [..., None] adds one. "
        "np.arange(B)[:, None] is (B, 1), np.arange(T) is (T,), and with ids (B, T) all three "
        "fit.",
    ],
)

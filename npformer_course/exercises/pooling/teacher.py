"""How the answers to pooling are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import mean_pool_backward_slowly, mean_pool_slowly


def inputs(draw, B, S, D):
    """Draw vectors, padding included, and the gradient from above."""
    mask = draw.mask(B, S)  # each row has a True
    if S > 1:  # padding in front
        mask[-1, [0, -1]] = False, True
    return {
        "x": draw.normal(B, S, D),
        "dy": draw.normal(B, D),
        "mask": mask,
    }


def forward(student, x, mask):
    return student.mean_pool(x, mask)


def backward(student, dy, mask):
    return student.mean_pool_backward(dy, mask)


EXERCISE = Exercise(
    minutes=20,
    difficulty=2,
    importance=3,
    needs=("numpy", "masks"),
    inputs=inputs,
    calls=[Call(forward, {"y": 4}), Call(backward, {"dx": 4})],
    slow={"forward": mean_pool_slowly, "backward": mean_pool_backward_slowly},
    prediction=Prediction(
        "Two sentences of a batch have the same dy. The first has 3 real positions, the second 12. "
        "Whose vectors get the larger gradient?",
        {
            "a": "those of the short sentence, four times as much each",
            "b": "those of the long sentence, four times as much each",
            "c": "all the same",
        },
        answer="a",
        because=(
            "A mean of 3 moves by a third of what one of them moves by, a mean of 12 by a twelfth. "
            "Added up over the positions both sentences have the same gradient: dy."
        ),
    ),
    hints=[
        "mask is (B, S) and x is (B, S, D): the mask needs an axis of length 1 at its end. In a "
        "product True counts as 1 and False as 0. The number of real positions of each sentence is "
        "a sum of the mask along one axis.",
        "A mean is a weighted sum: each real position has the weight 1/n, padding the weight 0. "
        "Make these weights (B, S) first, with keepdims=True in the sum, so that the division fits.",
        "Forward: weights with a third axis, times x, summed over the positions. Backward: the same "
        "weights with a third axis (B, S, 1), times dy with an axis in the middle (B, 1, D).",
    ],
)

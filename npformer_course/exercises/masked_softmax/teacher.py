"""How the answers to masked_softmax are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import masked_softmax_backward_slowly, masked_softmax_slowly


def inputs(draw, B, H, T, S):
    """Draw scores of which some hidden ones are loud, and a row without any True.

    Each sentence has a loud score, 900 above the others. Of three sentences or more the last is
    hidden throughout. In the rows whose visible scores are near -450 the loud ones are loud only
    next to the others: no power of them is too large for a float. Near 1000 those of the visible
    ones are too large, and near -1000 they are all 0.
    """
    mask = draw.mask(B, 1, T, S, empty=B * T > 1)
    if B > 2:
        mask[-1] = False
    x = draw.normal(B, H, T, S)
    loud = draw.rng.random(x.shape) < 0.2
    loud[..., 0, -1] = True
    x += np.where(loud & ~mask, 900, 0) + draw.rng.choice([0, -450, 1000, -1000], (B, H, T, 1))
    return {
        "x": x,
        "mask": mask,
        "y": masked_softmax_slowly(x, mask),
        "dy": draw.normal(B, H, T, S),
    }


def forward(student, x, mask):
    return student.masked_softmax(x, mask)


def backward(student, dy, y):
    return student.masked_softmax_backward(dy, y)


def terms_of_dx(dy, y):
    """A score moves its own weight, and the total of its row."""
    return {
        "the direct term, y * dy": y * dy,
        "the sum over the row": -y * (dy * y).sum(-1, keepdims=True),
    }


EXERCISE = Exercise(
    minutes=45,
    difficulty=3,
    importance=4,
    needs=("softmax_backward", "masks"),
    inputs=inputs,
    calls=[Call(forward, {"y": 4}), Call(backward, {"dx": 2})],
    slow={"forward": masked_softmax_slowly, "backward": masked_softmax_backward_slowly},
    terms={"dx": terms_of_dx},
    prediction=Prediction(
        "In one row, dy is 1000 at a hidden place and 0 at all visible places. What is dx in "
        "that row?",
        {
            "a": "1000 at the hidden place, 0 elsewhere",
            "b": "0 everywhere",
            "c": "0 at the hidden place, and below 0 at the visible ones",
        },
        answer="b",
        because=(
            "The hidden weight is 0 whatever the scores are. In the formula dy meets it only as "
            "dy * y, which is 0, so the 1000 goes nowhere. The weights carry the mask; backward "
            "needs no other."
        ),
    ),
    hints=[
        "Let NumPy choose between the score and a number that no power survives: np.where takes "
        "a mask that broadcasts. What does np.exp make of -np.inf?",
        "Follow a row without any True through your lines. Its maximum is -inf, and -inf - "
        "(-inf) is NaN: put a finite number in place of such a maximum. Its total is 0: put "
        "something harmless in place of such a total.",
        "Forward in five steps: hidden scores to -inf; the row's maximum, 0 where it is not "
        "finite; np.exp of the difference; the row's sum, 1 where it is 0; divide. Backward is "
        "the formula of softmax without a change.",
    ],
)

"""How the answers to masked_softmax are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import masked_softmax_slowly


def inputs(draw, B, H, T, S):
    """Draw scores of which some hidden ones are loud, and a row without any True.

    Each sentence has a loud score, 900 above the others, in the last head 9e12. Of three sentences
    or more the last is hidden throughout. The first score, which is visible, is 0. In the rows
    whose visible scores are near -450 the loud ones of the other heads are loud only next to the
    others: no power of them is too large for a float. Near 1000 those of the visible ones are too
    large, and near -1000 they are all 0. The first row is, in the first head, at -2e5 in all
    sentences but the first: a number such as -1e4 in the place of hidden scores is no help there.
    In these rows the first place is hidden, and the last one is not. In the last row of the second
    sentence the first two are visible, and the first is far below all others.
    """
    mask = draw.mask(B, 1, T, S, empty=B * T > 1)
    mask[1:, 0, 0] = mask[1:, 0, 0, ::-1]
    mask[1:, 0, -1, :2] = True
    if B > 2:
        mask[-1] = False
    x = draw.normal(B, H, T, S)
    loud = draw.rng.random(x.shape) < 0.2
    loud[..., 0, [0, -1]] = True
    louder = np.where(loud & ~mask, 900.0, 0.0)
    louder[:, -1] *= 1e10
    x += louder + draw.rng.choice([0, -450, 1000, -1000], (B, H, T, 1))
    x[0, :, 0, 0] = 0
    x[1:, 0, 0] -= 2e5
    x[1:2, :, -1, 0] -= 20_000
    return {
        "x": x,
        "mask": mask,
        "padding": draw.mask(B, 1, 1, S, empty=B > 1),
    }


def forward(student, x, mask):
    return student.masked_softmax(x, mask)


def padded(student, x, padding):
    return student.masked_softmax(x, padding)


def padded_slowly(x, padding):
    return masked_softmax_slowly(x, padding)


EXERCISE = Exercise(
    minutes=30,
    difficulty=3,
    importance=4,
    needs=("softmax", "masks"),
    inputs=inputs,
    calls=[Call(forward, {"y": 4}), Call(padded, {"y under a padding mask": 1})],
    slow={"forward": masked_softmax_slowly, "padded": padded_slowly},
    prediction=Prediction(
        "Somebody writes no mask, but takes 1000 off the scores of all hidden places and then "
        "calls softmax. In a row in which every place is hidden, what are the weights?",
        {
            "a": "0 everywhere",
            "b": "those that the row would have if nothing in it were hidden",
            "c": "NaN",
        },
        answer="b",
        because=(
            "Softmax sees only how far scores lie apart, and 1000 taken off all of them changes "
            "no distance. So padding would be looked at after all, in just the rows in which "
            "there is nothing else. Such a row needs a rule of its own."
        ),
    ),
    hints=[
        "Let NumPy choose between the score and a number that no power survives: np.where takes "
        "a mask that broadcasts. What does np.exp make of -np.inf?",
        "Follow a row without any True through your lines. Its maximum is -inf, and -inf - "
        "(-inf) is NaN: put a finite number in place of such a maximum. Its total is 0: put "
        "something harmless in place of such a total.",
        "Five steps: hidden scores to -inf; the row's maximum, 0 where it is not finite; np.exp "
        "of the difference; the row's sum, 1 where it is 0; divide.",
    ],
)

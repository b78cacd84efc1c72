"""How the answers to lstm_backward are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import lstm_backward_slowly


def inputs(draw, B, H):
    """Draw what forward left, and the gradients from above and from the next step."""
    i = 1 / (1 + np.exp(-draw.normal(B, H)))
    f = 1 / (1 + np.exp(-draw.normal(B, H)))
    g = np.tanh(draw.normal(B, H))
    o = 1 / (1 + np.exp(-draw.normal(B, H)))
    c_old = 1.5 * draw.normal(B, H)
    return {
        "dh": draw.normal(B, H),
        "dc": draw.normal(B, H),
        "gates": np.concatenate([i, f, g, o], axis=-1),
        "c_old": c_old,
        "c": f * c_old + i * g,
        "u": draw.normal(H, 4 * H),
    }


def backward(student, dh, dc, gates, c_old, c, u):
    return student.lstm_backward(dh, dc, gates, c_old, c, u)


def terms_of_dc_old(dh, dc, gates, c_old, c, u):
    """What reaches the old cell from the next step, and what from the output."""
    _, f, _, o = np.split(gates, 4, axis=-1)
    return {
        "what comes from dc": f * dc,
        "what comes from dh": f * dh * o * (1 - np.tanh(c) ** 2),
    }


EXERCISE = Exercise(
    minutes=25,
    difficulty=3,
    importance=3,
    needs=("lstm_step",),
    inputs=inputs,
    calls=[Call(backward, {"dz": 5, "dh_old": 1, "dc_old": 3})],
    slow={"backward": lstm_backward_slowly},
    terms={"dc_old": terms_of_dc_old},
    prediction=Prediction(
        "Let dh be 0 in all steps but the last. On its way from the last cell to the first, "
        "straight along the cells, what is a gradient multiplied by?",
        {
            "a": "by a matrix u and a slope at every step",
            "b": "by f at every step, and by nothing else",
            "c": "by nothing: it arrives as it is",
        },
        answer="b",
        because=(
            "From cell to cell there is one product, with f. With f near 1 a gradient goes a long "
            "way, and with f = 0.7 a hundredth of it is left after 13 steps. (A second way goes "
            "through the outputs and u, and adds to it.)"
        ),
    ),
    hints=[
        "Take gates apart and write the gradient at the new cell first: dc, and to it what comes "
        "back through h = o tanh(c), which is dh times o times a slope.",
        "Then each of i, f, g is one factor of a product in the cell: its gradient is that of the "
        "cell times the other factor. o is a factor of h. Each is multiplied by the slope of its "
        "own function: sigmoid three times, tanh once.",
        "Put the four side by side in the order i, f, g, o: this is dz. The old output went "
        "through a product with u, so its gradient is dz with the transposed u. The old cell was "
        "multiplied by f.",
    ],
)

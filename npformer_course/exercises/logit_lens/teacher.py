"""How the answers to logit_lens are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import logit_lens_slowly, ranks_slowly


def inputs(draw, N, T, D, V):
    """Draw states that grow from layer to layer, logits, and the right token of each position.

    The first and the last token are among the right ones.
    """
    D = max(D, 2)
    V = max(V, 3)
    right = draw.rng.integers(0, V, T)
    right[0] = 0
    right[-1] = V - 1
    sizes = np.cumsum(draw.rng.uniform(0.5, 2, N))
    return {
        "states": draw.normal(N, T, D) * sizes[:, None, None] + draw.normal(N, T, 1),
        "gain": draw.gain(D),
        "bias": draw.normal(D),
        # large, so that it shows where it is left out
        "eps": draw.uniform(0.2, 0.5),
        "table": draw.normal(V, D),
        "logits": 2 * draw.normal(N, T, V),
        "right": right,
    }


def lens(student, states, gain, bias, eps, table):
    return student.logit_lens(states, gain, bias, eps, table)


def of_right(student, logits, right):
    return student.ranks(logits, right)


EXERCISE = Exercise(
    minutes=20,
    difficulty=2,
    importance=3,
    needs=("layer_norm", "tied_generator"),
    inputs=inputs,
    sizes={"V": (7, 12)},
    calls=[Call(lens, {"logits": 3}), Call(of_right, {"ranks": 3})],
    slow={"lens": logit_lens_slowly, "of_right": ranks_slowly},
    prediction=Prediction(
        "The state after layer 0 of a deep model gives nonsense through the lens. What does that "
        "say about this state?",
        {
            "a": "it knows nothing of the next token",
            "b": "little: it may be written in a way that only later layers can read",
            "c": "layer 0 is not needed",
        },
        answer="b",
        because=(
            "Training asks only the last state to be readable by the output table. A lens that "
            "shows the answer says that it is there; one that does not says little."
        ),
    ),
    hints=[
        "The two steps at the end of every model are the same for all states. Which axes does "
        "LayerNorm leave alone, and which axis of the table has to meet the features?",
        "For the ranks, first get the logit of the right token at each position of each state, "
        "(N, T). Index the axis of positions and that of tokens together, one pair a position.",
        "Compare all logits with that one. For this it needs a last axis of length 1. Then count: "
        "True is 1 in a sum. The right token is not larger than itself.",
    ],
)

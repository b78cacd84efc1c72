"""How the answers to tied_generator are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import generator_backward_slowly, generator_slowly, tied_gradient_slowly


def inputs(draw, B, T, S, D, V):
    """Draw what the generator sees on both ways, and what reaches the two embeddings.

    They read the first token and the last, except in every third draw, in which the last occurs
    nowhere.
    """
    V = max(V, 2)
    largest = V - 2 if draw.lowest else V - 1
    src = draw.ids(B, S, vocab_size=largest + 2, pad=False) - 1
    tgt = draw.ids(B, T, vocab_size=largest + 2, pad=False) - 1
    src[-1, -1] = 0
    tgt[-1, -1] = largest
    return {
        "x": draw.normal(B, T, D),
        "table": draw.normal(V, D),
        "dlogits": draw.normal(B, T, V),
        "dgenerator": draw.normal(V, D),
        "src": src,
        "dsrc": draw.normal(B, S, D),
        "tgt": tgt,
        "dtgt": draw.normal(B, T, D),
    }


def forward(student, x, table):
    return student.generator(x, table)


def backward(student, dlogits, x, table):
    return student.generator_backward(dlogits, x, table)


def tied(student, dgenerator, src, dsrc, tgt, dtgt):
    return student.tied_gradient(dgenerator, src, dsrc, tgt, dtgt)


def terms_of_tied_gradient(dgenerator, src, dsrc, tgt, dtgt):
    """The three uses of the table."""
    nothing = np.zeros_like(dgenerator)
    return {
        "the generator's part": dgenerator,
        "the source embedding's part": tied_gradient_slowly(nothing, src, dsrc, tgt, 0 * dtgt),
        "the target embedding's part": tied_gradient_slowly(nothing, src, 0 * dsrc, tgt, dtgt),
    }


EXERCISE = Exercise(
    minutes=40,
    difficulty=3,
    importance=3,
    needs=("linear", "embedding_backward"),
    inputs=inputs,
    calls=[
        Call(forward, {"logits": 2}),
        Call(backward, {"dx": 2, "dtable": 2}),
        Call(tied, {"tied gradient": 3}),
    ],
    slow={
        "forward": generator_slowly,
        "backward": generator_backward_slowly,
        "tied": tied_gradient_slowly,
    },
    terms={"tied gradient": terms_of_tied_gradient},
    prediction=Prediction(
        "A token stands nowhere in the batch, neither in the source nor in the target. Does its "
        "row of the tied table get a gradient all the same?",
        {
            "a": "no: a row that is not read has no gradient",
            "b": "yes: it is scored at every position, though it is never right",
            "c": "only if its row resembles that of a token that is there",
        },
        answer="b",
        because=(
            "Every row takes part in every position's softmax, so the generator moves all V rows "
            "at every update. The embeddings move only the rows that they read."
        ),
    ),
    hints=[
        "Forget the batch: for one position, logits (V,) are the table (V, D) times x (D,). "
        "Which product gives a vector of D numbers out of dlogits (V,)? And which gives (V, D) "
        "out of dlogits (V,) and x (D,)?",
        "For dtable, lay all positions of all sentences end to end, (B T, V) and (B T, D): one "
        "product of two matrices then adds up over them. For the tied gradient, start from a "
        "copy of the generator's part.",
        "Transpose dlogits of shape (B T, V) and multiply it by x of shape (B T, D). In the tied "
        "gradient, NumPy's np.add.at(array, ids, values) adds for every id, also for repeated "
        "ones; the values are dy times the root of D.",
    ],
)

"""How the answers to masks are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction
from npformer_course.inputs import PAD

from .exercise import masks_slowly


def inputs(draw, B, T, V):
    """Draw ids whose padding is not 0, and in which 0 is a word.

    Padding is in the middle of the first sentence, and in front of the last one. Of three or more
    the second is nothing else.
    """
    drawn = draw.ids(B, T, vocab_size=max(V, 2), inside=True)
    is_padding = drawn == PAD
    pad_id = int(drawn[0, 0])
    ids = np.where(drawn == pad_id, 0, drawn)
    ids[is_padding] = pad_id
    if B > 1:
        ids[-1] = np.roll(ids[-1], is_padding[-1].sum())
    if B > 2:
        ids[1] = pad_id
    return {"ids": ids, "pad_id": pad_id, "length": T}


def padding(student, ids, pad_id):
    return student.padding_mask(ids, pad_id)


def causal(student, length):
    return student.causal_mask(length)


def target(student, ids, pad_id):
    return student.target_mask(ids, pad_id)


def padding_slowly(ids, pad_id):
    mask, _, _ = masks_slowly(ids, pad_id)
    return mask


def causal_slowly(length):
    _, mask, _ = masks_slowly(np.zeros((1, length), int), 0)
    return mask


def target_slowly(ids, pad_id):
    _, _, mask = masks_slowly(ids, pad_id)
    return mask


EXERCISE = Exercise(
    minutes=25,
    difficulty=2,
    importance=4,
    inputs=inputs,
    calls=[
        Call(padding, {"padding_mask": 2}),
        Call(causal, {"causal_mask": 2}),
        Call(target, {"target_mask": 3}),
    ],
    slow={"padding": padding_slowly, "causal": causal_slowly, "target": target_slowly},
    prediction=Prediction(
        "Padding is at the end of a sentence. In the decoder's mask, leave the padding out and "
        "keep the future hidden: for which queries does the mask change?",
        {
            "a": "for all of them",
            "b": "only for those that are padding themselves",
            "c": "only for the last word of each sentence",
        },
        answer="b",
        because=(
            "Padding at the end is the future of every word, so it is hidden from words already. "
            "Only padding has padding in its past. In an encoder, where nothing hides the "
            "future, it is another matter."
        ),
    ),
    hints=[
        "Padding: compare the ids with pad_id first, which gives (B, S). Then an axis of length "
        "1 has to come between the two: x[:, None] adds one. Future: write the mask for three "
        "positions on paper, query by query.",
        "The future's mask has True on the diagonal and below it. NumPy has a function that "
        "keeps just that triangle of a matrix, and np.arange compared with np.arange, one of "
        "them as a column, gives it too.",
        "For the decoder you need no new comparison: you have a (B, 1, T) and a (T, T), both "
        "must allow the look, and broadcasting makes (B, T, T) of them. For booleans the "
        "operator is &.",
    ],
)

"""How the answers to embedding_backward are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import embed_backward_slowly


def inputs(draw, B, T, D, V):
    """Draw sentences with a repeated word, and with padding.

    Padding is at their ends, and in front of the last word of the first one. The repeated word,
    with which each sentence begins, is the last of the vocabulary, except in every third draw, in
    which the last occurs nowhere.
    """
    V = max(V, 2)  # padding and a word
    ids = draw.ids(B, T, vocab_size=V, inside=True)
    ids[0, :2] = V - 1
    ids[:, 0] = V - 1
    return {
        "dy": draw.normal(B, T, D),
        "ids": ids,
        "vocab_size": V + 1 if draw.lowest else V,
    }


def backward(student, dy, ids, vocab_size):
    return student.embed_backward(dy, ids, vocab_size)


def terms_of_dtable(dy, ids, vocab_size):
    """What the first word of each sentence gives, and what the others give."""
    first = embed_backward_slowly(dy[:, :1], ids[:, :1], vocab_size)
    return {
        "the first position's part": first,
        "the other positions' part": embed_backward_slowly(dy, ids, vocab_size) - first,
    }


EXERCISE = Exercise(
    minutes=20,
    difficulty=2,
    importance=4,
    needs=("embedding",),
    inputs=inputs,
    calls=[Call(backward, {"dtable": 5})],
    slow={"backward": embed_backward_slowly},
    terms={"dtable": terms_of_dtable},
    prediction=Prediction(
        "A vocabulary of 37,000 words; one batch holds 3,000 ids of which 900 differ. How many "
        "rows of dtable are not 0?",
        {"a": "at most 900", "b": "3,000", "c": "37,000"},
        answer="a",
        because=(
            "A row that was not looked up does not touch the loss, and a word that occurs twice "
            "has one row, in which two gradients meet. In the paper's model all the rows get a "
            "gradient after all, but by way of the scores at the other end, which use the same "
            "table: that is exercise tied_generator."
        ),
    ),
    hints=[
        "Print a after a[np.array([1, 1, 1])] += 1. Then write one row of dtable by hand, for a "
        "word that occurs twice.",
        "np.add.at(a, where, b) adds b to a at the places `where`, and does so again for each "
        "place that comes again. The shapes fit as they do in a[where]: with ids of (B, T), it "
        "wants values of (B, T, D).",
        "Make a dtable of zeros, one row for each word. Add dy to it at the ids with np.add.at. "
        "Then the same root as in forward, and last the agreement on padding: set its row to 0.",
    ],
)

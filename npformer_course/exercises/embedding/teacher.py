"""How the answers to embedding are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import embed_slowly


def inputs(draw, B, T, D, V):
    """Draw sentences with a repeated word, and with padding.

    Padding is at their ends, and in front of the last word of the first one.
    """
    V = max(V, 2)  # padding and a word
    return {
        "ids": draw.ids(B, T, vocab_size=V, inside=True),
        "table": draw.normal(V, D),
    }


def forward(student, ids, table):
    return student.embed(ids, table)


EXERCISE = Exercise(
    minutes=15,
    difficulty=1,
    importance=4,
    needs=("numpy",),
    inputs=inputs,
    calls=[Call(forward, {"y": 4})],
    slow={"forward": embed_slowly},
    prediction=Prediction(
        "'the dog bites the man': the word 'the' is at positions 0 and 3. What can be said of the "
        "two rows of y at these positions?",
        {
            "a": "they are equal",
            "b": "they differ, because the positions differ",
            "c": "they differ, because the words next to them differ",
        },
        answer="a",
        because=(
            "The row depends on the id and on nothing else. Where a word is comes with the "
            "positions, in the next exercise, and which words are around it comes with attention."
        ),
    ),
    hints=[
        "Make a small table with np.arange(12).reshape(4, 3), and print table[0], "
        "table[np.array([0, 0, 2])] and their shapes.",
        "Between the brackets an array of ids gives an array of rows: it has the shape of the "
        "ids, and behind it one axis more, that of a row's features. What is below the root: the "
        "number of rows, or the length of one?",
        "The rows of all ids have the shape (B, T, D) at once. Multiply them by one number, "
        "the root of D; table.shape holds D, as its second number.",
    ],
)

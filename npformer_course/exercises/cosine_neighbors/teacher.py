"""How the answers to cosine_neighbors are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import cosines_slowly, neighbors_slowly


def inputs(draw, V, D):
    """Draw a table with rows of very different length, and the number of a row.

    A very short row points nearly in the opposite direction.
    """
    V = max(V, 4)
    D = max(D, 2)
    lengths = np.exp(draw.normal(V, 1))
    table = lengths * draw.normal(V, D)
    row = int(draw.rng.integers(V))
    table[row - 1] = -1e-30 * table[row] * draw.rng.uniform(0.8, 1.2, D)
    # in every third draw all other rows
    return {"table": table, "row": row, "n": V - draw.whole(1, V - 1)}


def of_all(student, table, row):
    return student.cosines(table, row)


def nearest(student, table, row, n):
    return student.neighbors(table, row, n)


EXERCISE = Exercise(
    minutes=15,
    difficulty=1,
    importance=3,
    needs=("embedding",),
    inputs=inputs,
    calls=[Call(of_all, {"cosines": 3}), Call(nearest, {"neighbors": 3})],
    slow={"of_all": cosines_slowly, "nearest": neighbors_slowly},
    prediction=Prediction(
        "Rows of 64 random numbers: what is a typical cosine of two of them?",
        {
            "a": "about 0.5: half of the numbers agree",
            "b": "about 0.1 or -0.1, and hardly ever above 0.5",
            "c": "anything between -1 and 1, all equally often",
        },
        answer="b",
        because=(
            "It has the mean 0 and a standard deviation of one over the root of 64. In many "
            "dimensions nearly all directions are at right angles, so a cosine of 0.7 is no chance."
        ),
    ),
    hints=[
        "Divide each row by its length first. Then a dot product is a cosine. Which axis is summed "
        "for the lengths, and which one has to stay so that the shapes fit?",
        "All dot products with one row are a product of the table and this row. For the order, sort "
        "by the cosines and keep the numbers of the rows, not the cosines.",
        "NumPy's argsort sorts upward, so sort what has the other sign. The first is mostly the row "
        "itself: take it out by its number, then take the first n of the others.",
    ],
)

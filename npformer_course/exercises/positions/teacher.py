"""How the answers to positions are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import sinusoids_slowly


def inputs(draw, B, T, K):
    """Draw sizes with D = 2 * K, sentences, and any table with some rows more than are wanted.

    In every third draw the table of the sinusoids is as wide as the paper's.
    """
    start = draw.whole(0, 3)
    more = int(draw.rng.integers(2, 7))
    return {
        "n_positions": T + 4,
        "d_model": 512 if draw.lowest else 2 * K,
        "x": draw.normal(B, T, 2 * K),
        "table": draw.normal(start + T + more, 2 * K),
        "start": start,
    }


def make_table(student, n_positions, d_model):
    return student.sinusoids(n_positions, d_model)


def add(student, x, table, start):
    return student.add_positions(x, table, start)


def add_slowly(x, table, start):
    """Add one row at a time."""
    y = x.copy()
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            y[b, t] += table[start + t]
    return y


EXERCISE = Exercise(
    minutes=30,
    difficulty=2,
    importance=4,
    needs=("embedding",),
    inputs=inputs,
    calls=[Call(make_table, {"table": 5}), Call(add, {"y": 2})],
    slow={"make_table": sinusoids_slowly, "add": add_slowly},
    prediction=Prediction(
        "Take the dot product of the rows for positions 3 and 5, and that of the rows for "
        "positions 103 and 105. Which is larger?",
        {"a": "the first", "b": "the second", "c": "they are equal"},
        answer="c",
        because=(
            "For each clock it is sin a sin b + cos a cos b = cos(a - b), and a - b is the same "
            "2 steps in both. So the dot product of two rows tells how far apart they are, and "
            "not where. Try it with your table."
        ),
    ),
    hints=[
        "Print the angles of the slow loop for d_model = 6 and five positions as a table, 5 by "
        "3. What do its rows have in common, and what its columns?",
        "The numbers 2i are np.arange(0, d_model, 2). Positions of shape (n_positions, 1), "
        "divided by powers of shape (d_model / 2,), broadcast to all the angles, (n_positions, "
        "d_model / 2).",
        "Make an empty table of the full shape. The slice 0::2 of its last axis takes the sines "
        "of all angles, the slice 1::2 their cosines. For add_positions, a slice of T rows has "
        "shape (T, D) and fits every sentence as it is.",
    ],
)

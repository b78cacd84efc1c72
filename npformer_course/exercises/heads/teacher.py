"""How the answers to heads are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import merge_heads_slowly, split_heads_slowly


def inputs(draw, B, H, T, d_k):
    """Draw what is to be split, and what is to be merged."""
    return {
        "x": draw.normal(B, T, H * d_k),
        "heads": draw.normal(B, H, T, d_k),
        "n_heads": H,
    }


def split(student, x, n_heads):
    return student.split_heads(x, n_heads)


def merge(student, heads):
    return student.merge_heads(heads)


EXERCISE = Exercise(
    minutes=20,
    difficulty=2,
    importance=4,
    needs=("attention",),
    inputs=inputs,
    calls=[Call(split, {"heads": 4}), Call(merge, {"merged": 2})],
    slow={"split": split_heads_slowly, "merge": merge_heads_slowly},
    prediction=Prediction(
        "One sentence has two words: word 0 has the features 0, 1, 2, 3, word 1 has 4, 5, 6, 7. "
        "For two heads, split_heads must return the shape (1, 2, 2, 2), and x.reshape(1, 2, 2, 2) "
        "has it. What is in its head 0?",
        {
            "a": "0, 1 of word 0 and 4, 5 of word 1, as it should be",
            "b": "0, 1, 2, 3: all of word 0, and nothing of word 1",
            "c": "0, 2 of word 0 and 4, 6 of word 1",
        },
        answer="b",
        because=(
            "A reshape keeps the order in which the numbers lie, and the first four of them are "
            "those of word 0. So each head would have one word whole, for two words with half of "
            "its features each. No error says so."
        ),
    ),
    hints=[
        "Try it on numbers that tell where they come from: x = np.arange(12).reshape(1, 3, 4) "
        "with 2 heads. Write down on paper what should come out, then look at what does.",
        "Splitting takes two steps. First cut the last axis in two, and be careful which of the "
        "two new axes comes first. Then the shape has the right four letters in the wrong order.",
        "Split: reshape to (B, T, H, d_k), then exchange axes 1 and 2. Merge: the same two steps "
        "backwards.",
    ],
)

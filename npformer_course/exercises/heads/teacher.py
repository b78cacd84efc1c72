"""How the answers to heads are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import mask_of_heads_slowly, merge_heads_slowly, split_heads_slowly


def inputs(draw, B, H, T, S, d_k):
    """Draw what is to be split, what is to be merged, and a mask for each sentence."""
    return {
        "x": draw.normal(B, T, H * d_k),
        "heads": draw.normal(B, H, T, d_k),
        "mask": draw.mask(B, T, S),
        "n_heads": H,
    }


def split(student, x, n_heads):
    return student.split_heads(x, n_heads)


def merge(student, heads):
    return student.merge_heads(heads)


def repeat_mask(student, mask, n_heads):
    return student.mask_of_heads(mask, n_heads)


EXERCISE = Exercise(
    minutes=30,
    difficulty=2,
    importance=4,
    needs=("attention",),
    inputs=inputs,
    calls=[
        Call(split, {"heads": 3}),
        Call(merge, {"merged": 2}),
        Call(repeat_mask, {"mask_of_heads": 1}),
    ],
    slow={
        "split": split_heads_slowly,
        "merge": merge_heads_slowly,
        "repeat_mask": mask_of_heads_slowly,
    },
    prediction=Prediction(
        "Splitting has a backward too: a gradient of shape (B, H, T, d_k) comes from the heads, "
        "and x wants one of shape (B, T, D). Which function computes it?",
        {
            "a": "merge_heads of the gradient",
            "b": "merge_heads of the gradient, divided by H, because H heads share x",
            "c": "the sum of the gradient over the heads",
        },
        answer="a",
        because=(
            "Each number of x goes to one place in one head and is not changed on the way, so "
            "its gradient is the one found at that place. Whatever only moves numbers has a "
            "backward that moves them back."
        ),
    ),
    hints=[
        "Try it on numbers that tell where they come from: x = np.arange(12).reshape(1, 3, 4) "
        "with 2 heads. Write down on paper what should come out, then look at what does.",
        "Splitting takes two steps. First cut the last axis in two, and be careful which of the "
        "two new axes comes first. Then the shape has the right four letters in the wrong order.",
        "Split: reshape to (B, T, H, d_k), then exchange axes 1 and 2. Merge: the same two steps "
        "backwards. For the mask, compare np.repeat and np.tile on a list of two, and remember "
        "that both can be told an axis or a shape.",
    ],
)

"""How the answers to linear are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import linear_backward_slowly, linear_slowly


def inputs(draw, B, T, D, F, H):
    """Draw a batch of sentences, and one with an axis of heads."""
    return {
        "x": draw.normal(B, T, D),
        "w": draw.normal(D, F),
        "b": draw.normal(F),
        "dy": draw.normal(B, T, F),
        "x_heads": draw.normal(B, H, T, D),
        "dy_heads": draw.normal(B, H, T, F),
    }


def forward(student, x, w, b):
    return student.linear(x, w, b)


def backward(student, dy, x, w):
    return student.linear_backward(dy, x, w)


def backward_of_heads(student, dy_heads, x_heads, w):
    return student.linear_backward(dy_heads, x_heads, w)


def of_heads_slowly(dy_heads, x_heads, w):
    """The loops again, with batch and heads laid out in one axis."""
    B, H, T, D = x_heads.shape
    dx, dw, db = linear_backward_slowly(
        dy_heads.reshape(B * H, T, -1), x_heads.reshape(B * H, T, D), w
    )
    return dx.reshape(x_heads.shape), dw, db


def terms_of_y(x, w, b):
    """The two terms of the formula."""
    return {"x W": x @ w, "the bias": b + 0 * (x @ w)}


EXERCISE = Exercise(
    minutes=40,
    difficulty=2,
    importance=5,
    needs=("numeric_gradient",),
    notebook="05b",
    inputs=inputs,
    calls=[
        Call(forward, {"y": 2}),
        Call(backward, {"dx": 2, "dw": 2, "db": 1}),
        Call(backward_of_heads, {"dx of four axes": 1, "dw of four axes": 1, "db of four axes": 1}),
    ],
    slow={
        "forward": linear_slowly,
        "backward": linear_backward_slowly,
        "backward_of_heads": of_heads_slowly,
    },
    terms={"y": terms_of_y},
    prediction=Prediction(
        "Append a copy of the batch to itself, and a copy of dy to dy: twice as many sentences, "
        "each with the same dy as before. What happens to dw?",
        {"a": "it doubles", "b": "it stays as it was", "c": "it is divided by two"},
        answer="a",
        because=(
            "Every position adds its share to dw, and there are twice as many. A loss that is a "
            "mean over the batch would have halved dy; then dw would stay as it was, without dw "
            "being a mean of anything."
        ),
    ),
    hints=[
        "Do it for a single position first, with vectors: dx is a product of dy and a matrix, dw "
        "has one entry for each pair of a feature of x and a feature of y, and db is dy. Then "
        "ask which of the three are shared by all positions.",
        "Lay all positions out in one axis: reshape(-1, D) makes (N, D) of x, and dy becomes (N, "
        "F) likewise. What is shared is a sum over that axis; and a sum over N of products of "
        "two columns is an entry of a matrix product.",
        "With rows (N, D) and drows (N, F): (N, F) times (F, D) gives dx, (D, N) times (N, F) "
        "gives dw, and db is a sum along the first axis. Only dx goes back to the shape of x.",
    ],
)

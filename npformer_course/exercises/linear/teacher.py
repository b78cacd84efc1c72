"""How the answers to linear are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import linear_backward_slowly, linear_slowly


def inputs(draw, B, T, D, F, H):
    """Draw a batch of sentences, and an x with more axes or fewer."""
    x = draw.normal(B, T, D)
    w = draw.normal(D, F)
    b = draw.normal(F)
    dy = draw.normal(B, T, F)
    x_axes = draw.normal(B, H, T, D)
    dy_axes = draw.normal(B, H, T, F)
    if draw.lowest:
        # two axes in this draw, four in the others
        x_axes = x_axes.reshape(-1, D)
        dy_axes = dy_axes.reshape(-1, F)
    return {"x": x, "w": w, "b": b, "dy": dy, "x_axes": x_axes, "dy_axes": dy_axes}


def forward(student, x, w, b):
    return student.linear(x, w, b)


def forward_of_axes(student, x_axes, w, b):
    return student.linear(x_axes, w, b)


def backward(student, dy, x, w):
    return student.linear_backward(dy, x, w)


def backward_of_axes(student, dy_axes, x_axes, w):
    return student.linear_backward(dy_axes, x_axes, w)


def of_axes_slowly(x_axes, w, b):
    """The loops again, with all positions laid out in one axis."""
    D, F = w.shape
    y = linear_slowly(x_axes.reshape(1, -1, D), w, b)
    return y.reshape(*x_axes.shape[:-1], F)


def backward_of_axes_slowly(dy_axes, x_axes, w):
    """The loops of the backward, with all positions laid out in one axis."""
    D, F = w.shape
    dx, dw, db = linear_backward_slowly(dy_axes.reshape(1, -1, F), x_axes.reshape(1, -1, D), w)
    return dx.reshape(x_axes.shape), dw, db


def terms_of_y(x, w, b):
    """The two terms of the formula."""
    return {"x W": x @ w, "the bias": b + 0 * (x @ w)}


EXERCISE = Exercise(
    minutes=40,
    difficulty=2,
    importance=5,
    needs=("numeric_gradient",),
    inputs=inputs,
    calls=[
        Call(forward, {"y": 1}),
        Call(forward_of_axes, {"y of two or four axes": 1}),
        Call(backward, {"dx": 2, "dw": 2, "db": 1}),
        Call(
            backward_of_axes,
            {"dx of two or four axes": 1, "dw of two or four axes": 1, "db of two or four axes": 1},
        ),
    ],
    slow={
        "forward": linear_slowly,
        "forward_of_axes": of_axes_slowly,
        "backward": linear_backward_slowly,
        "backward_of_axes": backward_of_axes_slowly,
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

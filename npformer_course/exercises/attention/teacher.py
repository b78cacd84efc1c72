"""How the answers to attention are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import attention_slowly


def inputs(draw, B, H, T, S, d_k, d_v):
    """Draw queries, keys and values and a mask in which one query may attend to nothing."""
    return {
        "q": draw.normal(B, H, T, d_k),
        "k": draw.normal(B, H, S, d_k),
        "v": draw.normal(B, H, S, d_v),
        "mask": draw.mask(B, 1, T, S, empty=B * T > 1),
    }


def forward(student, q, k, v, mask):
    return student.attention(q, k, v, mask)


EXERCISE = Exercise(
    minutes=25,
    difficulty=2,
    importance=5,
    needs=("masked_softmax",),
    inputs=inputs,
    calls=[Call(forward, {"y": 3, "weights": 2})],
    slow={"forward": attention_slowly},
    prediction=Prediction(
        "The numbers in queries and keys are independent, with mean 0 and variance 1. You widen "
        "d_k from 16 to 64. How much larger are typical dot products of a query and a key?",
        {"a": "as large as before", "b": "2 times", "c": "4 times"},
        answer="b",
        because=(
            "The variance of a sum of d_k independent products grows with d_k, so their spread "
            "grows with its root: from 4 to 8. That is the root in equation 1, and after dividing"
            " by it the spread is 1 at every width."
        ),
    ),
    hints=[
        "Take equation 1 from the inside out and write a shape next to each step: scores (B, H, "
        "T, S), weights of the same shape, result (B, H, T, d_v). Which two axes must meet in "
        "each product?",
        "K^T turns the last two axes only: k.swapaxes(-1, -2). And d_k is a number that you can "
        "read off q.",
        "Three lines: the product of q with the turned k, over the root of the last size of q; "
        "masked_softmax of that with the mask as it came; the weights times v. Return the product"
        " and the weights.",
    ],
)

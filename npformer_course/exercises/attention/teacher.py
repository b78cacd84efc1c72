"""How the answers to attention are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import attention_slowly


def inputs(draw, B, H, T, S, d_k, d_v):
    """Draw queries, keys and values of several sentences, with and without heads, and of one."""
    return {
        "q": draw.normal(B, T, d_k),
        "k": draw.normal(B, S, d_k),
        "v": draw.normal(B, S, d_v),
        "q_heads": draw.normal(B, H, T, d_k),
        "k_heads": draw.normal(B, H, S, d_k),
        "v_heads": draw.normal(B, H, S, d_v),
        "q_sentence": draw.normal(T, d_k),
        "k_sentence": draw.normal(S, d_k),
        "v_sentence": draw.normal(S, d_v),
    }


def sentences(student, q, k, v):
    return student.attention(q, k, v)


def heads(student, q_heads, k_heads, v_heads):
    return student.attention(q_heads, k_heads, v_heads)


def one_sentence(student, q_sentence, k_sentence, v_sentence):
    return student.attention(q_sentence, k_sentence, v_sentence)


def of_heads_slowly(q_heads, k_heads, v_heads):
    """The loops again, with batch and heads laid out in one axis."""
    B, H = q_heads.shape[:2]
    inputs = [array.reshape(B * H, *array.shape[2:]) for array in (q_heads, k_heads, v_heads)]
    y, weights = attention_slowly(*inputs)
    return y.reshape(B, H, *y.shape[1:]), weights.reshape(B, H, *weights.shape[1:])


def of_one_sentence_slowly(q_sentence, k_sentence, v_sentence):
    """The loops, for a batch of one."""
    y, weights = attention_slowly(q_sentence[None], k_sentence[None], v_sentence[None])
    return y[0], weights[0]


EXERCISE = Exercise(
    minutes=20,
    difficulty=2,
    importance=5,
    needs=("scores", "softmax"),
    inputs=inputs,
    calls=[
        Call(sentences, {"y": 3, "weights": 2}),
        Call(heads, {"y of four axes": 1, "weights of four axes": 1}),
        Call(one_sentence, {"y of two axes": 1, "weights of two axes": 1}),
    ],
    slow={
        "sentences": attention_slowly,
        "heads": of_heads_slowly,
        "one_sentence": of_one_sentence_slowly,
    },
    prediction=Prediction(
        "The numbers in queries and keys are independent, with mean 0 and variance 1. You widen "
        "d_k from 16 to 64. How much larger are typical dot products of a query and a key?",
        {"a": "as large as before", "b": "2 times", "c": "4 times"},
        answer="b",
        because=(
            "The variance of a sum of d_k independent products grows with d_k, so their spread "
            "grows with its root: from 4 to 8. That is the root in equation 1, and after dividing "
            "by it the spread is 1 at every width."
        ),
    ),
    hints=[
        "Take equation 1 from the inside out and write a shape next to each step: scores (B, T, "
        "S), weights of the same shape, result (B, T, d_v). Which two axes must meet in each "
        "product?",
        "K^T turns the last two axes only, however many there are in front: k.swapaxes(-1, -2). "
        "And d_k is a number that you can read off q.",
        "Three lines: the product of q with the turned k, over the root of the last size of q; "
        "softmax of that; the weights times v. Return the product and the weights.",
    ],
)

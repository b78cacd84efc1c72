"""How the answers to multi_head_backward are checked."""

import math

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import attention_backward, merge_heads, self_attention_backward_slowly, split_heads


def inputs(draw, B, H, T, d_k):
    """Draw x and the matrices, run forward under a mask, and draw the gradients from above."""
    D = H * d_k
    x = draw.normal(B, T, D)
    w_query = draw.normal(D, D) / math.sqrt(D)
    w_key = draw.normal(D, D) / math.sqrt(D)
    w_value = draw.normal(D, D) / math.sqrt(D)
    w_output = draw.normal(D, D) / math.sqrt(D)

    q = split_heads(x @ w_query, H)
    k = split_heads(x @ w_key, H)
    v = split_heads(x @ w_value, H)
    mask = draw.mask(B, 1, T, T, empty=B * T > 1)
    powers = mask * np.exp(q @ k.swapaxes(2, 3) / math.sqrt(d_k))
    weights = powers / np.maximum(powers.sum(-1, keepdims=True), 1e-30)

    dq = draw.normal(B, H, T, d_k)
    dk = draw.normal(B, H, T, d_k)
    dv = draw.normal(B, H, T, d_k)
    return {
        "dy": draw.normal(B, T, D),
        "x": x,
        "q": q,
        "k": k,
        "v": v,
        "weights": weights,
        "heads": weights @ v,
        "w_query": w_query,
        "w_key": w_key,
        "w_value": w_value,
        "w_output": w_output,
        "dq": dq,
        "dk": dk,
        "dv": dv,
    }


def of_output(student, dy, heads, w_output):
    return student.output_backward(dy, heads, w_output)


def of_projections(student, dq, dk, dv, x, w_query, w_key, w_value):
    return student.projections_backward(dq, dk, dv, x, w_query, w_key, w_value)


def backward(student, dy, x, q, k, v, weights, heads, w_query, w_key, w_value, w_output):
    return student.self_attention_backward(
        dy, x, q, k, v, weights, heads, w_query, w_key, w_value, w_output
    )


def terms_of_projections(dq, dk, dv, w_query, w_key, w_value):
    """The three uses of x."""
    return {
        "the path through the queries": merge_heads(dq) @ w_query.T,
        "the path through the keys": merge_heads(dk) @ w_key.T,
        "the path through the values": merge_heads(dv) @ w_value.T,
    }


def terms_of_dx(dy, q, k, v, weights, w_query, w_key, w_value, w_output):
    """The three uses of x, after the way back through the output and attention."""
    dheads = split_heads(dy @ w_output.T, q.shape[1])
    dq, dk, dv = attention_backward(dheads, q, k, v, weights)
    return terms_of_projections(dq, dk, dv, w_query, w_key, w_value)


EXERCISE = Exercise(
    minutes=60,
    difficulty=4,
    importance=4,
    needs=("attention_backward", "multi_head"),
    inputs=inputs,
    calls=[
        Call(of_output, {"output: dheads": 1, "output: dw_output": 1}),
        Call(
            of_projections,
            {
                "projections: dx": 1,
                "projections: dw_query": 1,
                "projections: dw_key": 1,
                "projections: dw_value": 1,
            },
        ),
        Call(backward, {"dx": 4, "dw_query": 1, "dw_key": 1, "dw_value": 1, "dw_output": 2}),
    ],
    slow={"backward": self_attention_backward_slowly},
    terms={"dx": terms_of_dx, "projections: dx": terms_of_projections},
    prediction=Prediction(
        "Suppose that W^V is 0 in every entry, and the other three matrices are random. Which of "
        "their gradients are 0?",
        {"a": "only that of W^V", "b": "all but that of W^V", "c": "none"},
        answer="b",
        because=(
            "All values are 0, so all averages are too, wherever the queries look: moving W^Q, "
            "W^K or W^O moves nothing (their gradients each have v, or an average of v, as a "
            "factor). Moving W^V does. With one factor at 0, only that factor can learn."
        ),
    ),
    hints=[
        "Write forward as a list of seven steps (three products, split, attention, merge, "
        "product) and go through it from below. Beside each step put the shape of the gradient: "
        "(B, T, D) or (B, H, T, d_k).",
        "dy first meets W^O, which gives dw_output and the gradient of the merged heads. Split "
        "that, and attention_backward takes it. What comes out has three parts, each still split "
        "into heads, one for each matrix.",
        "dw_output: matrix_gradient of the merged heads and dy. Then dy times the turned "
        "w_output, split, through attention_backward, each of the three merged. Each with x "
        "gives a matrix's gradient, each times its turned matrix a part of dx.",
    ],
)

"""How the answers to multi_head are checked."""

import math

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import multi_head_attention_slowly


def inputs(draw, B, H, T, S, d_k):
    """Draw query, key and value that differ, and the matrices.

    The matrices keep scores of order 1.
    """
    D = H * d_k
    return {
        "query": draw.normal(B, T, D),
        "key": draw.normal(B, S, D),
        "value": draw.normal(B, S, D),
        "w_query": draw.normal(D, D) / math.sqrt(D),
        "w_key": draw.normal(D, D) / math.sqrt(D),
        "w_value": draw.normal(D, D) / math.sqrt(D),
        "w_output": draw.normal(D, D) / math.sqrt(D),
        "n_heads": H,
    }


def forward(student, query, key, value, w_query, w_key, w_value, w_output, n_heads):
    return student.multi_head_attention(
        query, key, value, w_query, w_key, w_value, w_output, n_heads
    )


EXERCISE = Exercise(
    minutes=25,
    difficulty=2,
    importance=5,
    needs=("attention", "heads"),
    inputs=inputs,
    calls=[Call(forward, {"y": 4, "weights": 2})],
    slow={"forward": multi_head_attention_slowly},
    prediction=Prediction(
        "A model has D = 512. One colleague takes 8 heads, another takes 1. How many numbers do "
        "the four matrices have with 8 heads, compared with 1?",
        {"a": "8 times as many", "b": "just as many", "c": "an eighth"},
        answer="b",
        because=(
            "The matrices are (D, D) either way: heads cut what there is, they add nothing. The "
            "work of the products is the same too. What differs is that there are 8 softmaxes "
            "instead of 1: a word can look at 8 places at once."
        ),
    ),
    hints=[
        "The order is: three products, split, attend, merge, one product. Check at every step "
        "whether you hold (B, T, D) or (B, H, T, d_k).",
        "attention lets the axes before the last two pass: what it is given as (B, H, T, d_k) it "
        "treats head by head. So which of the arrays must be split before it is called, and what "
        "must happen to its result?",
        "split_heads of query @ w_query, and likewise for key and value with their own matrices; "
        "attention of the three; merge_heads of its result, times w_output. Return the weights as "
        "well.",
    ],
)

"""How the answers to decoder_layer are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from ..encoder_layer.teacher import draw_attention, draw_network, draw_sublayer
from .exercise import decoder_layer_slowly


def inputs(draw, B, H, T, S, K, F):
    """Draw a layer, and memories as long as x and of another length."""
    D = H * K
    w = draw_sublayer(draw, "self_attention", draw_attention(draw, D), D)
    w |= draw_sublayer(draw, "cross_attention", draw_attention(draw, D), D)
    w |= draw_sublayer(draw, "feed_forward", draw_network(draw, D, F), D)
    return {
        "x": draw.normal(B, T, D),
        "memory": draw.normal(B, T, D),
        "self_mask": draw.mask(B, T, T),
        "cross_mask": draw.mask(B, 1, T),
        "other_memory": draw.normal(B, S, D),
        "other_cross_mask": draw.mask(B, 1, S),
        "w": w,
        "n_heads": H,
    }


def layer(student, x, memory, self_mask, cross_mask, w, n_heads):
    return student.decoder_layer(x, memory, self_mask, cross_mask, w, n_heads)


def layer_on_other_length(student, x, other_memory, self_mask, other_cross_mask, w, n_heads):
    return student.decoder_layer(x, other_memory, self_mask, other_cross_mask, w, n_heads)


def layer_on_other_length_slowly(x, other_memory, self_mask, other_cross_mask, w, n_heads):
    return decoder_layer_slowly(x, other_memory, self_mask, other_cross_mask, w, n_heads)


EXERCISE = Exercise(
    minutes=20,
    difficulty=2,
    importance=5,
    needs=("encoder_layer",),
    inputs=inputs,
    sizes={"K": (2, 4), "F": (4, 9)},
    calls=[
        Call(layer, {"y": 5}),
        Call(layer_on_other_length, {"y with a memory of another length": 2}),
    ],
    slow={
        "layer": decoder_layer_slowly,
        "layer_on_other_length": layer_on_other_length_slowly,
    },
    prediction=Prediction(
        "The decoder is about to write the first word of a translation. Which source words may "
        "cross-attention see at this position?",
        {
            "a": "the first one: the second word of the source belongs to the second of the target",
            "b": "all of them",
            "c": "none: nothing is translated yet",
        },
        answer="b",
        because=(
            "The source is complete before the first target word is written. Only the target is "
            "unknown beyond the present position, and so only self-attention hides the future. A "
            "German verb at the end of a sentence may be the second word of its translation."
        ),
    ),
    hints=[
        "Three formulas, and two lines for each: what a sub-layer computes, and the norm of a sum. "
        "For each sub-layer write down which array asks, which array is looked at, and which mask "
        "belongs to the two.",
        "multi_head takes what asks first, then what is looked at. In self-attention that is x "
        "twice. In cross-attention it is u, the result of the first norm, and the memory. The "
        "mask's last axis is as long as what is looked at.",
        'Self-attention: part_of with "self_attention.sublayer", and the norm of x and its result. '
        'Cross-attention: "cross_attention.sublayer" and cross_mask, and the norm of u and its '
        "result. Then the network in the same way. Each norm has a part of its own.",
    ],
)

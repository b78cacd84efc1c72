"""How the answers to encoder_layer are checked."""

import math

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import encoder_layer_slowly, multi_head_slowly

PROJECTIONS = ("w_query", "w_key", "w_value", "w_output")


def draw_linear(draw, name, n_in, n_out):
    """Draw a matrix that keeps numbers of order 1, and a bias."""
    return {
        f"{name}.weight": draw.normal(n_in, n_out) / math.sqrt(n_in),
        f"{name}.bias": draw.normal(n_out),
    }


def draw_attention(draw, D):
    """Draw the arrays of multi-head attention by name."""
    w = {}
    for name in PROJECTIONS:
        w |= draw_linear(draw, name, D, D)
    return w


def draw_network(draw, D, F):
    """Draw the arrays of a feed-forward network by name."""
    return draw_linear(draw, "linear_1", D, F) | draw_linear(draw, "linear_2", F, D)


def draw_sublayer(draw, name, arrays, D):
    """Return the arrays of a sub-layer with the name of its place, and draw those of its norm."""
    w = {f"{name}.sublayer.{key}": array for key, array in arrays.items()}
    w[f"{name}.norm.gain"] = draw.gain(D)
    w[f"{name}.norm.bias"] = draw.normal(D)
    return w


def inputs(draw, B, H, T, S, K, F):
    """Draw one attention with memories of both lengths, and a layer with padding."""
    D = H * K
    layer = draw_sublayer(draw, "self_attention", draw_attention(draw, D), D)
    layer |= draw_sublayer(draw, "feed_forward", draw_network(draw, D, F), D)
    return {
        "x": draw.normal(B, T, D),
        "memory": draw.normal(B, T, D),
        "mask": draw.mask(B, T, T),
        "other_memory": draw.normal(B, S, D),
        "other_mask": draw.mask(B, 1, S),
        # in every third draw each query has keys of its own
        "layer_mask": draw.mask(B, T if draw.lowest else 1, T),
        "w_attention": draw_attention(draw, D),
        "w_layer": layer,
        "n_heads": H,
    }


def attend(student, x, memory, mask, w_attention, n_heads):
    return student.multi_head(x, memory, mask, w_attention, n_heads)


def attend_to_other_length(student, x, other_memory, other_mask, w_attention, n_heads):
    return student.multi_head(x, other_memory, other_mask, w_attention, n_heads)


def layer(student, x, layer_mask, w_layer, n_heads):
    return student.encoder_layer(x, layer_mask, w_layer, n_heads)


def attend_slowly(x, memory, mask, w_attention, n_heads):
    return multi_head_slowly(x, memory, mask, w_attention, n_heads)


def attend_to_other_length_slowly(x, other_memory, other_mask, w_attention, n_heads):
    return multi_head_slowly(x, other_memory, other_mask, w_attention, n_heads)


def layer_slowly(x, layer_mask, w_layer, n_heads):
    return encoder_layer_slowly(x, layer_mask, w_layer, n_heads)


EXERCISE = Exercise(
    minutes=30,
    difficulty=2,
    importance=5,
    needs=(
        "heads",
        "multi_head",
        "layer_norm",
        "feed_forward",
        "add_norm",
        "masks",
        "masked_attention",
    ),
    inputs=inputs,
    sizes={"K": (2, 4), "F": (4, 9)},
    calls=[
        Call(attend, {"y of multi_head": 3}),
        Call(attend_to_other_length, {"y of multi_head with a memory of another length": 1}),
        Call(layer, {"y of the layer": 4}),
    ],
    slow={
        "attend": attend_slowly,
        "attend_to_other_length": attend_to_other_length_slowly,
        "layer": layer_slowly,
    },
    prediction=Prediction(
        "Four biases: of the queries, keys, values and output. One of them changes no result, "
        "whatever its numbers are. Which one?",
        {
            "a": "that of the queries",
            "b": "that of the keys",
            "c": "that of the values",
            "d": "none: each of them changes something",
        },
        answer="b",
        because=(
            "The bias of the keys adds the same number to all scores of a query, its product "
            "with that query. Softmax depends only on the differences between scores. The bias of "
            "the queries is different: it adds more to the score of one key than to that of "
            "another."
        ),
    ),
    hints=[
        "multi_head is your multi-head attention with a bias after each product, and with a mask: "
        "three products, split, attend, merge, one product. Write down for each step whether it has the shape "
        "(B, T, D) or (B, H, T, d_k), and where the mask needs an axis for the heads.",
        "The layer is the two formulas at the top, with a line for each sub-layer and a line for "
        "each norm. Two arrays are used twice: x, and z. Which two things is each of them used "
        "for?",
        'Take the four groups of weights with part_of: "self_attention.sublayer" is for '
        'multi_head, which gets x both as x and as memory, "feed_forward.sublayer" is for network, '
        "and each norm is given a sum, of what went into the sub-layer and what came out.",
    ],
)

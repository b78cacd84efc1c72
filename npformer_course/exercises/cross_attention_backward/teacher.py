"""How the answers to cross_attention_backward are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import attention_backward, cross_attention_backward_slowly, merge_heads, split_heads


def inputs(draw, B, H, T, S, d_k, N):
    """Draw what cross-attention's forward left, and matrices for whole layers of a decoder."""
    D = H * d_k
    w_query = draw.normal(D, D) / np.sqrt(D)
    w_key = draw.normal(D, D) / np.sqrt(D)
    w_value = draw.normal(D, D) / np.sqrt(D)
    w_output = draw.normal(D, D) / np.sqrt(D)
    x = draw.normal(B, T, D)
    memory = draw.normal(B, S, D)
    mask = draw.mask(B, 1, T, S)

    q = split_heads(x @ w_query, H)
    k = split_heads(memory @ w_key, H)
    v = split_heads(memory @ w_value, H)
    powers = np.exp(q @ k.swapaxes(-1, -2) / np.sqrt(d_k)) * mask
    return {
        "dy": draw.normal(B, T, D),
        "q": q,
        "k": k,
        "v": v,
        "weights": powers / powers.sum(-1, keepdims=True),
        "w_query": w_query,
        "w_key": w_key,
        "w_value": w_value,
        "w_output": w_output,
        "x": x,
        "memory": memory,
        "mask": mask,
        "to_below": draw.normal(N, D, D) / np.sqrt(D),
        "to_memory": draw.normal(N, D, D) / np.sqrt(D),
        "looks": draw.normal(N, S, T),
        # stands for the list of functions, so that the check sees what becomes of it
        "backwards": np.arange(N),
    }


def layer(student, dy, q, k, v, weights, w_query, w_key, w_value, w_output):
    return student.cross_attention_backward(dy, q, k, v, weights, w_query, w_key, w_value, w_output)


def decoder(student, dy, to_below, to_memory, looks, backwards):
    functions = backwards_of(to_below, to_memory, looks)
    before = list(functions)
    gradients = student.decoder_backward(dy, functions)
    if functions != before:
        backwards[:] = -1
    return gradients


def backwards_of(to_below, to_memory, looks):
    """Return the backwards of layers in which all is linear."""

    def backward(n):
        return lambda dy: (dy @ to_below[n], looks[n] @ dy @ to_memory[n])

    return [backward(n) for n in range(len(looks))]


def decoder_slowly(dy, to_below, to_memory, looks):
    """Go down to each layer again, from the top."""
    N, S, _T = looks.shape
    dmemory = np.zeros((len(dy), S, dy.shape[-1]))
    for n in range(N):
        above = through(dy, to_below[n + 1 :])
        dmemory += looks[n] @ above @ to_memory[n]
    return through(dy, to_below), dmemory


def through(dy, to_below):
    """Take dy through these layers, from the top."""
    for matrix in to_below[::-1]:
        dy = dy @ matrix
    return dy


def terms_of_dmemory(dy, q, k, v, weights, w_key, w_value, w_output):
    """What the memory gets by way of the keys and of the values."""
    dheads = split_heads(dy @ w_output.T, q.shape[1])
    _, dk, dv = attention_backward(dheads, q, k, v, weights)
    return {
        "by way of the keys": merge_heads(dk) @ w_key.T,
        "by way of the values": merge_heads(dv) @ w_value.T,
    }


def terms_of_decoder(dy, to_below, to_memory, looks):
    """What the memory gets from the top layer and from those below it."""
    top = looks[-1] @ dy @ to_memory[-1]
    _, dmemory = decoder_slowly(dy, to_below, to_memory, looks)
    return {"the top layer's part": top, "the other layers' part": dmemory - top}


EXERCISE = Exercise(
    minutes=50,
    difficulty=4,
    importance=3,
    needs=("multi_head_backward",),
    inputs=inputs,
    calls=[
        Call(layer, {"dx": 2, "dmemory": 3}),
        Call(decoder, {"dx of the decoder": 1, "dmemory of the decoder": 3}),
    ],
    slow={"layer": cross_attention_backward_slowly, "decoder": decoder_slowly},
    terms={"dmemory": terms_of_dmemory, "dmemory of the decoder": terms_of_decoder},
    prediction=Prediction(
        "The paper's decoder has 6 layers. Take the gradient of the memory to pieces: one for "
        "each time that a matrix multiplies the memory in forward. How many pieces are added up?",
        {"a": "1", "b": "6", "c": "12"},
        answer="c",
        because=(
            "Each of the 6 layers makes keys and values from the memory, each with a matrix of "
            "its own. What is used 12 times collects 12 gradients."
        ),
    ),
    hints=[
        "Write forward down as single steps with a name for each result, then go through them "
        "from the last to the first. In which steps is memory used? And for the decoder: which "
        "layers use it?",
        "The gradient of a result y = a W in its input a is dy times W transposed; this takes "
        "you into the heads (split_heads after it) and, three times, out of them (merge_heads "
        "before it). Of the three, one belongs to x.",
        "Two of the three gradients arrive at the memory, and what arrives is added. In the "
        "decoder, start with the last function of the list; what a function returns first is "
        "given to the next one, what it returns second is added to a sum that starts at 0.",
    ],
)

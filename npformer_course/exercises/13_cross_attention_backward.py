# id: cross_attention_backward | points: 10 | minutes: 50 | level: 3 | needs: multi_head_backward | notebook: 06

# %% [markdown]
# # Cross-attention, backwards
#
# Cross-attention is the bridge between the two columns of figure 1: the decoder asks, and the encoder answers. It is
# multi-head attention once more, but the queries are made from the decoder's $x$ $(B, T, D)$, the keys *and* the
# values from the encoder's result, the *memory* $m$ $(B, S, D)$ (section 3.2.3 of the paper):
#
# $$Q = x W^Q, \qquad K = m W^K, \qquad V = m W^V, \qquad
#   y = \mathrm{Concat}(\mathrm{head}_0, \dots, \mathrm{head}_{H - 1})\, W^O, \qquad
#   \mathrm{head}_h = \mathrm{softmax}\!\left(\frac{Q_h K_h^T}{\sqrt{d_k}}\right) V_h$$
#
# All layers of the encoder learn through this bridge alone: the loss is computed at the end of the decoder, and $dm$ is
# all of its gradient that reaches them. (An embedding matrix that both sides share also gets gradient elsewhere.)
# Programs that lose a part of it still train, since the decoder does its best with what it gets. They are only worse
# than they should be, and no error says why.
#
# The gradient arrives at `dy` and divides. Here is its way, head by head, query by query and key by key. Each weight
# of attention, $w_{ts}$, let value $s$ into result $t$, and was made from query $t$ and key $s$, so three gradients
# come out of it. (`K` in this code is the number $d_k$, not the matrix of the keys.)

# %%
import math

import numpy as np


def cross_attention_backward_slowly(dy, q, k, v, weights, w_query, w_key, w_value, w_output):
    """The same as `cross_attention_backward` below, by loops."""
    B, H, T, K = q.shape
    S, D = k.shape[2], dy.shape[2]
    dx, dmemory = np.zeros((B, T, D)), np.zeros((B, S, D))
    for b, h, t in np.ndindex(B, H, T):
        own = slice(h * K, (h + 1) * K)  # the features of this head
        dhead = w_output[own] @ dy[b, t]  # (K,)
        dweights = [dhead @ v[b, h, s] for s in range(S)]
        mean = sum(weights[b, h, t, s] * dweights[s] for s in range(S))
        for s in range(S):
            dscore = weights[b, h, t, s] * (dweights[s] - mean) / math.sqrt(K)
            dx[b, t] += w_query[:, own] @ (dscore * k[b, h, s])  # by way of the query
            dmemory[b, s] += w_key[:, own] @ (dscore * q[b, h, t])  # by way of the key
            dmemory[b, s] += w_value[:, own] @ (weights[b, h, t, s] * dhead)  # by way of the value
    return dx, dmemory


# %% [markdown]
# From earlier exercises, for you to use: heads split and merged, and the backward of scaled dot-product attention.


# %%
def split_heads(x, n_heads):
    """Turn (B, T, H * d_k) into (B, H, T, d_k)."""
    B, T, width = x.shape
    return x.reshape(B, T, n_heads, width // n_heads).transpose(0, 2, 1, 3)


def merge_heads(heads):
    """Turn (B, H, T, d_k) into (B, T, H * d_k)."""
    B, H, T, d_k = heads.shape
    return heads.transpose(0, 2, 1, 3).reshape(B, T, H * d_k)


def attention_backward(dy, q, k, v, weights):
    """Return dq (B, H, T, d_k), dk (B, H, S, d_k), dv (B, H, S, d_k), given the gradient dy (B, H, T, d_k)."""
    dweights = dy @ v.swapaxes(-1, -2)
    dscores = weights * (dweights - (weights * dweights).sum(-1, keepdims=True)) / math.sqrt(q.shape[-1])
    return dscores @ k, dscores.swapaxes(-1, -2) @ q, weights.swapaxes(-1, -2) @ dy


# %% [markdown]
# ## Your turn
#
# **One layer.** Write `cross_attention_backward` without loops: back through $W^O$, into the heads, through
# attention, out of the heads, and home through the three other matrices, each gradient to where its numbers came
# from. The four matrices are $(D, D)$, with $D = H d_k$, and stand on the right of what they multiply, as in the
# formulas. There are no biases. The matrices' own gradients were the last exercise; leave them out. A mask is not
# needed: where it hid something, the weight is 0, and the gradient stops there by itself.
#
# **All layers.** The decoder is a stack, and *every* layer looks at the same memory. Write `decoder_backward`, which
# brings a gradient from the top of the stack to its bottom. `backwards` is a list with one function for each layer,
# the lowest layer first. Each takes the gradient of its layer's result, and returns two gradients, as
# your function above does: that of the layer's own input, which is the result of the layer below, and that of the
# memory, by way of this layer. (Residuals, norms and the feed-forward network are inside: you need not care.)


# %%
def cross_attention_backward(dy, q, k, v, weights, w_query, w_key, w_value, w_output):
    """Return the gradients of cross-attention: dx (B, T, D), dmemory (B, S, D), in this order.

    dy (B, T, D): the gradient of the result. What forward left: q (B, H, T, d_k), k and v (B, H, S, d_k) in heads,
    weights (B, H, T, S) after the softmax. The matrices are (D, D). None of the inputs is changed.
    """
    # BEGIN SOLUTION
    dheads = split_heads(dy @ w_output.T, q.shape[1])
    dq, dk, dv = attention_backward(dheads, q, k, v, weights)
    onto_memory = merge_heads(dk) @ w_key.T + merge_heads(dv) @ w_value.T
    return merge_heads(dq) @ w_query.T, onto_memory
    # END SOLUTION


def decoder_backward(dy, backwards):
    """Return the gradients of a decoder: dx (B, T, D) at its bottom, dmemory (B, S, D) of all layers, in this order.

    dy (B, T, D): the gradient at the top. backwards: a list of N functions, the lowest layer's first; each takes the
    gradient of its layer's result (B, T, D) and returns (dx (B, T, D), dmemory (B, S, D)) of this layer. The list has
    at least one function, and stays as it is. What a function returned may be changed in place.
    """
    # BEGIN SOLUTION
    total = 0
    for backward in reversed(backwards):
        dy, from_layer = backward(dy)
        total = total + from_layer
    return dy, total
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction


def inputs(draw, B, H, T, S, d_k, N):
    """Draw cross-attention with what its forward left, and matrices that stand for whole layers of a decoder."""
    D = H * d_k
    matrices = {f"w_{name}": draw.normal(D, D) / np.sqrt(D) for name in ("query", "key", "value", "output")}
    x, memory, mask = draw.normal(B, T, D), draw.normal(B, S, D), draw.mask(B, 1, T, S)
    q = split_heads(x @ matrices["w_query"], H)
    k, v = (split_heads(memory @ matrices[name], H) for name in ("w_key", "w_value"))
    powers = np.exp(q @ k.swapaxes(-1, -2) / np.sqrt(d_k)) * mask
    return {
        "dy": draw.normal(B, T, D),
        "q": q,
        "k": k,
        "v": v,
        "weights": powers / powers.sum(-1, keepdims=True),
        **matrices,
        "x": x,
        "memory": memory,
        "mask": mask,
        "to_below": draw.normal(N, D, D) / np.sqrt(D),
        "to_memory": draw.normal(N, D, D) / np.sqrt(D),
        "looks": draw.normal(N, S, T),
        "backwards": np.arange(N),  # stands for the list of functions, so that the check sees what becomes of it
    }


def layer(student, dy, q, k, v, weights, w_query, w_key, w_value, w_output):
    return student.cross_attention_backward(dy, q, k, v, weights, w_query, w_key, w_value, w_output)


def decoder(student, dy, to_below, to_memory, looks, backwards):
    functions = backwards_of(to_below, to_memory, looks)
    before = [*functions]
    gradients = student.decoder_backward(dy, functions)
    if functions != before:
        backwards[:] = -1
    return gradients


def backwards_of(to_below, to_memory, looks):
    """Return the backwards of layers in which all is linear."""

    def backward(n):
        return lambda dy: (dy @ to_below[n], looks[n] @ dy @ to_memory[n])

    return [backward(n) for n in range(len(looks))]


CALLS = [Call(layer, {"dx": 2, "dmemory": 3}), Call(decoder, {"dx of the decoder": 1, "dmemory of the decoder": 3})]


def decoder_slowly(dy, to_below, to_memory, looks):
    """Go down to each layer again, from the top."""
    N, S, _T = looks.shape
    dmemory = np.zeros((len(dy), S, dy.shape[-1]))
    for n in range(N):
        above = dy
        for upper in range(N - 1, n, -1):
            above = above @ to_below[upper]
        dmemory += looks[n] @ above @ to_memory[n]
    return above_all(dy, to_below), dmemory


def above_all(dy, to_below):
    """Take dy through all layers."""
    for matrix in to_below[::-1]:
        dy = dy @ matrix
    return dy


SLOW = {"layer": cross_attention_backward_slowly, "decoder": decoder_slowly}


def terms_of_dmemory(dy, q, k, v, weights, w_key, w_value, w_output):
    """What the memory gets by way of the keys and of the values."""
    _dq, dk, dv = attention_backward(split_heads(dy @ w_output.T, q.shape[1]), q, k, v, weights)
    return {"by way of the keys": merge_heads(dk) @ w_key.T, "by way of the values": merge_heads(dv) @ w_value.T}


def terms_of_decoder(dy, to_below, to_memory, looks):
    """What the memory gets from the top layer and from those below it."""
    top = looks[-1] @ dy @ to_memory[-1]
    others = decoder_slowly(dy, to_below, to_memory, looks)[1] - top
    return {"the top layer's part": top, "the other layers' part": others}


TERMS = {"dmemory": terms_of_dmemory, "dmemory of the decoder": terms_of_decoder}

PREDICTION = Prediction(
    "The paper's decoder has 6 layers. Take the gradient of the memory to pieces: one for each time that a matrix "
    "multiplies the memory in forward. How many pieces are added up?",
    {"a": "1", "b": "6", "c": "12"},
    answer="c",
    because="Each of the 6 layers makes keys and values from the memory, each with a matrix of its own. What is used "
    "12 times collects 12 gradients.",
)

MISTAKES = [
    Mistake(
        "values_only",
        "the memory gets its gradient by way of the values alone",
        Edit("onto_memory = merge_heads(dk) @ w_key.T + ", "onto_memory = "),
        ask="Move a number of the memory. Which two things that attention works with does it move?",
    ),
    Mistake(
        "keys_only",
        "the memory gets its gradient by way of the keys alone",
        Edit(" + merge_heads(dv) @ w_value.T", ""),
        ask="Move a number of the memory. Which two things that attention works with does it move?",
    ),
    Mistake(
        "x_and_memory_swapped",
        "the queries' gradient goes home through the keys' matrix, and the keys' through the queries'",
        Edit("merge_heads(dq) @ w_query.T", "merge_heads(dq) @ w_key.T"),
        Edit("merge_heads(dk) @ w_key.T", "merge_heads(dk) @ w_query.T"),
        ask="Which of the three matrices multiplied x?",
    ),
    Mistake(
        "keys_and_values_swapped",
        "the keys' gradient goes home through the values' matrix, and the values' through the keys'",
        Edit("merge_heads(dk) @ w_key.T", "merge_heads(dk) @ w_value.T"),
        Edit("merge_heads(dv) @ w_value.T", "merge_heads(dv) @ w_key.T"),
        ask="Which matrix made the keys of the memory, and which gradient do your lines send back through it?",
    ),
    Mistake(
        "not_transposed",
        "{part} is what comes out when the last matrix on each way home is used as it was in forward",
        Edit("merge_heads(dq) @ w_query.T", "merge_heads(dq) @ w_query"),
        Edit("merge_heads(dk) @ w_key.T", "merge_heads(dk) @ w_key"),
        Edit("merge_heads(dv) @ w_value.T", "merge_heads(dv) @ w_value"),
        ask="If y = x W, and W were not square, with which matrix would the shapes of dy and dx fit?",
    ),
    Mistake(
        "output_not_transposed",
        "{part} is what comes out when dy goes through the output matrix as forward did",
        Edit("dy @ w_output.T", "dy @ w_output"),
        ask="If y = x W, and W were not square, with which matrix would the shapes of dy and dx fit?",
    ),
    Mistake(
        "output_forgotten",
        "{part} is what comes out when the heads are given dy itself",
        Edit("dy @ w_output.T", "dy"),
        ask="What is the last thing that forward does with the heads?",
    ),
    Mistake(
        "residual_in_dx",
        "dx holds dy as well",
        Edit("return merge_heads(dq) @ w_query.T", "return dy + merge_heads(dq) @ w_query.T"),
        ask="Is the residual connection a part of cross-attention, or does it stand around it?",
    ),
    Mistake(
        "overwritten",
        "dmemory of the decoder is that of its lowest layer: each layer's has taken the place of the one before",
        Edit("total = total + from_layer", "total = from_layer"),
        ask="The same memory is used in every layer. What becomes of gradients that meet?",
    ),
    Mistake(
        "top_layer_only",
        "dmemory of the decoder is that of its top layer",
        Edit("total = total + from_layer", "total = from_layer if backward is backwards[-1] else total"),
        ask="The same memory is used in every layer. What becomes of gradients that meet?",
    ),
    Mistake(
        "averaged",
        "dmemory of the decoder is the mean over the layers",
        Edit("total = total + from_layer", "total = total + from_layer / len(backwards)"),
        ask="If the memory moves by h, do the changes of the loss by way of two layers add up?",
    ),
    Mistake(
        "lowest_layer_first",
        "{part} is what comes out when the gradient goes through the lowest layer first",
        Edit("in reversed(backwards)", "in backwards"),
        ask="Which layer's result is it that dy is the gradient of?",
    ),
    Mistake(
        "same_dy_for_all",
        "{part} is what comes out when every layer is given the gradient of the top",
        Edit("dy, from_layer = backward(dy)", "dx, from_layer = backward(dy)"),
        Edit("return dy, total", "return dx, total"),
        ask="What is the gradient of the second layer's result, if a third layer is on top of it?",
    ),
    *(
        Mistake(
            f"matrix_of_{name}_not_transposed",
            f"dmemory is what comes out when the matrix of the {name} alone is used as it was in forward",
            Edit(f"{product}.T", product),
            ask="If y = x W, and W were not square, with which matrix would the shapes of dy and dx fit?",
        )
        for name, product in (("keys", "merge_heads(dk) @ w_key"), ("values", "merge_heads(dv) @ w_value"))
    ),
    Mistake(
        "merged_by_reshape",
        "{part} is what comes out when heads are joined by a reshape alone, so that rows hold several positions",
        Edit("merge_heads(dq)", "dq.reshape(dy.shape)"),
        Edit("merge_heads(dk)", "dk.reshape(len(dk), dk.shape[2], -1)"),
        Edit("merge_heads(dv)", "dv.reshape(len(dv), dv.shape[2], -1)"),
        ask="In (B, H, T, d_k), which number follows the last feature of position 0 of head 0?",
    ),
    Mistake(
        "split_by_reshape",
        "{part} is what comes out when the gradient of the heads is made by a reshape alone, so that heads have the "
        "gradients of other positions",
        Edit("split_heads(dy @ w_output.T, q.shape[1])", "(dy @ w_output.T).reshape(q.shape)"),
        ask="Let x be np.arange(12).reshape(1, 3, 4), with 2 heads. Which four numbers should word 0 have in its two "
        "heads, and which has it in yours?",
    ),
    Mistake(
        "lowest_layer_skipped",
        "{part} is what comes out when the lowest layer is left out",
        Edit("in reversed(backwards)", "in reversed(backwards[1:])"),
        ask="How many functions are in the list, and how many do you call?",
    ),
    Mistake(
        "dy_added_at_each_layer",
        "{part} is what comes out when each layer's dy is added to the gradient that it returns",
        Edit("dy, from_layer = backward(dy)", "dx, from_layer = backward(dy); dy = dy + dx"),
        ask="Is the residual inside the functions of the list, or outside?",
    ),
    *(
        Mistake(
            f"{name}_matrix_for_both",
            f"dmemory is what comes out when keys and values both go home through the matrix of the {name}",
            Edit(right, wrong),
            ask="Which matrix made the keys of the memory, and which the values?",
        )
        for name, right, wrong in (
            ("keys", "merge_heads(dv) @ w_value.T", "merge_heads(dv) @ w_key.T"),
            ("values", "merge_heads(dk) @ w_key.T", "merge_heads(dk) @ w_value.T"),
        )
    ),
    Mistake(
        "keys_by_the_query_matrix",
        "{part} is what comes out when the gradient of the keys goes back through w_query",
        Edit("merge_heads(dk) @ w_key.T", "merge_heads(dk) @ w_query.T"),
        ask="Which matrix made the keys out of the memory?",
    ),
    Mistake(
        "keys_twice",
        "in dmemory the way of the keys stands twice, and that of the values is missing",
        Edit("merge_heads(dv) @ w_value.T", "merge_heads(dk) @ w_key.T"),
        ask="Move a number of the memory. Which two things that attention works with does it move?",
    ),
    Mistake(
        "keys_and_values_exchanged",
        "{part} is what comes out when attention's backward is given the values as keys and the keys as values",
        Edit("attention_backward(dheads, q, k, v, weights)", "attention_backward(dheads, q, v, k, weights)"),
        ask="In which order does attention_backward take its arguments?",
    ),
    Mistake(
        "top_layer_skipped",
        "{part} is what comes out when the top layer is left out",
        Edit("in reversed(backwards)", "in reversed(backwards[:-1])"),
        ask="How many functions are in the list, and how many do you call?",
    ),
    Mistake(
        "dx_added_up",
        "dx of the decoder is the sum of the dx of all layers",
        Edit("    total = 0\n", "    total, dxs = 0, 0\n"),
        Edit("total = total + from_layer", "total, dxs = total + from_layer, dxs + dy"),
        Edit("return dy, total", "return dxs, total"),
        ask="Which layer's input is at the bottom of the decoder? Is the input of a higher layer there as well?",
    ),
]

HINTS = [
    "Write forward down as single steps with a name for each result, then go through them from the last to the first. "
    "In which steps is memory used? And for the decoder: which layers use it?",
    "The gradient of a result y = a W in its input a is dy times W transposed; this takes you into the heads "
    "(split_heads after it) and, three times, out of them (merge_heads before it). Of the three, one belongs to x.",
    "Two of the three gradients arrive at the memory, and what arrives is added. In the decoder, start with the last "
    "function of the list; what a function returns first is given to the next one, what it returns second is added to "
    "a sum that starts at 0.",
]

ALTERNATIVES = [
    """
def cross_attention_backward(dy, q, k, v, weights, w_query, w_key, w_value, w_output):
    return cross_attention_backward_slowly(dy, q, k, v, weights, w_query, w_key, w_value, w_output)


def decoder_backward(dy, backwards):
    if not backwards:
        return dy, 0
    below, top = backwards[-1](dy)
    dx, others = decoder_backward(below, backwards[:-1])
    return dx, others + top
""",
    """
def cross_attention_backward(dy, q, k, v, weights, w_query, w_key, w_value, w_output):
    B, H, T, K = q.shape
    heads = {n: w.reshape(-1, H, K) for n, w in (("q", w_query), ("k", w_key), ("v", w_value))}
    dheads = np.einsum("btd,hkd->bhtk", dy, w_output.reshape(H, K, -1))
    dweights = np.einsum("bhtk,bhsk->bhts", dheads, v)
    mean = np.einsum("bhts,bhts->bht", weights, dweights)[..., None]
    dscores = weights * (dweights - mean) * K**-0.5
    dx = np.einsum("bhts,bhsk,dhk->btd", dscores, k, heads["q"])
    dmemory = np.einsum("bhts,bhtk,dhk->bsd", dscores, q, heads["k"])
    return dx, dmemory + np.einsum("bhts,bhtk,dhk->bsd", weights, dheads, heads["v"])


def decoder_backward(dy, backwards):
    parts = []
    for n in range(len(backwards) - 1, -1, -1):
        dy, part = backwards[n](dy)
        parts.append(part)
    return dy, np.sum(parts, axis=0)
""",
    """
def cross_attention_backward(dy, q, k, v, weights, w_query, w_key, w_value, w_output):
    gradients = attention_backward(split_heads(np.inner(dy, w_output), len(q[0])), q, k, v, weights)
    dquery, dkey, dvalue = (merge_heads(g) for g in gradients)
    both = np.concatenate([dkey, dvalue], axis=-1) @ np.concatenate([w_key, w_value], axis=1).T
    return np.inner(dquery, w_query), both


def decoder_backward(dy, backwards):
    dy, dmemory = backwards[-1](dy)
    dmemory = dmemory.copy()
    for backward in backwards[-2::-1]:
        dy, more = backward(dy)
        dmemory += more
    return dy, dmemory
""",
]

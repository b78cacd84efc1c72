# id: multi_head_backward | points: 16 | minutes: 60 | level: 3 | needs: attention_backward multi_head | notebook: 05c

# %% [markdown]
# # Multi-head self-attention, backwards
#
# In self-attention query, key and value are one and the same `x` (sections 3.2.2 and 3.2.3 of the paper):
#
# $$q, k, v = \mathrm{split}(x W^Q),\; \mathrm{split}(x W^K),\; \mathrm{split}(x W^V), \qquad
#   \mathrm{heads} = \mathrm{Attention}(q, k, v), \qquad y = \mathrm{merge}(\mathrm{heads})\, W^O$$
#
# Backwards you meet nothing new, only five things that you know, in the right order:
#
# - **A product** $y = x W$ has $dx = dy\, W^T$ and $dW = x^T dy$. One matrix serves all positions of all sentences, so
#   $dW$ adds up what comes from each of them.
# - **Attention** has its own backward, from an earlier exercise.
# - **Split and merge** only move numbers. The backward of each is the other.
# - **Something used several times** collects a gradient from each use, and they add up. How often is `x` used?
# - **The mask** is in the weights already: where it hides, they are 0.
#
# Here is the whole of it, a sentence, a head and a pair of positions at a time. The result of a head is multiplied by
# rows $h d_k$ to $(h + 1) d_k - 1$ of $W^O$, because that is where merge puts it. What is called `into_query` there is
# `dw_query` below, and so on.

# %%
import math

import numpy as np


def self_attention_backward_slowly(dy, x, q, k, v, weights, heads, w_query, w_key, w_value, w_output):
    """The same as `self_attention_backward` below, by loops."""
    B, H, T, d_k = q.shape
    gradients = tuple(np.zeros(array.shape) for array in (x, w_query, w_key, w_value, w_output))
    into_x, into_query, into_key, into_value, into_output = gradients
    for b in range(B):
        for h in range(H):
            own = slice(h * d_k, (h + 1) * d_k)  # the columns of this head
            into_output[own] += heads[b, h].T @ dy[b]
            dhead = dy[b] @ w_output[own].T  # (T, d_k)
            dQ, dK, dV = np.zeros((T, d_k)), np.zeros((T, d_k)), np.zeros((T, d_k))
            for t in range(T):
                w = weights[b, h, t]
                dw = [sum(dhead[t] * v[b, h, s]) for s in range(T)]
                average = sum(w[s] * dw[s] for s in range(T))
                for s in range(T):
                    dscore = w[s] * (dw[s] - average)
                    dQ[t] += dscore * k[b, h, s] / math.sqrt(d_k)
                    dK[s] += dscore * q[b, h, t] / math.sqrt(d_k)
                    dV[s] += w[s] * dhead[t]
            for d, w, into_w in ((dQ, w_query, into_query), (dK, w_key, into_key), (dV, w_value, into_value)):
                into_w[:, own] += x[b].T @ d
                into_x[b] += d @ w[:, own].T
    return gradients


# %% [markdown]
# From earlier exercises, for you to use or to replace by your own:


# %%
def attention_backward(dy, q, k, v, weights):
    """Return dq, dk and dv, of the shapes of q, k and v, from dy (B, H, T, d_v) and the weights (B, H, T, S)."""
    dweights = dy @ v.swapaxes(-1, -2)
    dscores = weights * (dweights - (weights * dweights).sum(-1, keepdims=True)) / math.sqrt(q.shape[-1])
    return dscores @ k, dscores.swapaxes(-1, -2) @ q, weights.swapaxes(-1, -2) @ dy


def split_heads(x, n_heads):
    """Return the heads (B, H, T, d_k) of x (B, T, D)."""
    return x.reshape(*x.shape[:2], n_heads, -1).swapaxes(1, 2)


def merge_heads(heads):
    """Return the heads (B, H, T, d_k) side by side: (B, T, D)."""
    return heads.swapaxes(1, 2).reshape(heads.shape[0], heads.shape[2], -1)


def matrix_gradient(x, dy):
    """Return dW (D, F) of y = x W, summed over sentences and positions: x (B, T, D), dy (B, T, F)."""
    return x.reshape(-1, x.shape[-1]).T @ dy.reshape(-1, dy.shape[-1])


# %% [markdown]
# ## Your turn
#
# Forward kept `x`, `q`, `k`, `v`, the weights, and the heads' results before they were merged. Go from `dy` back to `x`
# and collect the gradients of the four matrices on the way. No loops, not even over heads. The two ends of the way are
# functions of their own, each checked alone; the third function goes all the way and may call them.


# %%
def output_backward(dy, heads, w_output):
    """Go back through the merge and W^O: return dheads (B, H, T, d_k) and dw_output (D, D).

    dy (B, T, D): the gradient of the result. heads (B, H, T, d_k): before the merge; H is known from this shape alone.
    w_output (D, D).
    """
    # BEGIN SOLUTION
    dw_output = matrix_gradient(merge_heads(heads), dy)
    return split_heads(dy @ w_output.T, heads.shape[1]), dw_output
    # END SOLUTION


# %%
def projections_backward(dq, dk, dv, x, w_query, w_key, w_value):
    """Go back through the three products and splits: return dx (B, T, D), dw_query, dw_key and dw_value, each (D, D).

    dq, dk and dv (B, H, T, d_k): the gradients of the heads of query, key and value. x (B, T, D).
    """
    # BEGIN SOLUTION
    dq, dk, dv = (merge_heads(d) for d in (dq, dk, dv))
    dw_query, dw_key, dw_value = (matrix_gradient(x, d) for d in (dq, dk, dv))
    dx = dq @ w_query.T + dk @ w_key.T + dv @ w_value.T
    return dx, dw_query, dw_key, dw_value
    # END SOLUTION


# %%
def self_attention_backward(dy, x, q, k, v, weights, heads, w_query, w_key, w_value, w_output):
    """Return dx (B, T, D), dw_query, dw_key, dw_value and dw_output, each (D, D), in this order.

    dy (B, T, D): the gradient of the result. x (B, T, D). q, k, v and heads (B, H, T, d_k), where D = H * d_k: after
    the split, and before the merge. weights (B, H, T, T): rows that sum to 1, or to 0 where a position may attend to
    nothing. The four matrices are (D, D), used as x @ w. None of the inputs is changed.
    """
    # BEGIN SOLUTION
    dheads, dw_output = output_backward(dy, heads, w_output)
    dq, dk, dv = attention_backward(dheads, q, k, v, weights)
    return *projections_backward(dq, dk, dv, x, w_query, w_key, w_value), dw_output
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction


def inputs(draw, B, H, T, d_k):
    """Draw x and the matrices, run forward under a mask, and draw the gradient from above."""
    D = H * d_k
    x = draw.normal(B, T, D)
    w_query, w_key, w_value, w_output = (draw.normal(D, D) / math.sqrt(D) for _ in range(4))
    q, k, v = (split_heads(x @ w, H) for w in (w_query, w_key, w_value))
    mask = draw.mask(B, 1, T, T, empty=B * T > 1)
    powers = mask * np.exp(q @ k.swapaxes(2, 3) / math.sqrt(d_k))
    weights = powers / np.maximum(powers.sum(-1, keepdims=True), 1e-30)
    matrices = {"w_query": w_query, "w_key": w_key, "w_value": w_value, "w_output": w_output}
    cache = {"x": x, "q": q, "k": k, "v": v, "weights": weights, "heads": weights @ v}
    gradients = {name: draw.normal(B, H, T, d_k) for name in ("dq", "dk", "dv")}
    return {"dy": draw.normal(B, T, D), **cache, **matrices, **gradients}


def of_output(student, dy, heads, w_output):
    return student.output_backward(dy, heads, w_output)


def of_projections(student, dq, dk, dv, x, w_query, w_key, w_value):
    return student.projections_backward(dq, dk, dv, x, w_query, w_key, w_value)


def backward(student, dy, x, q, k, v, weights, heads, w_query, w_key, w_value, w_output):
    return student.self_attention_backward(dy, x, q, k, v, weights, heads, w_query, w_key, w_value, w_output)


CALLS = [
    Call(of_output, {"output: dheads": 1, "output: dw_output": 1}),
    Call(
        of_projections, {"projections: dx": 1, **{f"projections: dw_{name}": 1 for name in ("query", "key", "value")}}
    ),
    Call(backward, {"dx": 4, "dw_query": 1, "dw_key": 1, "dw_value": 1, "dw_output": 2}),
]
SLOW = {"backward": self_attention_backward_slowly}


def terms_of_dx(dy, q, k, v, weights, w_query, w_key, w_value, w_output):
    """The three uses of x."""
    dheads = split_heads(dy @ w_output.T, q.shape[1])
    dq, dk, dv = (merge_heads(d) for d in attention_backward(dheads, q, k, v, weights))
    return {
        "the path through the queries": dq @ w_query.T,
        "the path through the keys": dk @ w_key.T,
        "the path through the values": dv @ w_value.T,
    }


def terms_of_projections(dq, dk, dv, w_query, w_key, w_value):
    """The three uses of x, once more."""
    names = "queries", "keys", "values"
    pairs = zip(names, (dq, dk, dv), (w_query, w_key, w_value), strict=True)
    return {f"the path through the {name}": merge_heads(d) @ w.T for name, d, w in pairs}


TERMS = {"dx": terms_of_dx, "projections: dx": terms_of_projections}

PREDICTION = Prediction(
    "Suppose that W^V is 0 in every entry, and the other three matrices are random. Which of their gradients are 0?",
    {"a": "only that of W^V", "b": "all but that of W^V", "c": "none"},
    answer="b",
    because="All values are 0, so all averages are too, wherever the queries look: moving W^Q, W^K or W^O moves "
    "nothing (their gradients each have v, or an average of v, as a factor). Moving W^V does. With one factor at 0, "
    "only that factor can learn.",
)

MISTAKES = [
    Mistake(
        "query_path_only",
        "{part} has only what comes back through the queries, as if keys and values did not depend on x",
        Edit("dq @ w_query.T + dk @ w_key.T + dv @ w_value.T", "dq @ w_query.T"),
        ask="Change one word of x. What changes for the other words, which look at it?",
    ),
    Mistake(
        "value_path_only",
        "{part} has only what comes back through the values, as if the weights did not depend on x",
        Edit("dq @ w_query.T + dk @ w_key.T + dv @ w_value.T", "dv @ w_value.T"),
        ask="Into how many products does x go in forward?",
    ),
    Mistake(
        "output_skipped",
        "{part} is what comes out when the heads are given dy itself, as if forward had ended with the merge",
        Edit("split_heads(dy @ w_output.T, heads.shape[1])", "split_heads(dy, heads.shape[1])"),
        ask="What did forward do last, and so what must backward do first?",
    ),
    Mistake(
        "dw_output_unmerged",
        "{part} was made of the heads in the order of their axes, (B, H, T, d_k), which is not the order of a merge",
        Edit("matrix_gradient(merge_heads(heads), dy)", "matrix_gradient(heads.reshape(dy.shape), dy)"),
        ask="Which array did forward multiply by W^O, and how does it differ from heads?",
    ),
    Mistake(
        "split_by_reshape",
        "{part} is what comes out when the gradient of the heads is reshaped to (B, H, T, d_k), so that heads have "
        "the gradients of other positions",
        Edit("split_heads(dy @ w_output.T, heads.shape[1])", "(dy @ w_output.T).reshape(heads.shape)"),
        ask="The backward of a merge only moves numbers. Does a reshape alone move them to where they came from?",
    ),
    Mistake(
        "d_k_heads",
        "{part} has d_k heads with H features each",
        Edit("split_heads(dy @ w_output.T, heads.shape[1])", "split_heads(dy @ w_output.T, heads.shape[-1])"),
        Edit(
            "dheads, dw_output = output_backward(dy, heads, w_output)",
            "dheads, dw_output = split_heads(dy @ w_output.T, heads.shape[1]), matrix_gradient(merge_heads(heads), dy)",
        ),
        ask="Which axis of heads counts the heads, and which length do you take for their number?",
    ),
    Mistake(
        "heads_summed",
        "{part} is what comes out when the gradients of all heads are added up, and every head is given the sum",
        Edit("(merge_heads(d) for d in", "(np.tile(d.sum(1), d.shape[1]) for d in"),
        ask="Do two heads share any column of W^Q?",
    ),
    Mistake(
        "gradients_turned",
        "{part} is turned, rows for columns",
        Edit("matrix_gradient(merge_heads(heads), dy)", "matrix_gradient(dy, merge_heads(heads))"),
        Edit("(matrix_gradient(x, d) for d in", "(matrix_gradient(d, x) for d in"),
        ask="Entry (i, j) of W takes feature i of what comes in to feature j of what goes out. Which does your row i "
        "belong to?",
    ),
    Mistake(
        "matrices_not_turned",
        "{part} is what comes out when the gradient goes back through every matrix on its way as if it went forward",
        Edit("split_heads(dy @ w_output.T, heads.shape[1])", "split_heads(dy @ w_output, heads.shape[1])"),
        Edit("dq @ w_query.T + dk @ w_key.T + dv @ w_value.T", "dq @ w_query + dk @ w_key + dv @ w_value"),
        ask="The matrices are square, so the shapes cannot warn you. If W were (D, F), what shape would dy @ W want?",
    ),
    Mistake(
        "keys_and_values_exchanged",
        "dx, dw_key and dw_value are what comes out when the gradient of the keys is taken for that of the values, and "
        "that of the values for that of the keys",
        Edit("dq, dk, dv = attention_backward", "dq, dv, dk = attention_backward"),
        ask="In which order does attention_backward return its three gradients, and in which do you take them?",
    ),
    Mistake(
        "matrices_of_keys_and_values_exchanged",
        "{part} is what comes out when the keys' gradient goes back through the values' matrix, and the values' "
        "through the keys'",
        Edit("dk @ w_key.T + dv @ w_value.T", "dk @ w_value.T + dv @ w_key.T"),
        ask="Which matrix made the keys of x?",
    ),
    Mistake(
        "merged_by_reshape",
        "{part} is what comes out when the gradients of the heads are reshaped to (B, T, D), so that rows hold "
        "several positions",
        Edit("(merge_heads(d) for d in", "(d.reshape(x.shape) for d in"),
        ask="The backward of a split only moves numbers. Does a reshape alone move them to where they came from?",
    ),
    Mistake(
        "last_sentence",
        "{part} holds what the last sentence contributes, and nothing of the others",
        Edit("matrix_gradient(merge_heads(heads), dy)", "matrix_gradient(merge_heads(heads)[-1:], dy[-1:])"),
        Edit("(matrix_gradient(x, d) for d in", "(matrix_gradient(x[-1:], d[-1:]) for d in"),
        ask="When your code comes to the second sentence, what becomes of what the first one left?",
    ),
    Mistake(
        "dw_output_second",
        "the gradients came in the order dx, dw_output, dw_query, dw_key, dw_value",
        Edit(
            "    return *projections_backward(dq, dk, dv, x, w_query, w_key, w_value), dw_output",
            "    dx, *others = projections_backward(dq, dk, dv, x, w_query, w_key, w_value)\n"
            "    return dx, dw_output, *others",
        ),
        ask="In which order does the docstring name the results?",
    ),
    *(
        Mistake(
            f"{name}_matrix_not_turned",
            f"{{part}} is what comes out when the gradient of the {name} alone goes back through its matrix as if it "
            "went forward",
            Edit(f"{product}.T", product),
            ask="The matrices are square, so the shapes cannot warn you. If W were (D, F), what shape would dy @ W "
            "want?",
        )
        for name, product in (("queries", "dq @ w_query"), ("keys", "dk @ w_key"), ("values", "dv @ w_value"))
    ),
    Mistake(
        "q_and_k_exchanged",
        "dx, dw_query and dw_key are what comes out when attention's backward is given q for k and k for q",
        Edit("attention_backward(dheads, q, k, v, weights)", "attention_backward(dheads, k, q, v, weights)"),
        ask="In which order does attention_backward take its arguments?",
    ),
    Mistake(
        "queries_and_keys_exchanged",
        "dx, dw_query and dw_key are what comes out when the gradient of the queries is taken for that of the keys, "
        "and that of the keys for that of the queries",
        Edit("dq, dk, dv = attention_backward", "dk, dq, dv = attention_backward"),
        ask="In which order does attention_backward return its three gradients, and in which do you take them?",
    ),
    Mistake(
        "keys_twice",
        "in {part} the path through the keys stands twice, and that through the values is missing",
        Edit("+ dv @ w_value.T", "+ dk @ w_key.T"),
        ask="Into which three products did x go, and which of them do your lines come back through?",
    ),
    Mistake(
        "values_through_the_keys_matrix",
        "{part} is what comes out when the gradient of the values goes back through the keys' matrix",
        Edit("dv @ w_value.T", "dv @ w_key.T"),
        ask="Which matrix made the values of x?",
    ),
    *(
        Mistake(
            f"dw_{name}_of_the_{other}",
            f"{{part}} is made of the gradient of the {other}",
            Edit("matrix_gradient(x, d) for d in (dq, dk, dv)", f"matrix_gradient(x, d) for d in ({used})"),
            ask=f"What did forward make with w_{name}, and which gradient belongs to that?",
        )
        for name, other, used in (("key", "queries", "dq, dq, dv"), ("value", "keys", "dq, dk, dk"))
    ),
    Mistake(
        "k_and_v_exchanged",
        "dx and the gradients of the three matrices are what comes out when attention's backward is given v for k "
        "and k for v",
        Edit("attention_backward(dheads, q, k, v, weights)", "attention_backward(dheads, q, v, k, weights)"),
        ask="In which order does attention_backward take its arguments?",
    ),
    Mistake(
        "matrices_of_queries_and_keys_exchanged",
        "{part} is what comes out when the queries' gradient goes back through the keys' matrix, and the keys' "
        "through the queries'",
        Edit("dq @ w_query.T + dk @ w_key.T", "dq @ w_key.T + dk @ w_query.T"),
        ask="Which matrix made the queries of x?",
    ),
    Mistake(
        "dx_last",
        "the gradients came in the order dw_query, dw_key, dw_value, dx",
        Edit("    return dx, dw_query, dw_key, dw_value\n", "    return dw_query, dw_key, dw_value, dx\n"),
        ask="In which order does the docstring name the results?",
    ),
]

HINTS = [
    "Write forward as a list of seven steps (three products, split, attention, merge, product) and go through it from "
    "below. Beside each step put the shape of the gradient: (B, T, D) or (B, H, T, d_k).",
    "dy first meets W^O, which gives dw_output and the gradient of the merged heads. Split that, and "
    "attention_backward takes it. What comes out has three parts, each still split into heads, one for each matrix.",
    "dw_output: matrix_gradient of the merged heads and dy. Then dy times the turned w_output, split, through "
    "attention_backward, each of the three merged. Each with x gives a matrix's gradient, each times its turned matrix "
    "a part of dx.",
]

ALTERNATIVES = [
    """
def self_attention_backward(dy, x, q, k, v, weights, heads, w_query, w_key, w_value, w_output):
    return self_attention_backward_slowly(dy, x, q, k, v, weights, heads, w_query, w_key, w_value, w_output)

def output_backward(dy, heads, w_output):
    H, d = heads.shape[1], heads.shape[3]
    dheads = np.einsum("btD,hkD->bhtk", dy, w_output.reshape(H, d, -1))
    return dheads, np.einsum("bhtk,btD->hkD", heads, dy).reshape(w_output.shape)


def projections_backward(dq, dk, dv, x, w_query, w_key, w_value):
    dx, dws = 0, []
    for w, g in ((w_query, dq), (w_key, dk), (w_value, dv)):
        side_by_side = np.concatenate([g[:, h] for h in range(g.shape[1])], axis=-1)
        dx = dx + side_by_side @ w.T
        dws.append(sum(one.T @ d for one, d in zip(x, side_by_side)))
    return dx, *dws
""",
    """
def self_attention_backward(dy, x, q, k, v, weights, heads, w_query, w_key, w_value, w_output):
    B, H, T, d = q.shape
    D = H * d
    wo = w_output.reshape(H, d, D)
    dh = np.einsum("btD,hkD->bhtk", dy, wo)
    dw = np.einsum("bhtk,bhsk->bhts", dh, v)
    ds = weights * (dw - np.einsum("bhts,bhts->bht", weights, dw)[..., None]) / np.sqrt(d)
    dq, dk = np.einsum("bhts,bhsk->bhtk", ds, k), np.einsum("bhts,bhtk->bhsk", ds, q)
    dv = np.einsum("bhts,bhtk->bhsk", weights, dh)
    dx, dws = 0, []
    for w, g in ((w_query, dq), (w_key, dk), (w_value, dv)):
        dx = dx + np.einsum("bhtk,Dhk->btD", g, w.reshape(D, H, d))
        dws.append(np.einsum("btD,bhtk->Dhk", x, g).reshape(D, D))
    return dx, *dws, np.einsum("bhtk,btD->hkD", heads, dy).reshape(D, D)

def output_backward(dy, heads, w_output):
    H, d = heads.shape[1], heads.shape[3]
    dheads = np.einsum("btD,hkD->bhtk", dy, w_output.reshape(H, d, -1))
    return dheads, np.einsum("bhtk,btD->hkD", heads, dy).reshape(w_output.shape)


def projections_backward(dq, dk, dv, x, w_query, w_key, w_value):
    dx, dws = 0, []
    for w, g in ((w_query, dq), (w_key, dk), (w_value, dv)):
        side_by_side = np.concatenate([g[:, h] for h in range(g.shape[1])], axis=-1)
        dx = dx + side_by_side @ w.T
        dws.append(sum(one.T @ d for one, d in zip(x, side_by_side)))
    return dx, *dws
""",
    """
def self_attention_backward(dy, x, q, k, v, weights, heads, w_query, w_key, w_value, w_output):
    wide = np.hstack([w_query, w_key, w_value])
    split = split_heads(dy.dot(w_output.T), q.shape[1])
    dwide = np.concatenate([merge_heads(d) for d in attention_backward(split, q, k, v, weights)], axis=2)
    dx = dwide @ np.transpose(wide)
    dw = sum(one.T @ d for one, d in zip(x, dwide))
    dwo = np.tensordot(merge_heads(heads), dy, axes=([0, 1], [0, 1]))
    return (dx, *np.split(dw, 3, axis=1), dwo)

def output_backward(dy, heads, w_output):
    H, d = heads.shape[1], heads.shape[3]
    dheads = np.einsum("btD,hkD->bhtk", dy, w_output.reshape(H, d, -1))
    return dheads, np.einsum("bhtk,btD->hkD", heads, dy).reshape(w_output.shape)


def projections_backward(dq, dk, dv, x, w_query, w_key, w_value):
    dx, dws = 0, []
    for w, g in ((w_query, dq), (w_key, dk), (w_value, dv)):
        side_by_side = np.concatenate([g[:, h] for h in range(g.shape[1])], axis=-1)
        dx = dx + side_by_side @ w.T
        dws.append(sum(one.T @ d for one, d in zip(x, side_by_side)))
    return dx, *dws
""",
]

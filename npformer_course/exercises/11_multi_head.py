# id: multi_head | points: 7 | minutes: 35 | level: 2 | needs: attention heads | notebook: 03

# %% [markdown]
# # Multi-head attention
#
# Now the pieces come together: section 3.2.2 of the paper, figure 2 on the right. Queries, keys and values are first
# multiplied by matrices of their own, so that what a word asks, what it is found by and what it says can be three
# different things. Each head attends in its own few dimensions. Their results are laid side by side, and a fourth
# matrix mixes them:
#
# $$\mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(\mathrm{head}_0, \dots, \mathrm{head}_{H - 1})\, W^O, \qquad
#   \mathrm{head}_h = \mathrm{Attention}(Q W_h^Q,\; K W_h^K,\; V W_h^V)$$
#
# $W_h^Q$, $W_h^K$ and $W_h^V$ are $(D, d_k)$ with $d_k = D / H$. As in the last exercise, those of all heads stand side
# by side in one matrix: columns $h d_k$ to $(h + 1) d_k - 1$ of `w_query` are $W_h^Q$. So all four matrices are
# $(D, D)$. A row of numbers is multiplied from the right, $x W$, and there are no biases, as in the paper.
#
# Without $W^O$ the heads would never meet: the first $d_k$ numbers of a result would come from head 0 alone.
#
# Query, key and value are three arguments here. In self-attention all three are the same `x`. In the decoder's look at
# the source, key and value are the encoder's result. The mask is $(B, T, S)$, one for each sentence, True = may
# attend, and all heads of the sentence share it.
#
# Here is the paper's formula, a head at a time:

# %%
import math

import numpy as np


def multi_head_attention_slowly(query, key, value, mask, w_query, w_key, w_value, w_output, n_heads):
    """The same as `multi_head_attention` below, by loops."""
    B, T, D = query.shape
    S, d_k = key.shape[1], D // n_heads
    y, weights = np.zeros((B, T, D)), np.zeros((B, n_heads, T, S))
    for b in range(B):
        concat = np.zeros((T, D))
        for h in range(n_heads):
            own = slice(h * d_k, (h + 1) * d_k)  # the columns of this head
            Q, K, V = query[b] @ w_query[:, own], key[b] @ w_key[:, own], value[b] @ w_value[:, own]
            for t in range(T):
                if mask[b, t].any():
                    powers = [math.exp(sum(Q[t] * K[s]) / math.sqrt(d_k)) if mask[b, t, s] else 0 for s in range(S)]
                    weights[b, h, t] = np.array(powers) / sum(powers)
                for s in range(S):
                    concat[t, own] += weights[b, h, t, s] * V[s]
        y[b] = concat @ w_output
    return y, weights


# %% [markdown]
# From earlier exercises, for you to use or to replace by your own:


# %%
def attention(q, k, v, mask):
    """Return the result (B, H, T, d_v) of scaled dot-product attention and its weights (B, H, T, S).

    q (B, H, T, d_k), k (B, H, S, d_k), v (B, H, S, d_v); mask broadcasts to (B, H, T, S).
    """
    x = np.where(mask, q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1]), -np.inf)
    largest = x.max(-1, keepdims=True)
    e = np.exp(x - np.where(np.isfinite(largest), largest, 0))
    weights = e / np.maximum(e.sum(-1, keepdims=True), 1e-30)
    return weights @ v, weights


def split_heads(x, n_heads):
    """Return the heads (B, H, T, d_k) of x (B, T, D)."""
    return x.reshape(*x.shape[:2], n_heads, -1).swapaxes(1, 2)


def merge_heads(heads):
    """Return the heads (B, H, T, d_k) side by side: (B, T, D)."""
    return heads.swapaxes(1, 2).reshape(heads.shape[0], heads.shape[2], -1)


# %% [markdown]
# ## Your turn
#
# Without loops, not even over heads. Before you write, put a shape next to each step, the mask's included.


# %%
def multi_head_attention(query, key, value, mask, w_query, w_key, w_value, w_output, n_heads):
    """Return y (B, T, D) and the weights (B, H, T, S) of multi-head attention with H = n_heads, in this order.

    query (B, T, D), key and value (B, S, D). mask: booleans (B, T, S), True = may attend, shared by all heads. A query
    that may attend to nothing has weights of 0. The four matrices are (D, D), used as x @ w; head h has the columns
    h * d_k to (h + 1) * d_k - 1 of the first three, d_k = D / H. None of the inputs is changed.
    """
    # BEGIN SOLUTION
    q = split_heads(query @ w_query, n_heads)
    k = split_heads(key @ w_key, n_heads)
    v = split_heads(value @ w_value, n_heads)
    heads, weights = attention(q, k, v, mask[:, None])
    return merge_heads(heads) @ w_output, weights
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction


def inputs(draw, B, H, T, S, d_k):
    """Draw query, key and value that differ, a mask for each sentence, and matrices that keep scores of order 1."""
    D = H * d_k
    names = ("w_query", "w_key", "w_value", "w_output")
    return {
        "query": draw.normal(B, T, D),
        "key": draw.normal(B, S, D),
        "value": draw.normal(B, S, D),
        "mask": draw.mask(B, T, S, empty=B * T > 1),
        **{name: draw.normal(D, D) / math.sqrt(D) for name in names},
        "n_heads": H,
    }


def forward(student, query, key, value, mask, w_query, w_key, w_value, w_output, n_heads):
    return student.multi_head_attention(query, key, value, mask, w_query, w_key, w_value, w_output, n_heads)


CALLS = [Call(forward, {"y": 4, "weights": 2})]
SLOW = {"forward": multi_head_attention_slowly}

PREDICTION = Prediction(
    "A model has D = 512. One colleague takes 8 heads, another takes 1. How many numbers do the four matrices have "
    "with 8 heads, compared with 1?",
    {"a": "8 times as many", "b": "just as many", "c": "an eighth"},
    answer="b",
    because="The matrices are (D, D) either way: heads cut what there is, they add nothing. The work of the products "
    "is the same too. What differs is that there are 8 softmaxes instead of 1: a word can look at 8 places at once.",
)

BY_TURNS = """    def by_turns(x):
        return x.reshape(*x.shape[:2], -1, n_heads).swapaxes(2, 3).reshape(x.shape)

"""

MISTAKES = [
    Mistake(
        "output_forgotten",
        "y is the heads side by side, not yet mixed",
        Edit("merge_heads(heads) @ w_output", "merge_heads(heads)"),
        ask="Which of the four matrices have you used?",
    ),
    Mistake(
        "root_of_d_model",
        "{part} is what comes out when the scores are divided by the root of D, the width of all heads together",
        Edit("split_heads(query @ w_query, n_heads)", "split_heads(query @ w_query, n_heads) / math.sqrt(n_heads)"),
        ask="How many products are added up in one score of one head?",
    ),
    Mistake(
        "merged_by_reshape",
        "the heads' results were joined without their axes being put in order: rows of y hold several positions",
        Edit("merge_heads(heads) @", "heads.reshape(query.shape) @"),
        ask="In (B, H, T, d_k), which number follows the last feature of position 0 of head 0?",
    ),
    Mistake(
        "mask_tiled",
        "{part} is what comes out when heads have masks of other sentences: the masks repeated in the order of "
        "heads, then sentences",
        Edit("mask[:, None]", "np.tile(mask, (n_heads, 1, 1)).reshape(len(mask), n_heads, *mask.shape[1:])"),
        ask="Give sentence 0 a mask that hides everything but its first word. Which heads of which sentence obey it?",
    ),
    Mistake(
        "mask_forgotten",
        "{part} does not depend on the mask",
        Edit("mask[:, None]", "np.ones_like(mask)[:, None]"),
        ask="Print the weights at a place where the mask is False. What should stand there?",
    ),
    Mistake(
        "matrices_turned",
        "{part} is what comes out when every matrix on the way there is used turned, rows for columns",
        Edit("query @ w_query", "query @ w_query.T"),
        Edit("key @ w_key", "key @ w_key.T"),
        Edit("value @ w_value", "value @ w_value.T"),
        Edit("@ w_output, weights", "@ w_output.T, weights"),
        ask="The matrices are square, so the shapes cannot warn you. What does the text say, x W or x times W turned?",
    ),
    Mistake(
        "key_and_value_exchanged",
        "the scores are made of value, and the averages of key",
        Edit("key @ w_key", "value @ w_key"),
        Edit("value @ w_value", "key @ w_value"),
        ask="Which of key and value does a query compare itself with, and of which does it take the average?",
    ),
    Mistake(
        "value_not_projected",
        "the averages are taken of value as it came, not yet multiplied by a matrix",
        Edit("value @ w_value", "value"),
        ask="Which of the four matrices have you used?",
    ),
    Mistake(
        "mask_upside_down",
        "{part} is what comes out when a query looks where the mask is False, and nowhere else",
        Edit("mask[:, None]", "np.logical_not(mask)[:, None]"),
        ask="What does True stand for in this course: may attend, or is hidden?",
    ),
    Mistake(
        "value_not_used",
        "y does not depend on value: the averages are taken of key",
        Edit("value @ w_value", "key @ w_value"),
        ask="With which of the three arrays does a query compare itself, and of which does it take the average?",
    ),
    Mistake(
        "weights_averaged",
        "weights is a mean over the heads",
        Edit("@ w_output, weights", "@ w_output, weights.mean(1)"),
        ask="Each head looks at places of its own. Can one still see in your weights which head looks where?",
    ),
    Mistake(
        "query_and_key_matrices_exchanged",
        "{part} is what comes out when the queries are made by the keys' matrix, and the keys by the queries'",
        Edit("query @ w_query", "query @ w_key"),
        Edit("key @ w_key", "key @ w_query"),
        ask="Which of the matrices does the text multiply Q by, and which K?",
    ),
    Mistake(
        "output_turned",
        "y is what comes out when the output matrix is used turned, rows for columns",
        Edit("@ w_output, weights", "@ w_output.T, weights"),
        ask="The matrices are square, so the shapes cannot warn you. What does the text say, x W or x times W turned?",
    ),
    Mistake(
        "scaled_twice",
        "{part} is what comes out when the scores are divided by d_k",
        Edit(
            "split_heads(query @ w_query, n_heads)",
            "split_heads(query @ w_query, n_heads) / math.sqrt(query.shape[-1] // n_heads)",
        ),
        ask="How often are your scores divided by the root of d_k: count what attention does, too.",
    ),
    *(
        Mistake(
            f"{name}_matrix_turned",
            f"{{part}} is what comes out when w_{name} alone is used turned, rows for columns",
            Edit(f"{name} @ w_{name}", f"{name} @ w_{name}.T"),
            ask="The matrix is square, so the shapes cannot warn you. What does the text say, x W or x times W turned?",
        )
        for name in ("query", "key", "value")
    ),
    Mistake(
        "split_by_reshape",
        "{part} is what comes out when queries, keys and values are reshaped to heads with no axes exchanged, so that "
        "heads have numbers of other positions",
        Edit(
            "split_heads(query @ w_query, n_heads)", "(query @ w_query).reshape(len(mask), n_heads, mask.shape[1], -1)"
        ),
        Edit("split_heads(key @ w_key, n_heads)", "(key @ w_key).reshape(len(mask), n_heads, mask.shape[2], -1)"),
        Edit(
            "split_heads(value @ w_value, n_heads)", "(value @ w_value).reshape(len(mask), n_heads, mask.shape[2], -1)"
        ),
        ask="Let x be np.arange(12).reshape(1, 3, 4), with 2 heads. Which four numbers should word 0 have in its two "
        "heads, and which has it in yours?",
    ),
    Mistake(
        "heads_take_turns",
        "{part} is what comes out when the heads take turns at the features: head h has every H-th of them",
        Edit("split_heads(query @ w_query, n_heads)", "split_heads(by_turns(query @ w_query), n_heads)"),
        Edit("split_heads(key @ w_key, n_heads)", "split_heads(by_turns(key @ w_key), n_heads)"),
        Edit("split_heads(value @ w_value, n_heads)", "split_heads(by_turns(value @ w_value), n_heads)"),
        Edit("    q = split", f"{BY_TURNS}    q = split"),
        ask="Columns 0 and 1 of w_query stand side by side, and d_k is 2 or more. To which heads do they belong?",
    ),
    Mistake(
        "values_split_by_reshape",
        "{part} is what comes out when the values are cut into heads in the order in which their numbers lie",
        Edit(
            "v = split_heads(value @ w_value, n_heads)",
            "v = (value @ w_value).reshape(len(value), n_heads, value.shape[1], -1)",
        ),
        ask="Of which position and which feature is the first number of position 1 of head 0 in your v?",
    ),
    Mistake(
        "heads_take_turns_at_the_values",
        "y is what comes out when the heads take turns at the features of the values: head h has every H-th of them",
        Edit("split_heads(value @ w_value, n_heads)", "split_heads(by_turns(value @ w_value), n_heads)"),
        Edit("    q = split", f"{BY_TURNS}    q = split"),
        ask="Columns 0 and 1 of w_value stand side by side, and d_k is 2 or more. To which heads do they belong?",
    ),
    Mistake(
        "one_head",
        "{part} is what a single head gives that is as wide as the model",
        Edit("split_heads(query @ w_query, n_heads)", "split_heads(query @ w_query, 1)"),
        Edit("split_heads(key @ w_key, n_heads)", "split_heads(key @ w_key, 1)"),
        Edit("split_heads(value @ w_value, n_heads)", "split_heads(value @ w_value, 1)"),
        ask="Where does n_heads stand in your lines?",
    ),
    Mistake(
        "key_and_value_matrices_exchanged",
        "{part} is what comes out when the keys are made with w_value, and the values with w_key",
        Edit("key @ w_key", "key @ w_value"),
        Edit("value @ w_value", "value @ w_key"),
        ask="Which matrix does each of key and value meet?",
    ),
    Mistake(
        "keys_and_values_exchanged_in_attention",
        "{part} is what comes out when the queries are compared with the projected values, and the averages are those "
        "of the projected keys",
        Edit("attention(q, k, v, mask[", "attention(q, v, k, mask["),
        ask="In which order does attention take its arguments?",
    ),
    Mistake(
        "values_by_the_keys_matrix",
        "y is what comes out when the values are made by the keys' matrix",
        Edit("value @ w_value", "value @ w_key"),
        ask="Which of the four matrices have you used, and how often each?",
    ),
    *(
        Mistake(
            f"{name}_not_projected",
            f"{{part}} is what comes out when {name} goes to the heads as it came, without its matrix",
            Edit(f"{name} @ w_{name}", name),
            ask="Which of the four matrices have you used?",
        )
        for name in ("query", "key")
    ),
    Mistake(
        "keys_by_the_queries_matrix",
        "{part} is what comes out when the keys are made by the queries' matrix",
        Edit("key @ w_key", "key @ w_query"),
        ask="Which of the four matrices have you used, and how often each?",
    ),
    Mistake(
        "value_and_output_matrices_exchanged",
        "y is what comes out when the values are made by the output's matrix, and the result by the values'",
        Edit("value @ w_value", "value @ w_output"),
        Edit("@ w_output, weights", "@ w_value, weights"),
        ask="Which matrix does the text multiply V by, and which the heads side by side?",
    ),
    Mistake(
        "merged_by_turns",
        "the heads' features were joined by turns: feature 0 of every head, then feature 1 of every head",
        Edit("merge_heads(heads) @", "heads.transpose(0, 2, 3, 1).reshape(query.shape) @"),
        ask="Concat lays the heads side by side. Which number follows the first number of head 0?",
    ),
    Mistake(
        "weights_summed",
        "weights is a sum over the heads",
        Edit("@ w_output, weights", "@ w_output, weights.sum(1)"),
        ask="Each head looks at places of its own. Can one still see in your weights which head looks where?",
    ),
    Mistake(
        "weights_of_the_first_head",
        "weights holds those of the first head alone",
        Edit("@ w_output, weights", "@ w_output, weights[:, 0]"),
        ask="Each head looks at places of its own. Can one still see in your weights which head looks where?",
    ),
]

HINTS = [
    "The order is: three products, split, attend, merge, one product. Check at every step whether you hold (B, T, D) "
    "or (B, H, T, d_k).",
    "attention wants a mask that broadcasts to (B, H, T, S), yours is (B, T, S). NumPy lines shapes up from the right: "
    "where must an axis of length 1 be put in, so that it stands where H stands?",
    "split_heads of query @ w_query, and likewise for key and value with their own matrices; attention of the three "
    "with the mask that has a new second axis; merge_heads of its result, times w_output. Return the weights as well.",
]

ALTERNATIVES = [
    """
def multi_head_attention(query, key, value, mask, w_query, w_key, w_value, w_output, n_heads):
    return multi_head_attention_slowly(query, key, value, mask, w_query, w_key, w_value, w_output, n_heads)
""",
    """
def multi_head_attention(query, key, value, mask, w_query, w_key, w_value, w_output, n_heads):
    D = len(w_query)
    cut = (D, n_heads, D // n_heads)
    q, k, v = (
        np.einsum("btd,dhk->bhtk", x, w.reshape(cut))
        for x, w in ((query, w_query), (key, w_key), (value, w_value))
    )
    powers = np.exp(np.einsum("bhtk,bhsk->bhts", q, k) / np.sqrt(D / n_heads)) * np.expand_dims(mask, 1)
    weights = powers / np.clip(powers.sum(-1, keepdims=True), 1e-200, None)
    return np.einsum("bhts,bhsk,hkd->btd", weights, v, w_output.reshape(n_heads, -1, D)), weights
""",
    """
def multi_head_attention(query, key, value, mask, w_query, w_key, w_value, w_output, n_heads):
    y, every = 0, []
    columns = [np.split(w, n_heads, axis=1) for w in (w_query, w_key, w_value)]
    for wq, wk, wv, wo in zip(*columns, np.split(w_output, n_heads)):
        head, weights = attention((query @ wq)[:, None], (key @ wk)[:, None], (value @ wv)[:, None], mask[:, None])
        y = y + head[:, 0] @ wo
        every.append(weights[:, 0])
    return y, np.stack(every, 1)
""",
]

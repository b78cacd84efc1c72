# id: attention | points: 6 | minutes: 35 | level: 2 | needs: masked_softmax | notebook: 01

# %% [markdown]
# # Scaled dot-product attention
#
# Every word asks a question (its query), every word offers a key, by which it is found, and a value, which is what it
# has to say. The answer to a query is an average of the values, weighted by how well the keys fit. Section 3.2.1 of
# the paper, equation 1, figure 2 on the left:
#
# $$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{Q K^T}{\sqrt{d_k}}\right) V$$
#
# The softmax runs over the keys: each query has one whole attention to give away. The arrays have these shapes, and
# you meet them in every exercise from here on:
#
# - `q` $(B, H, T, d_k)$: in each of $B$ sentences, for each of $H$ heads, $T$ queries of $d_k$ numbers,
# - `k` $(B, H, S, d_k)$ and `v` $(B, H, S, d_v)$: $S$ keys, and a value for each; $d_v$ may differ from $d_k$,
# - `mask` $(B, 1, T, S)$: booleans, True = may attend, the same for all heads.
#
# Heads know nothing of each other. What happens in one does not depend on how many there are, nor on the width
# $d_{model}$ of the whole model, which is usually $H \cdot d_k$.
#
# **Why divide?** A dot product of $d_k$ independent numbers of variance 1 with $d_k$ others is a sum of $d_k$ such
# products: its variance is $d_k$. Without the root, wide keys would make large scores, softmax would give nearly
# everything to one key, and hardly any gradient would come back. Notebook 02 measures it.
#
# Here is equation 1, one query at a time:

# %%
import math

import numpy as np


def attention_slowly(q, k, v, mask):
    """The same as `attention` below, by loops."""
    B, H, T, d_k = q.shape
    S, d_v = v.shape[2:]
    mask = np.broadcast_to(mask, (B, H, T, S))
    y, weights = np.zeros((B, H, T, d_v)), np.zeros((B, H, T, S))
    for b in range(B):
        for h in range(H):
            for t in range(T):
                powers = np.zeros(S)
                for s in range(S):
                    if mask[b, h, t, s]:
                        powers[s] = math.exp(sum(q[b, h, t] * k[b, h, s]) / math.sqrt(d_k))
                if mask[b, h, t].any():
                    weights[b, h, t] = powers / sum(powers)
                for s in range(S):
                    y[b, h, t] += weights[b, h, t, s] * v[b, h, s]
    return y, weights


# %% [markdown]
# The softmax of the last exercise, for you to use. Hidden places get a weight of 0, and a row without any True has
# weights of 0 throughout.


# %%
def masked_softmax(x, mask):
    """Return softmax of x (..., S) over the last axis, where mask is True, and 0 elsewhere. mask broadcasts to x."""
    x = np.where(mask, x, -np.inf)
    largest = x.max(-1, keepdims=True)
    e = np.exp(x - np.where(np.isfinite(largest), largest, 0))
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-30)


# %% [markdown]
# ## Your turn
#
# Without loops: `@` multiplies the last two axes and lets the leading ones pass. Return the weights as well: they are
# what one looks at in pictures of attention, and backward will want them.


# %%
def attention(q, k, v, mask):
    """Return y (B, H, T, d_v) and the weights (B, H, T, S) of scaled dot-product attention, in this order.

    q (B, H, T, d_k), k (B, H, S, d_k), v (B, H, S, d_v). mask: booleans, always (B, 1, T, S), True = may attend. A
    query that may attend to nothing has weights of 0 and a result of 0. None of the inputs is changed.
    """
    # BEGIN SOLUTION
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    weights = masked_softmax(scores, mask)
    return weights @ v, weights
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction

SIZES = {"d_v": (2, 8)}


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


CALLS = [Call(forward, {"y": 3, "weights": 2})]
SLOW = {"forward": attention_slowly}

PREDICTION = Prediction(
    "The numbers in queries and keys are independent, with mean 0 and variance 1. You widen d_k from 16 to 64. How "
    "much larger are typical dot products of a query and a key?",
    {"a": "as large as before", "b": "2 times", "c": "4 times"},
    answer="b",
    because="The variance of a sum of d_k independent products grows with d_k, so their spread grows with its root: "
    "from 4 to 8. That is the root in equation 1, and after dividing by it the spread is 1 at every width.",
)

MISTAKES = [
    Mistake(
        "not_scaled",
        "{part} is what comes out when the scores are not divided by anything",
        Edit(" / math.sqrt(q.shape[-1])", ""),
        ask="With d_k = 64, how far apart are typical scores, and what does softmax make of scores that far apart?",
    ),
    Mistake(
        "divided_by_d_k",
        "{part} is what comes out when the scores are divided by d_k itself",
        Edit("math.sqrt(q.shape[-1])", "q.shape[-1]"),
        ask="The variance of a dot product is d_k. What is its standard deviation?",
    ),
    Mistake(
        "multiplied_by_root",
        "{part} is what comes out when the scores are multiplied by the root of d_k",
        Edit("/ math.sqrt(q.shape[-1])", "* math.sqrt(q.shape[-1])"),
        ask="Should wider keys make the scores larger, or should their spread stay the same at every width?",
    ),
    Mistake(
        "root_of_d_model",
        "{part} is what comes out when the scores are divided by the root of H * d_k, the width of the whole model",
        Edit("math.sqrt(q.shape[-1])", "math.sqrt(q.shape[1] * q.shape[-1])"),
        ask="How many products are added up in the dot product of one query with one key of one head?",
    ),
    Mistake(
        "keys_reshaped",
        "{part} is what comes out when k is reshaped to (d_k, S): its numbers stay in the order in which they were",
        Edit("k.swapaxes(-1, -2)", "k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])"),
        ask="Take a = [[1, 2, 3], [4, 5, 6]]. What is a.T, and what is a.reshape(3, 2)?",
    ),
    Mistake(
        "root_of_length",
        "{part} is what comes out when the scores are divided by the root of S, the number of keys",
        Edit("math.sqrt(q.shape[-1])", "math.sqrt(k.shape[-2])"),
        ask="Over which letter does the dot product of a query and a key add up?",
    ),
    Mistake(
        "scaled_after_softmax",
        "{part} is what comes out when the weights are divided by the root of d_k, so that a row no longer sums to 1",
        Edit(" / math.sqrt(q.shape[-1])", ""),
        Edit("masked_softmax(scores, mask)", "masked_softmax(scores, mask) / math.sqrt(q.shape[-1])"),
        ask="In equation 1, does the root stand inside the softmax or outside?",
    ),
    Mistake(
        "softmax_over_queries",
        "{part} is what comes out when the weights of a key sum to 1 over the queries",
        Edit(
            "masked_softmax(scores, mask)", "masked_softmax(scores.swapaxes(2, 3), mask.swapaxes(2, 3)).swapaxes(2, 3)"
        ),
        ask="Who has one whole attention to give away: the one who asks, or the one who is asked?",
    ),
    Mistake(
        "mask_forgotten",
        "{part} does not depend on the mask",
        Edit("masked_softmax(scores, mask)", "masked_softmax(scores, np.ones_like(mask))"),
        ask="Print the weights at a place where the mask is False. What should stand there?",
    ),
    Mistake(
        "mask_after_softmax",
        "{part} is what comes out when the mask acts on finished weights, so that those of a query that may not "
        "look everywhere do not sum to 1",
        Edit("masked_softmax(scores, mask)", "mask * masked_softmax(scores, np.ones_like(mask))"),
        ask="When a key is hidden, what happens to the attention that it would have had?",
    ),
    Mistake(
        "mask_upside_down",
        "{part} is what comes out when a query looks where the mask is False, and nowhere else",
        Edit("masked_softmax(scores, mask)", "masked_softmax(scores, np.logical_not(mask))"),
        ask="What does True stand for in this course: may attend, or is hidden?",
    ),
    Mistake(
        "root_of_d_v",
        "{part} is what comes out when the scores are divided by the root of d_v, the width of the values",
        Edit("math.sqrt(q.shape[-1])", "math.sqrt(v.shape[-1])"),
        ask="Are the values a part of a score?",
    ),
    Mistake(
        "root_of_queries",
        "{part} is what comes out when the scores are divided by the root of T, the number of queries",
        Edit("math.sqrt(q.shape[-1])", "math.sqrt(q.shape[-2])"),
        ask="Over which letter does the dot product of a query and a key add up?",
    ),
    Mistake(
        "hidden_score_zero",
        "{part} is what comes out when a hidden place has the weight of a place whose score is 0",
        Edit("masked_softmax(scores, mask)", "masked_softmax(scores * mask, np.ones_like(mask))"),
        ask="What is exp(0), and is that the power of a place that nobody may see?",
    ),
    Mistake(
        "scores_returned",
        "weights is the scores, before softmax",
        Edit("return weights @ v, weights", "return weights @ v, scores"),
        ask="What should a row of the weights sum to, and what does yours?",
    ),
    Mistake(
        "keys_averaged",
        "y is an average of the keys",
        Edit("return weights @ v, weights", "return weights @ k, weights"),
        ask="What does a word have to say: its key or its value?",
    ),
    Mistake(
        "weights_averaged",
        "weights is a mean over the heads",
        Edit("return weights @ v, weights", "return weights @ v, weights.mean(1)"),
        ask="Each head looks at places of its own. Can one still see in your weights which head looks where?",
    ),
    Mistake(
        "root_of_heads",
        "{part} is what comes out when the scores are divided by the root of H, the number of heads",
        Edit("math.sqrt(q.shape[-1])", "math.sqrt(q.shape[1])"),
        ask="Over which letter does the dot product of a query and a key add up?",
    ),
    Mistake(
        "empty_row_nan",
        "{part} has NaN where a query may attend to nothing, and is right elsewhere",
        Edit(
            "weights = masked_softmax(scores, mask)",
            "powers = np.exp(scores) * mask\n    weights = powers / powers.sum(-1, keepdims=True)",
        ),
        ask="Follow such a query through your lines: its powers, their total. Where is the first NaN?",
    ),
]

HINTS = [
    "Take equation 1 from the inside out and write a shape next to each step: scores (B, H, T, S), weights of the same "
    "shape, result (B, H, T, d_v). Which two axes must meet in each product?",
    "K^T turns the last two axes only: k.swapaxes(-1, -2). And d_k is a number that you can read off q.",
    "Three lines: the product of q with the turned k, over the root of the last size of q; masked_softmax of that with "
    "the mask as it came; the weights times v. Return the product and the weights.",
]

ALTERNATIVES = [
    """
def attention(q, k, v, mask):
    return attention_slowly(q, k, v, mask)
""",
    """
def attention(q, k, v, mask):
    powers = np.exp(np.einsum("bhtd,bhsd->bhts", q * k.shape[3] ** -0.5, k)) * mask
    total = powers.sum(3)
    y = np.einsum("bhts,bhsd->bhtd", powers, v)
    total[total == 0] = 1
    return y / total[..., None], powers / total[..., None]
""",
    """
def attention(q, k, v, mask):
    mask = np.broadcast_to(mask, (*q.shape[:3], k.shape[2]))
    pairs = []
    for Q, K, V, M in zip(*(x.reshape(-1, *x.shape[2:]) for x in (q, k, v, mask))):
        W = masked_softmax(np.dot(Q, K.T) * np.sqrt(1 / Q.shape[1]), M)
        pairs.append((W.dot(V), W))
    y, weights = (np.array(many) for many in zip(*pairs))
    return y.reshape(*q.shape[:2], *y.shape[1:]), weights.reshape(*q.shape[:2], *weights.shape[1:])
""",
]

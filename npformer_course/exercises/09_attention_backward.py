# id: attention_backward | points: 9 | minutes: 60 | level: 3 | needs: attention | notebook: 05c

# %% [markdown]
# # Attention, backwards
#
# Forward was three lines (section 3.2.1, equation 1), and backward runs them in reverse. In each head of each
# sentence, with $X$ for the scores and $W$ for the weights:
#
# $$X = \frac{Q K^T}{\sqrt{d_k}}, \qquad W = \mathrm{softmax}(X) \text{ under the mask}, \qquad Y = W V$$
#
# `dy` says how the loss moves when $Y$ moves. You say how it moves when $Q$, $K$ and $V$ move. Two rules suffice, and
# you have met both.
#
# **A product of matrices**, $C = A B$: a number $A_{ij}$ is used in all of row $i$ of $C$, each time times a number
# of row $j$ of $B$. So $dA = dC\, B^T$, and in the same way $dB = A^T dC$. If you forget which goes where, let the
# shapes tell you: $dA$ must look like $A$, $dB$ like $B$. Mind which factor is turned: $K$ is in the product as
# $K^T$.
#
# **Softmax of a row**, here a row $x$ of the scores $X$: with the gradient $dw$ of its weights $w$, the gradient of the
# scores is $dx_s = w_s \left( dw_s - \sum_{s'} dw_{s'}\, w_{s'} \right)$. Where the weight is 0, because the mask hides
# the place or the whole row, this is 0. So the mask is not needed again.
#
# What backward needs from forward is handed to it: `q`, `k`, `v` and the weights. Here are the two rules, one query
# and one key at a time. A query has a gradient from every key that it looked at. A key and its value have one from
# every query that looked at them.

# %%
import math

import numpy as np


def attention_backward_slowly(dy, q, k, v, weights):
    """The same as `attention_backward` below, by loops."""
    B, H, T, d_k = q.shape
    S = k.shape[2]
    gradients = np.zeros(q.shape), np.zeros(k.shape), np.zeros(v.shape)
    dq, dk, dv = gradients
    for b in range(B):
        for h in range(H):
            for t in range(T):
                w = weights[b, h, t]
                dw = [sum(dy[b, h, t] * v[b, h, s]) for s in range(S)]
                average = sum(w[s] * dw[s] for s in range(S))
                for s in range(S):
                    dv[b, h, s] += w[s] * dy[b, h, t]
                    dscore = w[s] * (dw[s] - average)
                    dq[b, h, t] += dscore * k[b, h, s] / math.sqrt(d_k)
                    dk[b, h, s] += dscore * q[b, h, t] / math.sqrt(d_k)
    return gradients


# %% [markdown]
# ## Your turn
#
# Without loops, in the order in which the gradient travels: from $Y$ to $V$ and to the weights, from the weights to
# the scores, from the scores to $Q$ and $K$.


# %%
def attention_backward(dy, q, k, v, weights):
    """Return dq (B, H, T, d_k), dk (B, H, S, d_k) and dv (B, H, S, d_v), in this order.

    dy (B, H, T, d_v): the gradient of the result. q (B, H, T, d_k), k (B, H, S, d_k), v (B, H, S, d_v): what forward
    was given. weights (B, H, T, S): what it computed, rows that sum to 1, or to 0 where a query may attend to nothing.
    None of the inputs is changed.
    """
    # BEGIN SOLUTION
    scale = 1 / math.sqrt(q.shape[-1])
    dv = weights.swapaxes(-1, -2) @ dy
    dweights = dy @ v.swapaxes(-1, -2)
    along_row = (weights * dweights).sum(-1, keepdims=True)
    dscores = weights * (dweights - along_row)
    dq = dscores @ k * scale
    dk = dscores.swapaxes(-1, -2) @ q * scale
    return dq, dk, dv
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction

SIZES = {"d_v": (2, 8)}


def inputs(draw, B, H, T, S, d_k, d_v):
    """Draw what attention was given, its weights under a mask, and the gradient from above."""
    q, k, v = draw.normal(B, H, T, d_k), draw.normal(B, H, S, d_k), draw.normal(B, H, S, d_v)
    mask = draw.mask(B, 1, T, S, empty=B * T > 1)
    powers = mask * np.exp(q @ k.swapaxes(2, 3) / math.sqrt(d_k))
    weights = powers / np.maximum(powers.sum(-1, keepdims=True), 1e-30)
    return {"dy": draw.normal(B, H, T, d_v), "q": q, "k": k, "v": v, "weights": weights}


def backward(student, dy, q, k, v, weights):
    return student.attention_backward(dy, q, k, v, weights)


CALLS = [Call(backward, {"dq": 3, "dk": 3, "dv": 2})]
SLOW = {"backward": attention_backward_slowly}


def terms_of_dscores(dy, q, v, weights):
    """A score moves its own weight, and the total of its row."""
    dweights = dy @ v.swapaxes(2, 3)
    direct = weights * dweights / math.sqrt(q.shape[-1])
    return direct, -weights * direct.sum(-1, keepdims=True)


def terms_of_dq(dy, q, k, v, weights):
    direct, along_row = terms_of_dscores(dy, q, v, weights)
    return {"the weight's own gradient": direct @ k, "the sum over the row in softmax": along_row @ k}


def terms_of_dk(dy, q, k, v, weights):
    direct, along_row = (d.swapaxes(2, 3) for d in terms_of_dscores(dy, q, v, weights))
    return {"the weight's own gradient": direct @ q, "the sum over the row in softmax": along_row @ q}


TERMS = {"dq": terms_of_dq, "dk": terms_of_dk}

PREDICTION = Prediction(
    "Key 5 is padding, hidden from every query of its sentence. What are its rows of dk and dv?",
    {
        "a": "both 0",
        "b": "dv is 0, and dk is not: its score was computed all the same",
        "c": "dk is 0, and dv is not: values are not masked",
    },
    answer="a",
    because="All weights of this key are 0. Its value enters every average with the factor 0, and its scores, whatever "
    "they are, move nothing. So padding learns nothing and teaches nothing.",
)

MISTAKES = [
    Mistake(
        "scale_missing",
        "{part} is what comes out when the gradient of the scores is not divided by the root of d_k on its way back",
        Edit("1 / math.sqrt(q.shape[-1])", "1"),
        ask="If q moves by h, does the score move by h times k, or by less?",
    ),
    Mistake(
        "scale_twice",
        "{part} is what comes out when the gradient of the scores is divided by d_k on its way back",
        Edit("1 / math.sqrt(q.shape[-1])", "1 / q.shape[-1]"),
        ask="How often is a score divided by the root going forward, and how often is its gradient going back?",
    ),
    Mistake(
        "root_of_the_values",
        "{part} is what comes out when the gradient of the scores is divided by the root of d_v, the width of v",
        Edit("1 / math.sqrt(q.shape[-1])", "1 / math.sqrt(v.shape[-1])"),
        ask="How many products are added up in one score?",
    ),
    Mistake(
        "root_of_the_keys",
        "{part} is what comes out when the gradient of the scores is divided by the root of S, the number of keys",
        Edit("1 / math.sqrt(q.shape[-1])", "1 / math.sqrt(k.shape[-2])"),
        ask="How many products are added up in one score?",
    ),
    Mistake(
        "diagonal_only",
        "{part} is what comes out when a score moves no weight but its own",
        Edit("weights * (dweights - along_row)", "weights * (1 - weights) * dweights"),
        ask="One score of a row rises, and its weight with it. What do the other weights of the row do?",
    ),
    Mistake(
        "softmax_skipped",
        "{part} is what comes out when the gradient of the weights is taken for the gradient of the scores",
        Edit("dscores = weights * (dweights - along_row)", "dscores = dweights"),
        ask="What lies between the scores and the weights, and what should dq of a row be whose weights are all 0?",
    ),
    Mistake(
        "row_sum_missing",
        "{part} is what comes out when nothing is taken off in the gradient of the scores, so that its rows do not "
        "sum to 0",
        Edit("(dweights - along_row)", "dweights"),
        ask="Add one number to all scores of a row, and no weight moves. What must the gradients of the row add up to?",
    ),
    Mistake(
        "sum_over_queries",
        "{part} is what comes out when the sum in the gradient of the scores runs over the queries",
        Edit("(weights * dweights).sum(-1, keepdims=True)", "(weights * dweights).sum(-2, keepdims=True)"),
        ask="Which weights share a total of 1: those of a query, or those of a key?",
    ),
    Mistake(
        "reshaped_not_turned",
        "{part} holds the right numbers in the wrong places: a matrix (d, S) was reshaped to (S, d)",
        Edit(
            "dk = dscores.swapaxes(-1, -2) @ q * scale", "dk = (q.swapaxes(-1, -2) @ dscores).reshape(k.shape) * scale"
        ),
        Edit("dv = weights.swapaxes(-1, -2) @ dy", "dv = (dy.swapaxes(-1, -2) @ weights).reshape(v.shape)"),
        ask="Write a matrix of 2 rows and 3 columns on paper, reshape it to (3, 2), and turn it. Are they the same?",
    ),
    Mistake(
        "weights_reshaped",
        "{part} is what comes out when a matrix (T, S) is reshaped to (S, T) before the product",
        Edit(
            "dk = dscores.swapaxes(-1, -2) @ q * scale",
            "turned = *dscores.shape[:-2], dscores.shape[-1], dscores.shape[-2]\n"
            "    dk = dscores.reshape(turned) @ q * scale",
        ),
        Edit(
            "dv = weights.swapaxes(-1, -2) @ dy",
            "dv = weights.reshape(*weights.shape[:-2], weights.shape[-1], weights.shape[-2]) @ dy",
        ),
        ask="Take a = [[1, 2, 3], [4, 5, 6]]. What is a.T, and what is a.reshape(3, 2)?",
    ),
    Mistake(
        "values_reshaped",
        "{part} is what comes out when v (S, d_v) is reshaped to (d_v, S) on the way back to the weights",
        Edit("dy @ v.swapaxes(-1, -2)", "dy @ v.reshape(*v.shape[:-2], v.shape[-1], v.shape[-2])"),
        ask="Take a = [[1, 2, 3], [4, 5, 6]]. What is a.T, and what is a.reshape(3, 2)?",
    ),
    Mistake(
        "dk_from_weights",
        "dk is made of the weights, where the gradient of the scores belongs",
        Edit("dk = dscores.swapaxes", "dk = weights.swapaxes"),
        ask="Set dy to 0, so that nothing comes back. What is your dk?",
    ),
    Mistake(
        "values_first",
        "the gradients came in the order dv, dq, dk",
        Edit("return dq, dk, dv", "return dv, dq, dk"),
        ask="In which order does the docstring name the results?",
    ),
    *(
        Mistake(
            f"dv_from_gradient_of_{name}",
            f"dv is made of the gradient of the {name}",
            Edit("    return dq, dk, dv", f"    dv = d{name}.swapaxes(-1, -2) @ dy\n    return dq, dk, dv"),
            ask="What did forward multiply the values by?",
        )
        for name in ("scores", "weights")
    ),
    Mistake(
        "sum_without_weights",
        "{part} is what comes out when the gradients of the weights are summed over the row as they are",
        Edit("(weights * dweights).sum(-1", "dweights.sum(-1"),
        ask="Which factors under the sum over s' carry that index?",
    ),
    Mistake(
        "weight_missing",
        "{part} is what comes out when the gradient of a score is not multiplied by its weight",
        Edit("dscores = weights * (dweights - along_row)", "dscores = dweights - along_row"),
        ask="A key that the mask hides has the weight 0. What should its score's gradient be, and what is yours?",
    ),
    Mistake(
        "made_of_the_weights",
        "{part} is made of the weights, where the gradient of the scores belongs",
        Edit("dq = dscores @ k * scale", "dq = weights @ k"),
        Edit("dk = dscores.swapaxes(-1, -2) @ q * scale", "dk = weights.swapaxes(-1, -2) @ q"),
        ask="Set dy to 0, so that nothing comes back. What is your {part}?",
    ),
    Mistake(
        "weight_missing_in_the_sum",
        "{part} is what comes out when the sum over the row is taken off all its scores alike, whatever their weights",
        Edit("weights * (dweights - along_row)", "weights * dweights - along_row"),
        ask="A key that the mask hides has the weight 0. What should its score's gradient be, and what is yours?",
    ),
    Mistake(
        "weight_missing_in_the_direct_term",
        "{part} is what comes out when the gradient of a weight goes on to its score whole, however small the weight",
        Edit("weights * (dweights - along_row)", "dweights - weights * along_row"),
        ask="A key that the mask hides has the weight 0. What should its score's gradient be, and what is yours?",
    ),
    Mistake(
        "weight_twice_in_the_sum",
        "{part} is what comes out when the sum over the row is multiplied by the weight twice",
        Edit("weights * (dweights - along_row)", "weights * (dweights - weights * along_row)"),
        ask="How often does w_s stand in front of the sum in the formula?",
    ),
    Mistake(
        "softmax_again",
        "{part} is what comes out when the weights are put through softmax once more, as if they were scores",
        Edit("along_row = (", "weights = np.exp(weights) / np.exp(weights).sum(-1, keepdims=True)\n    along_row = ("),
        ask="What does the docstring say that the weights are, and what do their rows add up to?",
    ),
]

HINTS = [
    "Give every array of forward a gradient of the same name and the same shape: dv, dweights, dscores, dq, dk. Then "
    "go through the three lines of forward from the last to the first.",
    "Y = W V is a product: dv and dweights come from the rule C = A B. Then one line for softmax, which sums over the "
    "last axis. Then X = Q K^T is a product once more, with K already turned, and over the root of d_k.",
    "dv is the turned weights times dy; dweights is dy times the turned v; the scores' gradient is the formula of "
    "softmax; dq is that times k, dk is that, turned, times q, both over the root. Turn with swapaxes(-1, -2).",
]

ALTERNATIVES = [
    """
def attention_backward(dy, q, k, v, weights):
    return attention_backward_slowly(dy, q, k, v, weights)
""",
    """
def attention_backward(dy, q, k, v, weights):
    W = weights
    dX = W * np.einsum("bhte,bhse->bhts", dy, v)
    dX = (dX - W * dX.sum(3)[..., None]) / np.sqrt(k.shape[3])
    dV = np.einsum("bhts,bhte->bhse", W, dy)
    return np.einsum("bhts,bhsd->bhtd", dX, k), np.einsum("bhts,bhtd->bhsd", dX, q), dV
""",
    """
def attention_backward(dy, q, k, v, weights):
    y = np.matmul(weights, v)
    dW = np.matmul(dy, np.transpose(v, (0, 1, 3, 2)))
    dX = weights * (dW - np.sum(dy * y, axis=-1)[:, :, :, np.newaxis])
    dX *= q.shape[3] ** -0.5
    dK = np.transpose(np.matmul(np.transpose(q, (0, 1, 3, 2)), dX), (0, 1, 3, 2))
    return np.matmul(dX, k), dK, np.matmul(np.transpose(weights, (0, 1, 3, 2)), dy)
""",
]

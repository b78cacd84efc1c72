# id: rotary | points: 12 | minutes: 40 | level: 2 | needs: attention_backward positions | notebook: 15a

# %% [markdown]
# # Rotary position embedding
#
# The paper adds a table of sinusoids to the embeddings (section 3.5). Rotary position embedding (RoPE, Su et al. 2021)
# adds nothing: it *turns* each query and each key by an angle that grows with its position. A score is the dot
# product of the two, and a dot product depends only on the angle between them. So a score depends on how far apart the
# two positions are, not on where they are. Nothing is learned. Most language models since 2022 do this.
#
# The $d_k$ features of a head form pairs of neighbors: 0 and 1, 2 and 3, and so on. Pair $i$ of position $t$ is
# turned by the angle $a$, which is that of the paper's sinusoids, with $K$ for $d_k$ (equations 15 and 34):
#
# $$\begin{aligned} y_{2i} &= x_{2i} \cos a - x_{2i+1} \sin a \\
#   y_{2i+1} &= x_{2i} \sin a + x_{2i+1} \cos a \end{aligned}
#   \qquad a = \frac{t}{10000^{2i / K}}, \quad i = 0, \dots, K/2 - 1$$
#
# That is a product with a matrix, $y_t = R_t\, x_t$. Two facts are all that the rest needs:
#
# - A rotation is undone by its transpose: $R_t^T = R_{-t}$. So **backward** is $dx_t = R_t^T\, dy_t = R_{-t}\, dy_t$.
# - $(R_t q)^T (R_s k) = q^T R_{s-t}\, k$: only the distance $s - t$ is left.
#
# **The scores.** Queries and keys are both turned, values are not, and then comes the scaled product of section 3.2.1:
#
# $$\mathrm{score}_{ts} = \frac{(R_t\, q_t)^T (R_s\, k_s)}{\sqrt{K}}$$
#
# When a text is written with a cache, keys are there from position 0 on, queries only for the newest positions. So
# there are $T$ queries and $S \ge T$ keys, and the queries are those of the *last* $T$ of the $S$ positions.
#
# Here is all of it, a pair of features at a time:

# %%
import math

import numpy as np


def rotate_slowly(x, start):
    """The same as `rotate` below, by loops."""
    y = np.zeros(x.shape)
    K = x.shape[-1]
    for n in range(x.shape[-2]):
        for i in range(K // 2):
            angle = (start + n) / 10000 ** (2 * i / K)
            first, second = x[..., n, 2 * i], x[..., n, 2 * i + 1]
            y[..., n, 2 * i] = first * math.cos(angle) - second * math.sin(angle)
            y[..., n, 2 * i + 1] = first * math.sin(angle) + second * math.cos(angle)
    return y


def rotary_scores_slowly(q, k):
    """The same as `rotary_scores` below: a query and a key at a time, both turned."""
    B, H, T, K = q.shape
    S = k.shape[2]
    scores = np.zeros((B, H, T, S))
    for b, h, t, s in np.ndindex(B, H, T, S):
        query = rotate_slowly(q[b, h, [t]], S - T + t)[0]
        key = rotate_slowly(k[b, h, [s]], s)[0]
        scores[b, h, t, s] = sum(query * key) / math.sqrt(K)
    return scores


# %% [markdown]
# ## Your turn
#
# Four short functions, without loops. (In this course loops of any kind are accepted, over pairs too.) The second can
# be made of the first, or of the same formula with another sign. `x[..., 0::2]` are the first features of all pairs.


# %%
def rotate(x, start):
    """Return x with each position's features turned, (B, H, N, K).

    x (B, H, N, K): its N positions have the numbers start, start + 1, ... K is even. x itself is not changed.
    """
    # BEGIN SOLUTION
    N, K = x.shape[-2:]
    angles = np.arange(start, start + N)[:, None] / 10000 ** (np.arange(0, K, 2) / K)  # (N, K / 2)
    sin, cos = np.sin(angles), np.cos(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    y = np.empty_like(x)
    y[..., 0::2] = first * cos - second * sin
    y[..., 1::2] = first * sin + second * cos
    return y
    # END SOLUTION


# %%
def rotate_backward(dy, start):
    """Return dx (B, H, N, K), the gradient of what `rotate` was given; dy (B, H, N, K) that of what it returned."""
    # BEGIN SOLUTION
    flip = np.tile([1.0, -1.0], dy.shape[-1] // 2)  # turning back is turning the mirror image
    return flip * rotate(flip * dy, start)
    # END SOLUTION


# %%
def rotary_scores(q, k):
    """Return the scores (B, H, T, S), before mask and softmax.

    q (B, H, T, K): the queries of the last T of S positions. k (B, H, S, K): the keys of positions 0 to S - 1.
    """
    # BEGIN SOLUTION
    T, S, K = q.shape[2], k.shape[2], k.shape[3]
    turned_q = rotate(q, S - T)
    turned_k = rotate(k, 0)
    return turned_q @ turned_k.swapaxes(2, 3) / math.sqrt(K)
    # END SOLUTION


# %%
def rotary_scores_backward(dscores, q, k):
    """Return dq (B, H, T, K) and dk (B, H, S, K) from dscores (B, H, T, S); q and k are what forward was given."""
    # BEGIN SOLUTION
    start = k.shape[2] - q.shape[2]
    dproducts = dscores / math.sqrt(q.shape[3])
    dq = rotate_backward(dproducts @ rotate(k, 0), start)
    dk = rotate_backward(dproducts.swapaxes(2, 3) @ rotate(q, start), 0)
    return dq, dk
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction

SIZES = {"P": (2, 4), "L": (1, 5)}  # pairs, and keys that are there before the first query


def inputs(draw, B, H, T, P, L):
    """Draw T queries and L + T keys with 2 P features, and a gradient for each result."""
    S, K = L + T, 2 * P
    return {
        "x": draw.normal(B, H, T, K),
        "dy": draw.normal(B, H, T, K),
        "start": draw.whole(0, 20) + 1,
        "q": draw.normal(B, H, T, K),
        "k": draw.normal(B, H, S, K),
        "dscores": draw.normal(B, H, T, S),
    }


def forward(student, x, start):
    return student.rotate(x, start)


def backward(student, dy, start):
    return student.rotate_backward(dy, start)


def scores(student, q, k):
    return student.rotary_scores(q, k)


def scores_backward(student, dscores, q, k):
    return student.rotary_scores_backward(dscores, q, k)


CALLS = [
    Call(forward, {"rotated x": 3}),
    Call(backward, {"dx": 2}),
    Call(scores, {"scores": 2}),
    Call(scores_backward, {"dq": 2, "dk": 2}),
]


def backward_slowly(dy, start):
    """Turn by the angles of the positions -start, -start - 1, ..."""
    return np.stack([rotate_slowly(dy[..., [n], :], -start - n)[..., 0, :] for n in range(dy.shape[-2])], -2)


def scores_backward_slowly(dscores, q, k):
    """Add up what each score passes on."""
    dq, dk = np.zeros(q.shape), np.zeros(k.shape)
    S, T, K = k.shape[2], q.shape[2], q.shape[3]
    for t, s in np.ndindex(T, S):
        passed = dscores[:, :, t, s, None] / math.sqrt(K)
        distance = s - (S - T + t)
        dq[:, :, t] += passed * rotate_slowly(k[:, :, [s]], distance)[:, :, 0]
        dk[:, :, s] += passed * rotate_slowly(q[:, :, [t]], -distance)[:, :, 0]
    return dq, dk


SLOW = {
    "forward": rotate_slowly,
    "backward": backward_slowly,
    "scores": rotary_scores_slowly,
    "scores_backward": scores_backward_slowly,
}

PREDICTION = Prediction(
    "A sentence is moved: three words are put in front of it. What happens to the rotary scores between its own words, "
    "if their queries and keys before the rotation are the same?",
    {
        "a": "all of them change, since every query and every key is turned further",
        "b": "none of them changes",
        "c": "only the scores of each word with itself stay",
    },
    answer="b",
    because="Query and key are turned further by the same angles, those of three positions. The angle between them "
    "stays, and so does their dot product: only the distance counts.",
)

MISTAKES = [
    Mistake(
        "start_unused",
        "{part} is what comes out when the first position of every array has the number 0",
        Edit("np.arange(start, start + N)", "np.arange(N)"),
        ask="Which number has the position of the first row: in x, and among the queries if there are more keys?",
    ),
    Mistake(
        "position_off_by_one",
        "{part} is what comes out when positions are counted from start + 1 on",
        Edit("np.arange(start, start + N)", "np.arange(start + 1, start + N + 1)"),
        ask="By which angle is position 0 turned?",
    ),
    Mistake(
        "halves_paired",
        "{part} is what comes out when feature i and feature i + K / 2 are a pair",
        Edit("first, second = x[..., 0::2], x[..., 1::2]", "first, second = x[..., : K // 2], x[..., K // 2 :]"),
        Edit("y[..., 0::2] = first", "y[..., : K // 2] = first"),
        Edit("y[..., 1::2] = first", "y[..., K // 2 :] = first"),
        Edit("np.tile([1.0, -1.0], dy.shape[-1] // 2)", "np.repeat([1.0, -1.0], dy.shape[-1] // 2)"),
        ask="Which two features does the formula for i = 0 put together?",
    ),
    Mistake(
        "turned_the_other_way",
        "{part} is what comes out when each position is turned by -a in place of a",
        Edit("first * cos - second * sin", "first * cos + second * sin"),
        Edit("first * sin + second * cos", "second * cos - first * sin"),
        Edit("return flip * rotate(flip * dy, start)", "return rotate(dy, start)"),
        ask="Take the pair (1, 0) and a small a. Should the second feature get positive or negative?",
    ),
    Mistake(
        "first_overwritten",
        "{part} is what comes out when the new first feature of a pair is used to compute the second",
        Edit("y[..., 1::2] = first * sin", "y[..., 1::2] = y[..., 0::2] * sin"),
        ask="When your second line runs, does it read x as it came in?",
    ),
    Mistake(
        "rates_of_i",
        "{part} is what comes out when the exponent is i / K in place of 2 i / K",
        Edit("np.arange(0, K, 2) / K", "np.arange(K // 2) / K"),
        ask="With K = 4 there are two pairs. What is the exponent of the second one?",
    ),
    Mistake(
        "one_rate_for_all",
        "{part} is what comes out when all pairs of a position are turned by the same angle",
        Edit("10000 ** (np.arange(0, K, 2) / K)", "10000 ** (np.zeros(K // 2))"),
        ask="Which pair turns fastest, and which slowest?",
    ),
    Mistake(
        "heads_for_positions",
        "{part} is what comes out when the angle grows with the number of the head, not with that of the position",
        Edit("np.arange(start, start + N)[:, None] /", "np.arange(start, start + x.shape[1])[:, None, None] /"),
        ask="Which axis of x (B, H, N, K) counts positions, and along which one does your angle change?",
    ),
    Mistake(
        "table_added",
        "{part} is what comes out when the sines and cosines are added, as in the paper, and nothing is turned",
        Edit("first * cos - second * sin", "first + sin"),
        Edit("first * sin + second * cos", "second + cos"),
        ask="Does the length of a pair change in a rotation? Compare that of x with yours.",
    ),
    Mistake(
        "backward_turns_on",
        "{part} is what comes out when backward turns in the same direction as forward",
        Edit("return flip * rotate(flip * dy, start)", "return rotate(dy, start)"),
        ask="A product y = R x has dx = R^T dy. What does the transpose of a rotation do?",
    ),
    Mistake(
        "keys_not_turned",
        "{part} is what comes out when the queries are turned and the keys are not",
        Edit("turned_k = rotate(k, 0)", "turned_k = k"),
        ask="Move query and key by the same number of positions. Does your score stay?",
    ),
    Mistake(
        "not_scaled",
        "{part} is sqrt(K) times what it should be",
        Edit("turned_k.swapaxes(2, 3) / math.sqrt(K)", "turned_k.swapaxes(2, 3)"),
        Edit("dscores / math.sqrt(q.shape[3])", "dscores"),
        ask="What does 'scaled' in scaled dot-product attention mean?",
    ),
    Mistake(
        "gradients_not_turned_back",
        "{part} is the gradient of what was turned, not of what came in",
        Edit("dq = rotate_backward(dproducts @ rotate(k, 0), start)", "dq = dproducts @ rotate(k, 0)"),
        Edit(
            "dk = rotate_backward(dproducts.swapaxes(2, 3) @ rotate(q, start), 0)",
            "dk = dproducts.swapaxes(2, 3) @ rotate(q, start) + 0.0",
        ),
        ask="What did forward do with q before the product, and so what must backward do after it?",
    ),
    Mistake(
        "factors_not_turned",
        "{part} is what comes out when the other factor of the product is taken as it came in, not turned",
        Edit("dproducts @ rotate(k, 0)", "dproducts @ k"),
        Edit("dproducts.swapaxes(2, 3) @ rotate(q, start)", "dproducts.swapaxes(2, 3) @ q"),
        ask="By which array did forward multiply the turned query?",
    ),
    Mistake(
        "sine_and_cosine_exchanged",
        "{part} is what comes out when the sine is taken for the cosine, and the cosine for the sine",
        Edit("sin, cos = np.sin(angles), np.cos(angles)", "sin, cos = np.cos(angles), np.sin(angles)"),
        Edit(
            "T, S, K = q.shape[2]",
            "q, k = (x * np.tile([1.0, -1.0], k.shape[3] // 2) for x in (q, k))\n    T, S, K = q.shape[2]",
        ),  # else the scores are those of turned_the_other_way
        ask="What should become of position 0, whose angle is 0?",
    ),
    Mistake(
        "two_minuses",
        "{part} is what comes out when both features of a pair have a minus",
        Edit("first * sin + second * cos", "first * sin - second * cos"),
        Edit("return flip * rotate(flip * dy, start)", "return flip * rotate(dy, start)"),
        ask="With an angle of 0, what becomes of the second feature of a pair?",
    ),
    Mistake(
        "two_pluses",
        "{part} is what comes out when both features of a pair have a plus",
        Edit("first * cos - second * sin", "first * cos + second * sin"),
        Edit("return flip * rotate(flip * dy, start)", "return rotate(dy, start)"),
        ask="Turn the pair (0, 1) by a quarter, a = 90 degrees: where does it end, and where does yours?",
    ),
    Mistake(
        "angles_multiplied",
        "{part} is what comes out when the position is multiplied by the power of 10000",
        Edit("[:, None] / 10000 **", "[:, None] * 10000.0 **"),
        ask="Which pair turns fastest, and which slowest?",
    ),
    Mistake(
        "rates_doubled",
        "{part} is what comes out when the exponent is 4 i / K in place of 2 i / K",
        Edit("(np.arange(0, K, 2) / K)", "(2 * np.arange(0, K, 2) / K)"),
        ask="With K = 4 there are two pairs. What is the exponent of the second one?",
    ),
    Mistake(
        "start_negated",
        "{part} is what comes out when backward turns to the positions -start, -start + 1, ...",
        Edit(
            "return flip * rotate(flip * dy, start)",
            "return rotate(dy, -start) if start else flip * rotate(flip * dy, 0)",
        ),
        ask="Position start + 1 was turned further than position start. Does your backward turn it back further?",
    ),
    Mistake(
        "queries_not_turned",
        "{part} is what comes out when the keys are turned and the queries are not",
        Edit("turned_q = rotate(q, S - T)", "turned_q = q"),
        ask="Move query and key by the same number of positions. Does your score stay?",
    ),
    Mistake(
        "nothing_turned",
        "{part} is what comes out when neither queries nor keys are turned",
        Edit("turned_q = rotate(q, S - T)", "turned_q = q"),
        Edit("turned_k = rotate(k, 0)", "turned_k = k"),
        Edit("rotate_backward(dproducts @ rotate(k, 0), start)", "dproducts @ k"),
        Edit("rotate_backward(dproducts.swapaxes(2, 3) @ rotate(q, start), 0)", "dproducts.swapaxes(2, 3) @ q"),
        ask="Where in your lines do the positions of queries and keys occur?",
    ),
    *(
        Mistake(
            f"queries_from_{first}",
            f"{{part}} is what comes out when the first query has the position {first}",
            Edit("turned_q = rotate(q, S - T)", f"turned_q = rotate(q, {first})"),
            Edit("start = k.shape[2] - q.shape[2]", f"start = {shape}.shape[2]"),
            ask="There are 5 positions and 2 queries. Which numbers have the positions of the two?",
        )
        for first, shape in (("S", "k"), ("T", "q"))
    ),
    Mistake(
        "softmax_taken",
        "{part} is what comes out when the softmax of the scores is taken as well",
        Edit(
            "return turned_q @ turned_k.swapaxes(2, 3) / math.sqrt(K)",
            "powers = np.exp(turned_q @ turned_k.swapaxes(2, 3) / math.sqrt(K))\n"
            "    return powers / powers.sum(-1, keepdims=True)",
        ),
        ask="Which two steps of attention come after the scores, by the docstring?",
    ),
    Mistake(
        "masked",
        "{part} is -inf where a key is behind its query",
        Edit(
            "return turned_q @ turned_k.swapaxes(2, 3) / math.sqrt(K)",
            "hidden = np.triu(np.ones((T, S), bool), S - T + 1)\n"
            "    return np.where(hidden, -np.inf, turned_q @ turned_k.swapaxes(2, 3) / math.sqrt(K))",
        ),
        ask="Which two steps of attention come after the scores, by the docstring?",
    ),
    Mistake(
        "scaled_by_K",
        "{part} is divided by K, not by its root",
        Edit("turned_k.swapaxes(2, 3) / math.sqrt(K)", "turned_k.swapaxes(2, 3) / K"),
        Edit("dscores / math.sqrt(q.shape[3])", "dscores / q.shape[3]"),
        ask="A query and a key have 64 random features. How large is their product typically, 8 or 64?",
    ),
]

HINTS = [
    "Make the angles first, (N, K / 2): positions as a column, one rate for each pair as a row. Sine and cosine of "
    "this array broadcast over sentences and heads.",
    "rotate: take both halves of all pairs out of x, x[..., 0::2] and x[..., 1::2], before you write anything, and "
    "fill a new array. rotate_backward is the same with the other sign of the sine.",
    "Scores: both turned, q from position S - T on and k from 0 on, then the product over sqrt(K). Backward: "
    "dscores / sqrt(K) times the turned k is the gradient of the turned q; turn it back from the same start. For k use "
    "the transpose of dscores (its last two axes) and the turned q.",
]

ALTERNATIVES = [
    """
def rotate(x, start):
    return rotate_slowly(x, start)


def rotate_backward(dy, start):
    dx = np.empty_like(dy)
    K = dy.shape[-1]
    for n in range(dy.shape[-2]):
        for i in range(0, K, 2):
            a = (start + n) / 10000 ** (i / K)
            turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
            dx[..., n, i : i + 2] = dy[..., n, i : i + 2] @ turn
    return dx


def rotary_scores(q, k):
    return rotary_scores_slowly(q, k)


def rotary_scores_backward(dscores, q, k):
    start, root = k.shape[2] - q.shape[2], q.shape[3] ** 0.5
    dq = np.einsum("bhts,bhsk->bhtk", dscores, rotate(k, 0)) / root
    dk = np.einsum("bhts,bhtk->bhsk", dscores, rotate(q, start)) / root
    return rotate_backward(dq, start), rotate_backward(dk, 0)
""",
    """
def turned(x, positions):
    rates = np.exp(-np.log(10000.0) * np.arange(x.shape[-1] // 2) / (x.shape[-1] // 2))
    z = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * np.multiply.outer(positions, rates))
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


def rotate(x, start):
    return turned(x, start + np.arange(x.shape[-2]))


def rotate_backward(dy, start):
    return turned(dy, -(start + np.arange(dy.shape[-2])))


def rotary_scores(q, k):
    S, T = k.shape[-2], q.shape[-2]
    k = turned(k, np.arange(S) - (S - T))  # only the distance counts, so count from the first query
    return np.matmul(turned(q, np.arange(T)), np.moveaxis(k, -1, -2)) * q.shape[-1] ** -0.5


def rotary_scores_backward(dscores, q, k):
    S, T = k.shape[-2], q.shape[-2]
    dscores = dscores * q.shape[-1] ** -0.5
    at_q, at_k = np.arange(T), np.arange(S) - (S - T)
    dq = turned(np.matmul(dscores, turned(k, at_k)), -at_q)
    dk = turned(np.matmul(np.moveaxis(dscores, -1, -2), turned(q, at_q)), -at_k)
    return dq, dk
""",
]

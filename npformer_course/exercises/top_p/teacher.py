"""How the answers to top_p are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import draw_tokens_slowly, nucleus, nucleus_slowly, softmax

TRIES = 100  # at logits on which the order of temperature and nucleus shows


def inputs(draw, B, V):
    """Draw logits whose nucleus depends on the temperature, probabilities, and numbers in [0, 1).

    The first number is 0, and the first token of its row has the probability 0. The last one is
    exactly a running sum. In every third draw a nucleus may be the whole vocabulary.
    """
    V = max(V, 2)
    temperature = draw.uniform(0.4, 0.7)
    p = 0.999 if draw.lowest else draw.uniform(0.6, 0.85)
    for _ in range(TRIES):
        logits = 1.5 * draw.normal(B, V)
        right = nucleus(softmax(logits / temperature), p)
        unused = nucleus(softmax(logits), p)
        multiplied = nucleus(softmax(logits * temperature), p)
        if (right != unused).any() and (right != multiplied).any():
            break

    flat = softmax(draw.normal(B, V))
    flat[0] = softmax(np.eye(V)[draw.rng.integers(V)] * 6)  # one token alone has more than p
    flat[0] += 1e-3 * softmax(draw.normal(V))  # no two are equal
    flat[0] /= flat[0].sum()

    top = np.where(draw.rng.random((B, V)) < 0.5, softmax(draw.normal(B, V)), 0)
    top[:, 0] = 0
    top[:, [1, V - 1]] = draw.rng.uniform(0.3, 0.6, (B, 2))
    top /= top.sum(1, keepdims=True)

    tokens = [draw.rng.choice(np.flatnonzero(row)) for row in top]
    if B > 1:
        tokens[1] = np.where(top[1] > 0, top[1], 1).argmin()  # not the most probable one
    share = draw.rng.uniform(0.3, 0.7, B)
    u = np.zeros(B)
    for b in range(1, B):
        before = top[b, : tokens[b]].sum()
        u[b] = before + share[b] * top[b, tokens[b]]
    if B > 2 and V > 2:  # a token is drawn whose running sum is above u, and not one with just u
        top[-1] = 0
        top[-1, 1] = u[-1] = 0.25
        top[-1, V - 1] = 0.75
    return {
        "probabilities": flat,
        "logits": logits,
        "temperature": temperature,
        "p": p,
        "kept_probabilities": top,
        "u": u,
    }


def find_nucleus(student, probabilities, p):
    return student.nucleus(probabilities, p)


def find_probabilities(student, logits, temperature, p):
    return student.top_p_probabilities(logits, temperature, p)


def find_tokens(student, kept_probabilities, u):
    tokens = student.draw_tokens(kept_probabilities, u)
    if np.asarray(tokens).dtype.kind == "f":
        raise TypeError("the ids came as floats, expected integers")
    return tokens


def probabilities_slowly(logits, temperature, p):
    """Divide what the loops keep by its sum."""
    probabilities = softmax(logits / temperature)
    top = probabilities * nucleus_slowly(probabilities, p)
    return np.array([row / sum(row) for row in top])


def tokens_slowly(kept_probabilities, u):
    return draw_tokens_slowly(kept_probabilities, u)


EXERCISE = Exercise(
    minutes=35,
    difficulty=3,
    importance=3,
    needs=("softmax", "greedy"),
    inputs=inputs,
    sizes={"B": (3, 6), "V": (7, 12)},
    calls=[
        Call(find_nucleus, {"nucleus": 4}),
        Call(find_probabilities, {"probabilities": 3}),
        Call(find_tokens, {"tokens": 2}),
    ],
    slow={
        "find_nucleus": nucleus_slowly,
        "find_probabilities": probabilities_slowly,
        "find_tokens": tokens_slowly,
    },
    prediction=Prediction(
        "The four tokens of a vocabulary have the probabilities 0.5, 0.3, 0.15 and 0.05, and p "
        "is 0.7. With which probability is the first one drawn?",
        {"a": "0.5", "b": "0.625", "c": "1"},
        answer="b",
        because=(
            "0.5 alone does not reach 0.7, 0.5 + 0.3 does: the nucleus has two tokens, which "
            "share 0.8. Divided by 0.8, they have 0.625 and 0.375."
        ),
    ),
    hints=[
        "Begin with one sentence: sort its probabilities, largest first, and take the running "
        "sum. Write both below each other for 0.5, 0.3, 0.15, 0.05 and p = 0.7, and mark what is "
        "in the nucleus.",
        "Whether a token is in the nucleus depends on the sum of those before it: if that is "
        "still below p, it is needed. To get from ranks back to ids, assign to the places that "
        "argsort gave, in an array that begins as all False.",
        "nucleus: before = running sum - own probability, all in sorted order; True where before "
        "< p; put_along_axis with the order. Probabilities: softmax of logits over temperature, "
        "0 where not in the nucleus, divided by the row's sum. Tokens: count, in each row, the "
        "running sums that are at most u.",
    ],
)

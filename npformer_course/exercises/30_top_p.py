# id: top_p | points: 10 | minutes: 35 | level: 2 | needs: softmax greedy | notebook: 12b

# %% [markdown]
# # Sampling with top-p
#
# A translation should be the most probable one. A story should not: greedy decoding and beam search write dull text
# that soon repeats itself. So a language model draws each token at random from its distribution $P$. Drawn from all
# of $P$, though, the text derails: of 30,000 tokens nearly all are improbable, but together they may have a fifth of
# the probability, and then every fifth word is one that nobody would write.
#
# Keeping the $k$ most probable tokens helps, but no single $k$ is good. After "New" a few tokens are plausible, after
# "I saw a" there are hundreds. Nucleus sampling, or top-p (Holtzman et al. 2020, section 3.1), lets the distribution
# decide. The **nucleus** is the smallest set of tokens whose probability reaches $p$. It is found by taking the most
# probable tokens first:
#
# $$V^{(p)} = \{\text{the } n \text{ most probable tokens}\}, \qquad
#   n = \min\Big\{ n : \sum_{i=1}^{n} P_{(i)} \ge p \Big\}, \qquad P_{(1)} \ge P_{(2)} \ge \dots$$
#
# The token with which the sum reaches $p$ belongs to the nucleus, so a nucleus is never empty. All other tokens get
# probability 0, and the rest is divided by its sum:
#
# $$P'(v) = \frac{P(v)}{\sum_{w \in V^{(p)}} P(w)} \;\text{ if } v \in V^{(p)}, \text{ else } 0$$
#
# The **temperature** $\tau$ comes before all that: $P = \mathrm{softmax}(\mathrm{logits} / \tau)$. Below 1 it makes $P$
# sharper, above 1 flatter.
#
# **The draw.** Lay the probabilities $P'$ of all tokens, in the order of their ids, end to end on a line from 0 to 1.
# A number $u$, uniform in $[0, 1)$, falls on one token: the first one whose running sum $P'(0) + \dots + P'(v)$ is
# *above* $u$. Here $u$ is an argument, so the same $u$ gives the same token.
#
# Here is all of it, by loops:

# %%
import numpy as np


def softmax(x):
    """Return the softmax of the last axis."""
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def nucleus_slowly(probabilities, p):
    """The same as `nucleus` below, by loops."""
    chosen = np.zeros(probabilities.shape, bool)
    for b in range(len(probabilities)):
        total = 0.0
        while total < p:
            best = -1
            for v in range(probabilities.shape[1]):
                if not chosen[b, v] and (best < 0 or probabilities[b, v] > probabilities[b, best]):
                    best = v
            chosen[b, best] = True
            total += probabilities[b, best]
    return chosen


def draw_tokens_slowly(probabilities, u):
    """The same as `draw_tokens` below, by loops."""
    tokens = np.zeros(len(u), int)
    for b in range(len(u)):
        running = probabilities[b, 0]
        while running <= u[b]:
            tokens[b] += 1
            running += probabilities[b, tokens[b]]
    return tokens


# %% [markdown]
# ## Your turn
#
# Three functions, the second made with the first. B sentences are written at a time, and each has a nucleus of its own.
# A loop over sentences or tokens is allowed, but each can be done without. No two tokens of a sentence are equally
# probable, and no sum is exactly $p$. $p$ is below 1, and $u$ is never so near to 1 that rounding decides.


# %%
def nucleus(probabilities, p):
    """Return a boolean array (B, V), True for the tokens of each row's nucleus.

    probabilities (B, V): rows that sum to 1, in no order. 0 < p < 1.
    """
    # BEGIN SOLUTION
    order = np.argsort(-probabilities, axis=1)
    best_first = np.take_along_axis(probabilities, order, 1)
    before = np.cumsum(best_first, 1) - best_first  # the probability of all tokens before each
    mask = np.zeros(probabilities.shape, bool)
    np.put_along_axis(mask, order, before < p, 1)
    return mask
    # END SOLUTION


# %%
def top_p_probabilities(logits, temperature, p):
    """Return P' (B, V): from this the next token is drawn. logits (B, V), temperature above 0, 0 < p < 1."""
    # BEGIN SOLUTION
    probabilities = softmax(logits / temperature)
    top = np.where(nucleus(probabilities, p), probabilities, 0)
    return top / top.sum(1, keepdims=True)
    # END SOLUTION


# %%
def draw_tokens(probabilities, u):
    """Return the ids (B,), integers, on which the numbers u (B,) fall, each in [0, 1).

    probabilities (B, V): rows that sum to 1, in which a token outside the nucleus has 0 and is never drawn.
    """
    # BEGIN SOLUTION
    running = np.cumsum(probabilities, 1)
    return (running <= u[:, None]).sum(1)
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction

SIZES = {"B": (3, 6), "V": (7, 12)}
TRIES = 100  # at logits on which the order of temperature and nucleus shows


def inputs(draw, B, V):
    """Draw logits whose nucleus depends on the temperature, and numbers of which one is 0, before a token with 0."""
    temperature, p = draw.uniform(0.4, 0.7), draw.uniform(0.6, 0.85)
    for _ in range(TRIES):
        logits = 1.5 * draw.normal(B, V)
        cold = nucleus(softmax(logits / temperature), p)
        if all((cold != nucleus(softmax(logits * factor), p)).any() for factor in (1, temperature)):
            break
    flat = softmax(draw.normal(B, V))
    flat[0] = softmax(np.eye(V)[draw.rng.integers(V)] * 6)  # one token alone has more than p
    flat[0] += 1e-3 * softmax(draw.normal(V))  # no two are equal
    flat[0] /= flat[0].sum()
    top = np.where(draw.rng.random((B, V)) < 0.5, softmax(draw.normal(B, V)), 0)
    top[:, 0] = 0
    top[:, [1, V - 1]] = draw.rng.uniform(0.3, 0.6, (B, 2))
    top /= top.sum(1, keepdims=True)
    tokens = np.array([draw.rng.choice(np.flatnonzero(row)) for row in top])
    tokens[1] = np.where(top[1] > 0, top[1], 1).argmin()  # not the most probable one
    share = draw.rng.uniform(0.3, 0.7, B)
    u = np.array([row[:v].sum() + part * row[v] for row, v, part in zip(top, tokens, share, strict=True)])
    u[0] = 0
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


CALLS = [
    Call(find_nucleus, {"nucleus": 4}),
    Call(find_probabilities, {"probabilities": 3}),
    Call(find_tokens, {"tokens": 2}),
]


def probabilities_slowly(logits, temperature, p):
    """Divide what the loops keep by its sum."""
    probabilities = softmax(logits / temperature)
    top = probabilities * nucleus_slowly(probabilities, p)
    return np.array([row / sum(row) for row in top])


def tokens_slowly(kept_probabilities, u):
    return draw_tokens_slowly(kept_probabilities, u)


SLOW = {"find_nucleus": nucleus_slowly, "find_probabilities": probabilities_slowly, "find_tokens": tokens_slowly}

PREDICTION = Prediction(
    "The four tokens of a vocabulary have the probabilities 0.5, 0.3, 0.15 and 0.05, and p is 0.7. With which "
    "probability is the first one drawn?",
    {"a": "0.5", "b": "0.625", "c": "1"},
    answer="b",
    because="0.5 alone does not reach 0.7, 0.5 + 0.3 does: the nucleus has two tokens, which share 0.8. "
    "Divided by 0.8, they have 0.625 and 0.375.",
)

MISTAKES = [
    Mistake(
        "stops_short",
        "{part} is what comes out when the token with which the sum reaches p is left out, unless it is the only one",
        Edit(
            "np.put_along_axis(mask, order, before < p, 1)",
            "np.put_along_axis(mask, order, (before + best_first <= p) | (before == 0), 1)",
        ),
        ask="Add up the probabilities of your nucleus. Does the sum reach p?",
    ),
    Mistake(
        "empty_nucleus",
        "where one token alone has more than p, the nucleus is empty; elsewhere the token that reaches p is left out",
        Edit("before < p, 1)", "before + best_first <= p, 1)"),
        ask="One token has the probability 0.95, and p is 0.9. Which tokens are in your nucleus?",
    ),
    Mistake(
        "one_too_many",
        "{part} is what comes out when one more token is kept after the sum has reached p",
        Edit("before < p, 1)", "np.insert(before, 0, 0, 1)[:, :-1] < p, 1)"),
        ask="Take your least probable token out of the nucleus. Does the sum of the others still reach p?",
    ),
    Mistake(
        "ids_of_ranks",
        "{part} is what comes out when the n tokens of the lowest ids are kept, and not the n most probable ones",
        Edit("mask, order, before < p, 1)", "mask, np.argsort(order * 0, axis=1, kind='stable'), before < p, 1)"),
        ask="After sorting, column 0 is the most probable token. Which id does it have?",
    ),
    Mistake(
        "least_probable_first",
        "{part} is what comes out when the sum begins with the least probable tokens",
        Edit("np.argsort(-probabilities, axis=1)", "np.argsort(probabilities, axis=1)"),
        ask="In which order does argsort sort, and which token should be the first in a nucleus?",
    ),
    Mistake(
        "order_not_undone",
        "{part} is what comes out when the permutation that sorts a row is applied where it must be undone",
        Edit(
            "np.put_along_axis(mask, order, before < p, 1)",
            "mask = np.take_along_axis(before < p, order, 1)",
        ),
        ask="order[i] is the id of the token of rank i. You have a value for each rank and need one for each id. "
        "Do you read at order, or write there?",
    ),
    Mistake(
        "each_token_alone",
        "{part} is what comes out when a token is kept if its own probability is at least 1 - p",
        Edit("before < p, 1)", "best_first >= 1 - p, 1)"),
        ask="A thousand tokens have the probability 0.001 each. How many are in the nucleus with p = 0.9?",
    ),
    Mistake(
        "not_renormalized",
        "the rows of the probabilities do not sum to 1: outside the nucleus they are 0, inside as they were",
        Edit("return top / top.sum(1, keepdims=True)", "return top"),
        ask="What is the sum of each of your rows, and what happens in draw_tokens if u is above it?",
    ),
    Mistake(
        "score_zero_outside",
        "{part} is what comes out when the tokens outside the nucleus enter a second softmax with the score 0",
        Edit("top / top.sum(1, keepdims=True)", "softmax(np.where(top > 0, logits / temperature, 0))"),
        ask="Which probability does softmax give to a score of 0?",
    ),
    Mistake(
        "softmax_of_probabilities",
        "{part} is what comes out when the softmax of the kept probabilities is taken, which flattens them",
        Edit(
            "return top / top.sum(1, keepdims=True)",
            "return softmax(np.where(top > 0, top, -np.inf))",
        ),
        ask="Of two tokens in the nucleus, one is three times as probable as the other. What are they after your last "
        "step?",
    ),
    Mistake(
        "temperature_unused",
        "{part} is what comes out with a temperature of 1, whatever is given",
        Edit("softmax(logits / temperature)", "softmax(logits)"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "temperature_multiplied",
        "{part} is what comes out when the logits are multiplied by the temperature",
        Edit("softmax(logits / temperature)", "softmax(logits * temperature)"),
        ask="Should a temperature near 0 make the distribution flat, or put everything on one token?",
    ),
    Mistake(
        "temperature_after_the_nucleus",
        "{part} is what comes out when the nucleus is found first, with temperature 1, and the temperature is applied "
        "to what is kept",
        Edit("np.where(nucleus(probabilities, p)", "np.where(nucleus(softmax(logits), p)"),
        ask="Of which distribution is p a part: the one before or after the temperature?",
    ),
    Mistake(
        "most_probable_token",
        "the tokens do not depend on u: each is the most probable one of its row",
        Edit("(running <= u[:, None]).sum(1)", "probabilities.argmax(1)"),
        ask="How often does a token of probability 0.3 come out of your draw?",
    ),
    Mistake(
        "token_before",
        "{part} is what comes out when the token before the one on which u falls is drawn, or the first",
        Edit("(running <= u[:, None]).sum(1)", "np.maximum((running <= u[:, None]).sum(1) - 1, 0)"),
        ask="The running sums are 0.2, 0.7, 1, and u is 0.5. On which token does it fall?",
    ),
    Mistake(
        "zero_is_drawn",
        "with u = 0 the first token is drawn, although its probability is 0",
        Edit("running <= u[:, None]", "running < u[:, None]"),
        ask="A token of probability 0 has a piece of length 0 on the line. May any u in [0, 1) fall on it?",
    ),
    *(
        Mistake(
            f"{which}_number_for_all",
            f"{{part}} is what comes out when the {which} number of u serves all sentences",
            Edit("running <= u[:, None]", f"running <= u[{index}]"),
            ask="Two sentences with equal probabilities and different u: may they get different tokens?",
        )
        for which, index in (("first", 0), ("last", -1))
    ),
    Mistake(
        "ranks_drawn",
        "{part} is what comes out when the most probable tokens come first on the line, and a place in that order is "
        "taken for an id",
        Edit("running = np.cumsum(probabilities, 1)", "running = np.cumsum(-np.sort(-probabilities, 1), 1)"),
        ask="In which order do the tokens lie on the line, by the text?",
    ),
    Mistake(
        "most_probable_first",
        "{part} is what comes out when the tokens lie on the line by their probability, the most probable one first",
        Edit("np.cumsum(probabilities, 1)", "np.cumsum(-np.sort(-probabilities, 1), 1)"),
        Edit(
            "return (running <= u[:, None]).sum(1)",
            "rank = (running <= u[:, None]).sum(1)\n"
            "    return np.take_along_axis(np.argsort(-probabilities, 1), rank[:, None], 1)[:, 0]",
        ),
        ask="In which order do the tokens lie on the line, by the text?",
    ),
    Mistake(
        "each_token_with_p",
        "{part} is what comes out when a token is kept if its own probability is at least p",
        Edit("before < p, 1)", "best_first >= p, 1)"),
        ask="A thousand tokens have the probability 0.001 each. How many are in the nucleus with p = 0.9?",
    ),
    Mistake(
        "added_by_ids",
        "{part} is what comes out when the probabilities are added up in the order of the ids, not the largest first",
        Edit("np.argsort(-probabilities, axis=1)", "np.argsort(0 * probabilities, axis=1, kind='stable')"),
        ask="Which token does your sum begin with, and is it the most probable one?",
    ),
    Mistake(
        "complement",
        "{part} is what comes out when the tokens outside the nucleus are kept, and those in it are not",
        Edit("before < p, 1)", "before >= p, 1)"),
        ask="Is the most probable token in your nucleus?",
    ),
    Mistake(
        "nucleus_of_logits",
        "{part} is what comes out when the nucleus is that of the logits, and not of the probabilities",
        Edit("nucleus(probabilities, p), probabilities", "nucleus(logits, p), probabilities"),
        ask="What do the rows that nucleus is given have to sum to?",
    ),
    Mistake(
        "temperature_after_softmax",
        "{part} is what comes out when the probabilities are divided by the temperature, and not the logits",
        Edit("softmax(logits / temperature)", "softmax(logits) / temperature"),
        ask="Which of two tokens gains when all probabilities are divided by the same number?",
    ),
    Mistake(
        "softmax_of_all",
        "{part} is what comes out when the softmax is taken of probabilities that are 0 outside the nucleus",
        Edit("return top / top.sum(1, keepdims=True)", "return softmax(top)"),
        ask="What is the exponential of 0, and what should a token outside the nucleus have?",
    ),
    Mistake(
        "divided_by_p",
        "{part} is what comes out when what is kept is divided by p",
        Edit("return top / top.sum(1, keepdims=True)", "return top / p"),
        ask="Does the probability of a nucleus come to p exactly?",
    ),
    Mistake(
        "one_sum_for_all",
        "{part} is what comes out when what is kept is divided by the sum of all sentences together",
        Edit("return top / top.sum(1, keepdims=True)", "return top / top.sum()"),
        ask="What is the sum of each of your rows?",
    ),
    Mistake(
        "token_after",
        "{part} is what comes out when the token after the one on which u falls is drawn",
        Edit("(running <= u[:, None]).sum(1)", "(running <= u[:, None]).sum(1) + 1"),
        ask="The running sums are 0.2, 0.7, 1, and u is 0.1. On which token does it fall, and which number has it?",
    ),
    Mistake(
        "own_probability_above_u",
        "{part} is what comes out when the first token is drawn whose own probability is above u",
        Edit("running = np.cumsum(probabilities, 1)", "running = np.maximum.accumulate(probabilities, 1)"),
        Edit("(running <= u[:, None]).sum(1)", "(running > u[:, None]).argmax(1)"),
        ask="Two tokens have the probability 0.5 each, and u is 0.7. On which of the two does it fall?",
    ),
]

HINTS = [
    "Begin with one sentence: sort its probabilities, largest first, and take the running sum. Write both below each "
    "other for 0.5, 0.3, 0.15, 0.05 and p = 0.7, and mark what is in the nucleus.",
    "Whether a token is in the nucleus depends on the sum of those before it: if that is still below p, it is needed. "
    "To get from ranks back to ids, assign to the places that argsort gave, in an array that begins as all False.",
    "nucleus: before = running sum - own probability, all in sorted order; True where before < p; put_along_axis with "
    "the order. Probabilities: softmax of logits over temperature, 0 where not in the nucleus, divided by the row's "
    "sum. Tokens: count, in each row, the running sums that are at most u.",
]

ALTERNATIVES = [
    """
def nucleus(probabilities, p):
    return nucleus_slowly(probabilities, p)


def top_p_probabilities(logits, temperature, p):
    scaled = logits / temperature
    scaled[~nucleus_slowly(softmax(scaled), p)] = -np.inf
    return softmax(scaled)


def draw_tokens(probabilities, u):
    return draw_tokens_slowly(probabilities, u)
""",
    """
def nucleus(probabilities, p):
    ordered = np.sort(probabilities, axis=-1)[:, ::-1]
    n = (ordered.cumsum(-1) < p).sum(-1)
    smallest = ordered[np.arange(len(n)), n]
    return probabilities >= smallest[:, np.newaxis]


def top_p_probabilities(logits, temperature, p):
    weights = np.exp((logits - logits.max(axis=1, keepdims=True)) / temperature)
    whole = weights / weights.sum(axis=1, keepdims=True)
    weights *= nucleus(whole, p)
    return (weights.T / weights.sum(axis=1)).T


def draw_tokens(probabilities, u):
    return np.array([np.searchsorted(np.cumsum(row), one, side="right") for row, one in zip(probabilities, u)])
""",
    """
def nucleus(probabilities, p):
    heavier = probabilities[:, None, :] > probabilities[:, :, None]  # (B, V, V): which tokens come before each
    return (heavier * probabilities[:, None, :]).sum(-1) < p


def top_p_probabilities(logits, temperature, p):
    rows = []
    for row in logits:
        q = softmax(row / temperature)
        q = q * nucleus(q[None], p)[0]
        rows.append(q / np.sum(q))
    return np.stack(rows)


def draw_tokens(probabilities, u):
    return np.argmax(np.cumsum(probabilities, axis=-1) > np.expand_dims(u, -1), axis=-1)
""",
]

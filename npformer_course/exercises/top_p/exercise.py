# %% [markdown]
# # Sampling with top-p
#
# A translation should be the most probable one. A story should not: greedy decoding and beam search
# write dull text that soon repeats itself. So a language model draws each token at random from its
# distribution $P$. Drawn from all of $P$, though, the text derails: of 30,000 tokens nearly all are
# improbable, but together they may have a fifth of the probability, and then every fifth word is
# one that nobody would write.
#
# Keeping the $k$ most probable tokens helps, but no single $k$ is good. After "New" a few tokens
# are plausible, after "I saw a" there are hundreds. Nucleus sampling, or top-p (Holtzman et al.
# 2020, section 3.1), lets the distribution decide. The **nucleus** is the smallest set of tokens
# whose probability reaches $p$. It is found by taking the most probable tokens first:
#
# $$V^{(p)} = \{\text{the } n \text{ most probable tokens}\}, \qquad
#   n = \min\Big\{ n : \sum_{i=1}^{n} P_{(i)} \ge p \Big\}, \qquad P_{(1)} \ge P_{(2)} \ge \dots$$
#
# The token with which the sum reaches $p$ belongs to the nucleus, so a nucleus is never empty. All
# other tokens get probability 0, and the rest is divided by its sum:
#
# $$P'(v) = \frac{P(v)}{\sum_{w \in V^{(p)}} P(w)} \;\text{ if } v \in V^{(p)}, \text{ else } 0$$
#
# The **temperature** $\tau$ comes before all that: $P = \mathrm{softmax}(\mathrm{logits} / \tau)$.
# Below 1 it makes $P$ sharper, above 1 flatter.
#
# **The draw.** Lay the probabilities $P'$ of all tokens, in the order of their ids, end to end on a
# line from 0 to 1. A number $u$, uniform in $[0, 1)$, falls on one token: the first one whose
# running sum $P'(0) + \dots + P'(v)$ is *above* $u$. Here $u$ is an argument, so the same $u$ gives
# the same token.
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
# Three functions, the second made with the first. B sentences are written at a time, and each has a
# nucleus of its own. A loop over sentences or tokens is allowed, but each can be done without. No
# two tokens of a sentence are equally probable, and no sum is exactly $p$. $p$ is below 1, and $u$
# is never so near to 1 that rounding decides.


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
    """Return P' (B, V), from which the next token is drawn.

    logits (B, V), temperature above 0, 0 < p < 1.
    """
    # BEGIN SOLUTION
    probabilities = softmax(logits / temperature)
    top = np.where(nucleus(probabilities, p), probabilities, 0)
    return top / top.sum(1, keepdims=True)
    # END SOLUTION


# %%
def draw_tokens(probabilities, u):
    """Return the ids (B,), integers, on which the numbers u (B,) fall, each in [0, 1).

    probabilities (B, V): rows that sum to 1, in which a token outside the nucleus has 0 and is
    never drawn.
    """
    # BEGIN SOLUTION
    running = np.cumsum(probabilities, 1)
    return (running <= u[:, None]).sum(1)
    # END SOLUTION

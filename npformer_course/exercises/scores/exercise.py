# %% [markdown]
# # One query: scores and a weighted mean
#
# "I turn off the new radio every day." Somebody who translates the word "turn" has to see "off":
# together they mean one thing, and nothing rotates. So while a model works on "turn", it has to
# look at the other words of the sentence and take something from a few of them. That is attention.
# Here you write it for one word that looks, in two steps.
#
# For these steps every word is turned into lists of numbers, its *features*. There are three kinds
# of them:
#
# - The word that looks has a **query** $q$ with $D$ features: what it looks for. "turn" might look
#   for a small word that belongs to a verb.
# - Each of the $S$ words that can be looked at has a **key** $k_s$ with $D$ features: what it can
#   be found by. The key of "off" might say: a small word that belongs to a verb.
# - Each of them has a **value** $v_s$ with $F$ features: what it says when it is looked at. The
#   value of "off" might say: something stops.
#
# Nobody chooses these numbers. The model learns them, and later exercises show how. Here they are
# given. A word also has a key and a value for itself, and so has the full stop: in this sentence
# $S$ is 9.
#
# **Scores.** How well does a key fit the query? Multiply them feature by feature, and add up:
#
# $$\mathrm{score}_s = \sum_{d=1}^{D} q_d\, k_{sd}$$
#
# This is their dot product. It is large if both have large numbers with the same signs in the same
# places, and below 0 if the signs are opposite. Here are three of the words, with $D = 2$ and the
# query $(1, 2)$ of "turn":
#
# | word | key | score |
# |---|---|---|
# | I | (3, -2) | 1 · 3 + 2 · (-2) = -1 |
# | turn | (2, 0) | 1 · 2 + 2 · 0 = 2 |
# | off | (1, 2) | 1 · 1 + 2 · 2 = 5 |
#
# **A weighted mean.** The higher the score of a word, the more of its value should go into the
# result. So the scores are first turned into *weights*: not one below 0, and all of them 1 in sum.
# This step between the two is the next exercise. Here the weights are given, and the result is
#
# $$\mathrm{mean}_f = \sum_{s=1}^{S} w_s\, v_{sf}$$
#
# If "off" has the weight 1 and every other word 0, the result is the value of "off". If all weights
# are $1/S$, it is the plain mean of all values. Anything between is possible.
#
# The formulas as loops:

# %%
import numpy as np


def scores_slowly(q, k):
    S, D = k.shape
    result = np.zeros(S)
    for s in range(S):
        for d in range(D):
            result[s] += q[d] * k[s, d]
    return result


def weighted_mean_slowly(weights, v):
    S, F = v.shape
    result = np.zeros(F)
    for s in range(S):
        for f in range(F):
            result[f] += weights[s] * v[s, f]
    return result


# %% [markdown]
# ## Your turn
#
# Write both without loops, a line or two each. Write the shapes below each other, as in the
# exercise on NumPy: which axis is added up, and which one stays?


# %%
def scores(q, k):
    """Return the scores of one query for S keys: (S,).

    q: (D,). k: (S, D), a key in each row. Neither is changed.
    """
    # BEGIN SOLUTION
    products = q * k
    return products.sum(-1)
    # END SOLUTION


def weighted_mean(weights, v):
    """Return the mean of S values, each with its weight: (F,).

    weights: (S,), none below 0, with sum 1. v: (S, F), a value in each row. Neither is changed.
    """
    # BEGIN SOLUTION
    shares = weights[:, None] * v
    return shares.sum(0)
    # END SOLUTION

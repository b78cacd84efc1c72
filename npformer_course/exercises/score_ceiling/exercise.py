# %% [markdown]
# # The ceiling of a score
#
# A source can have many right answers, and the reference is one of them: the one that somebody
# happened to write. A score that asks whether the answer *is* the reference cannot be 1 then, not
# even for a model that knows everything. How high can it be? Know that before you judge a model.
#
# Number the possible answers of a source from 0 to $K - 1$. Let $q_{s,k}$ be the probability that the
# reference of source $s$ is answer $k$: if three answers are right and equally usual, it is
# $\frac13$ for these and 0 for the others. A model gives answer $k$ with probability $p_{s,k}$, and it
# cannot see the reference. Both are the same with the probability
#
# $$\mathrm{match}_s = \sum_k p_{s,k}\, q_{s,k}$$
#
# and the score that can be expected on a test, its *exact match*, is the mean over its $S$ sources.
#
# Now look for the best model. For one source the sum is a weighted mean of the numbers $q_{s,k}$, and
# the model chooses the weights. Which weights make such a mean as large as possible? With them the
# score is at its **ceiling**: no model can expect more, whatever it has learned.
#
# Here is the first formula in loops, and a search for the ceiling among many random models. It comes
# from below, and does not quite reach it.

# %%
import numpy as np


def expected_match_slowly(p, q):
    """The same as `expected_match` below."""
    S, K = q.shape
    total = 0.0
    for s in range(S):
        for k in range(K):
            total += p[s, k] * q[s, k]
    return total / S


def search_ceiling(q, n_models=1000):
    """The best score of random models, a bit below `score_ceiling` below."""
    rng = np.random.default_rng(0)
    best = 0.0
    for _ in range(n_models):
        powers = np.exp(8 * rng.normal(size=q.shape))
        p = powers / powers.sum(-1, keepdims=True)
        best = max(best, expected_match_slowly(p, q))
    return best


# %% [markdown]
# ## Your turn
#
# A line or two each, without loops and without a search.


# %%
def expected_match(p, q):
    """Return the share of sources, one number, in which answer and reference are the same.

    It is the share to be expected. p (S, K): the probabilities of the model's answers. q (S, K):
    those of the references. Each row has the sum 1. Neither is changed.
    """
    # BEGIN SOLUTION
    match = (p * q).sum(-1)  # (S,)
    return match.mean()
    # END SOLUTION


def score_ceiling(q):
    """Return the largest `expected_match` that a model can have, one number.

    q (S, K): the probabilities of the references. Each row has the sum 1. It is not changed.
    """
    # BEGIN SOLUTION
    best = q.max(-1)  # (S,)
    return best.mean()
    # END SOLUTION

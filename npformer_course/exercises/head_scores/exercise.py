# %% [markdown]
# # Scores of heads
#
# A text repeats itself: "turn off the radio turn off". What comes next? Whoever looks up what
# followed the last "off" knows. Two kinds of heads can do this together (Olsson et al. 2022), and
# two numbers find them among all heads of a model.
#
# - A **previous-token head** looks at the token just before. Its score is the mean weight from
#   position $t$ to position $t - 1$, over all positions that have one before them.
# - An **induction head** looks at the token *after* the previous occurrence of the token that it
#   reads. If position $t$ reads "off", and the last "off" before it was at $s$, then it is the weight
#   from $t$ to $s + 1$. Its score is the mean of these weights over all positions $t$ whose token has
#   occurred before.
#
# With $W$ $(H, T, T)$ for the weights, in which row $t$ says where position $t$ looks:
#
# $$\text{previous}_h = \frac{1}{T - 1} \sum_{t=1}^{T-1} W_{h,t,t-1}, \qquad
#   \text{induction}_h = \frac{1}{n} \sum_{t \text{ with an } s} W_{h,t,s+1}$$
#
# Here $n$ is the number of positions $t$ that have an $s$. In "turn off the radio turn off" they are
# the last two, with $s + 1 = 1$ and $s + 1 = 2$.
#
# One weight at a time:

# %%
import numpy as np


def previous_scores_slowly(weights):
    H, T, _ = weights.shape
    result = np.zeros(H)
    for h in range(H):
        for t in range(T):
            for s in range(T):
                if s + 1 == t:
                    result[h] += weights[h, t, s] / (T - 1)
    return result


def induction_scores_slowly(weights, ids):
    H, T, _ = weights.shape
    result = np.zeros(H)
    for h in range(H):
        n = 0
        for t in range(T):
            last = None
            for s in range(t):
                if ids[s] == ids[t]:
                    last = s
            if last is not None:
                result[h] += weights[h, t, last + 1]
                n += 1
        result[h] /= n
    return result


# %% [markdown]
# ## Your turn
#
# Write both for all heads at once. A loop over positions is fine in the second.


# %%
def previous_scores(weights):
    """Return the mean weight that each head gives to the token just before (H,).

    weights (H, T, T): row t says how much position t looks at each position. T is at least 2. They
    are not changed.
    """
    # BEGIN SOLUTION
    before = np.diagonal(weights, -1, axis1=1, axis2=2)
    return before.mean(-1)
    # END SOLUTION


def induction_scores(weights, ids):
    """Return the mean weight that each head gives to what followed the previous occurrence (H,).

    It is the mean over the positions whose token has occurred before. weights (H, T, T): row t says
    how much position t looks at each position. ids (T,): tokens, in any order, some of which occur
    again. Neither is changed.
    """
    # BEGIN SOLUTION
    found = []
    for t in range(len(ids)):
        earlier = np.flatnonzero(ids[:t] == ids[t])
        if len(earlier) > 0:
            found.append(weights[:, t, earlier[-1] + 1])
    return np.mean(found, axis=0)
    # END SOLUTION

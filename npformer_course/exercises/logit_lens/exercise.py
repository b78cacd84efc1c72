# %% [markdown]
# # The logit lens
#
# In a pre-norm model every layer reads a state and adds something to it. Only the last state is
# normalized once more and multiplied with the output table, and becomes logits. But all states have
# the same width $D$. So one can ask each of them what the model would say if it had to answer now:
# apply the final LayerNorm and the output table to *every* state (nostalgebraist 2020, "interpreting
# GPT: the logit lens").
#
# The states of one text are $X$ $(N, T, D)$: state 0 is the embedding, state $n$ what comes out of
# layer $n - 1$. The output table $E$ $(V, D)$ has a row per token. At each position and for each
# state,
#
# $$z = E\, \mathrm{LayerNorm}(x), \qquad z \in \mathbb{R}^V$$
#
# The states differ in size, and LayerNorm makes them comparable.
#
# How near is a state to the right answer? Its **rank** tells: the number of tokens whose logit is
# larger than that of the right one. At rank 0 the model would say it.
#
# One number at a time:

# %%
import numpy as np


def logit_lens_slowly(states, gain, bias, eps, table):
    N, T, D = states.shape
    V = len(table)
    logits = np.zeros((N, T, V))
    for n in range(N):
        for t in range(T):
            mean = sum(states[n, t]) / D
            var = sum((states[n, t] - mean) ** 2) / D
            for v in range(V):
                for d in range(D):
                    xhat = (states[n, t, d] - mean) / np.sqrt(var + eps)
                    logits[n, t, v] += table[v, d] * (gain[d] * xhat + bias[d])
    return logits


def ranks_slowly(logits, right):
    N, T, V = logits.shape
    result = np.zeros((N, T), dtype=int)
    for n in range(N):
        for t in range(T):
            for v in range(V):
                result[n, t] += 1 if logits[n, t, v] > logits[n, t, right[t]] else 0
    return result


# %% [markdown]
# LayerNorm is from an earlier exercise:


# %%
def layer_norm(x, gain, bias, eps):
    """Return y (..., T, D), xhat (..., T, D) and rstd (..., T, 1); see notebook 06."""
    rstd = 1 / np.sqrt(x.var(-1, keepdims=True) + eps)
    xhat = (x - x.mean(-1, keepdims=True)) * rstd
    return gain * xhat + bias, xhat, rstd


# %% [markdown]
# ## Your turn
#
# Write both without loops.


# %%
def logit_lens(states, gain, bias, eps, table):
    """Return the logits (N, T, V) that the model would have if it stopped at each state.

    states (N, T, D): the embedding, then the output of each layer. gain (D,), bias (D,), eps: of the
    final LayerNorm. table (V, D): the output table. None of the inputs is changed.
    """
    # BEGIN SOLUTION
    y, _, _ = layer_norm(states, gain, bias, eps)
    return y @ table.T
    # END SOLUTION


def ranks(logits, right):
    """Return how many tokens have a larger logit than the right one (N, T).

    logits (N, T, V): at each position of each state, no two of them equal. right (T,): the id of the
    right token at each position. Neither is changed.
    """
    # BEGIN SOLUTION
    of_right = logits[:, np.arange(len(right)), right]
    larger = logits > of_right[..., None]
    return larger.sum(-1)
    # END SOLUTION

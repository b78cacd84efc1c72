# %% [markdown]
# # Attention, backwards
#
# Forward was three lines (section 3.2.1, equation 1), and backward runs them in reverse. In each
# head of each sentence, with $X$ for the scores and $W$ for the weights:
#
# $$X = \frac{Q K^T}{\sqrt{d_k}}, \qquad W = \mathrm{softmax}(X) \text{ under the mask}, \qquad Y = W V$$
#
# `dy` says how the loss moves when $Y$ moves. You say how it moves when $Q$, $K$ and $V$ move. Two
# rules suffice, and you have met both.
#
# **A product of matrices**, $C = A B$: a number $A_{ij}$ is used in all of row $i$ of $C$, each
# time times a number of row $j$ of $B$. So $dA = dC\, B^T$, and in the same way $dB = A^T dC$. If
# you forget which goes where, let the shapes tell you: $dA$ must look like $A$, $dB$ like $B$. Mind
# which factor is turned: $K$ is in the product as $K^T$.
#
# **Softmax of a row**, here a row $x$ of the scores $X$: with the gradient $dw$ of its weights $w$,
# the gradient of the scores is $dx_s = w_s \left( dw_s - \sum_{s'} dw_{s'}\, w_{s'} \right)$. Where
# the weight is 0, because the mask hides the place or the whole row, this is 0. So the mask is not
# needed again.
#
# What backward needs from forward is handed to it: `q`, `k`, `v` and the weights. Here are the two
# rules, one query and one key at a time. A query has a gradient from every key that it looked at. A
# key and its value have one from every query that looked at them.

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
# Without loops, in the order in which the gradient travels: from $Y$ to $V$ and to the weights,
# from the weights to the scores, from the scores to $Q$ and $K$.


# %%
def attention_backward(dy, q, k, v, weights):
    """Return dq (B, H, T, d_k), dk (B, H, S, d_k) and dv (B, H, S, d_v), in this order.

    dy (B, H, T, d_v): the gradient of the result. q (B, H, T, d_k), k (B, H, S, d_k), v (B, H, S,
    d_v): what forward was given. weights (B, H, T, S): what it computed, rows that sum to 1, or to
    0 where a query may attend to nothing. None of the inputs is changed.
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

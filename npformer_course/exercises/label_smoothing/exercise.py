# %% [markdown]
# # Cross-entropy with label smoothing
#
# At every position the model gives a score $z_v$, a logit, to each of the $V$ tokens, and softmax
# makes them probabilities $p$. The loss says how far $p$ is from a target $q$:
#
# $$p_v = \frac{e^{z_v}}{\sum_u e^{z_u}}, \qquad L_{row} = -\sum_v q_v \ln p_v$$
#
# If $q$ is 1 for the right token and 0 for the rest, no finite score reaches it, and the loss pulls
# the scores apart for ever: the model becomes more certain than it has reason to be. Section 5.4 of
# the paper takes a little from the right token and spreads it over the whole vocabulary,
# $\varepsilon = 0.1$ in all:
#
# $$q_v = (1 - \varepsilon)\, \mathbb{1}[v = \text{target}] + \frac{\varepsilon}{V}$$
#
# Every token gets $\varepsilon / V$, **the right one and padding too**; a row of $q$ sums to 1.
# (Tutorials also divide by $V - 1$ or $V - 2$. The paper follows Szegedy et al. 2016, who divide by
# $V$, and so do we.)
#
# Sentences of a batch have different lengths and are filled up with padding. There is nothing to
# predict there, so those rows count for nothing. The loss of a batch is the **mean over its real
# tokens**, all alike, whichever sentence they stand in. With $N$ real tokens:
#
# $$L = \frac1N \sum_{\text{real rows}} L_{row}, \qquad
#   \frac{\partial L}{\partial z_v} = \frac{p_v - q_v}{N} \ \text{ in real rows, 0 in the others}$$
#
# Why $p - q$? In $\ln p_v = z_v - \ln \sum_u e^{z_u}$ the slope of the second term with respect to
# $z_j$ is $p_j$, and since $q$ sums to 1, $-\sum_v q_v \ln p_v$ has slope $-q_j + p_j$. Where $p =
# q$ the pull ends.
#
# One thing at a time:

# %%
import math

import numpy as np


def smooth_targets_slowly(targets, vocab_size, eps):
    """The same as below, by loops."""
    B, T = targets.shape
    q = np.zeros((B, T, vocab_size))
    for b in range(B):
        for t in range(T):
            for v in range(vocab_size):
                q[b, t, v] = (1 - eps) * (v == targets[b, t]) + eps / vocab_size
    return q


def log_probabilities_slowly(row):
    """Return ln p of one row (V,).

    The largest score is taken off first: e^800 is infinite, e^0 is not.
    """
    largest = max(row)
    total = sum(math.exp(z - largest) for z in row)
    return [z - largest - math.log(total) for z in row]


def cross_entropy_slowly(logits, q, real):
    """The same as below, by loops."""
    B, T, _ = logits.shape
    loss, n = 0.0, 0
    for b in range(B):
        for t in range(T):
            if real[b, t]:
                n += 1
                for v, log_p in enumerate(log_probabilities_slowly(logits[b, t])):
                    loss -= q[b, t, v] * log_p
    return loss / n


def cross_entropy_backward_slowly(logits, q, real):
    """The same as below, by loops."""
    B, T, V = logits.shape
    dlogits = np.zeros((B, T, V))
    n = real.sum()
    for b in range(B):
        for t in range(T):
            if real[b, t]:
                for v, log_p in enumerate(log_probabilities_slowly(logits[b, t])):
                    dlogits[b, t, v] = (math.exp(log_p) - q[b, t, v]) / n
    return dlogits


# %% [markdown]
# ## Your turn
#
# Three functions, without loops. `smooth_targets` builds $q$; here every target is a real token.
# The other two are given a $q$ of ours, and `real`, which is True where the target is no padding;
# every sentence has a real token. In padding rows $q$ and the logits hold any finite numbers, no
# inf and no NaN: let none of it into the results.
#
# Scores near 800 occur, in one row together, in another next to scores near 0. So take the largest
# of each row off before `np.exp`, as softmax did: neither $p$ nor $\ln p$ changes. However small a
# $p$ is, its $\ln p$ is a number. There is no upstream gradient: the loss is where backward begins.


# %%
def smooth_targets(targets, vocab_size, eps):
    """Return the smoothed targets q (B, T, V), V = vocab_size.

    targets (B, T): ids from 0 to V - 1. eps: how much is spread over all V tokens.
    """
    # BEGIN SOLUTION
    onehot = np.eye(vocab_size)[targets]
    share = eps / vocab_size
    return (1 - eps) * onehot + share
    # END SOLUTION


def cross_entropy(logits, q, real):
    """Return the loss, one number: the mean over real tokens of -sum_v q_v ln p_v.

    logits, q (B, T, V). real (B, T): True where the target is a real token, False where it is
    padding.
    """
    # BEGIN SOLUTION
    shifted = logits - logits.max(-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    losses = -(q * log_p).sum(-1)
    return losses[real].mean()
    # END SOLUTION


def cross_entropy_backward(logits, q, real):
    """Return dlogits (B, T, V), the gradient of the loss; it is 0 in padding rows.

    logits, q (B, T, V). real (B, T): True where the target is a real token, False where it is
    padding. None of the inputs is changed.
    """
    # BEGIN SOLUTION
    raised = np.exp(logits - logits.max(-1, keepdims=True))
    p = raised / raised.sum(-1, keepdims=True)
    n = int(real.sum())
    return np.where(real[..., None], p - q, 0) / n
    # END SOLUTION

# %% [markdown]
# # Surprise, character by character
#
# A language model reads a text and says at every position how probable each character is as the
# next one. Then the next character comes. If the model gave it the probability $p$, its *surprise*
# is $-\ln p$: 0 for what was certain, 0.69 for one of two equally likely characters, 3.4 for one of
# thirty. The mean of the surprises over a text is the loss of the model on this text. A mean hides
# a lot, so keep the surprise of every character apart.
#
# There are $T$ positions and $V$ different characters. The model returns the logits $z$ of shape
# $(T, V)$, and the characters that really came have the ids $x_0, \dots, x_{T-1}$:
#
# $$p_{tv} = \frac{e^{z_{tv}}}{\sum_u e^{z_{tu}}}, \qquad
#   \mathrm{surprise}_t = -\ln p_{t,x_t} = \ln \sum_u e^{z_{tu}} - z_{t,x_t}$$
#
# The logarithm here is the natural one, and its unit is the *nat*. With the logarithm to the base 2
# the unit is the *bit*, the answer to one question with yes or no: $-\log_2 p = -\ln p / \ln 2$.
# The mean surprise in bits is called **bits per character**. It is also how many bits per character
# a program needs that stores the text with the help of the model (Shannon 1948).
#
# Both by loops:

# %%
import math

import numpy as np


def surprise_slowly(logits, ids):
    """The same as `surprise` below by loops, for logits that are not large."""
    result = np.zeros(len(ids))
    for t, id in enumerate(ids):
        total = sum(math.exp(logit) for logit in logits[t])
        result[t] = -math.log(math.exp(logits[t, id]) / total)
    return result


def bits_per_character_slowly(nats):
    """The same as `bits_per_character` below, for nats that are not large.

    It takes each p again, and its logarithm to the base 2.
    """
    total = 0.0
    for of_character in nats:
        p = math.exp(-of_character)
        total += -math.log2(p)
    return total / len(nats)


# %% [markdown]
# ## Your turn
#
# Write both without loops. Each position has its own right character, so one number has to be taken
# from each row of the logits: a row index and a column index together do that. Logits near 800 and
# near $-800$ occur, and right characters whose logit is 800 below the largest. Their surprise is
# about 800, not infinite.


# %%
def surprise(logits, ids):
    """Return the surprise of each character in nats (T,).

    logits (T, V): what the model returned at each position. ids (T,): the character that came next
    there, from 0 to V - 1. Neither is changed.
    """
    # BEGIN SOLUTION
    shifted = logits - logits.max(-1, keepdims=True)
    log_total = np.log(np.exp(shifted).sum(-1))
    of_right = shifted[np.arange(len(ids)), ids]
    return log_total - of_right
    # END SOLUTION


def bits_per_character(nats):
    """Return the mean surprise in bits, one number.

    nats (T,): the surprise of each character, as above; T is 1 or more. It is not changed.
    """
    # BEGIN SOLUTION
    return nats.mean() / np.log(2)
    # END SOLUTION

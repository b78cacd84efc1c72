# %% [markdown]
# # An interval for a difference
#
# Two translators have been scored on the same $N$ sentences: sentence $i$ has the score $a_i$ by the
# first one and $b_i$ by the second. The mean of all $a_i - b_i$ is above 0. Is the first one better, or
# does it owe that to these sentences?
#
# With other sentences the mean would be another number, and how far it moves is what we want to know.
# There are no others. The *bootstrap* (Efron 1979; Koehn 2004 for translations) takes the $N$
# sentences for the whole world, and draws new tests from them: each time $N$ sentences, **with
# replacement**, so that some come twice and others not at all.
#
# Here the draws are given, so that the result does not depend on luck. Row $r$ of `draws` holds the
# indices $j_{r,1}, \dots, j_{r,N}$ of the sentences of test $r$, counted from 0. The mean difference
# in this test is
#
# $$d_r = \frac1N \sum_{n=1}^N \left(a_{j_{r,n}} - b_{j_{r,n}}\right)$$
#
# Both translators are judged by the *same* drawn sentences.
#
# **The interval.** The $R$ numbers $d_r$ show where a difference may be. The interval at the level of
# 0.95 leaves out the lowest 2.5% of them and the highest 2.5%, and has 95% inside. At any level, what
# is left out is shared by both ends:
#
# $$\mathrm{low} = Q\left(\tfrac{1 - \mathrm{level}}{2}\right), \qquad
#   \mathrm{high} = Q\left(1 - \tfrac{1 - \mathrm{level}}{2}\right)$$
#
# $Q(s)$, the *quantile* of the share $s$, is found in the sorted numbers: it is at the place
# $s\,(R - 1)$, counted from 0. Between two places it is on the straight line from one number to the
# next. NumPy's `np.quantile` computes exactly this.
#
# As loops:

# %%
import math

import numpy as np


def drawn_differences_slowly(a, b, draws):
    """The same as `drawn_differences` below."""
    R, N = draws.shape
    result = np.zeros(R)
    for r in range(R):
        for n in range(N):
            sentence = draws[r, n]
            result[r] += (a[sentence] - b[sentence]) / N
    return result


def quantile_slowly(numbers, share):
    """The quantile of a share of some numbers."""
    in_order = sorted(numbers)
    place = share * (len(in_order) - 1)
    below = math.floor(place)
    above = math.ceil(place)
    way = place - below
    return in_order[below] + way * (in_order[above] - in_order[below])


# %% [markdown]
# ## Your turn


# %%
def drawn_differences(a, b, draws):
    """Return the mean of a - b in each draw: (R,).

    a, b (N,): the scores of the sentences. draws (R, N): indices from 0 to N - 1. None of them is
    changed.
    """
    # BEGIN SOLUTION
    differences = a - b
    drawn = differences[draws]  # (R, N)
    return drawn.mean(-1)
    # END SOLUTION


def bootstrap_interval(a, b, draws, level):
    """Return low and high, two numbers: the share `level` of the drawn means is between them.

    a, b (N,) and draws (R, N): as above. level: such as 0.95. None of them is changed.
    """
    # BEGIN SOLUTION
    means = drawn_differences(a, b, draws)
    outside = (1 - level) / 2
    low, high = np.quantile(means, [outside, 1 - outside])
    return low, high
    # END SOLUTION

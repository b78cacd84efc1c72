# %% [markdown]
# # Neighbors in a table
#
# An embedding table has a row of $D$ numbers for each of $V$ words. A single number in it means
# nothing: all that the model does with rows is to multiply whole rows with others. So compare whole
# rows, by their direction. The **cosine** of two rows $a$ and $b$ is
#
# $$\cos(a, b) = \frac{\sum_d a_d\, b_d}{\|a\|\, \|b\|}, \qquad \|a\| = \sqrt{\sum_d a_d^2}$$
#
# It is 1 if both point in the same direction, 0 at a right angle, and -1 for opposite directions.
# How long the rows are does not matter. A long row has large dot products with many others, so the
# dot product alone would name the longest rows as everybody's neighbors.
#
# The neighbors of a word are the words with the largest cosines, the word itself left out: its
# cosine with itself is 1, and says nothing.
#
# By loops:

# %%
import math

import numpy as np


def cosines_slowly(table, row):
    V, D = table.shape
    result = np.zeros(V)
    for v in range(V):
        dot = a = b = 0.0
        for d in range(D):
            dot += table[row, d] * table[v, d]
            a += table[row, d] ** 2
            b += table[v, d] ** 2
        result[v] = dot / (math.sqrt(a) * math.sqrt(b))
    return result


def neighbors_slowly(table, row, n):
    cosine = cosines_slowly(table, row)
    found = []
    while len(found) < n:
        best = None
        for v in range(len(table)):
            if v == row or v in found:
                continue
            if best is None or cosine[v] > cosine[best]:
                best = v
        found.append(best)
    return np.array(found)


# %% [markdown]
# ## Your turn
#
# Write both without loops over rows.


# %%
def cosines(table, row):
    """Return the cosine of one row of the table with each of its rows (V,).

    table (V, D): no row is all zeros. row: the number of a row. The table is not changed.
    """
    # BEGIN SOLUTION
    lengths = np.sqrt((table**2).sum(-1, keepdims=True))
    unit = table / lengths
    return unit @ unit[row]
    # END SOLUTION


def neighbors(table, row, n):
    """Return the numbers of the n rows nearest to a row by cosine (n,), the nearest first.

    The row itself is not among them. table (V, D): no row is all zeros, none points exactly the
    other way, and no two have the same cosine. row: the number of a row. n: from 1 to V - 1. The
    table is not changed.
    """
    # BEGIN SOLUTION
    order = np.argsort(-cosines(table, row))
    others = order[order != row]
    return others[:n]
    # END SOLUTION

# %% [markdown]
# # Alignment, as a number
#
# In the cross-attention of a translator every word that is written looks at the words that were
# read. A picture of the weights often looks like an alignment: "Radio" looks at "radio". How good
# an alignment is it? Somebody has to say which word belongs to which. These links are called
# **gold**, and they are a table of $T$ written words and $S$ words that were read, with True where
# two words belong together.
#
# From the weights one gets links too: each written word is linked to the one word that it looks at
# most. Call the links that were found $A$ and the gold links $G$. The **alignment error rate**
# compares the two sets (Och and Ney 2003, with one kind of gold link):
#
# $$\mathrm{AER} = 1 - \frac{2\,|A \cap G|}{|A| + |G|}$$
#
# 0 is best: the sets are equal. 1 is worst: they have nothing in common. A link that was found and
# is not gold makes $|A|$ larger, and a gold link that was missed makes $|G|$ larger, so both cost
# something.
#
# Three words are written and four were read. Two of three links are right, and one gold link of the
# first word is missed: $\mathrm{AER} = 1 - 2 \cdot 2 / (3 + 4) = 3/7$.
#
# ```
# links found       gold
# 1 0 0 0           1 1 0 0
# 0 0 1 0           0 0 1 0
# 1 0 0 0           0 0 0 1
# ```
#
# By loops:

# %%
import numpy as np


def links_slowly(weights):
    T, S = weights.shape
    found = np.zeros((T, S), dtype=bool)
    for t in range(T):
        best = 0
        for s in range(S):
            if weights[t, s] > weights[t, best]:
                best = s
        found[t, best] = True
    return found


def alignment_error_rate_slowly(found, gold):
    n_both = n_found = n_gold = 0
    T, S = gold.shape
    for t in range(T):
        for s in range(S):
            n_both += 1 if found[t, s] and gold[t, s] else 0
            n_found += 1 if found[t, s] else 0
            n_gold += 1 if gold[t, s] else 0
    return 1 - 2 * n_both / (n_found + n_gold)


# %% [markdown]
# ## Your turn
#
# Write both without loops.


# %%
def links(weights):
    """Return the links (T, S): True at the largest weight of each row, and False elsewhere.

    weights (T, S): the attention weights of T words that are written. No row has its largest weight
    twice. They are not changed.
    """
    # BEGIN SOLUTION
    largest = weights.max(-1, keepdims=True)
    return weights == largest
    # END SOLUTION


def alignment_error_rate(found, gold):
    """Return the alignment error rate, one number.

    found, gold (T, S): True where there is a link. Each of them has at least one. Neither is
    changed.
    """
    # BEGIN SOLUTION
    n_both = (found & gold).sum()
    n_links = found.sum() + gold.sum()
    return 1 - 2 * n_both / n_links
    # END SOLUTION

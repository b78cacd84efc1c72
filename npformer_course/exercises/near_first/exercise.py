# %% [markdown]
# # Near words first
#
# In self-attention every position looks at every position, and nothing in $q_i \cdot k_j$ knows
# which of them are near. A model has to learn that from positional encodings. Press, Smith and
# Lewis (2022) tell it directly, before softmax: each score is lowered by the distance of the two
# words,
#
# $$\mathrm{score}_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_k}} - m\, |i - j|$$
#
# They call it ALiBi, attention with linear biases. The *slope* $m$ is a number above 0 that is not
# learned, and every head has a slope of its own: a head with a large one sees little more than its
# neighbors, a head with a small one sees far. (Theirs is a language model, which only looks back,
# so that $|i - j|$ is $i - j$. Here it looks to both sides, as an encoder does.)
#
# Scores are (B, H, S, S): B sentences, H heads, S words that look and S words that are looked at.
# With loops:

# %%
import numpy as np


def near_first_slowly(scores, slopes):
    """The same as below, by loops."""
    B, H, S, _ = scores.shape
    result = np.zeros(scores.shape)
    for b in range(B):
        for h in range(H):
            for i in range(S):
                for j in range(S):
                    result[b, h, i, j] = scores[b, h, i, j] - slopes[h] * abs(i - j)
    return result


# %% [markdown]
# ## What it does to the weights
#
# A weight is $e$ to its score, divided by the sum of its row. So what is *subtracted* from a score
# *multiplies* the weight by something, and that is the same for every pair of words at this
# distance. Two words have the same $q_i \cdot k_j$; one is the word itself that looks, and the
# other is $n$ words away. Then the far one has $r$ times the weight of the near one. Which $r$?
# And for an $r$ that you want, which slope?
#
# ## Your turn
#
# Write the bias for all heads without loops, and the slope for a given distance and $r$.


# %%
def near_first(scores, slopes):
    """Return scores (B, H, S, S), each lowered by the distance of its words, times the slope.

    scores (B, H, S, S). slopes (H,), one for each head. Neither is changed.
    """
    # BEGIN SOLUTION
    S = scores.shape[-1]
    place = np.arange(S)
    distance = abs(place[:, None] - place)
    return scores - slopes[:, None, None] * distance
    # END SOLUTION


def slope_for(distance, ratio):
    """Return the slope at which a word `distance` away has `ratio` times the weight of a near one.

    The near one is the word that looks: its distance is 0, and its q · k is the same. distance is
    1 or more, ratio between 0 and 1.
    """
    # BEGIN SOLUTION
    return -np.log(ratio) / distance
    # END SOLUTION

# %% [markdown]
# # Heads: split and merge
#
# One attention gives one average per word. The paper (section 3.2.2) wants several at once, and so
# cuts the $D$ numbers of a word into $H$ heads of $d_k = D / H$ numbers. Each head attends on its
# own, and afterwards the results are laid side by side again ("Concat").
#
# The paper writes a small matrix $W_h^Q$ of shape $(D, d_k)$ for each head. Code keeps them side by
# side in one wide matrix and multiplies once. So in each row of the product the first $d_k$ numbers
# belong to head 0, the next $d_k$ to head 1, and so on:
#
# $$\underbrace{x_0 \dots x_{d_k - 1}}_{\text{head } 0}\;
#   \underbrace{x_{d_k} \dots x_{2 d_k - 1}}_{\text{head } 1}\; \dots\;
#   \underbrace{x_{(H - 1) d_k} \dots x_{D - 1}}_{\text{head } H - 1}$$
#
# Attention works on the last two axes, positions and features, so the heads must come before them:
# $(B, H, T, d_k)$. No number is computed here. All that can go wrong is the *place* of a number,
# and that is easily done: many arrangements have the right shape. With a wrong one the model still
# trains, only worse; or, if positions are mixed, suspiciously well, because a word then sees the
# very word that it is to predict. This is the right arrangement:

# %%
import numpy as np


def split_heads_slowly(x, n_heads):
    """The same as `split_heads` below, by loops."""
    B, T, D = x.shape
    d_k = D // n_heads
    heads = np.zeros((B, n_heads, T, d_k))
    for b in range(B):
        for t in range(T):
            for h in range(n_heads):
                for i in range(d_k):
                    heads[b, h, t, i] = x[b, t, h * d_k + i]
    return heads


def merge_heads_slowly(heads):
    """The same as `merge_heads` below, by loops."""
    B, H, T, d_k = heads.shape
    merged = np.zeros((B, T, H * d_k))
    for b in range(B):
        for t in range(T):
            for h in range(H):
                for i in range(d_k):
                    merged[b, t, h * d_k + i] = heads[b, h, t, i]
    return merged


# %% [markdown]
# ## Your turn
#
# `reshape` reads the numbers in the order of the axes, the last one fastest, and writes them in the
# same order into the new shape. It can cut an axis in two or join two neighbors, but it never
# changes the order of axes: `swapaxes` and `transpose` do that. Here you need both.


# %%
def split_heads(x, n_heads):
    """Return the heads (B, H, T, d_k) of x (B, T, D), where H = n_heads divides D, and d_k = D / H.

    Head h has the features h * d_k to (h + 1) * d_k - 1 of each position. x is not changed.
    """
    # BEGIN SOLUTION
    batch, length, width = x.shape
    parts = x.reshape(batch, length, n_heads, width // n_heads)
    return parts.swapaxes(1, 2)
    # END SOLUTION


def merge_heads(heads):
    """Return the heads (B, H, T, d_k) side by side, (B, T, H * d_k): what `split_heads` took apart.

    heads is not changed.
    """
    # BEGIN SOLUTION
    batch, n_heads, length, d_k = heads.shape
    by_position = heads.swapaxes(1, 2)
    return by_position.reshape(batch, length, n_heads * d_k)
    # END SOLUTION

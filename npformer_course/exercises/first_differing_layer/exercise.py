# %% [markdown]
# # The first layer that differs
#
# Two programs should compute the same model, and they do not. Which setting is wrong? Both can say
# what each layer returns for one sentence. Compare from the bottom up. The **first** layer that
# differs has the wrong setting, or gets something wrong from outside; all layers after it differ as
# a consequence, often by more.
#
# What does it mean that two arrays differ? Programs add in different orders, so the last digits are
# never equal. By how much they may differ depends on how large the numbers are: 0.01 is nothing for
# a layer whose numbers reach 300, and everything for one whose numbers reach 0.02. So compare with
# the **scale** of the layer, the largest absolute value of their output $A_n$. Layer $n$ differs from
# ours, $B_n$, if
#
# $$\max |A_n - B_n| > \text{tolerance} \cdot \max |A_n|$$
#
# with the maximum over all entries. It also differs if the two outputs have different shapes: four
# heads here and eight there, for instance.
#
# One entry at a time:

# %%
import numpy as np


def first_differing_layer_slowly(theirs, ours, tolerance):
    n_layers = len(theirs)
    for n, (array, other) in enumerate(zip(theirs, ours, strict=True)):
        if array.shape != other.shape:
            return n
        scale = 0.0
        largest = 0.0
        for a, b in zip(array.ravel(), other.ravel(), strict=True):
            scale = max(scale, abs(a))
            largest = max(largest, abs(a - b))
        if largest > tolerance * scale:
            return n
    return n_layers


# %% [markdown]
# ## Your turn
#
# Write it without a loop over entries. A loop over layers is fine.


# %%
def first_differing_layer(theirs, ours, tolerance):
    """Return the index of the first layer whose outputs differ, and the number of layers if none does.

    theirs, ours: lists of as many arrays, one per layer, from the bottom up. tolerance: the largest
    difference that does not count, relative to the largest absolute value of their output. Neither
    list is changed.
    """
    # BEGIN SOLUTION
    for n in range(len(theirs)):
        if theirs[n].shape != ours[n].shape:
            return n
        difference = np.abs(theirs[n] - ours[n]).max()
        scale = np.abs(theirs[n]).max()
        if difference > tolerance * scale:
            return n
    return len(theirs)
    # END SOLUTION

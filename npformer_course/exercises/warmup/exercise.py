# %% [markdown]
# # Warm-up
#
# Adam's first update moves every number of the model by the whole learning rate, also where the
# first gradient is nothing but noise: it is boldest when it knows least. The paper therefore lets
# the rate rise in a straight line from nearly nothing, for `warmup_steps` updates, and fall
# afterwards, so that late updates settle. Equation 3 of section 5.3 says both at once:
#
# $$\eta(\text{step}) = d_{model}^{-0.5} \cdot
#   \min\big(\text{step}^{-0.5},\ \text{step} \cdot \text{warmup\_steps}^{-1.5}\big)$$
#
# Look at the two in the bracket. The first falls with the root of the step, from 1. The second is a
# straight line through 0. They meet where $\text{step} = \text{warmup\_steps}$, and the smaller one
# counts: the line before, the root after. The factor in front makes the rate of a wide model lower.
#
# Updates are counted **from 1**: the first has step 1, and its rate is small but not 0.

# %%
import math

import numpy as np


def learning_rate_slowly(step, d_model, warmup_steps):
    """The learning rate of one update, in two branches."""
    if step < warmup_steps:
        highest = 1 / math.sqrt(warmup_steps)
        return highest * (step / warmup_steps) / math.sqrt(d_model)
    return 1 / math.sqrt(step) / math.sqrt(d_model)


# %% [markdown]
# ## Your turn
#
# Write the equation as it is in the paper, so that `step` may be a number or an array: for a
# picture of the whole training you will want `learning_rate(np.arange(1, 20001), 512, 4000)`.


# %%
def learning_rate(step, d_model, warmup_steps):
    """Return the learning rate of an update.

    step: a whole number from 1, or an array (N,) of them. d_model, warmup_steps: whole numbers from
    1. Returns one number for a number, an array (N,) for an array.
    """
    # BEGIN SOLUTION
    step = np.asarray(step, float)
    falling = step**-0.5
    rising = step * warmup_steps**-1.5
    return d_model**-0.5 * np.minimum(falling, rising)
    # END SOLUTION

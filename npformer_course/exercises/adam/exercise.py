# %% [markdown]
# # Adam
#
# In the exercise `adam_by_hand` one number moved. A model has millions of them, in arrays of many
# shapes, and Adam (section 5.3 of the paper; Kingma and Ba 2015, algorithm 1) never mixes two of
# them: its formulas hold for an array $\theta$ with the gradient $g$ as they stand, entry by entry.
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1)\, g, \qquad v \leftarrow \beta_2 v + (1 - \beta_2)\, g^2,$$
#
# $$\hat m = \frac{m}{1 - \beta_1^t}, \qquad \hat v = \frac{v}{1 - \beta_2^t}, \qquad
#   \theta \leftarrow \theta - \eta\, \frac{\hat m}{\sqrt{\hat v} + \epsilon}$$
#
# What is new is the *state* that an optimizer keeps from one update to the next. $\hat m$ and
# $\hat v$ are used once and forgotten: what is kept is $m$ and $v$. $t$ counts updates **from 1**:
# it is 1 in the first update, when `state["t"]` still says 0. It is one count for the whole model,
# however many arrays the model has. In the check $\epsilon$ is large, so that its place shows.
#
# The state of a training run is thus $m$ and $v$ of every array, and one $t$. At the start:

# %%
import numpy as np


def adam_start(parameters):
    """Return the state before the first update."""
    return {
        "m": [np.zeros_like(p) for p in parameters],
        "v": [np.zeros_like(p) for p in parameters],
        "t": 0,
    }


# %% [markdown]
# Here is the update of one number, as in `adam_by_hand`, and that of a list of arrays, number by
# number:


# %%
def move_one_number(theta, g, m, v, t, lr, beta1, beta2, eps):
    """Return theta, m and v of a single number after update number t."""
    m_new = beta1 * m + (1 - beta1) * g
    v_new = beta2 * v + (1 - beta2) * g**2
    corrected_m = m_new / (1 - beta1**t)
    corrected_v = v_new / (1 - beta2**t)
    return theta - lr * corrected_m / (np.sqrt(corrected_v) + eps), m_new, v_new


def adam_step_slowly(parameters, gradients, state, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    """The same as below, by loops."""
    thetas = [theta.copy() for theta in parameters]
    ms = [m.copy() for m in state["m"]]
    vs = [v.copy() for v in state["v"]]
    for i, g in enumerate(gradients):
        for place in np.ndindex(*g.shape):
            before = thetas[i][place], g[place], ms[i][place], vs[i][place]
            after = move_one_number(*before, state["t"] + 1, lr, beta1, beta2, eps)
            thetas[i][place], ms[i][place], vs[i][place] = after
    return thetas, {"m": ms, "v": vs, "t": state["t"] + 1}


# %% [markdown]
# ## Your turn
#
# One update of all arrays, each as a whole. Return new arrays and a new state, and leave what came
# in as it was: no number in an array changes, no array in the lists of the state is exchanged for
# another, and its `"t"` stays. (New lists, filled with new arrays, leave the old ones alone. A copy
# of the dict does not: its `"m"` is still the same list.) It is checked from the middle of a
# training run, where some updates have gone before, for one update and for several in a row, each
# of which gets the state that the one before has left.


# %%
def adam_step(parameters, gradients, state, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    """Return the parameters and the state after one update.

    parameters, gradients: two lists of arrays, of the same shapes in the same order. state: a dict
    with lists "m" and "v" of arrays of these shapes, and "t", how many updates have been made. lr:
    the learning rate, eta above. Returns (list of new parameters, new state).
    """
    # BEGIN SOLUTION
    t = state["t"] + 1
    moved, kept_m, kept_v = [], [], []
    for p, g, m, v in zip(parameters, gradients, state["m"], state["v"], strict=True):
        m = m * beta1 + (1 - beta1) * g
        v = v * beta2 + (1 - beta2) * g * g
        m_hat = m / (1 - beta1**t)
        v_hat = v / (1 - beta2**t)
        moved.append(p - lr * m_hat / (np.sqrt(v_hat) + eps))
        kept_m.append(m)
        kept_v.append(v)
    return moved, {"m": kept_m, "v": kept_v, "t": t}
    # END SOLUTION

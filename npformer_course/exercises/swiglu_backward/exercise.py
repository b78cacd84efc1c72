# %% [markdown]
# # The backward of SwiGLU
#
# The feed-forward network of the paper sends each hidden number through a ReLU, which lets it pass
# or does not. Shazeer (2020) gave this decision to a second linear map, the *gate*: it says of each
# hidden number how much of it passes. Most language models since 2023 have this network, SwiGLU,
# with three matrices instead of two and without biases:
#
# $$\mathrm{gate} = \mathrm{SiLU}(x W_g), \qquad \mathrm{value} = x W_1, \qquad
#   y = (\mathrm{gate} \odot \mathrm{value})\, W_2$$
#
# $W_g$ and $W_1$ are $(D, F)$, $W_2$ is $(F, D)$, and $\odot$ multiplies number by number. SiLU is a
# smooth ReLU: it multiplies a number by its own sigmoid,
#
# $$\mathrm{SiLU}(b) = b\, \sigma(b), \qquad \sigma(b) = \frac{1}{1 + e^{-b}}$$
#
# Forward is given. What goes into SiLU is called `before`:

# %%
import numpy as np


def sigmoid(b):
    """Return the sigmoid of each number."""
    return 1 / (1 + np.exp(-b))


def silu(b):
    """Return b times its sigmoid."""
    return b * sigmoid(b)


def swiglu(x, w_gate, w1, w2):
    """Return y (B, T, D), before (B, T, F) and value (B, T, F)."""
    before = x @ w_gate
    value = x @ w1
    return (silu(before) * value) @ w2, before, value


# %% [markdown]
# **Backward** has two steps that the paper's network does not have. A product passes to each factor
# the gradient that arrives, times the *other* factor. And $x$ was used twice, so two gradients
# arrive at it.
#
# The slope of SiLU is yours to find. It is a product too, and the slope of the sigmoid is
# $\sigma'(b) = \sigma(b)\,(1 - \sigma(b))$. Here are the gradients one hidden number at a time, with
# the slope of SiLU measured:


# %%
def swiglu_backward_slowly(dy, x, before, value, w_gate, w1, w2):
    """The same as `swiglu_backward` below, by loops."""
    B, T, D = x.shape
    F = w1.shape[1]
    h = 1e-5
    dx = np.zeros((B, T, D))
    dw_gate, dw1, dw2 = np.zeros((D, F)), np.zeros((D, F)), np.zeros((F, D))
    for b in range(B):
        for t in range(T):
            for f in range(F):
                into_silu = before[b, t, f]
                gate = silu(into_silu)
                slope = (silu(into_silu + h) - silu(into_silu - h)) / (2 * h)

                dproduct = 0.0
                for d in range(D):
                    dproduct += dy[b, t, d] * w2[f, d]
                    dw2[f, d] += gate * value[b, t, f] * dy[b, t, d]
                for d in range(D):
                    to_value = dproduct * gate
                    to_before = dproduct * value[b, t, f] * slope
                    dw1[d, f] += to_value * x[b, t, d]
                    dw_gate[d, f] += to_before * x[b, t, d]
                    dx[b, t, d] += to_value * w1[d, f] + to_before * w_gate[d, f]
    return dx, dw_gate, dw1, dw2


# %% [markdown]
# ## Your turn
#
# Write it without loops, and with a formula for the slope of SiLU. A matrix $W$ in $xW$ has the
# gradient $x^\top dy$, summed over all positions of all sentences, as in the exercise on linear
# maps. In short code: `np.einsum("btd,btf->df", x, dy)`.


# %%
def swiglu_backward(dy, x, before, value, w_gate, w1, w2):
    """Return the gradients dx (B, T, D), dw_gate (D, F), dw1 (D, F), dw2 (F, D), in this order.

    dy (B, T, D): the gradient of y. x (B, T, D): what came in. before (B, T, F) and value
    (B, T, F): what forward returned. None of the inputs is changed.
    """
    # BEGIN SOLUTION
    gate = silu(before)
    s = sigmoid(before)
    slope = s + before * s * (1 - s)

    dproduct = dy @ w2.T
    dvalue = dproduct * gate
    dbefore = dproduct * value * slope

    dx = dvalue @ w1.T + dbefore @ w_gate.T
    dw_gate = np.einsum("btd,btf->df", x, dbefore)
    dw1 = np.einsum("btd,btf->df", x, dvalue)
    dw2 = np.einsum("btf,btd->fd", gate * value, dy)
    return dx, dw_gate, dw1, dw2  # in the order of forward
    # END SOLUTION

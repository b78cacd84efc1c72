# %% [markdown]
# # One step of an LSTM, backwards
#
# The step of exercise lstm_step makes of the old cell and the four vectors $i, f, g, o$ a new cell
# and an output:
#
# $$c = f \odot c_\mathrm{old} + i \odot g, \qquad h = o \odot \tanh(c)$$
#
# and the four vectors come from sums: $z_i = x W_i + h_\mathrm{old} U_i + b_i$ and $i = \sigma(z_i)$,
# likewise $f = \sigma(z_f)$, $g = \tanh(z_g)$ and $o = \sigma(z_o)$.
#
# Now go back. Two gradients arrive: `dh` at the output, from the layers above and from the next
# step, and `dc` at the cell, from the next step. But $h$ is made of $c$, so the cell is used twice:
# by the next step, and by the output. The gradient at $c$ is the **sum** of what comes back from
# both; call it $\bar c$. Everything else starts from it, with one exception.
#
# The slopes that you need are $\sigma' = \sigma (1 - \sigma)$ and $\tanh' = 1 - \tanh^2$. Both are
# made of what the function returned, so no $z$ has to be kept.
#
# Return the gradient at the four sums, `dz`, and those at the old state. From `dz` the gradients of
# $x$, $w$, $u$ and $b$ follow as in exercise linear, so they are left out here: $h_\mathrm{old}$
# went through the product with $u$ in the same way. For B sentences, one number at a time:

# %%
import numpy as np


def lstm_backward_slowly(dh, dc, gates, c_old, c, u):
    """The same as below, by loops."""
    B, H = dh.shape
    dz, dh_old, dc_old = np.zeros((B, 4 * H)), np.zeros((B, H)), np.zeros((B, H))
    for s in range(B):  # a sentence
        for j in range(H):
            i, f = gates[s, j], gates[s, H + j]
            g, o = gates[s, 2 * H + j], gates[s, 3 * H + j]
            shown = np.tanh(c[s, j])
            by_output = dh[s, j] * o * (1 - shown**2)
            at_cell = dc[s, j] + by_output
            dz[s, j] = at_cell * g * i * (1 - i)
            dz[s, H + j] = at_cell * c_old[s, j] * f * (1 - f)
            dz[s, 2 * H + j] = at_cell * i * (1 - g**2)
            dz[s, 3 * H + j] = dh[s, j] * shown * o * (1 - o)
            dc_old[s, j] = at_cell * f
        for j in range(H):
            for k in range(4 * H):
                dh_old[s, j] += dz[s, k] * u[j, k]
    return dz, dh_old, dc_old


# %% [markdown]
# ## Your turn
#
# Write it without loops. The four vectors lie side by side in `gates`, in the order $i, f, g, o$,
# and so do their gradients in `dz`.


# %%
def lstm_backward(dh, dc, gates, c_old, c, u):
    """Return dz (B, 4H), the gradient at the sums of i, f, g, o, dh_old (B, H) and dc_old (B, H).

    dh, dc (B, H): the gradients at the new output and at the new cell. gates (B, 4H): i, f, g, o as
    forward returned them. c_old, c (B, H): the cell before the step and after it. u (H, 4H). None of
    the inputs is changed.
    """
    # BEGIN SOLUTION
    i, f, g, o = np.split(gates, 4, axis=-1)
    t = np.tanh(c)
    dcell = dc + dh * o * (1 - t * t)
    dz_i = dcell * g * i * (1 - i)
    dz_f = dcell * c_old * f * (1 - f)
    dz_g = dcell * i * (1 - g * g)
    dz_o = dh * t * o * (1 - o)
    dz = np.concatenate([dz_i, dz_f, dz_g, dz_o], axis=-1)
    return dz, dz @ u.T, dcell * f
    # END SOLUTION

# %% [markdown]
# # One step of an LSTM
#
# "Ich schalte jeden Tag das neue Radio aus." Between "schalte" and "aus", which are one verb, there
# are five other words. A network that reads one word after another has to carry the open verb past
# all five of them. A *recurrent* network has a state for this: each step gets the features $x$ of
# one word and the state that the step before has left, and leaves a new one.
#
# In an LSTM (Hochreiter and Schmidhuber 1997) the state is two vectors of $H$ features: the *cell*
# $c$, which keeps, and the *output* $h$, which the layers above and the next step see. What was
# left by the step before is $h_\mathrm{old}$ and $c_\mathrm{old}$. The step makes four vectors of
# $H$ numbers, each with matrices and a bias of its own:
#
# $$i = \sigma(x W_i + h_\mathrm{old} U_i + b_i), \qquad f = \sigma(x W_f + h_\mathrm{old} U_f + b_f)$$
# $$g = \tanh(x W_g + h_\mathrm{old} U_g + b_g), \qquad o = \sigma(x W_o + h_\mathrm{old} U_o + b_o)$$
#
# $\sigma(z) = 1 / (1 + e^{-z})$ is between 0 and 1, so $i$, $f$ and $o$ are **gates**: the numbers
# that are multiplied with them are let through or stopped, each feature by itself. $g$ is what this
# step offers to the cell. The input gate $i$ says how much of the offer is let in, the forget gate
# $f$ how much of the old cell is kept, and the output gate $o$ how much of the cell is shown:
#
# $$c = f \odot c_\mathrm{old} + i \odot g, \qquad h = o \odot \tanh(c)$$
#
# ($\odot$ multiplies feature by feature.)
#
# As in PyTorch and npformer, one matrix holds four: `w` (D, 4H) is $W_i, W_f, W_g, W_o$ side by
# side, in this order, `u` (H, 4H) is $U_i, U_f, U_g, U_o$ and `b` (4H,) the four biases. So one
# product makes all four vectors, and they have to be taken apart. For B sentences, one number at a
# time:

# %%
import numpy as np


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def lstm_step_slowly(x, h_old, c_old, w, u, b):
    """The same as below, by loops."""
    B, H = h_old.shape
    all_h, all_c, gates = np.zeros((B, H)), np.zeros((B, H)), np.zeros((B, 4 * H))
    for s in range(B):  # a sentence
        for j in range(4 * H):
            total = b[j]
            for d in range(x.shape[1]):
                total += x[s, d] * w[d, j]
            for d in range(H):
                total += h_old[s, d] * u[d, j]
            is_offer = 2 * H <= j < 3 * H  # a column of g
            gates[s, j] = np.tanh(total) if is_offer else sigmoid(total)
        for j in range(H):
            kept = gates[s, H + j] * c_old[s, j]
            let_in = gates[s, j] * gates[s, 2 * H + j]
            all_c[s, j] = kept + let_in
            all_h[s, j] = gates[s, 3 * H + j] * np.tanh(all_c[s, j])
    return all_h, all_c, gates


# %% [markdown]
# ## Your turn
#
# Write the step without loops. `sigmoid` above is yours to use. Return the new output, the new cell,
# and the four vectors side by side, in the order of `w`: the way back needs them.


# %%
def lstm_step(x, h_old, c_old, w, u, b):
    """Return h (B, H), c (B, H) and gates (B, 4H): i, f, g, o side by side.

    x (B, D): a word of each sentence. h_old, c_old (B, H): what the step before has left. w (D, 4H),
    u (H, 4H), b (4H,): the weights of i, f, g, o side by side. None of the inputs is changed.
    """
    # BEGIN SOLUTION
    z = x @ w + h_old @ u + b
    i, f, g, o = np.split(z, 4, axis=-1)
    i = sigmoid(i)
    f = sigmoid(f)
    g = np.tanh(g)
    o = sigmoid(o)
    c = f * c_old + i * g
    h = o * np.tanh(c)
    gates = np.concatenate([i, f, g, o], axis=-1)
    return h, c, gates
    # END SOLUTION

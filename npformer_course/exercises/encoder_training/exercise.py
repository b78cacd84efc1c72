# %% [markdown]
# # An encoder, assembled and trained
#
# You have written every part. Here they are given, as classes with `forward`, `backward` and
# `parameters`, and what is left is what holds them together: the encoder layer of figure 1, and the
# loop that trains it.
#
# A layer **remembers** in `forward` what its `backward` needs. `backward(dy)` takes the gradient of
# the layer's result, returns that of its input, and **adds** to the `grad` of its parameters.

# %%
import math

import numpy as np


class Parameter:
    """An array to be learned, and the gradient of the loss with respect to it."""

    def __init__(self, data):
        self.data = data.copy()
        self.grad = np.zeros_like(data)


class MultiHeadAttention:
    """Self-attention with H heads, section 3.2.2: four matrices (D, D), no biases."""

    def __init__(self, w_query, w_key, w_value, w_output, n_heads):
        self.matrices = [Parameter(w) for w in (w_query, w_key, w_value, w_output)]
        self.n_heads = n_heads

    def parameters(self):
        """Return the four matrices."""
        return self.matrices

    def split(self, x):
        """(B, T, D) -> (B, H, T, d_k)."""
        return x.reshape(*x.shape[:2], self.n_heads, -1).swapaxes(1, 2)

    def merge(self, heads):
        """(B, H, T, d_k) -> (B, T, D)."""
        return heads.swapaxes(1, 2).reshape(heads.shape[0], heads.shape[2], -1)

    def forward(self, x, mask):
        """Return y (B, T, D); mask (B, 1, 1, T) is False where a position is padding."""
        self.x = x
        self.q = self.split(x @ self.matrices[0].data)
        self.k = self.split(x @ self.matrices[1].data)
        self.v = self.split(x @ self.matrices[2].data)
        scores = self.q @ self.k.swapaxes(2, 3) / math.sqrt(self.q.shape[-1])
        scores = np.where(mask, scores, -1e30)
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        self.weights = powers / powers.sum(-1, keepdims=True)  # (B, H, T, T)
        self.merged = self.merge(self.weights @ self.v)
        return self.merged @ self.matrices[3].data

    def backward(self, dy):
        """Return dx (B, T, D)."""
        D = dy.shape[-1]
        self.matrices[3].grad += self.merged.reshape(-1, D).T @ dy.reshape(-1, D)
        dheads = self.split(dy @ self.matrices[3].data.T)
        dweights = dheads @ self.v.swapaxes(2, 3)
        dscores = self.weights * (dweights - (self.weights * dweights).sum(-1, keepdims=True))
        dscores /= math.sqrt(self.q.shape[-1])
        dq = dscores @ self.k
        dk = dscores.swapaxes(2, 3) @ self.q
        dv = self.weights.swapaxes(2, 3) @ dheads
        dx = np.zeros_like(self.x)
        for w, gradient in zip(self.matrices[:3], (dq, dk, dv), strict=True):
            d = self.merge(gradient)
            w.grad += self.x.reshape(-1, D).T @ d.reshape(-1, D)
            dx += d @ w.data.T
        return dx


class FeedForward:
    """max(0, x W_1 + b_1) W_2 + b_2, section 3.3."""

    def __init__(self, w_1, b_1, w_2, b_2):
        self.w_1 = Parameter(w_1)  # (D, F)
        self.b_1 = Parameter(b_1)  # (F,)
        self.w_2 = Parameter(w_2)  # (F, D)
        self.b_2 = Parameter(b_2)  # (D,)

    def parameters(self):
        """Return two matrices and two biases."""
        return [self.w_1, self.b_1, self.w_2, self.b_2]

    def forward(self, x):
        """Return y (B, T, D)."""
        self.x = x
        self.hidden = np.maximum(0, x @ self.w_1.data + self.b_1.data)
        return self.hidden @ self.w_2.data + self.b_2.data

    def backward(self, dy):
        """Return dx (B, T, D)."""
        D, F = self.w_1.data.shape
        dhidden = (dy @ self.w_2.data.T) * (self.hidden > 0)
        self.w_2.grad += self.hidden.reshape(-1, F).T @ dy.reshape(-1, D)
        self.b_2.grad += dy.sum((0, 1))
        self.w_1.grad += self.x.reshape(-1, D).T @ dhidden.reshape(-1, F)
        self.b_1.grad += dhidden.sum((0, 1))
        return dhidden @ self.w_1.data.T


class LayerNorm:
    """gain * (x - mean) / sqrt(var + eps) + bias, over the features of each position."""

    def __init__(self, gain, bias):
        self.gain = Parameter(gain)  # (D,)
        self.bias = Parameter(bias)  # (D,)

    def parameters(self):
        """Return gain and bias."""
        return [self.gain, self.bias]

    def forward(self, x):
        """Return y (B, T, D)."""
        self.rstd = 1 / np.sqrt(x.var(-1, keepdims=True) + 1e-6)
        self.xhat = (x - x.mean(-1, keepdims=True)) * self.rstd
        return self.gain.data * self.xhat + self.bias.data

    def backward(self, dy):
        """Return dx (B, T, D)."""
        self.gain.grad += (dy * self.xhat).sum((0, 1))
        self.bias.grad += dy.sum((0, 1))
        d = dy * self.gain.data
        return self.rstd * (
            d - d.mean(-1, keepdims=True) - self.xhat * (d * self.xhat).mean(-1, keepdims=True)
        )


class EncoderLayer:
    """The four parts of an encoder layer. Two functions below, which you write, run them."""

    def __init__(self, attention, norm_1, feed_forward, norm_2):
        self.attention = attention
        self.norm_1 = norm_1
        self.feed_forward = feed_forward
        self.norm_2 = norm_2

    def parameters(self):
        """Return the twelve parameters of the four parts."""
        parameters = []
        for part in (self.attention, self.norm_1, self.feed_forward, self.norm_2):
            parameters += part.parameters()
        return parameters


# %% [markdown]
# ## The encoder layer
#
# Figure 1, left, and section 3.1: two sub-layers, each with a residual connection and then a layer
# normalization (post-norm, the paper's order; dropout is left out):
#
# $$z = \mathrm{LayerNorm}_1(x + \mathrm{Attention}(x)), \qquad y = \mathrm{LayerNorm}_2(z + \mathrm{FFN}(z))$$
#
# **Backward** goes through these two lines from the last to the first. A sum passes its gradient on
# to both summands. $z$ and $x$ are each used twice, so each gets two gradients, which add up:
#
# $$ds = \mathrm{LayerNorm}_2'(dy), \qquad dz = ds + \mathrm{FFN}'(ds), \qquad
#   dr = \mathrm{LayerNorm}_1'(dz), \qquad dx = dr + \mathrm{Attention}'(dr)$$
#
# where $f'$ stands for the `backward` of $f$; $r$ and $s$ are the two sums. Here is forward, one
# sentence and one position at a time:


# %%
def encoder_layer_slowly(layer, x, mask):
    """The same as `encoder_layer` below, by loops."""
    y = np.zeros(x.shape)
    for b in range(x.shape[0]):
        looked_up = layer.attention.forward(x[[b]], mask[[b]])  # (1, T, D)
        for t in range(x.shape[1]):
            r = x[b, t] + looked_up[0, t]
            z = layer.norm_1.forward(r[None, None])  # (1, 1, D)
            s = z[0, 0] + layer.feed_forward.forward(z)[0, 0]
            y[b, t] = layer.norm_2.forward(s[None, None])[0, 0]
    return y


# %% [markdown]
# ## The loop
#
# The task is small, and impossible without attention: name the tokens of a sentence in reverse. The
# target at position 0 is the last token, and so on. The model is an embedding with positions, your
# encoder layer, and a matrix to the logits. It is given, and calls your two functions. Each batch
# is new, so it cannot be learned by heart.
#
# For each batch, in this order: clear the gradients; forward, from ids to logits; the loss and its
# gradient; backward; one step of the optimizer. The loss of a batch is the one **before** its step.


# %%
class Reverser:
    """Logits for the tokens of a sentence in reverse."""

    def __init__(self, table, positions, layer, w_logits):
        self.table = Parameter(table)  # (V, D)
        self.positions = Parameter(positions)  # (T, D)
        self.w_logits = Parameter(w_logits)  # (D, V)
        self.layer = layer

    def parameters(self):
        """Return all parameters of the model."""
        return [self.table, self.positions, self.w_logits, *self.layer.parameters()]

    def zero_grad(self):
        """Set all gradients to 0."""
        for parameter in self.parameters():
            parameter.grad[...] = 0

    def forward(self, ids):
        """Return logits (B, T, V) for ids (B, T)."""
        self.ids = ids
        B, T = ids.shape
        mask = np.ones((B, 1, 1, T), bool)  # no padding: all sentences are equally long
        x = self.table.data[ids] + self.positions.data
        self.y = encoder_layer(self.layer, x, mask)
        return self.y @ self.w_logits.data

    def backward(self, dlogits):
        """Add the gradients of all parameters to their grad."""
        D, V = self.w_logits.data.shape
        self.w_logits.grad += self.y.reshape(-1, D).T @ dlogits.reshape(-1, V)
        dx = encoder_layer_backward(self.layer, dlogits @ self.w_logits.data.T)
        np.add.at(self.table.grad, self.ids, dx)
        self.positions.grad += dx.sum(0)


class Adam:
    """Section 5.3 of the paper."""

    def __init__(self, parameters, lr):
        self.parameters = parameters
        self.lr = lr
        self.t = 0
        self.m = [np.zeros_like(p.data) for p in parameters]
        self.v = [np.zeros_like(p.data) for p in parameters]

    def step(self):
        """Move every parameter once, by its grad."""
        self.t += 1
        for i, p in enumerate(self.parameters):
            self.m[i] = 0.9 * self.m[i] + 0.1 * p.grad
            self.v[i] = 0.98 * self.v[i] + 0.02 * p.grad**2
            m_hat = self.m[i] / (1 - 0.9**self.t)
            v_hat = self.v[i] / (1 - 0.98**self.t)
            p.data -= self.lr * m_hat / (np.sqrt(v_hat) + 1e-4)


def cross_entropy(logits, targets):
    """Return the loss, one number, and dlogits (B, T, V).

    logits (B, T, V), targets (B, T).
    """
    shifted = logits - logits.max(-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    right = targets[..., None] == np.arange(logits.shape[-1])
    return -log_p[right].mean(), (np.exp(log_p) - right) / targets.size


# %% [markdown]
# ## Your turn
#
# Three functions. The gradients may be cleared anywhere in the loop, if each step of the optimizer
# finds those of its own batch alone. What is checked are the results and gradients of the layer,
# and the loss of every batch.


# %%
def encoder_layer(layer, x, mask):
    """Return y (B, T, D).

    layer: an EncoderLayer. x (B, T, D). mask (B, 1, 1, T): False where x is padding.
    """
    # BEGIN SOLUTION
    z = layer.norm_1.forward(x + layer.attention.forward(x, mask))
    return layer.norm_2.forward(z + layer.feed_forward.forward(z))
    # END SOLUTION


# %%
def encoder_layer_backward(layer, dy):
    """Return dx (B, T, D) from dy (B, T, D), each part's backward called once.

    The parts have run forward.
    """
    # BEGIN SOLUTION
    ds = layer.norm_2.backward(dy)
    dz = ds + layer.feed_forward.backward(ds)
    dr = layer.norm_1.backward(dz)
    return dr + layer.attention.backward(dr)
    # END SOLUTION


# %%
def train(model, optimizer, batches):
    """Train a Reverser, one step for each batch.

    Returns a list with the loss of each batch before its step. batches: arrays ids (B, T), one after the other. optimizer: an Adam for the parameters of the
    model.
    """
    # BEGIN SOLUTION
    losses = []
    for ids in batches:
        model.zero_grad()
        logits = model.forward(ids)
        loss, dlogits = cross_entropy(logits, ids[:, ::-1])
        model.backward(dlogits)
        optimizer.step()
        losses.append(loss)
    return losses
    # END SOLUTION

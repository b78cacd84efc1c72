# %% [markdown]
# # One training step
#
# All the parts are there: a model that runs forward and backward, a loss, an optimizer, a learning
# rate. Training is a loop over batches, and its body is a handful of lines. Nearly all of them can
# be wrong in a way that no error message tells of: the loss still falls, only less far.
#
# Here is a small model to train. It guesses the next token from the last one alone: the tied
# embedding, one layer, the tied generator. What it has in common with the Transformer is how it is
# used: `forward(ids)` returns logits, `backward(dlogits)` **adds** to the `grad` of each parameter,
# since a parameter may be used many times. Nobody empties `grad` but `zero_grad()`.

# %%
import math

import numpy as np

PAD = 0


class Parameter:
    """An array to be learned, and the gradient of the loss with respect to it."""

    def __init__(self, data):
        self.data = data.copy()
        self.grad = np.zeros_like(data)


class TinyModel:
    """A model of the next token: logits = tanh(sqrt(D) table[ids] weight + bias) table^T."""

    def __init__(self, table, weight, bias):
        self.table = Parameter(table)  # (V, D)
        self.weight = Parameter(weight)  # (D, D)
        self.bias = Parameter(bias)  # (D,)

    def parameters(self):
        """Return the three parameters."""
        return [self.table, self.weight, self.bias]

    def zero_grad(self):
        """Set all gradients to 0."""
        for parameter in self.parameters():
            parameter.grad[...] = 0

    def forward(self, ids):
        """Return logits (B, T, V) for ids (B, T).

        Position t holds the scores of the token that follows it.
        """
        self.ids = ids
        self.root = math.sqrt(self.bias.data.size)
        self.x = self.table.data[ids] * self.root  # (B, T, D)
        self.hidden = np.tanh(self.x @ self.weight.data + self.bias.data)
        return self.hidden @ self.table.data.T

    def backward(self, dlogits):
        """Add the gradients of all parameters to what their grad holds. dlogits (B, T, V)."""
        V, D = self.table.data.shape
        dhidden = dlogits @ self.table.data * (1 - self.hidden**2)
        self.table.grad += dlogits.reshape(-1, V).T @ self.hidden.reshape(-1, D)
        self.weight.grad += self.x.reshape(-1, D).T @ dhidden.reshape(-1, D)
        self.bias.grad += dhidden.sum((0, 1))
        np.add.at(self.table.grad, self.ids, dhidden @ self.weight.data.T * self.root)


# %% [markdown]
# The loss is cross-entropy as you know it, here without smoothing: a mean over the targets that are
# no padding (id 0). The optimizer is Adam: `step(lr)` is one update, which moves all parameters by
# what their `grad` says at that moment.


# %%
def cross_entropy(logits, targets):
    """Return the loss, one number, and dlogits (B, T, V).

    logits (B, T, V), targets (B, T).
    """
    real = (targets != PAD)[..., None]  # (B, T, 1)
    n = int(real.sum())
    shifted = logits - logits.max(-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    right = targets[..., None] == np.arange(logits.shape[-1])  # (B, T, V)
    loss = -log_p[right & real].sum() / n
    dlogits = np.where(real, np.exp(log_p) - right, 0) / n
    return loss, dlogits


class Adam:
    """Section 5.3 of the paper, as in an earlier exercise."""

    def __init__(self, parameters, eps=1e-9):
        self.parameters = parameters
        self.eps = eps
        self.t = 0
        self.m = [np.zeros_like(p.data) for p in parameters]
        self.v = [np.zeros_like(p.data) for p in parameters]

    def step(self, lr):
        """Move every parameter once, by its grad, with the learning rate lr."""
        self.t += 1
        for i, p in enumerate(self.parameters):
            self.m[i] = 0.9 * self.m[i] + 0.1 * p.grad
            self.v[i] = 0.98 * self.v[i] + 0.02 * p.grad**2
            m_hat = self.m[i] / (1 - 0.9**self.t)
            v_hat = self.v[i] / (1 - 0.98**self.t)
            p.data -= lr * m_hat / (np.sqrt(v_hat) + self.eps)


# %% [markdown]
# ## What a step does
#
# **Aim at the next token.** A sentence of the batch is `<bos> the dog sleeps <eos>`, perhaps with
# padding behind. The model reads `<bos> the dog sleeps` and is to answer `the dog sleeps <eos>`:
# the ids without their last column go in, the ids without their first column are the targets. (A
# translator's decoder does the same with the target sentence.)
#
# **Find the gradient** of this batch's loss, and of no other's.
#
# **Clip it.** One odd batch can have a gradient a hundred times as long as the others and throw the
# model far off. So the gradient's length is limited (Pascanu et al. 2013, algorithm 1). Its length
# is that of *one* long vector with the numbers of all parameters, $g$:
#
# $$\|g\| = \sqrt{\sum_{\text{parameters}} \sum_i g_i^2}, \qquad
#   g \leftarrow \frac{c}{\|g\|}\, g \quad \text{if } \|g\| > c, \text{ else } g \text{ stays}$$
#
# Every number is multiplied by the same factor: the step gets shorter and keeps its direction.
#
# **Update**, once, with the learning rate of this step.
#
# Here is a step that needs no backward: it moves each number a little and looks what the loss does.
# A model of 65 million parameters would have to be run 130 million times for one update.


# %%
def loss_slowly(model, ids):
    """The mean of -ln p over every real token but the first of each sentence."""
    logits = model.forward(ids)
    total = 0.0
    n = 0
    for b in range(ids.shape[0]):
        for t in range(ids.shape[1] - 1):
            following = ids[b, t + 1]
            if following != PAD:
                scores = logits[b, t]  # what the model says once it has read the token at t
                total += np.log(np.exp(scores).sum()) - scores[following]
                n += 1
    return total / n


def training_step_slowly(model, optimizer, ids, max_norm, rate, h=1e-5):
    """The same as below, by loops and without backward."""
    before = loss_slowly(model, ids)
    squares = 0.0
    for parameter in model.parameters():
        data = parameter.data
        grad = parameter.grad
        for place in np.ndindex(*data.shape):
            value = data[place]
            data[place] = value + h
            above = loss_slowly(model, ids)
            data[place] = value - h
            below = loss_slowly(model, ids)
            data[place] = value
            grad[place] = (above - below) / (2 * h)
            squares += grad[place] ** 2
    factor = min(1, max_norm / math.sqrt(squares))
    for parameter in model.parameters():
        for place in np.ndindex(*parameter.data.shape):
            parameter.grad[place] *= factor
    optimizer.step(rate)
    return before


# %% [markdown]
# ## Your turn
#
# Write the step with the model's own `forward` and `backward`. It is called for three batches in a
# row, with the same model and the same optimizer. **At the first call all gradients are 0**; at the
# next ones they are what your step left. What `grad` holds when you return is not checked. No batch
# has a gradient of length 0. What is checked are the losses that you return, each found **before**
# its update, and the parameters after the third update: once with a small limit for the gradient's
# length, once with one so large that it is never reached.


# %%
def training_step(model, optimizer, ids, max_norm, lr):
    """Train the model on one batch: one update.

    Returns the batch's loss before the update, one number. model: a TinyModel. optimizer: an Adam
    for its parameters. ids (B, T + 1): sentences with <bos> and <eos>, then padding; ids itself is
    not changed. max_norm: the limit c of the gradient's norm. lr: the learning rate.
    """
    # BEGIN SOLUTION
    model.zero_grad()
    logits = model.forward(ids[:, :-1])
    loss, dlogits = cross_entropy(logits, ids[:, 1:])
    model.backward(dlogits)
    norm = math.sqrt(sum((p.grad**2).sum() for p in model.parameters()))
    if norm > max_norm:
        for p in model.parameters():
            p.grad *= max_norm / norm
    optimizer.step(lr)
    return loss
    # END SOLUTION

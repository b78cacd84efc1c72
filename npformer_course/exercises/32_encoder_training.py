# id: encoder_training | points: 13 | minutes: 60 | level: 3 | needs: multi_head add_norm training_step | notebook: 06b

# %% [markdown]
# # An encoder, assembled and trained
#
# You have written every part. Here they are given, as classes with `forward`, `backward` and `parameters`, and what is
# left is what holds them together: the encoder layer of figure 1, and the loop that trains it.
#
# A layer **remembers** in `forward` what its `backward` needs. `backward(dy)` takes the gradient of the layer's result,
# returns that of its input, and **adds** to the `grad` of its parameters.

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
        self.q, self.k, self.v = (self.split(x @ w.data) for w in self.matrices[:3])
        scores = np.where(mask, self.q @ self.k.swapaxes(2, 3) / math.sqrt(self.q.shape[-1]), -1e30)
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
        dx = np.zeros_like(self.x)
        gradients = dscores @ self.k, dscores.swapaxes(2, 3) @ self.q, self.weights.swapaxes(2, 3) @ dheads
        for w, d in zip(self.matrices, map(self.merge, gradients), strict=False):
            w.grad += self.x.reshape(-1, D).T @ d.reshape(-1, D)
            dx += d @ w.data.T
        return dx


class FeedForward:
    """max(0, x W_1 + b_1) W_2 + b_2, section 3.3."""

    def __init__(self, w_1, b_1, w_2, b_2):
        self.w_1, self.b_1, self.w_2, self.b_2 = map(Parameter, (w_1, b_1, w_2, b_2))  # (D, F), (F,), (F, D), (D,)

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
        self.gain, self.bias = Parameter(gain), Parameter(bias)  # (D,), (D,)

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
        return self.rstd * (d - d.mean(-1, keepdims=True) - self.xhat * (d * self.xhat).mean(-1, keepdims=True))


class EncoderLayer:
    """The four parts of an encoder layer. What runs them are two functions below, which you write."""

    def __init__(self, attention, norm_1, feed_forward, norm_2):
        self.attention, self.norm_1, self.feed_forward, self.norm_2 = attention, norm_1, feed_forward, norm_2

    def parameters(self):
        """Return the twelve parameters of the four parts."""
        parts = self.attention, self.norm_1, self.feed_forward, self.norm_2
        return [parameter for part in parts for parameter in part.parameters()]


# %% [markdown]
# ## The encoder layer
#
# Figure 1, left, and section 3.1: two sub-layers, each with a residual connection and then a layer normalization
# (post-norm, the paper's order; dropout is left out):
#
# $$z = \mathrm{LayerNorm}_1(x + \mathrm{Attention}(x)), \qquad y = \mathrm{LayerNorm}_2(z + \mathrm{FFN}(z))$$
#
# **Backward** goes through these two lines from the last to the first. A sum passes its gradient on to both summands.
# $z$ and $x$ are each used twice, so each gets two gradients, which add up:
#
# $$ds = \mathrm{LayerNorm}_2'(dy), \qquad dz = ds + \mathrm{FFN}'(ds), \qquad
#   dr = \mathrm{LayerNorm}_1'(dz), \qquad dx = dr + \mathrm{Attention}'(dr)$$
#
# where $f'$ stands for the `backward` of $f$; $r$ and $s$ are the two sums. Here is forward, one sentence and one
# position at a time:


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
# The task is small, and impossible without attention: name the tokens of a sentence in reverse. The target at position
# 0 is the last token, and so on. The model is an embedding with positions, your encoder layer, and a matrix to the
# logits. It is given, and calls your two functions. Each batch is new, so it cannot be learned by heart.
#
# For each batch, in this order: clear the gradients; forward, from ids to logits; the loss and its gradient; backward;
# one step of the optimizer. The loss of a batch is the one **before** its step.


# %%
class Reverser:
    """Logits for the tokens of a sentence in reverse."""

    def __init__(self, table, positions, layer, w_logits):
        self.table, self.positions, self.w_logits = Parameter(table), Parameter(positions), Parameter(w_logits)
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
        mask = np.ones((len(ids), 1, 1, ids.shape[1]), bool)  # no padding: all sentences are equally long
        self.y = encoder_layer(self.layer, self.table.data[ids] + self.positions.data, mask)
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
        self.parameters, self.lr, self.t = parameters, lr, 0
        self.m = [np.zeros_like(p.data) for p in parameters]
        self.v = [np.zeros_like(p.data) for p in parameters]

    def step(self):
        """Move every parameter once, by its grad."""
        self.t += 1
        for i, p in enumerate(self.parameters):
            self.m[i] = 0.9 * self.m[i] + 0.1 * p.grad
            self.v[i] = 0.98 * self.v[i] + 0.02 * p.grad**2
            m_hat, v_hat = self.m[i] / (1 - 0.9**self.t), self.v[i] / (1 - 0.98**self.t)
            p.data -= self.lr * m_hat / (np.sqrt(v_hat) + 1e-4)


def cross_entropy(logits, targets):
    """Return the loss, one number, and dlogits (B, T, V), for logits (B, T, V) and targets (B, T)."""
    shifted = logits - logits.max(-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    right = targets[..., None] == np.arange(logits.shape[-1])
    return -log_p[right].mean(), (np.exp(log_p) - right) / targets.size


# %% [markdown]
# ## Your turn
#
# Three functions. The gradients may be cleared anywhere in the loop, if each step of the optimizer finds those of its
# own batch alone. What is checked are the results and gradients of the layer, and the loss of every batch.


# %%
def encoder_layer(layer, x, mask):
    """Return y (B, T, D). layer: an EncoderLayer. x (B, T, D). mask (B, 1, 1, T): False where x is padding."""
    # BEGIN SOLUTION
    z = layer.norm_1.forward(x + layer.attention.forward(x, mask))
    return layer.norm_2.forward(z + layer.feed_forward.forward(z))
    # END SOLUTION


# %%
def encoder_layer_backward(layer, dy):
    """Return dx (B, T, D) from dy (B, T, D), each part's backward called once. The parts have run forward."""
    # BEGIN SOLUTION
    ds = layer.norm_2.backward(dy)
    dz = ds + layer.feed_forward.backward(ds)
    dr = layer.norm_1.backward(dz)
    return dr + layer.attention.backward(dr)
    # END SOLUTION


# %%
def train(model, optimizer, batches):
    """Train a Reverser, one step for each batch. Returns a list with the loss of each batch before its step.

    batches: arrays ids (B, T), one after the other. optimizer: an Adam for the parameters of the model.
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


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction

SIZES = {"K": (2, 4), "F": (4, 9)}
N_STEPS, BATCH, LENGTH, VOCAB_SIZE, D_MODEL, N_HEADS = 24, 24, 3, 4, 16, 2
SHAPES = (  # of the parameters of a layer, in their order
    *((name, "DD") for name in ("w_query", "w_key", "w_value", "w_output")),
    *(("gain_1", "D"), ("bias_1", "D")),
    *(("w_1", "DF"), ("b_1", "F"), ("w_2", "FD"), ("b_2", "D")),
    *(("gain_2", "D"), ("bias_2", "D")),
)


def shapes_of(D, F):
    """Return the shape of each parameter of a layer by its name."""
    return {name: tuple({"D": D, "F": F}[letter] for letter in letters) for name, letters in SHAPES}


def draw_layer(draw, D, F):
    """Draw the parameters of a layer, end to end."""
    pieces = []
    for name, shape in shapes_of(D, F).items():
        piece = draw.gain(D) if name.startswith("gain") else draw.normal(*shape) / math.sqrt(shape[0])
        pieces.append(piece.reshape(-1))
    return np.concatenate(pieces)


def make_layer(student, numbers, n_heads, D, F):
    """Return a layer of the student's classes with these parameters."""
    arrays, start = {}, 0
    for name, shape in shapes_of(D, F).items():
        arrays[name] = numbers[start : start + math.prod(shape)].reshape(shape)
        start += math.prod(shape)
    w_query, w_key, w_value, w_output, gain_1, bias_1, w_1, b_1, w_2, b_2, gain_2, bias_2 = arrays.values()
    return student.EncoderLayer(
        student.MultiHeadAttention(w_query, w_key, w_value, w_output, n_heads),
        student.LayerNorm(gain_1, bias_1),
        student.FeedForward(w_1, b_1, w_2, b_2),
        student.LayerNorm(gain_2, bias_2),
    )


def inputs(draw, B, H, T, K, F):
    """Draw a layer with an input, a mask and a gradient, and the start of a model with its batches."""
    D = H * K
    mask = np.arange(T) < np.maximum(1, T - np.arange(B))[:, None]
    start = draw_layer(draw, D_MODEL, 2 * D_MODEL)
    for i, gain in ((4 * D_MODEL**2, 1.0), (len(start) - 2 * D_MODEL, 1.0)):
        start[i : i + 2 * D_MODEL] = [gain] * D_MODEL + [0.0] * D_MODEL  # as a model starts: gain 1, bias 0
    return {
        "x": draw.normal(B, T, D),
        "mask": mask[:, None, None, :],
        "dy": draw.normal(B, T, D),
        "layer_numbers": draw_layer(draw, D, F),
        "n_heads": H,
        "d_ff": F,
        "start_numbers": start,
        "table": draw.normal(VOCAB_SIZE, D_MODEL),
        "positions": draw.normal(LENGTH, D_MODEL),
        "w_logits": draw.normal(D_MODEL, VOCAB_SIZE) / math.sqrt(D_MODEL),
        "batches": draw.rng.integers(VOCAB_SIZE, size=(N_STEPS, BATCH, LENGTH)),
    }


def forward(student, x, mask, layer_numbers, n_heads, d_ff):
    return student.encoder_layer(make_layer(student, layer_numbers, n_heads, x.shape[-1], d_ff), x, mask)


def backward(student, dy, x, mask, layer_numbers, n_heads, d_ff):
    layer = make_layer(student, layer_numbers, n_heads, x.shape[-1], d_ff)
    encoder_layer(layer, x, mask)  # by the key: a wrong forward of the student's costs nothing here
    dx = student.encoder_layer_backward(layer, dy)
    return dx, np.concatenate([parameter.grad.reshape(-1) for parameter in layer.parameters()])


def training(student, start_numbers, table, positions, w_logits, batches):
    layer = make_layer(student, start_numbers, N_HEADS, D_MODEL, 2 * D_MODEL)
    model = student.Reverser(table, positions, layer, w_logits)
    lengths = []

    class Watched(student.Adam):
        def step(self):
            lengths.append(math.sqrt(sum(float((p.grad**2).sum()) for p in self.parameters)))
            super().step()

    losses = student.train(model, Watched(model.parameters(), 0.01), batches)
    return losses if losses is None else np.array(losses), np.array([len(lengths), *[*lengths, 0, 0][:2]])


CALLS = [
    Call(forward, {"y": 3}),
    Call(backward, {"dx": 3, "gradients of the parameters": 2}),
    Call(training, {"losses": 3, "what the optimizer gets": 1}),
]


def places_of_parameters(x, d_ff):
    """Return the places of the parameters of a layer in words."""
    shapes = shapes_of(x.shape[-1], d_ff)
    return [f"at {list(place)} of {name}" for name, shape in shapes.items() for place in np.ndindex(shape)]


AXES = {
    "gradients of the parameters": (),
    "what the optimizer gets": (
        "in the number of updates",
        "in the first gradient (its length)",
        "in the second (its length)",
    ),
}
WHERE = {"gradients of the parameters": places_of_parameters}


class OwnClasses:
    """The classes of the text, as a student's module has them."""

    EncoderLayer, MultiHeadAttention, LayerNorm, FeedForward = EncoderLayer, MultiHeadAttention, LayerNorm, FeedForward


def forward_slowly(x, mask, layer_numbers, n_heads, d_ff):
    return encoder_layer_slowly(make_layer(OwnClasses, layer_numbers, n_heads, x.shape[-1], d_ff), x, mask)


SLOW = {"forward": forward_slowly}


def terms_of_dx(dy, x, mask, layer_numbers, n_heads, d_ff):
    """The way past attention, and the one through it."""
    layer = make_layer(OwnClasses, layer_numbers, n_heads, x.shape[-1], d_ff)
    encoder_layer(layer, x, mask)
    ds = layer.norm_2.backward(dy)
    dr = layer.norm_1.backward(ds + layer.feed_forward.backward(ds))
    return {"the path past attention": dr, "the path through attention": layer.attention.backward(dr)}


TERMS = {"dx": terms_of_dx}

PREDICTION = Prediction(
    "The loss is a mean of -ln p. The model has four tokens and has learned nothing: it gives all of them the same "
    "probability. What is its loss?",
    {"a": "0.25", "b": "1", "c": "ln 4, about 1.39"},
    answer="c",
    because="p is 1/4 everywhere, and -ln(1/4) = ln 4. A loss that starts far above it shows logits that are too "
    "large, and one that stays near it a model that learns nothing.",
)

MISTAKES = [
    Mistake(
        "first_residual_lost",
        "{part} is what comes out when attention is normalized without x being added to it",
        Edit("norm_1.forward(x + layer.attention", "norm_1.forward(layer.attention"),
        ask="If attention returns 0 everywhere, what should reach the feed-forward network?",
    ),
    Mistake(
        "second_residual_lost",
        "{part} is what comes out when the feed-forward network's result is normalized without z being added to it",
        Edit("norm_2.forward(z + layer.feed_forward", "norm_2.forward(layer.feed_forward"),
        ask="How many arrows go into the upper Add & Norm of figure 1?",
    ),
    Mistake(
        "x_in_the_second_residual",
        "{part} is what comes out when the second residual connection begins at x, not at z",
        Edit("norm_2.forward(z + layer.feed_forward", "norm_2.forward(x + layer.feed_forward"),
        ask="Where in figure 1 does the arrow begin that goes around the feed-forward network?",
    ),
    Mistake(
        "pre_norm",
        "{part} is what comes out in pre-norm, where each norm is in front of its sub-layer",
        Edit(
            "z = layer.norm_1.forward(x + layer.attention.forward(x, mask))",
            "z = x + layer.attention.forward(layer.norm_1.forward(x), mask)",
        ),
        Edit(
            "return layer.norm_2.forward(z + layer.feed_forward.forward(z))",
            "return z + layer.feed_forward.forward(layer.norm_2.forward(z))",
        ),
        ask="'Add & Norm': in which order?",
    ),
    Mistake(
        "pre_norm_of_attention",
        "{part} is what comes out when norm_1 is before attention, and the sum is not normalized",
        Edit(
            "layer.norm_1.forward(x + layer.attention.forward(x, mask))",
            "x + layer.attention.forward(layer.norm_1.forward(x), mask)",
        ),
        ask="To what does the equation of z apply norm_1?",
    ),
    Mistake(
        "attention_backward_twice",
        "{part} is what comes out when the backward of attention runs twice",
        Edit("return dr + layer.attention", "layer.attention.backward(dr)\n    return dr + layer.attention"),
        ask="How often does the backward of each part run, and what does it do to the gradients of its matrices?",
    ),
    Mistake(
        "first_norm_missing_in_backward",
        "{part} is what comes out when dz continues as it is, and gain and bias of norm_1 get no gradient",
        Edit("dr = layer.norm_1.backward(dz)", "dr = dz"),
        ask="Which backwards have run, in which order?",
    ),
    Mistake(
        "norms_exchanged",
        "{part} is what comes out when the second norm normalizes the first sum, and the first norm the second sum",
        Edit("z = layer.norm_1.forward(x", "z = layer.norm_2.forward(x"),
        Edit("return layer.norm_2.forward", "return layer.norm_1.forward"),
        Edit("ds = layer.norm_2.backward(dy)", "ds = layer.norm_1.backward(dy)"),
        Edit("dr = layer.norm_1.backward(dz)", "dr = layer.norm_2.backward(dz)"),
        ask="Which norm belongs to which sub-layer?",
    ),
    Mistake(
        "mask_unused",
        "y is what comes out when attention looks at padding too",
        Edit("layer.attention.forward(x, mask)", "layer.attention.forward(x, mask | True)"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "second_residual_lost_in_backward",
        "{part} is what comes out when dz is only what comes back through the feed-forward network",
        Edit("dz = ds + layer.feed_forward", "dz = layer.feed_forward"),
        ask="Which two ways lead from z to y?",
    ),
    Mistake(
        "first_residual_lost_in_backward",
        "{part} is what comes out when dx is only what comes back through attention",
        Edit("return dr + layer.attention", "return layer.attention"),
        ask="Which two ways lead from x to z?",
    ),
    Mistake(
        "residual_past_the_second_norm",
        "{part} is what comes out when dy itself, not the gradient of the sum, goes past the feed-forward network",
        Edit("dz = ds + layer.feed_forward", "dz = dy + layer.feed_forward"),
        ask="Of y and of the sum s: whose gradient does the residual connection pass on?",
    ),
    Mistake(
        "not_cleared",
        "the losses are what comes out when each step also follows the gradients of all earlier batches",
        Edit("        model.zero_grad()\n", ""),
        ask="What does grad hold when the second batch comes, and what does backward do with it?",
    ),
    Mistake(
        "never_moves",
        "the losses are what comes out when no parameter ever moves",
        Edit("        optimizer.step()\n", ""),
        ask="Which line moves the parameters, and what does grad hold when it runs?",
    ),
    Mistake(
        "loss_after_the_step",
        "the losses are those after the step of each batch, not before",
        Edit("losses.append(loss)", "losses.append(cross_entropy(model.forward(ids), ids[:, ::-1])[0])"),
        ask="Which loss do the gradients of a step belong to?",
    ),
    Mistake(
        "not_reversed",
        "the losses are what comes out when the model is to repeat each sentence as it is",
        Edit("cross_entropy(logits, ids[:, ::-1])", "cross_entropy(logits, ids)"),
        ask="The sentence is 3 1 2. What is the target at position 0?",
    ),
    Mistake(
        "sentences_reversed",
        "the losses are what comes out when the sentences of a batch change places, and not the tokens in them",
        Edit("cross_entropy(logits, ids[:, ::-1])", "cross_entropy(logits, ids[::-1])"),
        ask="Which axis of ids (B, T) is the one within a sentence?",
    ),
    Mistake(
        "feed_forward_past_the_second_norm",
        "{part} is what comes out when the feed-forward network is given dy itself, not the gradient of the sum",
        Edit("layer.feed_forward.backward(ds)", "layer.feed_forward.backward(dy)"),
        ask="What is the last thing that forward does, and so what does the gradient meet first?",
    ),
    Mistake(
        "backward_from_the_first_norm",
        "{part} is what comes out when backward goes through the first norm and attention before the second norm",
        Edit("ds = layer.norm_2.backward(dy)", "ds = layer.norm_1.backward(dy)"),
        Edit("layer.feed_forward.backward(ds)", "layer.attention.backward(ds)"),
        Edit("dr = layer.norm_1.backward(dz)", "dr = layer.norm_2.backward(dz)"),
        Edit("layer.attention.backward(dr)", "layer.feed_forward.backward(dr)"),
        ask="Which of the two norms made y, whose gradient dy is?",
    ),
    Mistake(
        "mask_upside_down",
        "{part} is what comes out when attention looks at padding, and at nothing else",
        Edit("layer.attention.forward(x, mask)", "layer.attention.forward(x, ~mask)"),
        ask="What does True stand for in the mask of this exercise?",
    ),
    Mistake(
        "feed_forward_of_x",
        "{part} is what comes out when the feed-forward network reads x, and not z",
        Edit("(z + layer.feed_forward.forward(z))", "(z + layer.feed_forward.forward(x))"),
        ask="Which arrow of figure 1 goes into the feed-forward network, and where does it come from?",
    ),
    Mistake(
        "second_norm_missing",
        "{part} is what comes out when the second sum is returned without its norm",
        Edit("return layer.norm_2.forward(z", "layer.norm_2.forward(z * 0)\n    return (z"),
        ask="How many Add & Norm are in an encoder layer of figure 1, and how many in yours?",
    ),
    Mistake(
        "x_added_after_the_norms",
        "{part} is what comes out when each sub-layer's result is normalized first, and the residual added afterwards",
        Edit(
            "norm_1.forward(x + layer.attention.forward(x, mask))",
            "norm_1.forward(layer.attention.forward(x, mask)) + x",
        ),
        Edit("norm_2.forward(z + layer.feed_forward.forward(z))", "norm_2.forward(layer.feed_forward.forward(z)) + z"),
        ask="'Add & Norm': in which order?",
    ),
    Mistake(
        "dz_past_the_first_norm",
        "{part} is what comes out when dz itself, not the gradient of the first sum, goes past attention",
        Edit("return dr + layer.attention", "return dz + layer.attention"),
        ask="Of z and of the sum r: whose gradient does the residual connection pass on?",
    ),
    Mistake(
        "attention_past_the_first_norm",
        "{part} is what comes out when attention is given dz itself, not the gradient of the first sum",
        Edit("layer.attention.backward(dr)", "layer.attention.backward(dz)"),
        ask="What comes right after attention in forward, and so what does the gradient meet right before it?",
    ),
    Mistake(
        "sentences_and_tokens_reversed",
        "the losses are what comes out when the tokens and the sentences of a batch are both reversed",
        Edit("cross_entropy(logits, ids[:, ::-1])", "cross_entropy(logits, ids[::-1, ::-1])"),
        ask="Which axis of ids (B, T) is the one within a sentence? Print a batch and your targets.",
    ),
    Mistake(
        "sub_layers_exchanged",
        "{part} is what comes out when the feed-forward network comes before attention",
        Edit(
            "norm_1.forward(x + layer.attention.forward(x, mask))", "norm_1.forward(x + layer.feed_forward.forward(x))"
        ),
        Edit("(z + layer.feed_forward.forward(z))", "(z + layer.attention.forward(z, mask))"),
        ask="Which sub-layer of an encoder layer is at the bottom of figure 1?",
    ),
    Mistake(
        "second_norm_missing_in_backward",
        "{part} is what comes out when dy has not gone through the second norm",
        Edit("ds = layer.norm_2.backward(dy)", "ds = dy"),
        ask="What is the last thing that forward does, and so what does the gradient meet first?",
    ),
]

HINTS = [
    "encoder_layer is the first formula in two lines, one for each Add & Norm: a norm's forward, given a sum. Only "
    "attention takes the mask.",
    "encoder_layer_backward is the second formula in four lines, one for each part, in this order: norm 2, feed "
    "forward, norm 1, attention. After a sub-layer, add the gradient that went around it.",
    "train: a loop over batches with five calls, and a list for the losses. The targets are ids with the second axis "
    "reversed, for which a slice with the step -1 is enough. cross_entropy gives the loss and what model.backward "
    "takes.",
]

ALTERNATIVES = [
    """
def encoder_layer(layer, x, mask):
    r = layer.attention.forward(x, mask)
    r = r + x
    z = layer.norm_1.forward(r)
    s = layer.feed_forward.forward(z)
    s += z
    return layer.norm_2.forward(s)


def encoder_layer_backward(layer, dy):
    dx = dy
    for norm, inner in ((layer.norm_2, layer.feed_forward), (layer.norm_1, layer.attention)):
        dx = norm.backward(dx)
        dx = dx + inner.backward(dx)
    return dx


def train(model, optimizer, batches):
    losses = np.zeros(len(batches))
    for n, ids in enumerate(batches):
        targets = np.flip(ids, axis=1)
        losses[n], dlogits = cross_entropy(model.forward(ids), targets)
        model.backward(dlogits)
        optimizer.step()
        for p in model.parameters():
            p.grad.fill(0)
    return losses
""",
]

# id: training_step | points: 10 | minutes: 45 | level: 2 | needs: label_smoothing adam warmup | notebook: 07c

# %% [markdown]
# # One training step
#
# All the parts are there: a model that runs forward and backward, a loss, an optimizer, a learning rate. Training is a
# loop over batches, and its body is a handful of lines. Nearly all of them can be wrong in a way that no error message
# tells of: the loss still falls, only less far.
#
# Here is a small model to train. It guesses the next token from the last one alone: the tied embedding, one layer, the
# tied generator. What it has in common with the Transformer is how it is used: `forward(ids)` returns logits,
# `backward(dlogits)` **adds** to the `grad` of each parameter, since a parameter may be used many times. Nobody empties
# `grad` but `zero_grad()`.

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
        self.table, self.weight, self.bias = (
            Parameter(table),
            Parameter(weight),
            Parameter(bias),
        )  # (V, D), (D, D), (D,)

    def parameters(self):
        """Return the three parameters."""
        return [self.table, self.weight, self.bias]

    def zero_grad(self):
        """Set all gradients to 0."""
        for parameter in self.parameters():
            parameter.grad[...] = 0

    def forward(self, ids):
        """Return logits (B, T, V) for ids (B, T): position t holds the scores of the token that follows it."""
        self.ids, self.root = ids, math.sqrt(self.bias.data.size)
        self.x = self.table.data[ids] * self.root  # (B, T, D)
        self.hidden = np.tanh(self.x @ self.weight.data + self.bias.data)
        return self.hidden @ self.table.data.T

    def backward(self, dlogits):
        """Add the gradients of all parameters to what their grad holds already. dlogits (B, T, V)."""
        V, D = self.table.data.shape
        dhidden = dlogits @ self.table.data * (1 - self.hidden**2)
        self.table.grad += dlogits.reshape(-1, V).T @ self.hidden.reshape(-1, D)
        self.weight.grad += self.x.reshape(-1, D).T @ dhidden.reshape(-1, D)
        self.bias.grad += dhidden.sum((0, 1))
        np.add.at(self.table.grad, self.ids, dhidden @ self.weight.data.T * self.root)


# %% [markdown]
# The loss is cross-entropy as you know it, here without smoothing: a mean over the targets that are no padding (id 0).
# The optimizer is Adam: `step(lr)` is one update, which moves all parameters by what their `grad` says at that moment.


# %%
def cross_entropy(logits, targets):
    """Return the loss, one number, and dlogits (B, T, V), for logits (B, T, V) and targets (B, T)."""
    real, V = targets != PAD, logits.shape[-1]
    n = int(real.sum())
    shifted = logits - logits.max(-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    right = targets[..., None] == np.arange(V)
    return -log_p[right & real[..., None]].sum() / n, np.where(real[..., None], np.exp(log_p) - right, 0) / n


class Adam:
    """Section 5.3 of the paper, as in an earlier exercise."""

    def __init__(self, parameters, eps=1e-9):
        self.parameters, self.eps, self.t = parameters, eps, 0
        self.m = [np.zeros_like(p.data) for p in parameters]
        self.v = [np.zeros_like(p.data) for p in parameters]

    def step(self, lr):
        """Move every parameter once, by its grad, with the learning rate lr."""
        self.t += 1
        for i, p in enumerate(self.parameters):
            self.m[i] = 0.9 * self.m[i] + 0.1 * p.grad
            self.v[i] = 0.98 * self.v[i] + 0.02 * p.grad**2
            m_hat, v_hat = self.m[i] / (1 - 0.9**self.t), self.v[i] / (1 - 0.98**self.t)
            p.data -= lr * m_hat / (np.sqrt(v_hat) + self.eps)


# %% [markdown]
# ## What a step does
#
# **Aim at the next token.** A sentence of the batch is `<bos> the dog sleeps <eos>`, perhaps with padding behind. The
# model reads `<bos> the dog sleeps` and is to answer `the dog sleeps <eos>`: the ids without their last column go in,
# the ids without their first column are the targets. (A translator's decoder does the same with the target sentence.)
#
# **Find the gradient** of this batch's loss, and of no other's.
#
# **Clip it.** One odd batch can have a gradient a hundred times as long as the others and throw the model far off.
# So the gradient's length is limited (Pascanu et al. 2013, algorithm 1). Its length is that of *one* long vector
# with the numbers of all parameters, $g$:
#
# $$\|g\| = \sqrt{\sum_{\text{parameters}} \sum_i g_i^2}, \qquad
#   g \leftarrow \frac{c}{\|g\|}\, g \quad \text{if } \|g\| > c, \text{ else } g \text{ stays}$$
#
# Every number is multiplied by the same factor: the step gets shorter and keeps its direction.
#
# **Update**, once, with the learning rate of this step.
#
# Here is a step that needs no backward: it moves each number a little and looks what the loss does. A model of
# 65 million parameters would have to be run 130 million times for one update.


# %%
def loss_slowly(model, ids):
    """The mean of -ln p over every real token but the first of each sentence."""
    logits, total, n = model.forward(ids), 0.0, 0
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
    squares, before = 0.0, loss_slowly(model, ids)
    for parameter in model.parameters():
        data, grad = parameter.data, parameter.grad
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
# Write the step with the model's own `forward` and `backward`. It is called for three batches in a row, with the same
# model and the same optimizer. **At the first call all gradients are 0**; at the next ones they are what your step
# left. What `grad` holds when you return is not checked. No batch has a gradient of length 0. What is checked are the
# losses that you return, each found **before** its update, and the parameters after the third update: once with a small
# limit for the gradient's length, once with one so large that it is never reached.


# %%
def training_step(model, optimizer, ids, max_norm, lr):
    """Train the model on one batch: one update. Returns the batch's loss before the update, one number.

    model: a TinyModel. optimizer: an Adam for its parameters. ids (B, T + 1): sentences with <bos> and <eos>, then
    padding; ids itself is not changed. max_norm: the limit c of the gradient's length. lr: the learning rate.
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


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction

SIZES = {"B": (2, 4), "T": (2, 5), "D": (2, 5), "V": (6, 9)}


def inputs(draw, B, T, D, V):
    """Draw a model and three batches, and two limits: one below the length of each gradient, one far above."""
    V = max(V, 2)
    batches = np.stack([draw.ids(B, T + 1, vocab_size=V) for _ in range(3)])
    arrays = {"table": draw.normal(V, D), "weight": draw.normal(D, D) / math.sqrt(D), "bias": draw.normal(D)}
    rates = draw.rng.uniform(0.1, 0.2, 3)
    eps = float(draw.rng.uniform(0.1, 0.3))  # large, so that the gradient's length shows
    longest = max(lengths_of_gradients(arrays, batches, rates, eps, np.inf))
    small = 0.3 * longest
    while min(lengths_of_gradients(arrays, batches, rates, eps, small)) < 1.5 * small:
        small /= 2
    return {
        **arrays,
        "batches": batches,
        "rates": rates,
        "eps": eps,
        "small": small,
        "large": 20 * max(longest, longest**2),
    }


def lengths_of_gradients(arrays, batches, rates, eps, limit):
    """Return how long the gradient of each batch is, before it is clipped."""
    model, lengths = TinyModel(**arrays), []
    optimizer = Adam(model.parameters(), eps)
    for ids, lr in zip(batches, rates, strict=True):
        model.zero_grad()
        model.backward(cross_entropy(model.forward(ids[:, :-1]), ids[:, 1:])[1])
        lengths.append(math.sqrt(sum(float((p.grad**2).sum()) for p in model.parameters())))
        training_step(model, optimizer, ids, limit, lr)
    return lengths


def three_updates(step, model, optimizer, batches, rates, max_norm):
    """Return the losses, None where one is, and all parameters end to end."""
    losses = [step(model, optimizer, ids, max_norm, float(lr)) for ids, lr in zip(batches, rates, strict=True)]
    parameters = np.concatenate([p.data.reshape(-1) for p in model.parameters()])
    return None if any(loss is None for loss in losses) else np.array(losses, parameters.dtype), parameters


def clipped(student, table, weight, bias, batches, rates, eps, small):
    model = student.TinyModel(table, weight, bias)
    return three_updates(student.training_step, model, student.Adam(model.parameters(), eps), batches, rates, small)


def unclipped(student, table, weight, bias, batches, rates, eps, large):
    model = student.TinyModel(table, weight, bias)
    optimizer = student.Adam(model.parameters(), eps)
    return three_updates(student.training_step, model, optimizer, batches, rates, large)[1]


def clipped_slowly(table, weight, bias, batches, rates, eps, small):
    model = TinyModel(table, weight, bias)
    return three_updates(training_step_slowly, model, Adam(model.parameters(), eps), batches, rates, small)


def optimizer_watched(student, table, weight, bias, batches, rates, eps, small, large):
    """Return what the optimizer meets at each batch: its updates, the last rate, the length of the gradient then."""
    records = []

    class Watched(student.Adam):
        def step(self, lr):
            length = math.sqrt(sum(float((p.grad**2).sum()) for p in self.parameters))
            records[-1] = [records[-1][0] + 1, float(lr), length]
            super().step(lr)

    for limit in (small, large):
        model = student.TinyModel(table, weight, bias)
        optimizer = Watched(model.parameters(), eps)
        for ids, lr in zip(batches, rates, strict=True):
            records.append([0, 0, 0])
            if student.training_step(model, optimizer, ids, limit, float(lr)) is None:
                return None
    return np.array(records).T


CALLS = [
    Call(optimizer_watched, {"what the optimizer gets": 1}),
    Call(clipped, {"losses": 2, "parameters, clipped": 3}),
    Call(unclipped, {"parameters, not clipped": 3}),
]
AXES = {
    "what the optimizer gets": ("in the number of updates", "in the rate", "in the gradient (its length)"),
    "losses": ("before the first update", "before the second", "before the third"),
    "parameters, clipped": (),
    "parameters, not clipped": (),
}


def places_of_parameters(table, weight, bias):
    """Return where the numbers of all parameters stand."""
    arrays = {"table": table, "weight": weight, "bias": bias}
    return [f"at {list(place)} of the {name}" for name, array in arrays.items() for place in np.ndindex(array.shape)]


WHERE = {"parameters, clipped": places_of_parameters, "parameters, not clipped": places_of_parameters}
SLOW = {"clipped": clipped_slowly}

PREDICTION = Prediction(
    "Somebody forgets to clear the gradients. What does each update then follow?",
    {
        "a": "the gradient of its own batch, as ever: backward writes it again",
        "b": "the sum of the gradients of all batches since the start",
        "c": "the mean of the gradients of the last two batches",
    },
    answer="b",
    because="backward adds to grad, and nothing takes away. The updates follow a sum in which the newest batch counts "
    "for less and less; the loss falls for a while, which is why nobody notices.",
)

MISTAKES = [
    Mistake(
        "not_cleared",
        "{part} is what comes out when from the second update on the gradients of earlier batches are in the update "
        "as well",
        Edit("    model.zero_grad()\n", ""),
        ask="What does grad hold when the second batch comes, and what does backward do with it?",
    ),
    Mistake(
        "never_moves",
        "{part} is what comes out when the parameters stay as they were",
        Edit("    model.zero_grad()\n", ""),
        Edit("    model.backward(dlogits)\n", "    model.backward(dlogits)\n    model.zero_grad()\n"),
        ask="Which of your lines move the parameters, and what do the gradients hold when they come?",
    ),
    Mistake(
        "not_shifted",
        "{part} is what comes out when the model is to repeat the token that it has just read",
        Edit("cross_entropy(logits, ids[:, 1:])", "cross_entropy(logits, ids[:, :-1])"),
        ask="The model reads <bos> at position 0. Which token should have the highest score there, and which one does "
        "your target name?",
    ),
    Mistake(
        "shifted_backwards",
        "{part} is what comes out when the model is to guess the token before the one that it has read",
        Edit("model.forward(ids[:, :-1])", "model.forward(ids[:, 1:])"),
        Edit("cross_entropy(logits, ids[:, 1:])", "cross_entropy(logits, ids[:, :-1])"),
        ask="Which of the two, input or target, begins with <bos>?",
    ),
    Mistake(
        "clipped_one_by_one",
        "{part} is what comes out when each parameter's gradient is shortened by a factor of its own: the update "
        "changes its direction",
        Edit(
            "    norm = math.sqrt(sum((p.grad**2).sum() for p in model.parameters()))\n    if norm > max_norm:\n"
            "        for p in model.parameters():\n            p.grad *=",
            "    for p in model.parameters():\n        norm = math.sqrt((p.grad**2).sum())\n"
            "        if norm > max_norm:\n            p.grad *=",
        ),
        ask="Two parameters have gradients of length 3 and 4. How long is the gradient of the whole model?",
    ),
    Mistake(
        "not_clipped",
        "{part} is what comes out when the updates use the gradient in its full length, whatever the limit",
        Edit("p.grad *= max_norm / norm", "pass"),
        ask="When the optimizer looks at grad, has it been clipped?",
    ),
    Mistake(
        "always_scaled",
        "{part} is what comes out when the gradient always gets the length of the limit, also when it was shorter",
        Edit("if norm > max_norm:", "if norm > 0:"),
        ask="A gradient of length 0.1 and a limit of 5: what should clipping do?",
    ),
    Mistake(
        "squared_length",
        "{part} is what comes out when the gradient is measured by the sum of its squares",
        Edit(
            "math.sqrt(sum((p.grad**2).sum() for p in model.parameters()))",
            "sum((p.grad**2).sum() for p in model.parameters())",
        ),
        ask="A gradient (3, 4): what is its length?",
    ),
    Mistake(
        "sum_of_lengths",
        "{part} is what comes out when the lengths of the parameters' gradients are added up",
        Edit(
            "math.sqrt(sum((p.grad**2).sum() for p in model.parameters()))",
            "sum(math.sqrt((p.grad**2).sum()) for p in model.parameters())",
        ),
        ask="Two parameters have gradients of length 3 and 4. How long is the gradient of the whole model?",
    ),
    Mistake(
        "cut_by_value",
        "{part} is what comes out when every number of the gradient is cut off at the limit by itself",
        Edit("p.grad *= max_norm / norm", "p.grad = np.clip(p.grad, -max_norm, max_norm)"),
        ask="Does the gradient (10, 1), with a limit of 1, still point the same way after your clipping?",
    ),
    Mistake(
        "loss_after",
        "the loss is that of the updated model",
        Edit("    return loss\n", "    return cross_entropy(model.forward(ids[:, :-1]), ids[:, 1:])[0]\n"),
        ask="Which parameters does the loss that you return belong to: those before the update, or those after it?",
    ),
    Mistake(
        "a_step_a_parameter",
        "{part} is what comes out when the optimizer makes an update for each parameter of the model, three for a "
        "batch",
        Edit("    optimizer.step(lr)\n", "    for p in model.parameters():\n        optimizer.step(lr)\n"),
        ask="What does optimizer.t say after one batch?",
    ),
    Mistake(
        "whole_sentences",
        "{part} is what comes out when the model reads whole sentences, and is to repeat each token of them",
        Edit("model.forward(ids[:, :-1])", "model.forward(ids)"),
        Edit("cross_entropy(logits, ids[:, 1:])", "cross_entropy(logits, ids)"),
        ask="The model reads <bos> at position 0. Which token should have the highest score there, and which one does "
        "your target name?",
    ),
    Mistake(
        "bos_comes_last",
        "{part} is what comes out when the model reads whole sentences, and the last target of each is its <bos>",
        Edit("model.forward(ids[:, :-1])", "model.forward(ids)"),
        Edit("cross_entropy(logits, ids[:, 1:])", "cross_entropy(logits, np.roll(ids, -1, 1))"),
        ask="Print the targets of a sentence without padding. What is to follow its <eos>?",
    ),
    Mistake(
        "backward_twice",
        "{part} is what comes out when each batch's gradient is added twice before the update",
        Edit("    model.backward(dlogits)\n", "    model.backward(dlogits)\n    model.backward(dlogits)\n"),
        ask="How often does backward run for a batch, and what does it do with what grad holds already?",
    ),
    Mistake(
        "length_of_the_longest",
        "{part} is what comes out when the length of the longest of the parameters' gradients is taken for that of all",
        Edit("math.sqrt(sum((p.grad**2).sum() for p", "math.sqrt(max((p.grad**2).sum() for p"),
        ask="Two parameters have gradients of length 3 and 4. How long is the gradient of the whole model?",
    ),
    Mistake(
        "length_of_means",
        "{part} is what comes out when the squares of each parameter are averaged, and not summed",
        Edit("(p.grad**2).sum() for p", "(p.grad**2).mean() for p"),
        ask="A gradient (3, 4): what is its length?",
    ),
    Mistake(
        "length_1",
        "{part} is what comes out when a gradient that is too long gets the length 1, whatever the limit",
        Edit("max_norm / norm", "1 / norm"),
        ask="The limit is 5, and a gradient has the length 10. How long should it be afterwards?",
    ),
    Mistake(
        "rate_shortened",
        "{part} is what comes out when the learning rate is multiplied by the factor, and the gradient stays long",
        Edit("p.grad *= max_norm / norm", "pass"),
        Edit("optimizer.step(lr)", "optimizer.step(lr * min(1, max_norm / norm))"),
        ask="Adam divides by the gradient's own size. Does a longer gradient make its step longer, does a higher rate?",
    ),
    Mistake(
        "loss_of_a_batch",
        "the loss is a sum over the targets, not their mean",
        Edit("    return loss\n", "    return loss * (ids[:, 1:] != PAD).sum()\n"),
        ask="Put every sentence into the batch twice. What should happen to the loss?",
    ),
]

HINTS = [
    "Five things in a row: clear, forward and loss, backward, clip, update. Put a comment for each and fill them in. "
    "The two slices of ids have T columns each.",
    "cross_entropy returns both the loss and what backward wants. For the length, add up the squares of all three "
    "gradients before you take the root; only then compare with the limit.",
    "Clipping is two loops over model.parameters(): the first adds up (p.grad ** 2).sum(), the second multiplies every "
    "p.grad by limit / length, and runs only if the length is above the limit. Then one update for all.",
]

ALTERNATIVES = [
    """
def training_step(model, optimizer, ids, max_norm, lr):
    source, target = ids[:, :-1], ids[:, 1:]
    loss, dlogits = cross_entropy(model.forward(source), target)
    for p in model.parameters():
        p.grad = np.zeros_like(p.grad)
    model.backward(dlogits)
    g = np.concatenate([p.grad.ravel() for p in model.parameters()])
    factor = min(1.0, max_norm / np.linalg.norm(g))
    for p in model.parameters():
        p.grad = p.grad * factor
    optimizer.step(lr)
    return float(loss)
""",
    """
def training_step(model, optimizer, ids, max_norm, lr):
    logits = model.forward(ids)
    loss, dlogits = cross_entropy(logits[:, :-1], ids[:, 1:])
    model.backward(np.concatenate([dlogits, np.zeros_like(dlogits[:, :1])], axis=1))
    squares = 0
    for p in model.parameters():
        squares += np.vdot(p.grad, p.grad)
    if squares > max_norm**2:
        for p in model.parameters():
            p.grad /= np.sqrt(squares) / max_norm
    optimizer.step(lr)
    model.zero_grad()
    return loss
""",
]

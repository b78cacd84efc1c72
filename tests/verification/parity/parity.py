"""Run one of our layers and its PyTorch counterpart on the same weights, and compare all that
comes out.
"""

import numpy as np

from tests.small_models import disturb

from .weights import copy_weights, torch

BATCH, TARGET, SOURCE, HEADS, D_MODEL, D_FF, VOCAB = 6, 5, 7, 4, 12, 9, 11


def compare(agree, rng, ours, theirs, pairs, inputs, context=()):
    """Compare outputs and the gradients of inputs and parameters.

    `theirs` is a function of tensors; `context` goes to our forward after the inputs (masks).
    There are two passes, for the gradients of parameters must add up.
    """
    disturb(ours, rng)
    pairs = copy_weights(pairs)
    for _ in range(2):
        compare_pass(agree, rng, ours, theirs, inputs, context)

    names = {id(parameter): name for name, parameter in ours.named_parameters()}
    gradients = {
        names[id(pair.ours)]: (pair.ours.grad, pair.view(pair.theirs.grad)) for pair in pairs
    }
    for name, (gradient, gradient_theirs) in gradients.items():
        # The keys' bias shifts all scores of a row alike, so its gradient is zero except for
        # rounding: an error counts
        # relative to the gradient of the weights next to it.
        _, scale = gradients[name.replace("w_key.bias", "w_key.weight")]
        agree(f"gradient of {name}", gradient, gradient_theirs, scale=scale)


def compare_pass(agree, rng, ours, theirs, inputs, context):
    """Run forward and backward of both sides, and compare outputs and the gradients of inputs."""
    tensors = [torch.tensor(x, requires_grad=x.dtype.kind == "f") for x in inputs]
    y, y_theirs = ours.forward(*inputs, *context), theirs(*tensors)
    agree("output", y, y_theirs)

    dy = rng.normal(size=y.shape)
    dinputs = ours.backward(dy)
    y_theirs.backward(torch.tensor(dy))
    dinputs = [
        dx for dx in (dinputs if isinstance(dinputs, tuple) else (dinputs,)) if dx is not None
    ]
    leaves = [tensor for tensor in tensors if tensor.requires_grad]
    for i, (dx, leaf) in enumerate(zip(dinputs, leaves, strict=True)):
        agree(f"gradient of input {i}", dx, leaf.grad)


def real_positions(rng, length):
    """Draw which positions (B, length) are no padding: sentences of all kinds, one full, one a
    single token.
    """
    lengths = rng.integers(1, length + 1, BATCH)
    lengths[:2] = length, 1
    return np.arange(length) < lengths[:, None]


def padded_ids(rng, length, vocab_size, pad_id):
    """Draw ids (B, length) with repetitions, and padding behind each sentence."""
    words = np.setdiff1d(np.arange(vocab_size), [pad_id])
    return np.where(real_positions(rng, length), rng.choice(words, (BATCH, length)), pad_id)

"""Whether npformer and the same work in torch are the same function: equal weights, equal losses and gradients."""

from __future__ import annotations

from itertools import cycle, islice

from contestants import NPFormer, Torch
from sizes import Size


def differences(size: Size, steps: int = 5) -> tuple[float, float]:
    """Return how far npformer and the same work are apart without dropout: in loss, and in the first gradient.

    The gradients' difference is a share of their length. The warm-up is short enough for a wrong gradient to show, and
    long enough that Adam, which divides by the gradient's size, does not blow rounding errors up.
    """
    ours, theirs = NPFormer(size, 0.0, warmup_steps=1000), Torch(size, 0.0, warmup_steps=1000)
    for parameter, weight in matched(theirs.model, ours.model.state_dict()):
        parameter.data.copy_(weight)
    batches = [(src[:8], tgt_in[:8], tgt_out[:8]) for src, tgt_in, tgt_out in islice(cycle(size.batches()), steps)]
    losses = [abs(ours.step(*batches[0]) - theirs.step(*batches[0]))]
    gradients = gradients_apart(theirs.model, {name: p.grad for name, p in ours.model.named_parameters()})
    losses += [abs(ours.step(*batch) - theirs.step(*batch)) for batch in batches[1:]]
    return max(losses), gradients


def matched(model, arrays: dict):
    """Yield each torch parameter with npformer's array of the same part; a torch Linear holds its matrix transposed."""
    import torch

    for name, parameter in model.named_parameters():
        name = name.replace("coder.", "coder.layers.", 1).replace("norm.weight", "norm.gain")
        name = name.replace("embedding.table.weight", "encoder.tokens.embedding.table")
        array = torch.from_numpy(arrays[name])
        yield parameter, array.t() if ".w_" in name or ".linear_" in name else array


def gradients_apart(model, gradients: dict) -> float:
    """Return the length of the difference from npformer's whole gradient, as a share of that gradient's length."""
    pairs = [(parameter.grad, gradient) for parameter, gradient in matched(model, gradients)]
    difference = sum(float((theirs - ours).square().sum()) for theirs, ours in pairs)
    return (difference / sum(float(ours.square().sum()) for _, ours in pairs)) ** 0.5

"""Adam, weight decay and the warm-up against torch.optim.Adam, AdamW and LambdaLR."""

import pytest

from npformer.module import Parameter
from npformer.training import Adam, WarmupSchedule

from .parity import D_MODEL
from .weights import torch

STEPS, WARMUP = 9, 4
# and how large their gradients are
SHAPES = {(3, 5): 1.0, (7,): 1e3, (2, 4): 1e-9, (6,): 0.0, (140_001,): 1e-4}


def warmup(step):
    return D_MODEL**-0.5 * min(step**-0.5, step * WARMUP**-1.5)


@pytest.mark.parametrize("weight_decay", [0, 0.01, 1.5])
@pytest.mark.parametrize("warm", [True, False])
def test_adam(agree, rng, warm, weight_decay):
    ours = [Parameter(rng.normal(size=shape)) for shape in SHAPES]
    theirs = [torch.nn.Parameter(torch.tensor(parameter.data)) for parameter in ours]
    rate = WarmupSchedule(D_MODEL, WARMUP) if warm else 0.3
    adam = Adam(ours, learning_rate=rate, weight_decay=weight_decay)
    settings = {"lr": 1.0, "betas": (0.9, 0.98), "eps": 1e-9}
    if weight_decay:
        their_adam = torch.optim.AdamW(theirs, **settings, weight_decay=weight_decay)
    else:
        their_adam = torch.optim.Adam(theirs, **settings)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        their_adam, lambda done: warmup(done + 1) if warm else 0.3
    )
    for step in range(1, STEPS + 1):
        for parameter, tensor, size in zip(ours, theirs, SHAPES.values(), strict=True):
            parameter.grad[...] = size * rng.normal(size=parameter.data.shape)
            tensor.grad = torch.tensor(parameter.grad)
        adam.step()
        their_adam.step()
        schedule.step()
        for parameter, tensor in zip(ours, theirs, strict=True):
            agree(f"{parameter} after step {step}", parameter.data, tensor)

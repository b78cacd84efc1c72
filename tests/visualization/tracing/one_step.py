"""A training step to trace."""

import numpy as np

from npformer.tasks import LabelSmoothingLoss

SRC = np.array([[4, 5, 6, 3], [7, 3, 0, 0]])
TGT_IN, TGT_OUT = np.array([[2, 8, 9], [2, 8, 0]]), np.array([[8, 9, 3], [8, 3, 0]])


def train_step(model):
    """Run forward and backward once, and return all that comes out: logits, loss and gradients by
    name.
    """
    loss = LabelSmoothingLoss()
    model.zero_grad()
    logits = model.forward(SRC, TGT_IN)
    value = loss.forward(logits, TGT_OUT)
    model.backward(loss.backward())
    return {"logits": logits, "loss": np.array(value)} | {
        name: p.grad.copy() for name, p in model.named_parameters()
    }

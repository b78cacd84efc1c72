"""The contestants that compute in PyTorch.

Torch is imported in `__init__`, so that npformer's process has none.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sizes import Size

from npformer.training import WarmupSchedule
from npformer.utils.threads_and_memory import keep_freed_memory


class Torch:
    """A torch module in eager mode with fused Adam."""

    module = "SameWork"

    def __init__(self, size: Size, dropout: float, warmup_steps: int = 4000):
        import models_torch
        import torch

        self.torch = torch
        torch.manual_seed(0)
        self.model = getattr(models_torch, self.module)(size.config(dropout))
        self.adam = torch.optim.Adam(
            self.model.parameters(), lr=0.0, betas=(0.9, 0.98), eps=1e-9, fused=True
        )
        self.learning_rate = WarmupSchedule(size.d_model, warmup_steps)
        self.steps = 0

    def loss(self, src, tgt_in, tgt_out):
        logits = self.model(src, tgt_in)
        return self.torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), tgt_out.flatten(), ignore_index=0, label_smoothing=0.1
        )

    def step(self, src, tgt_in, tgt_out) -> float:
        self.adam.zero_grad()
        loss = self.loss(*map(self.torch.from_numpy, (src, tgt_in, tgt_out)))
        loss.backward()
        self.steps += 1
        self.adam.param_groups[0]["lr"] = self.learning_rate(self.steps)
        self.adam.step()
        return loss.item()

    def load(self, arrays: dict[str, np.ndarray]) -> None:
        """Take over npformer's weights."""
        for name, parameter, transposed in self.named():
            array = self.torch.from_numpy(arrays[name])
            parameter.data.copy_(array.t() if transposed else array)

    def first_gradients(self) -> dict[str, np.ndarray]:
        """Return the gradients, after the first step, by npformer's names."""
        return {
            name: (p.grad.t() if transposed else p.grad).numpy()
            for name, p, transposed in self.named()
        }

    def named(self) -> Iterator[tuple]:
        """Yield npformer's name of each parameter, the parameter, and whether npformer's is its
        transpose.
        """
        for name, parameter in self.model.named_parameters():
            name = name.replace("coder.", "coder.layers.", 1).replace("norm.weight", "norm.gain")
            name = name.replace("embedding.table.weight", "encoder.input_embedding.embedding.table")
            yield name, parameter, parameter.ndim == 2 and (".w_" in name or ".linear_" in name)


class TorchKeepingMemory(Torch):
    """The same work, with the setting of the C library that `npformer train` makes."""

    def __init__(self, size: Size, dropout: float):
        keep_freed_memory()
        super().__init__(size, dropout)


class TorchCompiled(TorchKeepingMemory):
    """The same again, with forward, loss and backward compiled for the shapes of the batches."""

    def __init__(self, size: Size, dropout: float):
        super().__init__(size, dropout)
        self.compiled = self.torch.compile(super().loss, dynamic=False)

    def loss(self, src, tgt_in, tgt_out):
        return self.compiled(src, tgt_in, tgt_out)


class UserTorch(Torch):
    module = "UserTransformer"

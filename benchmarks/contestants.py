"""Who is timed.

Each is built from a size, and its `step(src, tgt_in, tgt_out)` is one whole training step.
"""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
from contestants_peer import NumpyTransformer, NumpyTransformerOneThread
from contestants_torch import Torch, TorchCompiled, TorchKeepingMemory, UserTorch
from sizes import FIRST_WORD, Size

import npformer as npf
from npformer.tasks import Batches, Objective, TranslationBatch
from npformer.training import Adam, Trainer, WarmupSchedule
from npformer.utils.threads_and_memory import keep_freed_memory


class NPFormer:
    """npformer, as `npformer train` steps it, with a worker per thread; `settings` change the
    size's config.
    """

    def __init__(
        self,
        size: Size,
        dropout: float,
        warmup_steps: int = 4000,
        workers: int | None = None,
        **settings,
    ):
        keep_freed_memory()
        workers = workers or int(os.environ.get("OMP_NUM_THREADS", "1"))
        self.model = npf.Transformer(
            replace(size.config(dropout), **settings), rng=np.random.default_rng(0)
        )
        adam = Adam(
            self.model.parameters(),
            learning_rate=WarmupSchedule(size.d_model, warmup_steps),
        )
        pairs = [
            ([FIRST_WORD], [FIRST_WORD])
        ]  # the Trainer needs some; step() brings its own batches
        batches = Batches(pairs, batch_tokens=2)
        self.trainer = Trainer(Objective(self.model), adam, batches, workers=workers)

    def step(self, src, tgt_in, tgt_out) -> float:
        return self.trainer.update([TranslationBatch(src, tgt_in, tgt_out)])

    def first_gradients(self) -> dict[str, np.ndarray]:
        return {name: parameter.grad for name, parameter in self.model.named_parameters()}


class OneWorker(NPFormer):
    """npformer with a single worker, whose matrix products alone use all threads."""

    def __init__(self, size: Size, dropout: float):
        super().__init__(size, dropout, workers=1)


class Checkpointing(NPFormer):
    """npformer with a single worker and gradient checkpointing."""

    def __init__(self, size: Size, dropout: float, **settings):
        super().__init__(size, dropout, workers=1, gradient_checkpointing=True, **settings)


class Tiled(NPFormer):
    """npformer with a single worker and attention computed in tiles."""

    def __init__(self, size: Size, dropout: float):
        super().__init__(size, dropout, workers=1, attention="flash")


class Sgemm:
    """One product of two float32 matrices; its rate is the peak that shares refer to."""

    n = 2048
    flops = 2 * n**3

    def __init__(self, size: Size, dropout: float):
        self.a, self.b = np.random.default_rng(0).normal(size=(2, self.n, self.n)).astype("float32")
        self.c = np.empty_like(self.a)

    def step(self, src, tgt_in, tgt_out) -> None:
        np.matmul(self.a, self.b, out=self.c)


CONTESTANTS = {
    "npformer": NPFormer,
    "npformer, 1 worker": OneWorker,
    "torch, same work": Torch,
    "same work, same malloc": TorchKeepingMemory,
    "nn.Transformer": UserTorch,
    "sgemm": Sgemm,
}
OTHERS = {  # not timed by train_step.py
    "npformer, tiled": Tiled,
    "npformer, checkpointing": Checkpointing,
    "same work, compiled": TorchCompiled,
    "numpy-transformer": NumpyTransformer,
    "numpy-transformer, 1 thread": NumpyTransformerOneThread,
}

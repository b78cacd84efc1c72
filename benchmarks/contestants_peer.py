"""AkiRusProd/numpy-transformer, which is not part of this project, as a contestant.

Its folder has to be in `sys.path`. It is imported in `__init__`, so that only its own process has
it. A step is that of its training program, with its own layers, loss, Adam and warm-up, and is not
quite the same work as npformer's:

- Source embedding, target embedding and output are three matrices, and npformer's are one. Its
  output has a bias; its projections of queries, keys and values have none.
- An embedding is a matrix product with one-hot vectors.
- Dropout is also applied to attention weights and inside the feed-forward network, and the values
  that it keeps are not scaled up.
- The loss has no label smoothing.
- The warm-up counts the arrays that Adam updates, not the steps.

Layers and gradients are float32. Adam is compiled by numba, and its moments become float64 in the
first step.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
from sizes import Size

from npformer.utils.threads_and_memory import blas_threads, keep_freed_memory

COMMIT = "315f2011460b558daed666df888411b63907a1cc"


def problem_of(folder: Path) -> str | None:
    """Return why numpy-transformer cannot run from a folder, in one line, or None."""
    name = "transformer/modules/encoder.py"
    encoder = folder / name
    if not encoder.is_file():
        return f"{folder} is not a clone of AkiRusProd/numpy-transformer: it has no {name}"
    if "data_type" not in encoder.read_text():
        return f"{folder} is a version that computes in float64: check out {COMMIT}"
    if importlib.util.find_spec("numba") is None:
        return "numpy-transformer needs numba, which is missing: run  pip install numba"
    return None


class NumpyTransformer:
    def __init__(self, size: Size, dropout: float):
        from transformer.losses import CrossEntropy
        from transformer.modules import Decoder, Encoder
        from transformer.optimizers import Adam, Noam

        keep_freed_memory()
        np.random.seed(0)  # noqa: NPY002, the generator that it uses
        shape = (size.vocab_size, size.n_heads, size.n_layers, size.d_model, size.d_ff, dropout)
        self.encoder = Encoder(*shape, data_type=np.float32)
        self.decoder = Decoder(*shape, data_type=np.float32)
        self.loss = CrossEntropy(ignore_index=0)
        adam = Adam(beta=0.9, beta2=0.98, epsilon=1e-9)
        warmup = Noam(adam, size.d_model, warmup_steps=4000)
        self.encoder.set_optimizer(warmup)
        self.decoder.set_optimizer(warmup)

    def step(self, src, tgt_in, tgt_out) -> float:
        # its masks are numbers, 0 where a position may not be attended to
        length = tgt_in.shape[1]
        src_mask = (src != 0).astype(int)[:, None, :]
        tgt_mask = (tgt_in != 0).astype(int)[:, None, :] & np.tri(length, dtype=int)

        memory = self.encoder.forward(src, src_mask, training=True)
        logits, _ = self.decoder.forward(tgt_in, tgt_mask, memory, src_mask, training=True)
        rows = logits.reshape(-1, logits.shape[-1])
        losses = self.loss.loss(rows, tgt_out.ravel())
        gradient = self.loss.derivative(rows, tgt_out.ravel())

        self.decoder.backward(gradient.reshape(logits.shape))
        self.encoder.backward(self.decoder.encoder_error)
        self.encoder.update_weights()
        self.decoder.update_weights()
        return float(losses.mean())


class NumpyTransformerOneThread(NumpyTransformer):
    """The same with matrix products on one thread, because most of them are small."""

    def __init__(self, size: Size, dropout: float):
        super().__init__(size, dropout)
        blas_threads(1)

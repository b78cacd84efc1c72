"""The contestant that computes in JAX. JAX is imported in `__init__`, after the process is kept to its cores."""

from __future__ import annotations

import importlib.util
import os

import numpy as np
from sizes import Size

import npformer as npf


class JAX:
    """The same work in jax.numpy, a whole step compiled by XLA as one function that may overwrite what it is given.

    XLA takes every core that its process may use and does not read OMP_NUM_THREADS, so the process may use no more.
    """

    def __init__(self, size: Size, dropout: float, warmup_steps: int = 4000):
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: threads()])
        os.environ["JAX_PLATFORMS"] = "cpu"
        import jax
        import models_jax

        self.jax, self.models_jax, self.compilations = jax, models_jax, 0
        config = size.config(dropout)

        def learning_rate(step):
            return size.d_model**-0.5 * jax.numpy.minimum(step**-0.5, step * warmup_steps**-1.5)

        def update(state, src, tgt_in, tgt_out):
            self.compilations += 1  # Python runs these lines when JAX compiles them, and only then
            return models_jax.update(state, src, tgt_in, tgt_out, config, learning_rate)

        self.update = jax.jit(update, donate_argnums=0)
        self.load(npf.Transformer(config, rng=np.random.default_rng(0)).state_dict())

    def step(self, src, tgt_in, tgt_out) -> float:
        self.state, loss = self.jax.block_until_ready(self.update(self.state, src, tgt_in, tgt_out))
        return float(loss)

    def load(self, arrays: dict[str, np.ndarray]) -> None:
        """Take over npformer's weights, and begin anew."""
        self.state = self.models_jax.beginning(arrays)

    def first_gradients(self) -> dict[str, np.ndarray]:
        """Return the gradients, after the first step, by npformer's names: a share of them is Adam's first moment."""
        return {name: np.asarray(m) / (1 - self.models_jax.BETA1) for name, m in self.state["m"].items()}

    @staticmethod
    def missing() -> str | None:
        """Say what is missing here, or nothing."""
        if importlib.util.find_spec("jax") is None:
            return 'JAX is missing: run  pip install -e ".[benchmarks]"  or  pip install jax'
        if threads() < os.cpu_count() and not hasattr(os, "sched_setaffinity"):
            return f"this system cannot keep JAX to {threads()} threads: run with --threads {os.cpu_count()}"
        return None


def threads() -> int:
    return int(os.environ.get("OMP_NUM_THREADS", "1"))

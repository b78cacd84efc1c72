"""How many threads the matrix products run on."""

from __future__ import annotations

from contextlib import AbstractContextManager

from ..base.errors import require
from ..models import TransformerConfig

NARROW = 128


def blas_threads(config: TransformerConfig) -> AbstractContextManager:
    """Return a context in which the products of a narrow model run on one thread, and others on all there are.

    The products of a model with d_model up to 128 are so small that threads gain little, and they wait for each other
    many times over as soon as anything else runs on the machine.
    """
    limits = 1 if config.d_model <= NARROW else None
    return require("threadpoolctl", "npformer").threadpool_limits(limits, user_api="blas")

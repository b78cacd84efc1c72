"""How long a translation may become, and what no translation can be made of."""

import numpy as np

from ..base.backend import to_device, to_host
from ..base.errors import InputError
from ..models import Transformer


def length_limits(model: Transformer, src, extra: int) -> np.ndarray:
    """Return how many tokens each translation of padded source ids (B, S) may have: (B,), on the host.

    That is as many as its source has plus `extra` (paper section 6.1), padding not counted, and never more than the
    model can read: max_len with <bos>.
    """
    lengths = to_host((to_device(src) != model.config.pad_id).sum(1))  # (B,)
    return np.minimum(lengths + extra, model.config.max_len - 1)


def check_scores(scores) -> None:
    """Raise `InputError` where a score of a token is no number, which no weights but diverged ones give."""
    if not np.isfinite(to_host(scores)).all():
        raise InputError("the model's scores are no numbers: its weights have diverged, lower the learning rate")

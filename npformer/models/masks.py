"""Masks: which positions may attend to which. Boolean, True = may attend; `causal_mask` is in layers/attention.py.

Next: encoder.py
"""

from ..backend import Array, to_device
from ..utils import InputError
from .config import StackConfig


def padding_mask(ids: Array, pad_id: int) -> Array:
    """Hide padding from all positions: ids (B, S) to a mask (B, 1, S).

    Raises `InputError` unless ids have two axes and are not empty.

    >>> import numpy as np
    >>> padding_mask(np.array([[5, 6, 0]]), pad_id=0).tolist()
    [[[True, True, False]]]
    """
    ids = to_device(ids)
    if ids.ndim != 2 or ids.size == 0:
        raise InputError(
            f"ids have shape {ids.shape}: expected (batch, length), for one text (1, length), not empty"
        )
    return ids[:, None, :] != pad_id


def target_mask(ids: Array, config: StackConfig) -> Array:
    """Hide the padding of a target: ids (B, T) to a mask (B, 1, T). The decoder's attention itself hides the future.

    Where a target begins with padding, `config.start_id`, that token is seen.

    >>> import numpy as np
    >>> target_mask(np.array([[5, 6, 0]]), StackConfig()).tolist()
    [[[True, True, False]]]
    """
    mask = padding_mask(ids, config.pad_id)  # (B, 1, T)
    if config.start_id == config.pad_id:
        mask[..., 0] = True
    return mask

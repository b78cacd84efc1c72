"""Who may attend to whom. Masks are boolean, True = may attend (paper section 3.2.3)."""

from ..backend import to_device
from ..layers.attention import causal_mask
from ..utils import InputError
from .config import StackConfig

__all__ = ["causal_mask", "padding_mask", "target_mask"]


def padding_mask(ids, pad_id: int):
    """Hide padding from everyone: ids (B, S) to a mask (B, 1, S). Raises `InputError` unless ids have two axes.

    >>> import numpy as np
    >>> padding_mask(np.array([[5, 6, 0]]), pad_id=0).tolist()
    [[[True, True, False]]]
    """
    ids = to_device(ids)
    if ids.ndim != 2:
        raise InputError(f"ids have shape {ids.shape}: expected (batch, length), for a lone text (1, length)")
    return ids[:, None, :] != pad_id


def target_mask(ids, config: StackConfig):
    """Hide the padding of a text that is being written: ids (B, T) to a mask (B, 1, T).

    Where a target begins with padding, `config.start_id`, that token is seen. The future the decoder's self-attention
    hides by itself, for it is causal: of a long text no (T, T) need be made.

    >>> import numpy as np
    >>> target_mask(np.array([[5, 6, 0]]), StackConfig()).tolist()
    [[[True, True, False]]]
    """
    mask = padding_mask(ids, config.pad_id)  # (B, 1, T)
    if config.start_id == config.pad_id:
        mask[..., 0] = True
    return mask

"""Masks: which positions may attend to which. Boolean, True = may attend.

Next: multi_head_attention.py
"""

from ..backend import Array, to_device, xp
from .validation import check_ids_shape


def causal_mask(length: int, before: int = 0) -> Array:
    """Return a mask (T, before + T) that hides the future; T is `length`.

    Query t sees `before` earlier positions, and 0 .. t of its own (section 3.2.3).

    >>> causal_mask(3).tolist()
    [[True, False, False], [True, True, False], [True, True, True]]
    """
    return xp.tril(xp.ones((length, before + length), dtype=bool), before)


def padding_mask(ids: Array, pad_id: int) -> Array:
    """Hide padding from all positions: ids (B, S) to a mask (B, 1, S).

    Raises `InputError` unless ids have two axes and are not empty.

    >>> import numpy as np
    >>> padding_mask(np.array([[5, 6, 0]]), pad_id=0).tolist()
    [[[True, True, False]]]
    """
    ids = to_device(ids)
    check_ids_shape(ids)
    return ids[:, None, :] != pad_id


def target_padding_mask(ids: Array, pad_id: int, start_id: int) -> Array:
    """Hide the padding of a target: ids (B, T) to a mask (B, 1, T).

    The future is not hidden here: the decoder's causal attention does that. Where targets begin
    with padding, because `start_id` is `pad_id`, that first token is seen.

    >>> import numpy as np
    >>> target_padding_mask(np.array([[0, 5, 0]]), pad_id=0, start_id=0).tolist()
    [[[True, True, False]]]
    """
    mask = padding_mask(ids, pad_id)  # (B, 1, T)
    if start_id == pad_id:
        mask[..., 0] = True
    return mask

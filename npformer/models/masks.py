"""Who may attend to whom. Masks are boolean, True = may attend (paper section 3.2.3)."""

from ..base import to_device, xp
from .config import ColumnConfig


def padding_mask(ids, pad_id: int):
    """Hide padding from everyone: ids (B, S) to a mask (B, 1, S).

    >>> import numpy as np
    >>> padding_mask(np.array([[5, 6, 0]]), pad_id=0).tolist()
    [[[True, True, False]]]
    """
    return to_device(ids)[:, None, :] != pad_id


def causal_mask(length: int):
    """Hide the future: a mask (T, T) in which position t sees 0 .. t.

    >>> causal_mask(3).tolist()
    [[True, False, False], [True, True, False], [True, True, True]]
    """
    return xp.tril(xp.ones((length, length), dtype=bool))


def target_mask(ids, config: ColumnConfig):
    """Hide padding and the future of a text that is being written: ids (B, T) to a mask (B, T, T).

    Where a target begins with padding, `config.start_id`, that token is seen. Where self-attention is restricted to
    `config.neighbours` it hides the future itself, and the mask is (B, 1, T).

    >>> import numpy as np
    >>> target_mask(np.array([[5, 6, 0]]), ColumnConfig()).tolist()
    [[[True, False, False], [True, True, False], [True, True, False]]]
    >>> target_mask(np.array([[5, 6, 0]]), ColumnConfig(neighbours=4)).tolist()
    [[[True, True, False]]]
    """
    mask = padding_mask(ids, config.pad_id)  # (B, 1, T)
    if config.start_id == config.pad_id:
        mask[..., 0] = True
    return mask & causal_mask(ids.shape[1]) if config.neighbours is None else mask

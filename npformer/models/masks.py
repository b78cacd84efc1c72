"""Who may attend to whom. Masks are boolean, True = may attend (paper section 3.2.3)."""

from ..base import to_device, xp


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

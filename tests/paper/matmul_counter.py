"""Arrays that count the multiply-adds of the matrix products they take part in."""

import math
from unittest.mock import patch

import numpy as np

from npformer.backend import xp


class CountedArray(np.ndarray):
    """An array that counts, as do all arrays computed from it.

    A product with a vector is a sum and is not counted.
    """

    total = 0

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        plain = [np.asarray(x) if isinstance(x, CountedArray) else x for x in inputs]
        if out is not None:
            kwargs["out"] = tuple(None if x is None else np.asarray(x) for x in out)
        if ufunc is np.matmul and min(x.ndim for x in plain) > 1:
            shape = np.broadcast_shapes(plain[0].shape[:-2], plain[1].shape[:-2])
            CountedArray.total += math.prod((*shape, *plain[0].shape[-2:], plain[1].shape[-1]))
        result = getattr(ufunc, method)(*plain, **kwargs)
        return counted(result) if out is None or out[0] is None else out[0]


def counted(x):
    return x.view(CountedArray) if isinstance(x, np.ndarray) else x


def count_multiply_adds(model, *inputs):
    """Return the multiply-adds of forward, and those of backward."""
    for p in model.parameters():
        p.store_in(counted(np.empty_like(p.data)), counted(np.empty_like(p.grad)))
    counts = [CountedArray.total]
    made = {
        "zeros": lambda *args: counted(np.zeros(*args)),
        "pad": lambda *args: counted(np.pad(*args)),
    }
    with patch.dict(vars(xp), made):
        y = model.forward(*inputs)
        counts.append(CountedArray.total)
        model.backward(counted(np.ones_like(y)))
        counts.append(CountedArray.total)
    return np.diff(counts).tolist()

"""Grouped-query attention: several heads share one head of keys and values."""

import math

import numpy as np

from ...utils import InputError, Rng
from ..attention import ScaledDotProductAttention
from ..hyperparameter_checks import check_sizes
from ..linear import Linear
from ..multi_head_attention import SelfAttention
from ..validation import check_floats


class GroupedAttention(ScaledDotProductAttention):
    """Scaled dot-product attention in which H / G heads of queries use the same head of keys and values.

        y_h = Attention(query_h, key_g, value_g),   g = h // (H / G)

    Each y_h is `head` in npformer/slow_formulas.py. Shapes: query (..., H, T, d_k), key (..., G, S, d_k), value (..., G,
    S, d_v), result (..., H, T, d_v); G is `n_groups`. Mask and settings are those of `ScaledDotProductAttention`.
    Raises `InputError` as it does, and when keys do not have G heads or G does not divide H.
    """

    def __init__(self, n_groups: int, **settings):
        check_sizes(n_groups=n_groups)
        super().__init__(**settings)
        self.n_groups = n_groups

    def forward(
        self, query, key, value, mask=None
    ):  # (..., H, T, d_k), (..., G, S, d_k), (..., G, S, d_v)
        check_floats(self, query, key, value)
        heads, groups, groups_v = (x.shape[-3] if x.ndim > 2 else 0 for x in (query, key, value))
        if heads % self.n_groups or not groups == groups_v == self.n_groups:
            got = f"{self.label} got query {query.shape}, key {key.shape}, value {value.shape}"
            raise InputError(
                f"{got}: expected (..., H, T, d_k), and G = {self.n_groups} heads of keys and values"
            )
        n = heads // groups  # heads that share
        return super().forward(
            query, key.repeat(n, -3), value.repeat(n, -3), mask
        )  # (..., H, T, d_v)

    def backward(self, dy):  # (..., H, T, d_v)
        dquery, dkey, dvalue = super().backward(dy)
        return dquery, self._sum_shared(dkey), self._sum_shared(dvalue)

    def _sum_shared(self, dx):  # (..., H, S, d)
        *leading, heads, length, d = dx.shape
        return dx.reshape(*leading, self.n_groups, heads // self.n_groups, length, d).sum(
            -3
        )  # (..., G, S, d)


class GroupedQueryAttention(SelfAttention):
    """Self-attention with n_heads heads of queries and only n_groups heads of keys and values.

        head_i = Attention(x W_i^Q, x W_g^K, x W_g^V),   g = i // (n_heads / n_groups)

    Ainslie et al. 2023, section 2.2. With n_groups = n_heads it is multi-head attention, with n_groups = 1 the
    multi-query attention of Shazeer 2019. W^K and W^V are (D, n_groups d_k), and `project` returns what a KV cache
    holds: keys and values (B, n_groups, S, d_k). x is (B, T, D).

    Raises `InputError` when n_heads does not divide d_model, or n_groups does not divide n_heads.

    >>> attention = GroupedQueryAttention(8, 4, 2, rng=0)
    >>> x = np.ones((3, 5, 8), "float32")
    >>> attention.forward(x).shape, attention.project(x, x)[0].shape, attention.w_key.weight.data.shape
    ((3, 5, 8), (3, 2, 5, 2), (8, 4))
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        n_groups: int,
        *,
        causal=False,
        rng: Rng = None,
        dtype="float32",
    ):
        settings = {"rng": np.random.default_rng(rng), "dtype": dtype}
        super().__init__(
            d_model, n_heads, attention=GroupedAttention(n_groups, causal=causal), **settings
        )
        if n_heads % n_groups:
            raise InputError(f"n_heads = {n_heads} is not divisible by n_groups = {n_groups}")
        d_shared = n_groups * (d_model // n_heads)
        gain = math.sqrt(
            (d_model + d_shared) / (4 * d_model)
        )  # the variance that they have in multi-head attention
        self.w_key, self.w_value = (Linear(d_model, d_shared, gain=gain, **settings) for _ in "kv")

    def project(self, key, value):  # (B, S, D), (B, S, D)
        return self._split_shared(self.w_key.forward(key)), self._split_shared(
            self.w_value.forward(value)
        )

    def _split_shared(self, x):  # (B, S, G * d_k)
        groups = self.attention.n_groups
        return x.reshape(*x.shape[:2], groups, x.shape[2] // groups).swapaxes(
            1, 2
        )  # (B, G, S, d_k)

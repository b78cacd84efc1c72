"""Grouped-query attention: several heads share one head of keys and values."""

import math
from functools import partial

import numpy as np

from ...utils import InputError, Rng
from ..attention import ScaledDotProductAttention
from ..hyperparameter_checks import check_heads, check_sizes
from ..linear import Linear
from ..multi_head_attention import SelfAttention
from ..validation import check_floats


class GroupedAttention(ScaledDotProductAttention):
    """Scaled dot-product attention in which H / G heads of queries share a head of keys and values.

        y_h = Attention(query_h, key_g, value_g),   g = h // (H / G)

    See `head` in npformer/slow_formulas.py for each y_h with scalar loops. Shapes: query
    (..., H, T, d_k), key (..., G, S, d_k), value (..., G, S, d_v), result (..., H, T, d_v). The
    mask is as in `ScaledDotProductAttention`.

    Arguments:
        n_groups: G, the heads of keys and values.
        causal, dropout, rng: As in `ScaledDotProductAttention`.

    Raises `InputError` as it does, and when keys do not have G heads or G does not divide H.
    """

    def __init__(
        self, n_groups: int, *, causal: bool = False, dropout: float = 0.0, rng: Rng = None
    ):
        check_sizes(n_groups=n_groups)
        super().__init__(causal=causal, dropout=dropout, rng=rng)
        self.n_groups = n_groups

    # query (..., H, T, d_k), key (..., G, S, d_k), value (..., G, S, d_v)
    def forward(self, query, key, value, mask=None):
        check_floats(self, query, key, value)
        self._check_heads(query, key, value)
        n_sharing = query.shape[-3] // self.n_groups  # heads that use the same key
        key = key.repeat(n_sharing, -3)  # (..., H, S, d_k)
        value = value.repeat(n_sharing, -3)  # (..., H, S, d_v)
        return super().forward(query, key, value, mask)  # (..., H, T, d_v)

    def backward(self, dy):  # (..., H, T, d_v)
        dquery, dkey, dvalue = super().backward(dy)
        return dquery, self._sum_shared(dkey), self._sum_shared(dvalue)

    def _sum_shared(self, dx):  # (..., H, S, d)
        *leading, heads, length, d = dx.shape
        groups = dx.reshape(*leading, self.n_groups, heads // self.n_groups, length, d)
        return groups.sum(-3)  # (..., G, S, d)

    def _check_heads(self, query, key, value) -> None:
        n_heads = []
        for x in (query, key, value):
            n_heads.append(x.shape[-3] if x.ndim > 2 else 0)
        divisible = n_heads[0] % self.n_groups == 0
        if divisible and n_heads[1] == n_heads[2] == self.n_groups:
            return
        got = f"{self.display_name} got query {query.shape}, key {key.shape}, value {value.shape}"
        raise InputError(
            f"{got}: expected (..., H, T, d_k), and G = {self.n_groups} heads of keys and values"
        )


class GroupedQueryAttention(SelfAttention):
    """Self-attention with n_heads heads of queries and only n_groups heads of keys and values.

        head_i = Attention(x W_i^Q, x W_g^K, x W_g^V),   g = i // (n_heads / n_groups)

    Ainslie et al. 2023, section 2.2. With n_groups = n_heads it is multi-head attention, with
    n_groups = 1 the multi-query attention of Shazeer 2019. W^K and W^V are (D, n_groups d_k), and
    `project` returns what a KV cache holds: keys and values (B, n_groups, S, d_k). x is (B, T, D).

    Arguments:
        d_model: D, the number of features of x.
        n_heads: The heads of queries.
        n_groups: The heads of keys and values.
        causal: Whether each position sees itself and earlier positions only.
        rng: A generator or a seed for the weights.
        dtype: "float32" or "float64".

    Raises `InputError` when n_heads does not divide d_model, or n_groups does not divide n_heads.

    >>> attention = GroupedQueryAttention(8, 4, 2, rng=0)
    >>> x = np.ones((3, 5, 8), "float32")
    >>> attention(x).shape, attention.project(x, x)[0].shape, attention.w_key.weight.data.shape
    ((3, 5, 8), (3, 2, 5, 2), (8, 4))
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        n_groups: int,
        *,
        causal: bool = False,
        rng: Rng = None,
        dtype: str = "float32",
    ):
        check_heads(d_model, n_heads, None, None)
        rng = np.random.default_rng(rng)
        self.attention = GroupedAttention(n_groups, causal=causal, rng=rng)
        if n_heads % n_groups:
            raise InputError(f"n_heads = {n_heads} is not divisible by n_groups = {n_groups}")

        # the constructor of SelfAttention would make keys and values for all heads
        linear = partial(Linear, rng=rng, dtype=dtype)
        d_shared = n_groups * (d_model // n_heads)
        # W^K and W^V start with the variance that they have in multi-head attention
        gain_shared = math.sqrt((d_model + d_shared) / (4 * d_model))
        self.n_heads = n_heads
        self.n_groups = n_groups
        self.w_query = linear(d_model, d_model, gain=math.sqrt(0.5))
        self.w_key = linear(d_model, d_shared, gain=gain_shared)
        self.w_value = linear(d_model, d_shared, gain=gain_shared)
        self.w_output = linear(d_model, d_model)

    def project(self, key, value):  # (B, S, D), (B, S, D)
        k = self._split_shared(self.w_key.forward(key))  # (B, G, S, d_k)
        v = self._split_shared(self.w_value.forward(value))  # (B, G, S, d_k)
        return k, v

    def _split_shared(self, x):  # (B, S, G * d_k)
        batch, length, features = x.shape
        groups = x.reshape(
            batch, length, self.n_groups, features // self.n_groups
        )  # (B, S, G, d_k)
        return groups.swapaxes(1, 2)  # (B, G, S, d_k)

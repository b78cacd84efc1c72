"""Grouped-query attention: several heads share one head of keys and values."""

import math
from functools import partial

import numpy as np

from ...utils import InputError, Rng
from ..attention import ScaledDotProductAttention
from ..hyperparameter_checks import check_heads, check_sizes
from ..initialization import projection_gain
from ..linear import Linear
from ..multi_head_attention import SelfAttention
from ..validation import check_floats


class GroupedAttention(ScaledDotProductAttention):
    """Attention in which H / G heads of queries share a head of keys and values.

        y_h = Attention(query_h, key_g, value_g),   g = h // (H / G)

    See `head` in npformer/slow_formulas.py for each y_h with scalar loops. Shapes: query
    (..., H, T, d_k), key (..., G, S, d_k), value (..., G, S, d_v), result (..., H, T, d_v). The
    mask is as in `ScaledDotProductAttention`.

    Arguments:
        n_groups: G, the heads of keys and values.
        attention: What each y_h is computed by, a `ScaledDotProductAttention` by default.
        causal, dropout, rng: Those of the default attention.

    Raises `InputError` as its attention does, when keys do not have G heads or G does not divide H,
    and for `causal` or `dropout` together with an attention, which has its own.
    """

    # softmax and dropout are those of `attention`: the base class's constructor would make others
    def __init__(
        self,
        n_groups: int,
        *,
        attention: ScaledDotProductAttention | None = None,
        causal: bool = False,
        dropout: float = 0.0,
        rng: Rng = None,
    ):
        check_sizes(n_groups=n_groups)
        if attention is None:
            attention = ScaledDotProductAttention(causal=causal, dropout=dropout, rng=rng)
        elif causal or dropout:
            raise InputError("causal and dropout are those of the attention: give them to it")
        self.causal = attention.causal
        self.attention = attention
        self.n_groups = n_groups

    # query (..., H, T, d_k), key (..., G, S, d_k), value (..., G, S, d_v)
    def forward(self, query, key, value, mask=None):
        check_floats(self, query, key, value)
        self._check_heads(query, key, value)
        n_sharing = query.shape[-3] // self.n_groups  # heads that use the same key
        key = key.repeat(n_sharing, -3)  # (..., H, S, d_k)
        value = value.repeat(n_sharing, -3)  # (..., H, S, d_v)
        y = self.attention.forward(query, key, value, mask)  # (..., H, T, d_v)
        return self.remember(y)

    def backward(self, dy):  # (..., H, T, d_v)
        self.recall(dy)  # checks the shape of dy
        dquery, dkey, dvalue = self.attention.backward(dy)
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
    n_groups = 1 the multi-query attention of Shazeer 2019. W^K is (D, n_groups d_k), and `project`
    returns what a KV cache holds: keys (B, n_groups, S, d_k) and values (B, n_groups, S, d_v). x is
    (B, T, D).

    Arguments:
        d_model: D, the number of features of x.
        n_heads: The heads of queries.
        n_groups: The heads of keys and values.
        d_k, d_v: The features of a head's queries and keys, and of its values; d_model / n_heads
            by default.
        attention: What all heads compute, by default a `GroupedAttention`. Another attention must
            take n_groups heads of keys too, such as a `RotaryAttention` around a
            `GroupedAttention`.
        causal: Whether the default attention hides the future from each position.
        bias, init, rng, dtype: As in `SelfAttention`.

    Raises `InputError` when n_heads does not divide d_model and d_k or d_v is not given, or when
    n_groups does not divide n_heads.

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
        d_k: int | None = None,
        d_v: int | None = None,
        attention: ScaledDotProductAttention | None = None,
        causal: bool = False,
        bias: bool = True,
        init: str = "glorot",
        rng: Rng = None,
        dtype: str = "float32",
    ):
        check_heads(d_model, n_heads, d_k, d_v)
        check_sizes(n_groups=n_groups)
        if n_heads % n_groups:
            raise InputError(f"n_heads = {n_heads} is not divisible by n_groups = {n_groups}")
        d_k = d_k or d_model // n_heads
        d_v = d_v or d_model // n_heads
        rng = np.random.default_rng(rng)

        # the constructor of SelfAttention would make keys and values for all heads
        linear = partial(Linear, bias=bias, init=init, rng=rng, dtype=dtype)
        self.n_heads = n_heads
        self.n_groups = n_groups
        gain_k = projection_gain(d_model, n_heads, d_k, init)
        self.w_query = linear(d_model, n_heads * d_k, gain=gain_k)
        self.w_key = linear(d_model, n_groups * d_k, gain=self._shared_gain(d_model, d_k, init))
        self.w_value = linear(d_model, n_groups * d_v, gain=self._shared_gain(d_model, d_v, init))
        self.attention = attention or GroupedAttention(n_groups, causal=causal, rng=rng)
        self.w_output = linear(n_heads * d_v, d_model)
        if causal and not self.attention.causal:
            raise InputError("causal=True, but the attention is not causal: give it causal=True")

    def _shared_gain(self, d_model: int, d_head: int, init: str) -> float:
        """Return the gain with which W^K or W^V has the variance of all heads' W^K or W^V."""
        gain = projection_gain(d_model, self.n_heads, d_head, init)
        d_all = self.n_heads * d_head
        d_shared = self.n_groups * d_head
        return gain * math.sqrt((d_model + d_shared) / (d_model + d_all))

    def project(self, key, value):  # (B, S, D), (B, S, D)
        k = self._split_shared(self.w_key.forward(key))  # (B, G, S, d_k)
        v = self._split_shared(self.w_value.forward(value))  # (B, G, S, d_v)
        return k, v

    def _split_shared(self, x):  # (B, S, G * d)
        batch, length, features = x.shape
        groups = x.reshape(batch, length, self.n_groups, features // self.n_groups)  # (B, S, G, d)
        return groups.swapaxes(1, 2)  # (B, G, S, d)

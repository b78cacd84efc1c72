"""Sampling: the next token drawn at random from the model's distribution."""

import math

import numpy as np

from ..backend import Array, to_host
from ..models import Transformer
from ..text import EOS
from ..utils import InputError, Rng
from .greedy import greedy_decode
from .scores import check_scores, top_k

__all__ = ["Sampler", "sample"]


class Sampler:
    """Draw a token from each row of logits (B, V); return them on the host, (B,).

        P(token) = softmax(logits / temperature)

    Arguments:
        temperature: below 1 it favors the probable tokens, above 1 the others.
        top_k: draw among the k most probable tokens (Fan et al. 2018, section 5); None for all.
        top_p: draw among the fewest tokens that have together at least this probability (Holtzman
            et al. 2020, section 3.1), after temperature and top_k; None for all.
        rng: a seed or a random generator.

    Raises `InputError` when temperature is not above 0, top_k is below 1, or top_p not above 0
    and at most 1.

    >>> draw = Sampler(top_k=2, rng=0)
    >>> [int(draw(np.array([[0.0, 3.0, 2.5, 0.0]]))[0]) for _ in range(6)]
    [2, 2, 1, 1, 1, 2]
    """

    def __init__(
        self,
        *,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        rng: Rng = None,
    ):
        if not 0 < temperature < math.inf:
            raise InputError(f"temperature = {temperature}: expected a number above 0")
        if top_k is not None and top_k < 1:
            raise InputError(
                f"top_k = {top_k}: expected 1 or more tokens to draw from, or None for all"
            )
        if top_p is not None and not 0 < top_p <= 1:
            raise InputError(f"top_p = {top_p}: expected a probability above 0 and at most 1")
        self.temperature = temperature
        self.top_k = top_k
        self.top_p = top_p
        self.rng = np.random.default_rng(rng)

    def __call__(self, logits: Array) -> np.ndarray:  # (B, V)
        """Return a token for each row, (B,)."""
        check_scores(logits.max(-1))  # a NaN or inf in a row is its maximum
        best, columns = top_k(logits, self.top_k or logits.shape[1])  # (B, k), best first
        # in float64, so that the sums below reach top_p where the probabilities do
        values = to_host(best).astype(np.float64) / self.temperature
        tokens = to_host(columns)

        if self.top_p is not None and self.top_p < 1:
            # the first value is the largest, so that exp does not overflow
            probabilities = np.exp(values - values[:, :1])
            probabilities /= probabilities.sum(1, keepdims=True)
            # a token stays if those before it do not have top_p yet; so the first one always stays
            cumulative = probabilities[:, :-1].cumsum(1)
            values[:, 1:][cumulative >= self.top_p] = -np.inf

        # the maximum of values with Gumbel noise is a draw from their softmax
        noisy = values + self.rng.gumbel(size=values.shape)
        drawn = noisy.argmax(1)
        return np.take_along_axis(tokens, drawn[:, None], 1)[:, 0]  # (B,)


def sample(
    model: Transformer,
    src: Array,
    *,
    bos_id: int | None = None,
    eos_id: int = EOS,
    max_extra_tokens: int = 50,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    rng: Rng = None,
) -> list[list[int]]:
    """Draw a translation of each padded source (B, S); return their ids, without <bos> and <eos>.

    The first three arguments by keyword are those of `greedy_decode`, the others those of
    `Sampler`. The same state of `rng` gives the same translations of the same batch.

    Raises `InputError` when a setting is out of range, and when src is not of two axes, empty, or
    its ids do not fit the model.

    >>> from npformer import TransformerConfig
    >>> config = TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10)
    >>> model = Transformer(config, rng=np.random.default_rng(0))
    >>> src = np.array([[4, 5, 3]])
    >>> [len(ids) for ids in sample(model, src, bos_id=2, eos_id=-1, max_extra_tokens=2, rng=1)]
    [5]
    """
    # sampling is the loop of greedy decoding with another choice of the next token
    sampler = Sampler(temperature=temperature, top_k=top_k, top_p=top_p, rng=rng)
    return greedy_decode(
        model, src, bos_id=bos_id, eos_id=eos_id, max_extra_tokens=max_extra_tokens, choose=sampler
    )

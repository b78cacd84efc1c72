"""Beam search: the best few hypotheses at each step (paper section 6.1)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..backend import Array, to_device, to_host, xp
from ..layers.row_and_column_sums import row_max, row_sum
from ..models import Transformer
from ..text import EOS
from ..utils import InputError, check_settings, setting
from .cached_decoder import CachedDecoder, check_scores, forbid_padding, top_k

DIVISORS = "what divides log P: ((5 + length) / 6)^alpha as in Wu et al. 2016, or length^alpha as in Marian"


@dataclass(frozen=True, kw_only=True)
class Search:
    """The settings of `Translator`'s search; the defaults are the paper's, section 6.1.

    Raises `InputError` on construction when one is out of range.

    >>> Search(penalty="length")
    Search(beam=4, alpha=0.6, penalty='length')
    """

    beam: int = setting(4, "hypotheses at a time, 1: greedy", least=1)
    alpha: float = setting(0.6, "length penalty, 0: none", least=0, most=10)
    penalty: str = setting("wu", DIVISORS, choices=("wu", "length"))

    def __post_init__(self):
        check_settings(self)

    def length_penalty(self, length: int) -> float:
        """Return ((5 + length) / 6)^alpha, Wu et al. 2016, equation 14; or with "length" length^alpha, at least 1."""
        return ((5 + length) / 6 if self.penalty == "wu" else max(length, 1)) ** self.alpha

    def check_n_best(self, n_best: int) -> None:
        """Raise `InputError` unless the beam can give this many hypotheses."""
        if not 1 <= n_best <= self.beam:
            got = f"n_best = {n_best} with beam = {self.beam}"
            raise InputError(f"{got}: expected 1 .. {self.beam}; ask for fewer or widen the beam")


class Hypothesis(NamedTuple):
    """A translation: its ids without <bos> and <eos>, its score, and log P(Y|X), the sum over its tokens."""

    ids: list[int]
    score: float
    log_probability: float


def beam_search(
    model: Transformer,
    src: Array,
    *,
    bos_id: int | None = None,
    eos_id: int = EOS,
    beam: int = 4,
    alpha: float = 0.6,
    penalty: str = "wu",
    extra: int = 50,
    n_best: int = 1,
) -> list[list[Hypothesis]]:
    """Translate padded source ids (B, S); return for each sentence its n_best hypotheses, best first.

        score(Y) = log P(Y|X) / ((5 + |Y|) / 6)^alpha

    Wu et al. 2016, equation 14; |Y| counts the generated tokens, <eos> included. With `penalty="length"` log P is
    divided by |Y|^alpha, as in Marian and Hugging Face. Every hypothesis begins with the token `bos_id`, by default
    the model's `config.start_id`.

    At each step the 2 * beam most probable continuations of a sentence's open hypotheses are considered, never <pad>:
    of the first `beam` those with <eos> are finished, and the first `beam` without it stay open. A hypothesis is also
    finished when it has as many tokens as its source plus `extra` (paper section 6.1), or as the model's max_len
    allows. A sentence leaves the batch as soon as none of its open hypotheses can win any more. With beam = 1 the
    result is that of greedy decoding. The model is used in eval mode.

    Raises `InputError` when beam, alpha or penalty is not as in `Search`, or n_best not in 1 .. beam, and when src is
    not of two axes, empty, or its ids do not fit the model.

    >>> from npformer import TransformerConfig
    >>> config = TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10)
    >>> model = Transformer(config, rng=np.random.default_rng(0))
    >>> [best, second] = beam_search(model, np.array([[4, 5, 3]]), bos_id=2, eos_id=3, extra=2, n_best=2)[0]
    >>> best.score >= second.score
    True
    """
    search = Search(beam=beam, alpha=alpha, penalty=penalty)
    search.check_n_best(n_best)
    config, n_considered = model.config, 2 * beam if beam > 1 else 1
    decoder = CachedDecoder(model, src)
    limits = decoder.length_limits(extra)  # (B,)
    hypotheses = [[] for _ in limits]  # the finished hypotheses of each sentence, best first

    def finish(sentence, ids, log_p):
        score = float(log_p) / search.length_penalty(decoder.n_steps)
        both = [*hypotheses[sentence], Hypothesis(ids.tolist(), score, float(log_p))]
        hypotheses[sentence] = sorted(both, key=lambda hypothesis: -hypothesis.score)[:n_best]

    def can_win(
        sentence, log_p
    ):  # no further token raises log P, and the penalty is largest at the length limit
        highest = float(log_p) / search.length_penalty(limits[sentence])
        return len(hypotheses[sentence]) < n_best or hypotheses[sentence][-1].score < highest

    sentences = np.arange(
        len(limits)
    )  # those that are not finished, a row each in the arrays below
    paths = np.full(
        (len(limits), beam, 1), config.start_id if bos_id is None else bos_id
    )  # (B, K, 1 + steps)
    scores = np.full(
        (len(limits), beam), -np.inf, config.dtype
    )  # (B, K), log P of the paths, highest first
    scores[:, 0] = 0  # the first step has one hypothesis to start from

    while True:
        at_limit = decoder.n_steps >= limits[sentences]  # (B,)
        for row, k in np.argwhere(at_limit[:, None] & (scores > -np.inf)):
            finish(sentences[row], paths[row, k, 1:], scores[row, k])
        rows = [row for row in np.flatnonzero(~at_limit) if can_win(sentences[row], scores[row, 0])]
        if not rows:
            return hypotheses
        sentences, paths, scores = sentences[rows], paths[rows], scores[rows]
        decoder.keep(rows)

        logits = decoder.step(paths[:, :, -1])  # (B, K, V)
        values, parents, tokens = _most_probable(
            logits, to_device(scores), n_considered, config.pad_id
        )  # (B, n)
        check_scores(values[:, 0])
        ended = tokens == eos_id
        for row, rank in np.argwhere(ended[:, :beam] & np.isfinite(values[:, :beam])):
            finish(sentences[row], paths[row, parents[row, rank], 1:], values[row, rank])
        values[ended] = -np.inf

        stay = np.argsort(ended, axis=1, kind="stable")[
            :, :beam
        ]  # (B, K), the best that have not ended
        scores, parents, tokens = (
            np.take_along_axis(array, stay, 1) for array in (values, parents, tokens)
        )
        paths = np.concatenate(
            [np.take_along_axis(paths, parents[..., None], 1), tokens[..., None]], -1
        )
        decoder.follow(parents)


def _most_probable(logits, scores, n: int, pad_id: int):  # (B, K, V), (B, K)
    """Return the n most probable continuations of each sentence, on the host: log P, hypothesis, token, (B, n) each."""
    n_sentences, _, vocab_size = logits.shape
    z = logits - row_max(logits)
    log_p = scores[..., None] + z - xp.log(row_sum(xp.exp(z)))  # (B, K, V)
    forbid_padding(log_p, pad_id)
    log_p = log_p.reshape(n_sentences, -1)  # (B, K * V)
    values, columns = top_k(log_p, n)
    return to_host(values), *divmod(to_host(columns), vocab_size)

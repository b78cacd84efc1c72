"""Beam search: the best few hypotheses at each step (paper section 6.1).

Next: kv_cache.py
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..backend import Array, to_device, to_host, xp
from ..layers.row_and_column_sums import row_max, row_sum
from ..models import Transformer
from ..text import EOS
from ..utils import InputError, Settings, setting
from .cached_decoder import CachedDecoder
from .greedy import length_limits
from .scores import check_scores, forbid_padding, top_k, top_k_by_blocks

__all__ = ["LENGTH_NORMALIZATION_HELP", "BeamSearchConfig", "Hypothesis", "beam_search"]

LENGTH_NORMALIZATION_HELP = (
    "what divides log P: ((5 + length) / 6)^alpha as in Wu et al. 2016, "
    "or length^alpha as in Marian"
)


@dataclass(frozen=True, kw_only=True)
class BeamSearchConfig(Settings):
    """The settings of `Translator`'s search; the defaults are the paper's, section 6.1.

    Raises `InputError` on construction when one is out of range.

    >>> BeamSearchConfig(length_normalization="length")
    BeamSearchConfig(beam=4, alpha=0.6, length_normalization='length')
    """

    beam: int = setting(4, "hypotheses at a time, 1: greedy", least=1)
    alpha: float = setting(0.6, "length penalty, 0: none", least=0, most=10)
    length_normalization: str = setting("wu", LENGTH_NORMALIZATION_HELP, choices=("wu", "length"))

    def length_penalty(self, length: int) -> float:
        """Return ((5 + length) / 6)^alpha, Wu et al. 2016, eq. 14; with "length", length^alpha."""
        if self.length_normalization == "wu":
            return ((5 + length) / 6) ** self.alpha

        # an empty translation, which a limit of no tokens allows, would be divided by 0
        return max(length, 1) ** self.alpha

    def check_n_best(self, n_best: int) -> None:
        """Raise `InputError` unless the beam can give this many hypotheses."""
        if not 1 <= n_best <= self.beam:
            got = f"n_best = {n_best} with beam = {self.beam}"
            raise InputError(f"{got}: expected 1 .. {self.beam}; ask for fewer or widen the beam")


class Hypothesis(NamedTuple):
    """A finished translation.

    ids: its tokens, without <bos> and <eos>.
    score: log P divided by the length penalty.
    log_probability: log P(Y|X), the sum over its tokens.
    """

    ids: list[int]
    score: float
    log_probability: float


class _NBestList:
    """The n best finished hypotheses of one sentence, best first."""

    def __init__(self, n: int, limit: int, search: BeamSearchConfig):
        self.n = n
        self.limit = limit  # the number of tokens that no hypothesis exceeds
        self.search = search
        self.hypotheses: list[Hypothesis] = []

    def add(self, ids: np.ndarray, log_p: float, length: int) -> None:
        """Add a finished hypothesis, which only stays if it is one of the n best."""
        log_p = float(log_p)  # a score in double precision, whatever the model's dtype
        score = log_p / self.search.length_penalty(length)
        self.hypotheses.append(Hypothesis(ids.tolist(), score, log_p))

        self.hypotheses.sort(key=lambda hypothesis: -hypothesis.score)
        del self.hypotheses[self.n :]

    def is_over(self, open_log_p: float) -> bool:
        """Tell whether no open hypothesis can become one of the n best any more.

        open_log_p: the highest log P of the open hypotheses.
        """
        if len(self.hypotheses) < self.n:
            return False

        # no further token raises log P, and the penalty is largest at the length limit
        highest = float(open_log_p) / self.search.length_penalty(self.limit)
        can_win = highest > self.hypotheses[-1].score
        return not can_win


def beam_search(
    model: Transformer,
    src: Array,
    *,
    bos_id: int | None = None,
    eos_id: int = EOS,
    beam: int = 4,
    alpha: float = 0.6,
    length_normalization: str = "wu",
    max_extra_tokens: int = 50,
    n_best: int = 1,
) -> list[list[Hypothesis]]:
    """Translate padded source ids (B, S); return each sentence's n_best hypotheses, best first.

        score(Y) = log P(Y|X) / ((5 + |Y|) / 6)^alpha

    Wu et al. 2016, equation 14; |Y| counts the generated tokens, <eos> included.

    At each step the 2 * beam most probable continuations of a sentence's open hypotheses are
    considered. Of the first `beam` of them, those that end in <eos> are finished; the first `beam`
    that do not end stay open. <pad> is never chosen. A sentence leaves the batch as soon as none
    of its open hypotheses can win any more. The model is used in eval mode.

    The other arguments, by keyword:
        bos_id: the token that each hypothesis begins with, by default the model's `start_id`.
        eos_id: the token that ends a hypothesis.
        beam: how many hypotheses of a sentence stay open; 1 gives the result of greedy decoding.
        alpha: the exponent of the length penalty; 0 compares log P itself.
        length_normalization: "wu" as above, or "length": |Y|^alpha, as in Marian and Hugging Face.
        max_extra_tokens: a hypothesis is finished, even without <eos>, when it has that many tokens
            more than its source (paper section 6.1), or as many as the model's max_len allows.
        n_best: how many hypotheses to return, 1 .. beam; fewer when fewer are finished.

    Raises `InputError` when beam, alpha or length_normalization is not as in `BeamSearchConfig`,
    when n_best is not in 1 .. beam, and when src is not of two axes, empty, or its ids do not fit
    the model.

    >>> from npformer import TransformerConfig
    >>> config = TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10)
    >>> model = Transformer(config, rng=np.random.default_rng(0))
    >>> src = np.array([[4, 5, 3]])
    >>> [[best, second]] = beam_search(model, src, bos_id=2, eos_id=3, max_extra_tokens=2, n_best=2)
    >>> best.score >= second.score
    True
    """
    search = BeamSearchConfig(beam=beam, alpha=alpha, length_normalization=length_normalization)
    search.check_n_best(n_best)
    decoder = CachedDecoder(model, src)
    if bos_id is None:
        bos_id = model.config.start_id
    pad_id = model.config.pad_id
    # Each hypothesis has one continuation by <eos>: of 2 * beam, at least `beam` stay open. With
    # beam = 1 only the first counts, as in greedy decoding: a second could win later by its length
    n_considered = 2 * beam if beam > 1 else 1

    limits = length_limits(model.config, src, max_extra_tokens)  # (B,)
    n_best_lists = [_NBestList(n_best, limit, search) for limit in limits]

    # the K open hypotheses of each sentence that is not over, one row per sentence
    sentences = np.arange(len(limits))  # (B,)
    paths = np.full((len(limits), beam, 1), bos_id)  # (B, K, 1 + steps)
    log_p = np.full((len(limits), beam), -np.inf, model.config.dtype)  # (B, K), highest first
    log_p[:, 0] = 0  # the K paths are equal at first: if all counted, all would be found K times

    while True:
        lists = [n_best_lists[sentence] for sentence in sentences]
        rows = _rows_to_continue(lists, paths, log_p, decoder.n_steps)
        if not rows:
            return [n_best_list.hypotheses for n_best_list in n_best_lists]

        sentences = sentences[rows]
        paths = paths[rows]
        log_p = log_p[rows]
        decoder.select_sentences(np.array(rows))

        logits = decoder.step(paths[:, :, -1])  # (B, K, V)
        values, parents, tokens = _best_continuations(  # (B, n) each
            logits, to_device(log_p), n_considered, pad_id
        )
        check_scores(values[:, 0])
        longer = _extend(paths, parents, tokens)  # (B, n, 1 + steps)

        is_finished, open_ranks = _finished_and_open(tokens, eos_id, beam)  # (B, n), (B, K)
        for row, rank in np.argwhere(is_finished & np.isfinite(values)):
            ids = longer[row, rank, 1:-1]  # without <bos> and <eos>
            n_best_lists[sentences[row]].add(ids, values[row, rank], decoder.n_steps)

        # with beam = 1 a continuation that has ended stays: it never wins
        values[tokens == eos_id] = -np.inf
        log_p = np.take_along_axis(values, open_ranks, 1)  # (B, K)
        paths = np.take_along_axis(longer, open_ranks[..., None], 1)
        decoder.select_hypotheses(np.take_along_axis(parents, open_ranks, 1))


def _rows_to_continue(
    lists: list[_NBestList], paths: np.ndarray, log_p: np.ndarray, n_steps: int
) -> list[int]:
    """Return the rows of the sentences that are not over.

    The open hypotheses of a sentence at its length limit are finished as they are.
    """
    rows = []
    for row, n_best_list in enumerate(lists):
        if n_steps >= n_best_list.limit:
            for k in np.flatnonzero(log_p[row] > -np.inf):
                n_best_list.add(paths[row, k, 1:], log_p[row, k], n_steps)
        elif not n_best_list.is_over(log_p[row, 0]):
            rows.append(row)
    return rows


def _finished_and_open(tokens: np.ndarray, eos_id: int, beam: int) -> tuple[np.ndarray, np.ndarray]:
    """Return which of the best continuations are finished, and which stay open.

    tokens (B, n): the last tokens of the continuations, best first. Returns is_finished (B, n),
    boolean, and open_ranks (B, K), the columns of those that stay open, best first.
    """
    ended = tokens == eos_id
    is_finished = ended.copy()
    is_finished[:, beam:] = False

    # False sorts before True, and a stable sort keeps the best first among those not ended
    open_ranks = np.argsort(ended, axis=1, kind="stable")[:, :beam]
    return is_finished, open_ranks


def _extend(paths: np.ndarray, parents: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    """Return the paths (B, n, 1 + steps) of continuations of paths (B, K, steps)."""
    continued = np.take_along_axis(paths, parents[..., None], 1)
    return np.concatenate([continued, tokens[..., None]], -1)


def _best_continuations(
    logits: Array, scores: Array, n: int, pad_id: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the n most probable continuations of each sentence, best first, on the host.

    logits (B, K, V): of the token after each hypothesis. scores (B, K): log P of the hypotheses.
    Returns log P (B, n) of the continuations; the hypotheses (B, n) that they continue; and the
    tokens (B, n) by which they do.
    """
    n_sentences, n_hypotheses, vocab_size = logits.shape
    z = logits - row_max(logits)
    log_total = xp.log(row_sum(xp.exp(z)))  # (B, K, 1)
    forbid_padding(z, pad_id)  # after the sum: padding has a share of the probability

    # Within a hypothesis z has the order of log P. So the log-softmax of all V tokens is not
    # needed, which would be two passes over the largest array: that of the n best is enough.
    z_best, tokens = top_k_by_blocks(z.reshape(-1, vocab_size), n)  # (B * K, n)
    z_best = z_best.reshape(n_sentences, n_hypotheses, -1)  # (B, K, n)
    log_p = scores[..., None] + z_best - log_total  # (B, K, n)

    log_p = log_p.reshape(n_sentences, -1)  # (B, K * n)
    tokens = tokens.reshape(n_sentences, -1)  # (B, K * n)
    n_per_hypothesis = z_best.shape[-1]  # n, or V where V is smaller
    log_p, places = top_k(log_p, n)  # (B, n)
    tokens = xp.take_along_axis(tokens, places, 1)
    return to_host(log_p), to_host(places // n_per_hypothesis), to_host(tokens)

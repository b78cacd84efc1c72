"""Beam search: the few best hypotheses side by side (paper section 6.1)."""

import numpy as np

from ..backend import cache_chunks, to_device, to_host, xp
from ..layers.reductions import flat, row_max, row_sum
from ..models import Transformer
from ..text import EOS
from .beam_settings import Search
from .cached_decoder import CachedDecoder, check_scores, forbid_padding
from .hypotheses import BestHypotheses, Hypothesis
from .top_k import top_k


def beam_search(
    model: Transformer,
    src,
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

    Wu et al. 2016, equation 14; |Y| counts the tokens generated, <eos> included. With `penalty="length"` log P is
    divided by |Y|^alpha, as Marian and Hugging Face do. Every hypothesis begins with the token `bos_id`, the model's
    own `config.start_id` if not given.

    At each step the 2 * beam likeliest continuations of a sentence's open hypotheses are looked at, <pad> never among
    them, though it has its share of P: of the first `beam` those with <eos> are finished, and the first `beam` without
    it stay open. A hypothesis is finished too when it has as many tokens as its source and `extra` (paper section 6.1),
    or as the model's max_len allows. A sentence leaves the batch as soon as none of its open hypotheses can win any
    more, which changes no result. With beam = 1 there is no second hypothesis to go on with after <eos>, and the result
    is that of greedy decoding, but where two tokens are as likely to rounding. The model is used in eval mode.

    Raises `InputError` when beam, alpha or penalty is not as in `Search`, or n_best not in 1 .. beam, and when src is
    not of two axes, empty, or its ids do not fit the model.

    >>> from npformer import TransformerConfig
    >>> config = TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10)
    >>> model = Transformer(config, rng=np.random.default_rng(0))
    >>> [best, second] = beam_search(model, np.array([[4, 5, 3]]), bos_id=2, eos_id=3, extra=2, n_best=2)[0]
    >>> best.score >= second.score
    True
    """
    Search(beam=beam, alpha=alpha, penalty=penalty).check_n_best(n_best)
    config, n_looked_at = model.config, 2 * beam if beam > 1 else 1
    bos_id = config.start_id if bos_id is None else bos_id
    how = {"n_best": n_best, "alpha": alpha, "penalty": penalty}
    with model.evaluating():
        decoder = CachedDecoder(model, src)
        results = [BestHypotheses(**how, limit=n) for n in decoder.length_limits(extra)]
        going = results  # whose hypotheses the rows of the arrays below are
        paths = np.full((len(going), beam, 1), bos_id)  # (B, K, 1 + steps), the open hypotheses
        scores = np.full((len(going), beam), -np.inf, config.dtype)  # (B, K), their log P, highest first
        scores[:, 0] = 0  # the first step has one hypothesis to start from

        while True:
            at_limit = np.array([decoder.n_steps >= best.limit for best in going])
            for row in np.flatnonzero(at_limit):
                finish(going[row], paths[row], scores[row])
            each = zip(at_limit, going, map(float, scores[:, 0]), strict=True)
            is_open = np.array([not (full or best.is_settled(highest)) for full, best, highest in each])
            if not is_open.all():
                rows = np.flatnonzero(is_open)
                going, paths, scores = [going[row] for row in rows], paths[rows], scores[rows]
                if not going:
                    return [best.found for best in results]
                decoder.keep(rows)

            logits = decoder.step(paths[:, :, -1])  # (B, K, V)
            values, parents, tokens = likeliest(logits, to_device(scores), n_looked_at, config.pad_id)  # (B, n) each
            check_scores(values[:, 0])
            ended = tokens == eos_id
            for row, rank in np.argwhere(ended[:, :beam] & np.isfinite(values[:, :beam])):
                path, value = paths[row, parents[row, rank]], values[row, rank]
                going[row].add(path[1:].tolist(), float(value), decoder.n_steps)
            values[ended] = -np.inf

            stay = np.argsort(ended, axis=1, kind="stable")[:, :beam]  # (B, K), the best that have not ended
            scores, parents, tokens = (np.take_along_axis(array, stay, 1) for array in (values, parents, tokens))
            paths = np.concatenate([np.take_along_axis(paths, parents[..., None], 1), tokens[..., None]], -1)
            decoder.follow(parents)


def finish(best: BestHypotheses, paths, scores) -> None:  # (K, 1 + steps), (K,)
    """Finish the open hypotheses of a sentence as they are, for it is at its limit."""
    for path, score in zip(paths, scores, strict=True):
        if score > -np.inf:
            best.add(path[1:].tolist(), float(score), len(path) - 1)


def likeliest(logits, scores, n: int, pad_id: int):  # (B, K, V), (B, K)
    """Return the n likeliest continuations of each sentence: log P, hypothesis and token, (B, n) each, on the host.

    The logits are written over.
    """
    batch, beam, vocab_size = logits.shape
    add_log_softmax(flat(logits), scores.reshape(-1, 1))
    forbid_padding(logits, pad_id)
    values, where = top_k(logits.reshape(batch, -1), min(n, beam * vocab_size))
    return to_host(values), *divmod(to_host(where), vocab_size)


def add_log_softmax(logits, scores) -> None:  # (N, V), (N, 1)
    """Turn logits, in place, into the log-probabilities of their tokens plus the scores of their rows."""
    for rows in cache_chunks(*logits.shape):
        part = logits[rows]
        part -= row_max(part)
        part += scores[rows] - xp.log(row_sum(xp.exp(part)))

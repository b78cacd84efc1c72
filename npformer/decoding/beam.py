"""Beam search: the best few hypotheses at each step (paper section 6.1)."""

import numpy as np

from ..backend import to_device, to_host, xp
from ..layers.reductions import row_max, row_sum
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
    Search(beam=beam, alpha=alpha, penalty=penalty).check_n_best(n_best)
    config, n_considered = model.config, 2 * beam if beam > 1 else 1
    bos_id = config.start_id if bos_id is None else bos_id
    with model.evaluating():
        decoder = CachedDecoder(model, src)
        limits = decoder.length_limits(extra)  # (B,)
        results = [BestHypotheses(n_best=n_best, alpha=alpha, penalty=penalty, limit=limit) for limit in limits]
        unfinished = results  # the sentences that the rows of the arrays below are of
        paths = np.full((len(results), beam, 1), bos_id)  # (B, K, 1 + steps), the open hypotheses
        scores = np.full((len(results), beam), -np.inf, config.dtype)  # (B, K), their log P, highest first
        scores[:, 0] = 0  # the first step has one hypothesis to start from

        while True:
            stays = []
            for best, path, score in zip(unfinished, paths, scores, strict=True):
                if decoder.n_steps >= best.limit:
                    best.add_all(path[:, 1:], score)
                stays.append(decoder.n_steps < best.limit and not best.is_settled(float(score[0])))
            if not any(stays):
                return [best.found for best in results]
            rows = np.flatnonzero(stays)
            unfinished, paths, scores = [unfinished[row] for row in rows], paths[rows], scores[rows]
            decoder.keep(rows)

            logits = decoder.step(paths[:, :, -1])  # (B, K, V)
            values, parents, tokens = _most_probable(logits, to_device(scores), n_considered, config.pad_id)  # (B, n)
            check_scores(values[:, 0])
            ended = tokens == eos_id
            for row, rank in np.argwhere(ended[:, :beam] & np.isfinite(values[:, :beam])):
                path = paths[row, parents[row, rank], 1:]
                unfinished[row].add(path.tolist(), float(values[row, rank]), decoder.n_steps)
            values[ended] = -np.inf

            stay = np.argsort(ended, axis=1, kind="stable")[:, :beam]  # (B, K), the best that have not ended
            scores, parents, tokens = (np.take_along_axis(array, stay, 1) for array in (values, parents, tokens))
            paths = np.concatenate([np.take_along_axis(paths, parents[..., None], 1), tokens[..., None]], -1)
            decoder.follow(parents)


def _most_probable(logits, scores, n: int, pad_id: int):  # (B, K, V), (B, K)
    """Return the n most probable continuations of each sentence, on the host: log P, hypothesis, token, (B, n) each."""
    n_sentences, _, vocab_size = logits.shape
    z = logits - row_max(logits)
    log_p = scores[..., None] + z - xp.log(row_sum(xp.exp(z)))  # (B, K, V)
    forbid_padding(log_p, pad_id)
    log_p = log_p.reshape(n_sentences, -1)  # (B, K * V)
    values, columns = top_k(log_p, min(n, log_p.shape[1]))
    return to_host(values), *divmod(to_host(columns), vocab_size)

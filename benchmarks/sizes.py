"""The four sizes, their batches, and the arithmetic of one training step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import npformer as npf
from npformer.tasks import Batches, TranslationBatch

BOS, FIRST_WORD = 2, 4
N_BATCHES = 4
POOL = 40  # batches of sentences that are sorted by length together
LENGTHS_DIFFER_BY = 2  # at most, source from target

Ids = tuple[np.ndarray, np.ndarray, np.ndarray]  # source, target shifted right, target


@dataclass(frozen=True)
class Size:
    """A model and its batches: about `sentences` sentences of `shortest` to `longest` tokens.

    As in training the sentences are sorted by length before they are cut into batches, so that
    little is padding. With `padded` they come in random order instead, each padded to `longest`.
    """

    d_model: int
    d_ff: int
    n_heads: int
    n_layers: int
    vocab_size: int
    sentences: int
    shortest: int
    longest: int
    padded: bool = False

    def config(self, dropout: float) -> npf.TransformerConfig:
        """Return the paper's model of this size: post-norm, sinusoidal positions, one embedding
        matrix.
        """
        return npf.TransformerConfig(
            src_vocab_size=self.vocab_size,
            tgt_vocab_size=self.vocab_size,
            d_model=self.d_model,
            d_ff=self.d_ff,
            n_heads=self.n_heads,
            n_encoder_layers=self.n_layers,
            n_decoder_layers=self.n_layers,
            dropout=dropout,
        )

    def batches(self) -> list[Ids]:
        """Return the same N_BATCHES batches at every call."""
        rng = np.random.default_rng(self.d_model)
        pairs = self.pairs(rng, self.sentences * (N_BATCHES if self.padded else POOL))
        if self.padded:
            made: list = []
            for i in range(N_BATCHES):
                sources, targets = zip(*pairs[i::N_BATCHES], strict=True)
                made.append(TranslationBatch.of(sources, targets))
        else:
            batch_tokens = self.sentences * (self.shortest + self.longest) // 2
            made = list(Batches(pairs, batch_tokens=batch_tokens, seed=0).epoch(1))[:N_BATCHES]
        return [(batch.src, batch.tgt_in, batch.tgt_out) for batch in made]

    def pairs(self, rng: np.random.Generator, n: int) -> list[tuple[list[int], list[int]]]:
        """Draw pairs of like length, of ids whose frequencies follow Zipf's law, as words do."""
        lengths = rng.integers(self.shortest, self.longest, n, endpoint=True)
        others = np.clip(
            lengths + rng.integers(-LENGTHS_DIFFER_BY, LENGTHS_DIFFER_BY, n, endpoint=True),
            self.shortest,
            self.longest,
        )
        return [
            (self.ids(rng, source - 1), self.ids(rng, target - 1))
            for source, target in zip(others, lengths, strict=True)
        ]

    def ids(self, rng: np.random.Generator, length: int) -> list[int]:
        return (
            np.exp(rng.uniform(np.log(FIRST_WORD), np.log(self.vocab_size), length))
            .astype(int)
            .tolist()
        )

    def tokens(self) -> float:
        """Return how many target tokens a batch has on average, padding not counted."""
        return float(np.mean([(tgt > 0).sum() for _, _, tgt in self.batches()]))

    def padding(self) -> float:
        """Return the share of positions, source and target, that are padding."""
        arrays = [ids for src, _, tgt in self.batches() for ids in (src, tgt)]
        return 1 - sum((ids > 0).sum() for ids in arrays) / sum(ids.size for ids in arrays)

    def flops(self) -> float:
        """Count the multiplications and additions of a step's matrix products, padding included,
        on average.

        A product costs 2 per weight (or pair of positions) and position forward, and twice as
        much backward: once for the input's gradient and once for the other factor's.
        """
        counts = []
        for src, _, tgt in self.batches():
            counts.append(self.flops_of(src.shape[0], src.shape[1], tgt.shape[1]))
        return float(np.mean(counts))

    def flops_of(self, sentences: int, s: int, t: int) -> float:
        projection = self.d_model**2
        feed_forward = 2 * self.d_model * self.d_ff
        sources, targets = sentences * s, sentences * t

        def pairs(queries, keys):  # scores, and the sums weighted by them
            return sentences * 2 * queries * keys * self.d_model

        encoder_layer = sources * (4 * projection + feed_forward) + pairs(s, s)
        decoder_layer = (
            targets * (6 * projection + feed_forward)
            + sources * 2 * projection
            + pairs(t, t)
            + pairs(t, s)
        )
        generator = targets * self.d_model * self.vocab_size
        return 3 * 2 * (self.n_layers * (encoder_layer + decoder_layer) + generator)


SIZES = {
    size.d_model: size
    for size in (
        Size(
            64,
            d_ff=256,
            n_heads=4,
            n_layers=2,
            vocab_size=500,
            sentences=96,
            shortest=6,
            longest=14,
        ),
        Size(
            128,
            d_ff=256,
            n_heads=4,
            n_layers=4,
            vocab_size=8000,
            sentences=56,
            shortest=15,
            longest=25,
        ),
        Size(
            256,
            d_ff=512,
            n_heads=8,
            n_layers=3,
            vocab_size=8000,
            sentences=56,
            shortest=15,
            longest=25,
        ),
        Size(
            512,
            d_ff=2048,
            n_heads=8,
            n_layers=6,
            vocab_size=8000,
            sentences=56,
            shortest=15,
            longest=25,
        ),
    )
}

"""The four sizes, their padded batches, and the arithmetic of one training step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import npformer as npf

BOS, FIRST_WORD = 2, 4
N_BATCHES = 4


@dataclass(frozen=True)
class Size:
    """A model and the shape of its batches: sentences of `shortest` to `longest` tokens, padded to `longest`."""

    d_model: int
    d_ff: int
    n_heads: int
    n_layers: int
    vocab_size: int
    sentences: int
    shortest: int
    longest: int

    def config(self, dropout: float) -> npf.TransformerConfig:
        """Return the paper's model of this size: post-norm, sinusoidal positions, one table."""
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

    def batches(self) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Return source ids, target ids shifted right, and target ids: the same arrays at every call."""
        rng = np.random.default_rng(self.d_model)
        batches = []
        for _ in range(N_BATCHES):
            src, tgt = self.padded_ids(rng), self.padded_ids(rng)
            tgt_in = np.where(tgt > 0, np.roll(tgt, 1, axis=1), 0)
            tgt_in[:, 0] = BOS
            batches.append((src, tgt_in, tgt))
        return batches

    def padded_ids(self, rng: np.random.Generator) -> np.ndarray:
        """Draw a batch of ids whose frequencies follow Zipf's law, as words do."""
        shape = (self.sentences, self.longest)
        ids = np.exp(rng.uniform(np.log(FIRST_WORD), np.log(self.vocab_size), shape)).astype(np.int64)
        lengths = rng.integers(self.shortest, self.longest, self.sentences, endpoint=True)
        lengths[0] = self.longest
        return np.where(np.arange(self.longest) < lengths[:, None], ids, 0)

    def tokens(self) -> float:
        """Return how many target tokens a batch has on average, padding not counted."""
        return float(np.mean([(tgt > 0).sum() for _, _, tgt in self.batches()]))

    def source_tokens(self) -> float:
        """Return how many source tokens a batch has on average, padding not counted."""
        return float(np.mean([(src > 0).sum() for src, _, _ in self.batches()]))

    def flops(self) -> float:
        """Count the multiplications and additions of a step's matrix products, those of padding too."""
        positions = self.sentences * self.longest
        return self.flops_of(positions, positions)

    def flops_without_padding(self) -> float:
        """Count those that real tokens need; attention's weights are still made of padded sentences."""
        return self.flops_of(self.source_tokens(), self.tokens())

    def flops_of(self, sources: float, targets: float) -> float:
        """Count the products of so many positions.

        A product costs 2 a weight (or a pair of positions) and position forward, and twice as much backward: once for
        the input's gradient and once for the other factor's.
        """
        projection = self.d_model**2
        feed_forward = 2 * self.d_model * self.d_ff
        pairs = self.sentences * 2 * self.longest**2 * self.d_model  # scores, and the sums that they weigh
        encoder_layer = sources * (4 * projection + feed_forward) + pairs
        decoder_layer = targets * (6 * projection + feed_forward) + sources * 2 * projection + 2 * pairs
        generator = targets * self.d_model * self.vocab_size
        return 3 * 2 * (self.n_layers * (encoder_layer + decoder_layer) + generator)


SIZES = {
    size.d_model: size
    for size in (
        Size(64, d_ff=256, n_heads=4, n_layers=2, vocab_size=500, sentences=96, shortest=6, longest=14),
        Size(128, d_ff=256, n_heads=4, n_layers=4, vocab_size=8000, sentences=56, shortest=15, longest=25),
        Size(256, d_ff=512, n_heads=8, n_layers=3, vocab_size=8000, sentences=56, shortest=15, longest=25),
        Size(512, d_ff=2048, n_heads=8, n_layers=6, vocab_size=8000, sentences=56, shortest=15, longest=25),
    )
}

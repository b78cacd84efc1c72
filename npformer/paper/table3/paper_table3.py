"""Table 3 of the paper: what each variant scored on its held-out set."""

from typing import NamedTuple


class PapersRow(NamedTuple):
    """Perplexity a token and BLEU of a row."""

    perplexity: float
    bleu: float


BASE = PapersRow(4.92, 25.8)
ROWS = {  # by what changes, and to which multiple of the base model's; or for A, D and E to which value
    ("n_heads", 1): PapersRow(5.29, 24.9),
    ("n_heads", 4): PapersRow(5.00, 25.5),
    ("n_heads", 16): PapersRow(4.91, 25.8),
    ("n_heads", 32): PapersRow(5.01, 25.4),
    ("d_k", 1 / 4): PapersRow(5.16, 25.1),
    ("d_k", 1 / 2): PapersRow(5.01, 25.4),
    ("layers", 1 / 3): PapersRow(6.11, 23.7),
    ("layers", 2 / 3): PapersRow(5.19, 25.3),
    ("layers", 4 / 3): PapersRow(4.88, 25.5),
    ("d_model", 1 / 2): PapersRow(5.75, 24.5),
    ("d_model", 2): PapersRow(4.66, 26.0),
    ("d_ff", 1 / 2): PapersRow(5.12, 25.4),
    ("d_ff", 2): PapersRow(4.75, 26.2),
    ("dropout", 0.0): PapersRow(5.77, 24.6),
    ("dropout", 0.2): PapersRow(4.95, 25.5),
    ("label_smoothing", 0.0): PapersRow(4.67, 25.3),
    ("label_smoothing", 0.2): PapersRow(5.47, 25.7),
    ("positions", "learned"): PapersRow(4.92, 25.7),
}
SAME = PapersRow(0.01, 0.1)  # one unit in the last place: the paper calls E "nearly identical", with 0.1 BLEU less


def direction(row: PapersRow, measure: str) -> int:
    """Return 1 where a row of the paper has more perplexity, or BLEU, than its base, -1 for less, 0 for the same.

    >>> direction(ROWS["label_smoothing", 0.0], "perplexity"), direction(ROWS["positions", "learned"], "bleu")
    (-1, 0)
    """
    difference = round(getattr(row, measure) - getattr(BASE, measure), 2)
    return 0 if abs(difference) <= getattr(SAME, measure) else 1 if difference > 0 else -1

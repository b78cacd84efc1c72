"""The table of training steps and its legend."""

from __future__ import annotations

from collections.abc import Sequence

from contestants import Sgemm
from sizes import Size

COLUMNS = "d_model, dropout, contestant, ms, +-, tokens/s, ratio, sgemm, peak MiB, model MiB".split(
    ", "
)
LEGEND = f"""
ms: median step, +-: half its interquartile range. tokens/s: target tokens, padding not counted.
ratio: ms as a multiple of npformer's; above 1, npformer is faster. sgemm: the step's matrix products as a share of what
NumPy's own {Sgemm.n} x {Sgemm.n} product reaches in the same run. peak MiB: the whole process; model MiB: above its
libraries."""


def description(size: Size) -> str:
    """Describe a size in one line."""
    model = f"{size.n_layers} + {size.n_layers} layers, d_ff {size.d_ff}, {size.n_heads} heads"
    lengths = f"sentences of {size.shortest} to {size.longest} tokens"
    batches = f"batches of {size.tokens():.0f} target tokens on average, {size.padding():.1%} of positions are padding"
    return f"d_model {size.d_model}: {model}, vocabulary {size.vocab_size}, {lengths}, {batches}"


def table(rows: list[Sequence[str]], markdown: bool) -> str:
    """Align the rows under the names of the columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = [
        [
            cell.ljust(w) if i == 2 else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        ]
        for row in rows
    ]
    rule = [("-" * w) if i == 2 else "-" * (w - 1) + ":" for i, w in enumerate(widths)]
    if markdown:
        return "\n".join(f"| {' | '.join(row)} |" for row in [cells[0], rule, *cells[1:]])
    return "\n".join("  ".join(row) for row in cells)

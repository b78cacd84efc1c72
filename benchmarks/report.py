"""The table of training steps and its legend."""

from __future__ import annotations

from collections.abc import Sequence

from contestants import Sgemm
from sizes import Size

COLUMNS = (
    "d_model",
    "dropout",
    "contestant",
    "ms",
    "+-",
    "tokens/s",
    "ratio",
    "sgemm",
    "peak MiB",
    "model MiB",
)
LEGEND = f"""
ms: median step, +-: half its interquartile range. tokens/s: target tokens, padding not counted.
ratio: ms as a multiple of npformer's; above 1, npformer is faster.
sgemm: the step's matrix products as a share of what NumPy's own {Sgemm.n} x {Sgemm.n} product
reaches in the same run. peak MiB: the whole process; model MiB: above its libraries."""


def description(size: Size) -> str:
    """Describe a size in one line."""
    model = f"{size.n_layers} + {size.n_layers} layers, d_ff {size.d_ff}, {size.n_heads} heads"
    lengths = f"sentences of {size.shortest} to {size.longest} tokens"
    padding = f"{size.padding():.1%} of positions are padding"
    batches = f"batches of {size.tokens():.0f} target tokens on average, {padding}"
    return f"d_model {size.d_model}: {model}, vocabulary {size.vocab_size}, {lengths}, {batches}"


def table(rows: Sequence[Sequence[str]], markdown: bool) -> str:
    """Align the rows under the names of the columns: numbers right, other texts left."""
    columns = []
    for column in zip(*rows, strict=True):
        width = max(len(cell) for cell in column)
        has_words = column[0] in ("contestant", "engine")
        if has_words:
            rule = "-" * width
            aligned = [cell.ljust(width) for cell in column]
        else:
            rule = "-" * (width - 1) + ":"
            aligned = [cell.rjust(width) for cell in column]
        if markdown:
            aligned.insert(1, rule)
        columns.append(aligned)

    lines = []
    for cells in zip(*columns, strict=True):
        lines.append(f"| {' | '.join(cells)} |" if markdown else "  ".join(cells))
    return "\n".join(lines)

"""The table of training steps, and what stands under it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from contestants import Sgemm
from processor import has
from sizes import Size

COLUMNS = "d_model, dropout, contestant, ms, +-, tokens/s, ratio, sgemm, real, peak MiB, model MiB".split(", ")
LEGEND = """
ms: median step, +-: half its interquartile range. tokens/s: target tokens, padding not counted.
ratio: ms as a multiple of npformer's; above 1, npformer is faster. sgemm: the padded batch's matrix products as a share
of what NumPy's own {n} x {n} product reaches in the same run, though npformer computes padding in attention alone.
real: the share of the products that this leaves. peak MiB: the whole process; model MiB: above its libraries."""
MORE_LEGEND = {
    "jax": "jax: XLA compiles the whole step, for as many cores as there are threads. peak MiB: compiling included.",
    "torch.compile": "torch.compile: forward, loss and backward; Adam is fused. peak MiB: compiling included.",
    "halves": "halves: npformer's same update, from one half of the batch and then the other, for less memory.",
    "bfloat16": "bfloat16: another arithmetic, of 8 significant bits; fast where the processor has AMX{amx}.",
}
AMX = {True: ", as here", False: ", and this one has none", None: ""}


def description(size: Size) -> str:
    """Say in a line what a size is."""
    model = f"{size.n_layers} + {size.n_layers} layers, d_ff {size.d_ff}, {size.n_heads} heads"
    lengths = f"{size.sentences} sentences of {size.shortest} to {size.longest} tokens"
    real = f"{size.tokens():.0f} of {size.sentences * size.longest} positions real"
    return f"d_model {size.d_model}: {model}, vocabulary {size.vocab_size}, {lengths}, {real}"


def table(rows: list[Sequence[str]], markdown: bool) -> str:
    """Align the rows under the names of the columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = [
        [cell.ljust(w) if i == 2 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))]
        for row in rows
    ]
    rule = [("-" * w) if i == 2 else "-" * (w - 1) + ":" for i, w in enumerate(widths)]
    if markdown:
        return "\n".join(f"| {' | '.join(row)} |" for row in [cells[0], rule, *cells[1:]])
    return "\n".join("  ".join(row) for row in cells)


def legend(more: Iterable[str]) -> str:
    """Say what the columns are, and the opponents that were asked for."""
    return "\n".join([LEGEND.format(n=Sgemm.n), *(MORE_LEGEND[name].format(amx=AMX[has("AMX")]) for name in more)])

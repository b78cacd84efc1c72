"""The table of a trace: one row a layer, in the order in which the data passed."""

from __future__ import annotations

from collections.abc import Sequence

from .record import Record
from .table import figures, norm

NOTE = "mean, spread (standard deviation): of the output; gradient: norm of what came back to the output"


def overview(
    model: str, records: Sequence[Record], n_layers: int, nbytes: int, place: str | None
) -> tuple[str, list[str], list[list[str]], int | None, list[str]]:
    """Return the title of a trace's table, its header and rows, which row `place` stands at, and the lines below.

    `model` is the model's name, `records` those to show, out of `n_layers`.
    """
    again = any(record.calls > 1 for record in records)
    header = ["layer", *(["calls"] if again else []), "output", "mean", "spread", "gradient"]
    rows = [[r.name, *([str(r.calls)] if again else []), *figures(r.output), norm(r.dy)] for r in records]
    names = [record.name for record in records]
    place = place or (names[0] if names else None)
    size = f"{nbytes:,} bytes" if nbytes < 1e6 else f"{nbytes / 1e6:,.1f} MB"
    title = f"{model}: {len(rows)} of {n_layers} layers, in the order in which data passed; {size}"
    note = [NOTE] if len(rows) == n_layers else [NOTE, "deeper layers: t.depth = None"]
    return title, header, rows, names.index(place) if place in names else None, note

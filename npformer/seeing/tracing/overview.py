"""The table of a trace: one row a layer, in the order in which the data passed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .table import figures, norm

if TYPE_CHECKING:
    from .walk import Trace

NOTE = "mean, spread (standard deviation): of the output; gradient: norm of what came back to the output"


def overview(trace: Trace) -> tuple[str, list[str], list[list[str]], int | None, list[str]]:
    """Return a trace's title, the header and rows of its table, which row one stands at, and the lines below."""
    records = list(filter(trace.shows, trace.records))
    again = any(record.calls > 1 for record in records)
    header = ["layer", *(["calls"] if again else []), "output", "mean", "spread", "gradient"]
    rows = [[r.name, *([str(r.calls)] if again else []), *figures(r.output), norm(r.dy)] for r in records]
    names = [record.name for record in records]
    place = trace.place or (names[0] if names else None)
    size = f"{trace.nbytes:,} bytes" if trace.nbytes < 1e6 else f"{trace.nbytes / 1e6:,.1f} MB"
    what = f"{trace.recorder.model.label}: {len(rows)} of {len(trace)} layers"
    title = f"{what}, in the order in which data passed; {size}"
    note = [NOTE] if len(rows) == len(trace) else [NOTE, "deeper layers: t.depth = None"]
    return title, header, rows, names.index(place) if place in names else None, note

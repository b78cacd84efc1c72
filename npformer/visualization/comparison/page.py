"""The page of a comparison: one piece of HTML, which asks nothing of the network."""

from pathlib import Path
from typing import Any

from ..stepper import StepThrough
from ..stepper.page import page_of
from ..stepper.step_through import sentences_of
from .changed_lines import ChangedLines
from .shared_arrays import MOST_ROWS, MOST_SHOWN, MOST_UPDATED, SharedArrays
from .summary import (
    Evidence,
    describe_curves,
    describe_update,
    rows_of_differences,
    summary_of,
    title_of,
)

DIGITS = 4  # of a loss in the curves


def comparison_page(a: StepThrough, b: StepThrough, evidence: Evidence) -> str:
    """Return the page of two recordings, in ASCII.

    It is the page of the first recording, in which arrays that differ have that of the second too.

    Arguments:
        a: The first recording.
        b: The second recording.
        evidence: What differs, and what else is known.
    """
    changed = ChangedLines(a.recorder, b.recorder)
    shared = SharedArrays(a, evidence.differences, changed)
    functions = list(shared.recorder.functions.values())
    comparison: dict[str, Any] = {
        "differences": shared.rows,
        "n_arrays": evidence.n_arrays,
        "rows": {functions.index(function): rows for function, rows in changed.rows.items()},
    }
    if evidence.losses:
        comparison["losses"] = [_rounded(losses) for losses in evidence.losses]
        comparison["curves"] = describe_curves(*evidence.losses)

    parts = "forward and backward"
    if a.recorder.optimizer is not None:
        parts = f"forward, backward and a step of {type(a.recorder.optimizer).__name__}"
    sentences = _name_sentences(a.texts), _name_sentences(b.texts)
    update = describe_update(evidence, parts, *sentences)
    notes = [
        f"Of parameters and gradients of more than {MOST_SHOWN:,} entries, and of parameters of "
        f"more than {MOST_UPDATED:,} entries after the update, only the {MOST_ROWS} rows that "
        "differ most are in this page.",
    ]
    summary = summary_of(evidence, update)
    return page_of(
        shared.recorder,
        a.texts,
        title_of(evidence.bug),
        notes,
        summary=f'<section class="summary" aria-label="Summary">{summary}</section>',
        rows=rows_of_differences(evidence.differences),
        folders=[Path(__file__).parent],
        comparison=comparison,
    )


def _name_sentences(texts: dict[str, dict]) -> str:
    """Say what a batch has: its sentences, or those of the first example and how many there are.

    >>> source = {"tokens": [["a", "dog"], ["a", "cat"]]}
    >>> _name_sentences({"s": source, "t": {"tokens": [["Hund"], ["Katze"]]}})
    '2 sentence pairs, of which the first is \u201ca dog \u2192 Hund\u201d'
    """
    if not texts:
        return ""
    kind = "sentence pair" if len(texts) > 1 else "text"
    first = f"\u201c{sentences_of(texts)}\u201d"
    n_examples = len(next(iter(texts.values()))["tokens"])
    if n_examples == 1:
        return f"the {kind} {first}"
    return f"{n_examples} {kind}s, of which the first is {first}"


def _rounded(losses: Any) -> list[float]:
    """Return losses as they are drawn."""
    return [float(f"{loss:.{DIGITS}g}") for loss in losses]

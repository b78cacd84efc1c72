"""What the page of a comparison says in words."""

import difflib
import html
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...testing import BugEdit, PlantedBug
from ...testing.planted_bugs import replace_code
from .alignment import Difference
from .changes import functions_of

# updates at the end of the curves, over which the mean is taken
N_LAST = 20
MOST_ROWS = 20
CHANGED_LINE = "a changed line"


class Evidence(NamedTuple):
    """What is known of two recordings.

    Arguments:
        differences: What differs.
        n_arrays: How many arrays were compared.
        loss: A sentence about the loss of the update.
        bug: What is changed in the second recording, if it is known.
        losses: The losses of a small training without and with the bug, if they are known.
        gradient_check: What the gradient check says of the bug.
    """

    differences: Sequence[Difference]
    n_arrays: int
    loss: str
    bug: PlantedBug | None
    losses: tuple[np.ndarray, np.ndarray] | None
    gradient_check: str


def title_of(bug: PlantedBug | None) -> str:
    """Return the title of the page: the bug, or the function that has a changed line.

    >>> title_of(PlantedBug("a changed line", [BugEdit("a.py::A.forward", "x", "y")], ""))
    'What if A.forward were changed?'
    """
    if bug is None:
        return "Two updates side by side"
    title = getattr(bug, "title", "") or bug.name
    if title != CHANGED_LINE:
        return f"What if this line were wrong? {title}"
    functions = []
    for edit in bug.edits:
        _, _, function = edit.place.partition("::")
        if function not in functions:
            functions.append(function)
    return f"What if {' and '.join(functions)} were changed?"


def summary_of(evidence: Evidence) -> str:
    """Return HTML: what is changed, how much differs, the losses, and the gradient check."""
    bug = evidence.bug
    parts = []
    if bug is None:
        parts.append(_paragraph("A is the first recording, B is the second."))
    else:
        parts += [_changed_lines(edit) for edit in bug.edits]
        parts.append(_paragraph("A is the code as it is. B is the code with this change."))
    parts.append(_first_difference(evidence))
    parts.append(_paragraph(evidence.loss))
    if evidence.losses:
        parts.append(_paragraph(describe_curves(*evidence.losses)))
    if evidence.gradient_check:
        parts.append(_paragraph(evidence.gradient_check))
    if getattr(bug, "seen", ""):
        parts.append(_paragraph(f"Seen: {bug.seen}"))
    if getattr(bug, "teaches", ""):
        parts.append(_paragraph(f"What it teaches: {bug.teaches}"))
    return "\n".join(parts)


def describe_curves(a: np.ndarray, b: np.ndarray) -> str:
    """Say what the losses of both are at the end.

    >>> describe_curves(np.array([2.0, 1.0]), np.array([2.0]))
    'In a small training, the mean of the last 20 losses is 1.5 in A and 2 in B. B ends after 1 of 2 updates, because its loss is not finite.'
    """
    means = [f"{losses[-N_LAST:].mean():.4g}" if len(losses) else "unknown" for losses in (a, b)]
    words = f"In a small training, the mean of the last {N_LAST} losses is "
    words += f"{means[0]} in both." if means[0] == means[1] else f"{means[0]} in A and {means[1]} in B."
    if len(b) < len(a):
        words += f" B ends after {len(b)} of {len(a)} updates, because its loss is not finite."
    return words


def rows_of_differences(differences: Sequence[Difference]) -> str:
    """Return the rows of a table of the first differences, for places without scripts."""
    rows = ["<tr><th>array</th><th>layer and function</th><th>line</th><th>A and B</th></tr>"]
    for difference in differences[:MOST_ROWS]:
        place = difference.place
        cells = [
            place.name,
            f"{place.module}.{place.function}",
            f"{difference.file}:{difference.line}",
            difference.how(),
        ]
        rows.append(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in cells)}</tr>")
    if len(differences) > MOST_ROWS:
        rows.append(f'<tr><td colspan="4">and {len(differences) - MOST_ROWS:,} more</td></tr>')
    return "\n".join(rows)


def _paragraph(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"


def _changed_lines(edit: BugEdit) -> str:
    """Return the lines that an edit removes and adds, with their place."""
    file, _, function = edit.place.partition("::")
    parts = [f"<p>In <code>{html.escape(file)}</code>, <code>{html.escape(function)}</code>:</p>"]
    for line in _diff(edit):
        sign, text = line[:2], html.escape(line[2:])
        if sign == "- ":
            parts.append(f'<del><span class="spoken">removed: </span>{text}</del>')
        elif sign == "+ " and text.strip():
            parts.append(f'<ins><span class="spoken">added: </span>{text}</ins>')
    return f'<div class="change">{"".join(parts)}</div>'


def _diff(edit: BugEdit) -> list[str]:
    """Return the lines of a function before and after an edit, as difflib marks them."""
    file, _, _ = edit.place.partition("::")
    source = functions_of(file).get(edit.place)
    if source is None:  # a function inside a function
        return [f"- {edit.right}", f"+ {edit.wrong}"]
    changed = replace_code(source.text, edit)
    return list(difflib.ndiff(source.lines, changed.split("\n")))


def _first_difference(evidence: Evidence) -> str:
    """Say how many arrays differ, and which is the first."""
    differences = evidence.differences
    if not differences:
        return _paragraph(f"All {evidence.n_arrays:,} arrays are equal.")
    first = differences[0]
    place = first.place
    count = f"{len(differences):,} of {evidence.n_arrays:,} arrays differ."
    name = html.escape(f"{place.name} in {place.module}.{place.function}")
    link = f'<button type="button" class="plain" data-difference="0">{name}</button>'
    where = html.escape(f"({first.file}:{first.line})")
    return (
        f"<p><strong>{count}</strong> The first, in {first.direction}, is {link} {where}: "
        f"it {html.escape(first.how())}.</p>"
    )

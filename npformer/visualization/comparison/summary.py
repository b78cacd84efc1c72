"""What the page of a comparison says in words."""

import difflib
import html
import textwrap
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...testing import BugEdit, PlantedBug
from ...testing.planted_bugs import replace_code
from .alignment import Difference, in_percent
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
    if bug.name != CHANGED_LINE:
        return f"What if this line were wrong? {bug.title or bug.name}"
    functions = []
    for edit in bug.edits:
        _, _, function = edit.place.partition("::")
        if function not in functions:
            functions.append(function)
    return f"What if {' and '.join(functions)} were changed?"


def summary_of(evidence: Evidence) -> str:
    """Return HTML: what is changed, how much differs, the losses, and the gradient check."""
    bug = evidence.bug
    update = []
    if bug is None:
        update.append(_paragraph("A is the first recording, B is the second."))
    else:
        update += [_changed_lines(edit) for edit in bug.edits]
        update.append(_paragraph("A is the code as it is. B is the code with this change."))
    update.append(_first_difference(evidence))
    update.append(_paragraph(evidence.loss))

    more = []
    if evidence.losses:
        more.append(_paragraph(describe_curves(*evidence.losses)))
    if evidence.gradient_check:
        more.append(_paragraph(evidence.gradient_check))
    if bug and bug.seen:
        more.append(_seen(bug.seen))
    if bug and bug.teaches:
        more.append(f"<p><strong>What it teaches:</strong> {html.escape(bug.teaches.strip())}</p>")
    return "\n".join(["<div>", *update, "</div>", "<div>", *more, "</div>"])


def describe_curves(a: np.ndarray, b: np.ndarray) -> str:
    """Say what the losses of both are at the end.

    >>> describe_curves(np.array([2.0, 1.0]), np.array([2.0, 1.0]))
    'In a small training, the mean of the last 20 losses is 1.5 in both.'
    >>> describe_curves(np.array([2.0, 1.0]), np.array([2.0])).partition(". ")[2]
    'B ends after 1 of 2 updates, because its loss is not finite.'
    """
    mean_a = _mean_of_last(a)
    mean_b = _mean_of_last(b)
    means = f"{mean_a} in both" if mean_a == mean_b else f"{mean_a} in A and {mean_b} in B"
    words = f"In a small training, the mean of the last {N_LAST} losses is {means}."
    if len(b) < len(a):
        words += f" B ends after {len(b)} of {len(a)} updates, because its loss is not finite."
    return words


def _mean_of_last(losses: np.ndarray) -> str:
    return f"{losses[-N_LAST:].mean():.4g}" if len(losses) else "unknown"


def rows_of_differences(differences: Sequence[Difference]) -> str:
    """Return the rows of a table of the first differences, for places without scripts."""
    rows = ["<tr><th>array</th><th>layer and function</th><th>line</th><th>A and B</th></tr>"]
    for difference in differences[:MOST_ROWS]:
        place = difference.place
        cells = [
            place.name,
            f"{place.module}.{place.function}",
            f"{difference.file}:{difference.line}",
            _how(difference),
        ]
        rows.append(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in cells)}</tr>")
    if len(differences) > MOST_ROWS:
        rows.append(f'<tr><td colspan="4">and {len(differences) - MOST_ROWS:,} more</td></tr>')
    return "\n".join(rows)


def _paragraph(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"


def _seen(text: str) -> str:
    """Return where a bug was seen; the URL at its end is a link."""
    words, _, url = text.strip().rpartition(" ")
    if not url.startswith("https://"):
        return f"<p><strong>Seen:</strong> {html.escape(text.strip())}</p>"
    link = f'<a href="{html.escape(url)}" rel="noreferrer">{html.escape(url)}</a>'
    return f"<p><strong>Seen:</strong> {html.escape(words)} {link}</p>"


def _changed_lines(edit: BugEdit) -> str:
    """Return the lines that an edit removes and adds, with their place."""
    file, _, function = edit.place.partition("::")
    parts = [f"<p>In <code>{html.escape(file)}</code>, <code>{html.escape(function)}</code>:</p>"]
    removed, added = _diff(edit)
    parts += [f'<del><span class="spoken">removed: </span>{line}</del>' for line in removed]
    parts += [f'<ins><span class="spoken">added: </span>{line}</ins>' for line in added]
    return f'<div class="change">{"".join(parts)}</div>'


def _diff(edit: BugEdit) -> tuple[list[str], list[str]]:
    """Return the lines that an edit removes and adds, as HTML.

    They have neither the indentation of all nor comments at their ends.
    """
    file, _, _ = edit.place.partition("::")
    source = functions_of(file).get(edit.place)
    if source is None:  # a function inside a function
        return [html.escape(edit.right)], [html.escape(edit.wrong)]

    signs = []
    lines = []
    for line in difflib.ndiff(source.lines, replace_code(source.text, edit).split("\n")):
        if line[:2] in ("- ", "+ ") and line[2:].strip():
            signs.append(line[0])
            code, _, _ = line[2:].partition("  # ")
            lines.append(code)
    dedented = html.escape(textwrap.dedent("\n".join(lines))).split("\n")
    removed = [line for sign, line in zip(signs, dedented, strict=True) if sign == "-"]
    added = [line for sign, line in zip(signs, dedented, strict=True) if sign == "+"]
    return removed, added


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
    where = html.escape(f"{first.file}:{first.line}")
    return (
        f"<p><strong>{count}</strong> The first, in {first.direction}, is {link} ({where}): "
        f"{html.escape(_how(first))}.</p>"
    )


def _how(difference: Difference) -> str:
    """Say how A and B differ."""
    if difference.b is None:
        return "only A makes it"
    if difference.a is None:
        return "only B makes it"
    if difference.a.shape != difference.b.shape:
        return f"its shape is {difference.a.shape} in A and {difference.b.shape} in B"
    if np.isinf(difference.size):
        return "A is 0 everywhere, or an entry is not finite"
    return f"B differs from A by {in_percent(difference.size)} of the largest entry of A"

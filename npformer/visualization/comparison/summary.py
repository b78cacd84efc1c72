"""What the page of a comparison says in words."""

import difflib
import html
import textwrap
from collections import defaultdict
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
        loss_a: The loss of the update in the first recording.
        loss_b: The loss in the second.
        history: What was before the update, in sentences.
        bug: What is changed in the second recording, if it is known.
        losses: The losses of a small training, if they are known: without the bug, with it, and
            without it from another seed.
        gradient_check: What the gradient check says of the bug.
    """

    differences: Sequence[Difference]
    n_arrays: int
    loss_a: float
    loss_b: float
    history: str
    bug: PlantedBug | None
    losses: tuple[np.ndarray, ...] | None
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


def describe_update(evidence: Evidence, parts: str, sentences_a: str, sentences_b: str) -> str:
    """Say which update this is: its sentences, both losses, and what was before.

    Arguments:
        evidence: What is known of the two recordings.
        parts: What it consists of, such as "forward and backward".
        sentences_a: The sentences of the first recording, "" where they are not known.
        sentences_b: Those of the second.
    """
    loss_a = f"{evidence.loss_a:.6g}"
    loss_b = f"{evidence.loss_b:.6g}"
    if sentences_a != sentences_b:
        return (
            f"A is one training update ({parts}) on {sentences_a}, with the loss {loss_a}; "
            f"B is one on {sentences_b}, with the loss {loss_b}. {evidence.history}"
        ).strip()

    on = f" on {sentences_a}" if sentences_a else ""
    loss = f"{loss_a} in A and {loss_b} in B"
    if evidence.loss_a == evidence.loss_b:
        loss = f"{loss_a} in both"
    return (
        f"A and B are the same training update ({parts}){on}, with the loss {loss}. "
        f"{evidence.history}"
    ).strip()


def describe_loss(evidence: Evidence) -> str:
    """Say why the losses are equal, or how far they are apart; "" where nothing differs."""
    apart = evidence.loss_b - evidence.loss_a
    if not evidence.differences or not np.isfinite(apart):
        return ""
    if evidence.loss_a != evidence.loss_b:
        return f"The loss of B is {abs(apart):.3g} {'above' if apart > 0 else 'below'} that of A."
    first = evidence.differences[0].direction
    if first == "forward":
        return "Arrays of forward differ, but the loss, its result, does not."
    return (
        f"Both losses are equal, as they must be: the loss is computed in forward, and the first "
        f"difference comes later, in {first}. It can change a loss only from the next update on."
    )


def summary_of(evidence: Evidence, update_text: str) -> str:
    """Return HTML: what is changed, how much differs, the losses, and the gradient check.

    Arguments:
        evidence: What is known of the two recordings.
        update_text: Which update it is, as `describe_update` says.
    """
    bug = evidence.bug
    update = []
    if bug is None:
        update.append(_paragraph("A is the first recording, B is the second."))
    else:
        update += _changed_functions(bug.edits)
    update.append(_first_difference(evidence))
    if describe_loss(evidence):
        update.append(_paragraph(describe_loss(evidence)))

    more = []
    if evidence.losses:
        words = html.escape(describe_curves(*evidence.losses))
        more.append(f'<p class="curve-words">{words}</p>')
    if evidence.gradient_check:
        more.append(_paragraph(evidence.gradient_check))
    if bug and bug.teaches:
        more.append(_background(bug))
    head = f'<p class="which-update">{html.escape(update_text)}</p>'
    return "\n".join([head, "<div>", *update, "</div>", "<div>", *more, "</div>"])


def describe_curves(a: np.ndarray, b: np.ndarray, other_seed: np.ndarray | None = None) -> str:
    """Say what the losses are at the end of a small training.

    Arguments:
        a: The losses of the first code.
        b: Those of the second.
        other_seed: Those of the first from another seed.

    >>> describe_curves(np.array([2.0, 1.0]), np.array([2.0])).rpartition(" B ends ")[2]
    'after 1 of 2 updates, because its loss is not finite.'
    """
    words = f"In a small training of {len(a)} updates, of a model that begins untrained, "
    if len(b) < len(a):
        words += f"A ends at the loss {_mean_of_last(a):.4g}, the mean of its last {N_LAST}."
        return f"{words} B ends after {len(b)} of {len(a)} updates, because its loss is not finite."

    mean_a = _mean_of_last(a)
    mean_b = _mean_of_last(b)
    words += f"the mean of the last {N_LAST} losses is {mean_a:.4g} in A and {mean_b:.4g} in B."
    if other_seed is None:
        return words
    mean_other = _mean_of_last(other_seed)
    by_seed = abs(mean_other - mean_a)
    by_change = abs(mean_b - mean_a)
    words += f" A from another seed, gray, has {mean_other:.4g}:"
    if by_change <= by_seed:
        return f"{words} other random numbers alone make as much of a difference as the change."
    return f"{words} B is farther from A than that, {by_change:.3g} as against {by_seed:.3g}."


def _mean_of_last(losses: np.ndarray) -> float:
    return float(losses[-N_LAST:].mean())


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


def _background(bug: PlantedBug) -> str:
    """Return where a bug was seen and what it teaches, which can be opened."""
    return (
        "<details><summary>Where it was seen, and what it teaches</summary>"
        f"{_seen(bug.seen)}"
        f"<p><strong>What it teaches:</strong> {html.escape(bug.teaches.strip())}</p></details>"
    )


def _seen(text: str) -> str:
    """Return where a bug was seen; the URL at its end is a link."""
    words, _, url = text.strip().rpartition(" ")
    if not url.startswith("https://"):
        return f"<p><strong>Seen:</strong> {html.escape(text.strip())}</p>"
    link = f'<a href="{html.escape(url)}" rel="noreferrer">{html.escape(url)}</a>'
    return f"<p><strong>Seen:</strong> {html.escape(words)} {link}</p>"


def _changed_functions(edits: Sequence[BugEdit]) -> list[str]:
    """Return for each function that is changed its lines in A and in B, as HTML."""
    edits_of_place: dict[str, list[BugEdit]] = defaultdict(list)
    for edit in edits:
        edits_of_place[edit.place].append(edit)

    functions = []
    for place, own_edits in edits_of_place.items():
        file, _, function = place.partition("::")
        where = f"<code>{html.escape(function)}</code> in <code>{html.escape(file)}</code>"
        removed, added = _diff(place, own_edits)
        parts = [
            f"<p>{where}</p>",
            _lines_of("A", "the code as it is", removed),
            _lines_of("B", "the changed code", added),
        ]
        functions.append(f'<div class="change">{"".join(parts)}</div>')
    return functions


def _lines_of(side: str, what: str, lines: Sequence[str]) -> str:
    """Return the lines that only one of the recordings has, as HTML."""
    label = f'<span class="label of-{side.lower()}"><strong>{side}</strong> {what}</span>'
    code = "\n".join(lines) or "(does not have this line)"
    return f'{label}<code class="only-{side.lower()}">{code}</code>'


def _diff(place: str, edits: Sequence[BugEdit]) -> tuple[list[str], list[str]]:
    """Return the lines of a function that edits remove and add, as HTML.

    They have neither the indentation of all nor comments at their ends.
    """
    file, _, _ = place.partition("::")
    source = functions_of(file).get(place)
    if source is None:  # a function inside a function
        removed = [html.escape(edit.right) for edit in edits]
        return removed, [html.escape(edit.wrong) for edit in edits]

    changed = source.text
    for edit in edits:
        changed = replace_code(changed, edit)
    signs = []
    lines = []
    for line in difflib.ndiff(source.lines, changed.split("\n")):
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
        words = f"All {evidence.n_arrays:,} arrays are equal."
        if evidence.bug is not None:
            words += (
                " The change does nothing in this update: it may act where a model is made, or "
                "need dropout, padding or a repeated token."
            )
        return _paragraph(words)
    first = differences[0]
    place = first.place
    count = f"{len(differences):,} of {evidence.n_arrays:,} arrays differ"
    n_handed_on = sum(difference.is_handed_on for difference in differences)
    handed_on = f", {n_handed_on:,} of them only handed on" if n_handed_on else ""
    name = html.escape(f"{place.name} in {place.module}.{place.function}")
    link = f'<button type="button" class="plain" data-difference="0">{name}</button>'
    where = html.escape(f"{first.file}:{first.line}")
    return (
        f"<p><strong>{count}</strong>{handed_on}. The first, in {first.direction}, is {link} "
        f"({where}): {html.escape(_how(first))}.</p>"
    )


def _how(difference: Difference) -> str:
    """Say how A and B differ."""
    if difference.b is None:
        return "only A makes it"
    if difference.a is None:
        return "only B makes it"
    if difference.a.shape != difference.b.shape:
        return f"its shape is {difference.a.shape} in A and {difference.b.shape} in B"
    if np.isinf(difference.apart):
        return "an entry is not finite"
    apart = f"B differs from A by up to {difference.apart:.3g}"
    if np.isinf(difference.size):
        return f"{apart}, and A is 0 up to rounding"
    return f"{apart}, which is {in_percent(difference.size)} of the largest entry of A"

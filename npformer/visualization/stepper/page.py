"""The page of a recording: one piece of HTML, which asks nothing of the network."""

import html
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from ..plots.colors import role_of, role_style
from ..viewer.viewer import readable
from .axes import AxisNames
from .figure import boxes_of
from .packing import packed
from .recorder import Call, Recorder, Step
from .source_analysis import Function

COMPUTED = ("local", "gradient", "parameter", "returned")


def page_of(
    recorder: Recorder,
    texts: dict,
    title: str = "",
    notes: Sequence[str] = (),
    *,
    summary: str = "",
    rows: str = "",
    folders: Sequence[Path] = (),
    **more: Any,
) -> str:
    """Return the page of a recording, with all lines and arrays, in ASCII.

    Arguments:
        recorder: The recording.
        texts: The ids and tokens of each side, "s" and "t".
        title: The title of the page.
        notes: Paragraphs about the page.
        summary: HTML below the title.
        rows: Rows of a table for places without scripts, in place of those of the layers.
        folders: Folders of further scripts and styles.
        more: Further data for the scripts of the page.
    """
    # every script is in the page, because a page that is mailed has no other files
    folder = Path(__file__).parent
    scripts = [folder.parent / "viewer" / "theme.js"]
    styles = []
    for one in (folder, *folders):
        scripts += sorted(one.glob("*.js"))
        styles += sorted(one.glob("*.css"))
    code = "".join(path.read_text("utf-8") for path in scripts)
    style = "".join(path.read_text("utf-8") for path in styles)
    data = {**_without_arrays(recorder, texts), **more}
    content = {
        "title": html.escape(title),
        "style": style + role_style(":root"),
        "summary": summary,
        "notes": "".join(f"<p>{html.escape(note)}</p>" for note in notes),
        "rows": rows or layer_rows(recorder),
        "data": packed(data, recorder.arrays),
        "code": _in_ascii(code),
    }
    page = Template((folder / "page.html").read_text("utf-8")).substitute(content)
    return page.encode("ascii", "xmlcharrefreplace").decode()


def _in_ascii(script: str) -> str:
    """Return a script in ASCII.

    A script element takes no character references, so those of JavaScript replace other characters.
    """
    text = ""
    for character in script:
        if character.isascii():
            text += character
        else:
            text += f"\\u{ord(character):04x}"
    return text


def _without_arrays(recorder: Recorder, texts: dict) -> dict[str, Any]:
    """Return everything except the arrays, as JSON has it."""
    functions = list(recorder.functions.values())
    places = {function: place for place, function in enumerate(functions)}
    calls = []
    for call in recorder.calls:
        place = places[call.function]
        calls.append([call.module, place, call.parent, call.direction, call.first, call.last])

    roles = _roles_by_function(recorder)
    described = []
    for f in functions:
        about = {"name": f.name, "file": f.file, "first": f.first, "lines": f.lines}
        described.append({**about, "roles": roles[f]})

    tokens = {}
    for side, text in texts.items():
        tokens[side] = [list(map(readable, row)) for row in text["tokens"]]
    return {
        "roles": _roles_of_layers(recorder),
        "labels": {name: module.display_name for name, module in recorder.modules.items()},
        "functions": described,
        "calls": calls,
        "steps": _steps(recorder, texts),
        "computing": _computing_steps(recorder),
        "integers": _integer_blocks(recorder),
        "boxes": boxes_of(recorder.modules),
        "tokens": tokens,
    }


def _roles_of_layers(recorder: Recorder) -> dict[str, str]:
    """Return which names of layers are those of queries, keys or values, such as w_query."""
    roles = {}
    for name in recorder.modules:
        own_name = name.rpartition(".")[2]
        if role_of(own_name):
            roles[own_name] = role_of(own_name)
    return roles


def _roles_by_function(recorder: Recorder) -> dict[Function, dict[str, str]]:
    """Return which arrays of each function are queries, keys or values.

    There are some only where at least two of the three are: the v of Adam is another.
    """
    roles: dict[Function, dict[str, str]] = {f: {} for f in recorder.functions.values()}
    for step in recorder.steps:
        of_function = roles[recorder.calls[step.call].function]
        for made in step.made:
            if role_of(made.name):
                of_function[made.name] = role_of(made.name)
    for of_function in roles.values():
        if len(set(of_function.values())) == 1:
            of_function.clear()
    return roles


def _steps(recorder: Recorder, texts: dict) -> list[list]:
    """Return the steps, with the names of the axes of their arrays."""
    names = AxisNames({side: text["ids"] for side, text in texts.items()})
    steps = []
    commented: dict[tuple, list[str]] = {}
    for step in recorder.steps:
        call = recorder.calls[step.call]
        made = []
        for name, kind, number in step.made:
            _, shape, _ = recorder.arrays.views[number]
            # a line of backward without a comment has the axes of forward
            key = (call.module, shape, name)
            axes = call.function.axes_in(step.line, name) or commented.get(key, [])
            commented[key] = axes
            made.append([name, kind, number, names.of(call.module, shape, axes)])
        steps.append([step.call, step.line, step.done, made, step.products])
    return steps


def _computing_steps(recorder: Recorder) -> list[int]:
    """Return the numbers of the steps whose line computes an array."""
    found = []
    for number, step in enumerate(recorder.steps):
        call = recorder.calls[step.call]
        computed = [array for array in step.made if array.kind in COMPUTED]
        if computed and step.line in call.function.computing and not _is_passed_on(recorder, step):
            found.append(number)
    return found


def _is_passed_on(recorder: Recorder, step: Step) -> bool:
    """Return whether a line returns an argument as it is: `dy if scale is None else dy * scale`."""
    arguments = recorder.steps[recorder.calls[step.call].first].made
    numbers = {array.number for array in arguments}
    return all(array.kind == "returned" and array.number in numbers for array in step.made)


def _integer_blocks(recorder: Recorder) -> list[int]:
    """Return the blocks of numbers that are ids or places, which have no color."""
    blocks = enumerate(recorder.arrays.blocks)
    return [number for number, block in blocks if block.dtype.kind in "iu"]


@np.errstate(all="ignore")
def layer_rows(recorder: Recorder) -> str:
    """Return the rows of a table for places without scripts.

    They have what forward returned, and the norm of dy.
    """
    rows = {call.module: ["", "", "", ""] for call in recorder.calls}
    for call in recorder.calls:
        row = rows[call.module]
        array = _first_array(recorder, call)
        if not array.size:
            continue
        if call.function.name == "forward":
            row[:3] = [str(array.shape), f"{array.mean():.3g}", f"{array.std():.3g}"]
        elif call.function.name == "backward":
            row[3] = f"{np.linalg.norm(array):.3g}"

    lines = [["layer", "output", "mean", "std", "norm of dy"]]
    for name, row in rows.items():
        lines.append([name, *row])
    return "\n".join(f"<tr>{_cells(line)}</tr>" for line in lines)


def _first_array(recorder: Recorder, call: Call) -> np.ndarray:
    """Return what a forward returned, or the first argument of another function."""
    step = call.last if call.function.name == "forward" else call.first
    made = recorder.steps[step].made
    return recorder.arrays[made[0].number] if made else np.zeros(0)


def _cells(texts: Sequence[str]) -> str:
    """Return the cells of a row of a table."""
    return "".join(f"<td>{html.escape(text)}</td>" for text in texts)

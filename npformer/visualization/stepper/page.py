"""The page of a recording: one piece of HTML with all lines and arrays, which asks nothing of the network."""

import html
from pathlib import Path
from string import Template

import numpy as np

from ..viewer.viewer import readable
from .axes import AxisNames
from .figure import boxes_of
from .packing import packed
from .recorder import Recorder


def page_of(recorder: Recorder, texts: dict, title: str = "", notes=(), **more) -> str:
    """Return the page of a recording, in ASCII; `more` is for its scripts."""
    folder = Path(__file__).parent
    code = "".join(path.read_text("utf-8") for path in sorted(folder.glob("*.js")))
    content = {
        "title": html.escape(title),
        "style": (folder / "stepper.css").read_text("utf-8"),
        "notes": "".join(f"<p>{html.escape(note)}</p>" for note in notes),
        "rows": layer_rows(recorder),
        "data": packed(_without_arrays(recorder, texts) | more, recorder.arrays),
        "code": "".join(letter if letter.isascii() else f"\\u{ord(letter):04x}" for letter in code),
    }
    page = Template((folder / "page.html").read_text("utf-8")).substitute(content)
    return page.encode("ascii", "xmlcharrefreplace").decode()


def _without_arrays(recorder: Recorder, texts: dict) -> dict:
    """Return everything except the arrays, as JSON has it."""
    names = AxisNames({side: text["ids"] for side, text in texts.items()})
    functions = list(recorder.functions.values())
    places = {function: place for place, function in enumerate(functions)}
    steps, known = [], {}
    for step in recorder.steps:
        call, made = recorder.calls[step.call], []
        for name, kind, number in step.made:
            key = call.module, recorder.arrays.views[number][1], name
            known[key] = call.function.axes_in(step.line, name) or known.get(
                key, []
            )  # in backward those of forward
            made.append([name, kind, number, names.of(*key[:2], known[key])])
        steps.append([step.call, step.line, step.done, made, step.products])
    return {
        "labels": {name: module.label for name, module in recorder.modules.items()},
        "functions": [
            {"name": f.name, "file": f.file, "first": f.first, "lines": f.lines} for f in functions
        ],
        "calls": [
            [c.module, places[c.function], c.parent, c.direction, c.first, c.last]
            for c in recorder.calls
        ],
        "steps": steps,
        "boxes": boxes_of(recorder.modules),
        "tokens": {
            side: [[readable(t) for t in row] for row in text["tokens"]]
            for side, text in texts.items()
        },
    }


@np.errstate(all="ignore")
def layer_rows(recorder: Recorder) -> str:
    """Return the rows of a table for places without scripts: what forward returned, and the norm of dy."""
    rows = {call.module: ["", "", "", ""] for call in recorder.calls}
    for call in recorder.calls:
        is_forward = call.function.name == "forward"
        made = recorder.steps[call.last if is_forward else call.first].made
        array = recorder.arrays[made[0].number] if made else np.zeros(0)
        if is_forward and array.size:
            rows[call.module][:3] = [str(array.shape), f"{array.mean():.3g}", f"{array.std():.3g}"]
        elif call.function.name == "backward" and array.size:
            rows[call.module][3] = f"{np.linalg.norm(array):.3g}"
    lines = [
        ["layer", "output", "mean", "std", "norm of dy"],
        *([name, *row] for name, row in rows.items()),
    ]
    return "\n".join(
        f"<tr><td>{'</td><td>'.join(map(html.escape, line))}</td></tr>" for line in lines
    )

"""A figure that a reader changes: one piece of HTML with its script, and a picture without one."""

from __future__ import annotations

import base64
import hashlib
import html
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from string import Template
from typing import Any

# The picture is in the page too: GitHub, and a notebook that is not trusted, show the HTML less
# its script. The script hides what is inside the div.
PIECE = Template("""\
<div class="live-figure" data-figure="$name" data-lm-suppress-shortcuts="true">
<p><strong>$title</strong></p>
<img alt="$description" src="data:image/png;base64,$picture" style="max-width: 100%">
<p>This is a picture of a figure with $controls: run the notebook, or open it on the site.</p>
</div>
<script>
(() => {
"use strict";
const STYLE = $style;
const CONTENT = $content;
$code
mountEach("$name");
})();
</script>
""")


@dataclass(frozen=True)
class Slider:
    """A choice of one of some values, in their order."""

    name: str
    label: str
    values: Sequence[float]
    start: float


@dataclass(frozen=True)
class Switch:
    """A choice of yes or no."""

    name: str
    label: str
    start: bool


class LiveFigure:
    """A figure with sliders, which is shown by the last line of a cell.

    The script defines `figure`, an object of three functions, which frame.js explains.

    Arguments:
        script: the name of its file in this folder
        title: a line above the figure
        description: what it shows, for readers who do not see it
        controls: its sliders and switches, from top to bottom
        data: numbers for the script, as JSON has them
        picture: a matplotlib figure of the start, for places where no script runs
    """

    def __init__(
        self,
        script: str,
        title: str,
        description: str,
        controls: Sequence[Slider | Switch],
        data: Mapping[str, Any],
        picture: Any,
    ):
        self.script = script
        self.title = title
        self.description = description
        self.controls = controls
        self.data = data
        self.png = _as_png(picture)

    def _repr_png_(self) -> bytes:
        return self.png

    def _repr_html_(self) -> str:
        content = {
            "title": self.title,
            "description": self.description,
            "controls": [asdict(control) for control in self.controls],
            "data": self.data,
        }
        style = _as_script(read("frame.css"))
        content_text = _as_script(content)
        code = read("frame.js") + read(self.script)

        has_slider = any(isinstance(control, Slider) for control in self.controls)

        # two figures in one notebook have two names
        name = hashlib.sha256((content_text + code).encode()).hexdigest()[:16]
        return PIECE.substitute(
            name=name,
            controls="sliders" if has_slider else "switches",
            title=html.escape(self.title),
            description=html.escape(self.description),
            picture=base64.b64encode(self.png).decode("ascii"),
            style=style,
            content=content_text,
            code=code,
        )

    def __repr__(self) -> str:
        return f"LiveFigure({self.title!r})"


def read(name: str) -> str:
    """Return the text of a file of this folder."""
    return (Path(__file__).parent / name).read_text("utf-8")


def _as_png(picture: Any) -> bytes:
    """Return a matplotlib figure as the content of a PNG file."""
    file = io.BytesIO()
    # without the version of matplotlib, which differs from machine to machine
    picture.savefig(file, format="png", dpi=80, metadata={"Software": None})
    return file.getvalue()


def _as_script(value: Any) -> str:
    r"""Return a value as JavaScript that cannot end the script element that holds it.

    >>> _as_script("</script>")
    '"\\u003c/script>"'
    """
    return json.dumps(value, separators=(",", ":")).replace("<", r"\u003c")

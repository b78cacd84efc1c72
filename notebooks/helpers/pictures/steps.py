"""The step debugger in a notebook, at a line."""

import hashlib
import html
import json

from npformer.visualization.stepper import StepThrough

# where there is no room for two columns, code and array share the height, each with its own scroll
NARROW = """
@media (max-width: 1000px) {
  .app { height: 100vh; }
  .code-panel { flex: 0 1 auto; max-height: 45vh; overflow: auto; }
  .array-panel { flex: 1 1 0; overflow: auto; }
  .figure-panel { display: none; }
}
"""


class StepFrame:
    """A frame with the page of a recording at a place.

    The page is large. `at` returns a frame of the same page at another place that takes it from the
    first frame.

    Arguments:
        recording: the recording
        place: an address of the page, or words to search for
        height: of the frame
    """

    def __init__(self, recording: StepThrough, place: str, height: str = "42rem"):
        self.recording = recording
        self.place = place
        self.height = height
        self.page = recording._repr_html_()
        self.key = hashlib.blake2b(self.page.encode(), digest_size=8).hexdigest()

    def at(self, place: str, height: str = "26rem"):
        """Return a small frame of the same page at another place.

        The first frame must be shown in the notebook too.
        """
        return _FrameOfSamePage(self.key, place, height)

    def _repr_html_(self) -> str:
        # the script in the page keeps it for the other frames, and goes to the place
        keep = f'(parent.stepPages ??= {{}})["{self.key}"] ??= frameElement.srcdoc;'
        body = f"<body>\n<script>{keep} {_go_to(self.place)}</script>"
        frame = self.page.replace(html.escape("<body>"), html.escape(body), 1)
        end_of_style = html.escape("</style>")
        frame = frame.replace(end_of_style, html.escape(NARROW) + end_of_style, 1)
        frame = frame.replace("Step debugger", _title(self.place), 1)
        return frame.replace("height: 45rem", f"height: {self.height}", 1)

    def __repr__(self):
        return f"StepFrame({self.place!r}, {self.recording!r})"


class _FrameOfSamePage:
    def __init__(self, key: str, place: str, height: str):
        self.key = key
        self.place = place
        self.height = height

    def _repr_html_(self) -> str:
        note = (
            "Waits for the first frame of the step debugger above: run its cell, or scroll to it."
        )
        load = f"""<p>{note}</p>
<script>
{_go_to(self.place)}
const waiting = setInterval(() => {{
  const page = parent.stepPages?.["{self.key}"];
  if (!page) return;
  clearInterval(waiting);
  document.open();
  document.write(page);
  document.close();
}}, 200);
</script>"""
        style = f'style="width: 100%; height: {self.height}; border: 0"'
        return (
            f'<iframe title="{_title(self.place)}" {style} srcdoc="{html.escape(load)}"></iframe>'
        )

    def __repr__(self):
        return f"the frame above, at {self.place!r}"


def _go_to(place: str) -> str:
    return f"if (!location.hash) location.hash = {json.dumps(place)};"


def _title(place: str) -> str:
    return html.escape(f"Step debugger at {place}")

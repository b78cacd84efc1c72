"""The step debugger in a notebook, at a line."""

import html
import json

from npformer.visualization.stepper import StepThrough


class StepFrame:
    """A frame with the page of a recording at a place: an address of the page, or words to search for."""

    def __init__(self, recording: StepThrough, place: str, height: str = "34rem"):
        self.recording, self.place, self.height = recording, place, height

    def _repr_html_(self) -> str:
        go = f"<body>\n<script>location.hash = {json.dumps(self.place)};</script>"
        frame = self.recording._repr_html_().replace(html.escape("<body>"), html.escape(go), 1)
        title = html.escape(f"Step debugger at {self.place}")
        return frame.replace("Step debugger", title, 1).replace("height: 45rem", f"height: {self.height}", 1)

    def __repr__(self):
        return f"StepFrame({self.place!r}, {self.recording!r})"

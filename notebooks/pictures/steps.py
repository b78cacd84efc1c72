"""The step debugger in a notebook, at a line."""

import html
import json

from npformer.visualization.stepper import StepThrough


class StepFrame:
    """A frame with the page of a recording at a place: an address of the page, or words to search for."""

    def __init__(self, recording: StepThrough, place: str, height: str = "34rem"):
        self.recording, self.place, self.height = recording, place, height

    def _repr_html_(self) -> str:
        page = self.recording.html().replace(
            "<body>", f"<body>\n<script>location.hash = {json.dumps(self.place)};</script>"
        )
        size = f'style="width: 100%; height: {self.height}; border: 0"'
        return (
            f'<iframe title="Step debugger at {html.escape(self.place)}" {size} srcdoc="{html.escape(page)}"></iframe>'
        )

    def __repr__(self):
        return f"StepFrame({self.place!r}, {self.recording!r})"

"""Notebooks hold their live figures in two forms: a page with a script, and a picture."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = {
    "03_why_divide_by_sqrt_dk": "saturation.js",
    "05_embedding_and_positions": "clock_hands.js",
    "09_backpropagation_from_zero": "backward.js",
    "11_the_backward_of_attention": "saturation.js",
    "15_adam_and_warm_up": "ravine.js",
    "19_decoding": "alpha.js",
    "24_generating_text": "temperature.js",
    "26_looking_at_attention": "head_off.js",
}


def live_figure(name):
    """Return the output of a notebook that has a live figure, by type."""
    notebook = json.loads((FOLDER / f"{name}.ipynb").read_text("utf-8"))
    found = []
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            data = {kind: "".join(lines) for kind, lines in output.get("data", {}).items()}
            if 'class="live-figure"' in data.get("text/html", ""):
                found.append(data)
    [figure] = found
    return figure


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook_has_live_figure_as_page_and_as_picture(name):
    figure = live_figure(name)
    picture = figure["image/png"].strip()
    assert f'src="data:image/png;base64,{picture}"' in figure["text/html"]
    for file in ("frame.js", NOTEBOOKS[name]):
        script = (FOLDER / "helpers" / "live_figures" / file).read_text("utf-8")
        assert script in figure["text/html"], f"run  python tools/make.py {name}"


def test_queries_that_notebook_03_names_are_those_near_a_tie():
    page = live_figure("03_why_divide_by_sqrt_dk")["text/html"]
    content = json.loads(re.search("const CONTENT = (.*);", page)[1])
    data = content["data"]
    scores = np.array(data["scores"])[:, data["sizes"].index(64)]  # (8, 10)
    highest = np.sort(scores, axis=-1)
    apart = highest[:, -1] - highest[:, -2]
    assert np.flatnonzero(apart < 1).tolist() == [0, 5]

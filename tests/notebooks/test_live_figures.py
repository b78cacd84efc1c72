"""Notebooks hold their live figures in two forms: a page with a script, and a picture."""

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = {
    "02_why_divide_by_sqrt_dk": "saturation.js",
    "04_positions": "clock_hands.js",
    "05a_backpropagation_from_zero": "backward.js",
}


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook_has_live_figure_as_page_and_as_picture(name):
    notebook = json.loads((FOLDER / f"{name}.ipynb").read_text("utf-8"))
    found = []
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if 'class="live-figure"' in "".join(data.get("text/html", [])):
                found.append(data)

    [figure] = found
    page = "".join(figure["text/html"])
    picture = figure["image/png"].strip()
    assert f'src="data:image/png;base64,{picture}"' in page.replace("\n", "")
    script = (FOLDER / "helpers" / "live_figures" / NOTEBOOKS[name]).read_text("utf-8")
    assert script in page, f"run  python tools/make.py {name}"

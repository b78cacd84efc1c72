"""What the README says still holds: its Python runs, its map names what is there, and no page links to nothing."""

import re
from pathlib import Path

import pytest

import npformer as npf

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "notebooks" / "README.md", *(ROOT / "docs").glob("*.md")]
PAGES += [ROOT / "npformer" / "classroom" / "README.md"]
MAP = README.split("## The house, box by box")[1].split("## The paper")[0]


def test_the_python_runs_and_learns():
    [code] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names = {}
    exec(code.replace("range(50)", "range(1)"), names)
    first = names["value"]
    exec(code, names)
    assert names["value"] < first / 2


def test_the_map_names_files_that_exist():
    named = re.findall(r"`((?:\w+/)?\w+\.py)`", MAP)
    assert len(named) > 15
    for name in named:
        assert list((ROOT / "npformer").rglob(name)), name


@pytest.mark.parametrize("name", re.findall(r"`([A-Z]\w+)`", MAP))
def test_the_map_names_classes_that_exist(name):
    homes = (
        npf.layers,
        npf.models,
        npf.tasks,
        npf.training,
        npf.decoding,
        npf.evaluation,
        npf.visualization,
        npf.visualization.plots,
    )
    assert any(hasattr(home, name) for home in homes)


def anchor(heading):
    """Return what a page's address says after # for this heading of it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_what_a_page_links_to_is_there(page):
    for target, place in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
        other = page.parent / target if target else page
        assert other.exists(), target
        if place:
            headings = re.findall(r"^#+ (.*)$", other.read_text(encoding="utf-8"), re.MULTILINE)
            assert place in map(anchor, headings), (target, place)

"""README and docs: their Python runs, their code and counts are those of the library, and their
links resolve.
"""

import ast
import re
import textwrap
from pathlib import Path

import pytest

import npformer as npf
from npformer.testing import read_planted_bugs
from npformer.testing.cases import CASES

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYPI = (ROOT / "docs" / "pypi.md").read_text(encoding="utf-8")
PAGES = [*ROOT.glob("*.md"), ROOT / "notebooks" / "README.md", ROOT / "data" / "README.md"]
PAGES += [*(ROOT / "docs").rglob("*.md"), ROOT / "npformer_course" / "README.md"]


def test_layer_norm_in_readme_equals_library():
    code = (ROOT / "npformer" / "layers" / "layer_norm.py").read_text(encoding="utf-8")
    [layer_norm] = [node for node in ast.parse(code).body if isinstance(node, ast.ClassDef)]
    start = next(
        node.lineno for node in layer_norm.body if getattr(node, "name", None) == "forward"
    )
    shown, *_ = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    code = "\n".join(code.splitlines()[start - 1 : layer_norm.end_lineno])
    assert shown.rstrip().replace("\n\n\n", "\n\n") == textwrap.dedent(code)


def test_counts_in_readme_are_correct():
    for number, what in ((len(CASES), "cases"), (len(read_planted_bugs()), "bugs")):
        assert int(re.search(rf"more than (\d+) {what}", README)[1]) < number


@pytest.mark.parametrize(
    "name", re.findall(r"`([A-Z]\w+)`", README.partition("## Where each box")[2])
)
def test_readme_names_classes_that_exist(name):
    assert any(hasattr(home, name) for home in (npf.layers, npf.models, npf.tasks))


def anchor(heading):
    """Return the anchor of a heading, the part of an address after #."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_of_a_page_resolve(page):
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", text)
    links += [(picture, "") for picture in re.findall(r'<img src="([^"]*)"', text)]
    for target, place in links:
        other = page.parent / target if target else page
        assert other.exists(), target
        headings = (
            re.findall(r"^#+ (.*)$", other.read_text(encoding="utf-8"), re.MULTILINE)
            if place
            else []
        )
        assert not place or place in map(anchor, headings), (target, place)


def test_pypi_page_has_only_absolute_links():
    assert not re.findall(r"\]\((?!https://)", PYPI)
    assert "long_description = file: docs/pypi.md" in (ROOT / "setup.cfg").read_text(
        encoding="utf-8"
    )


def test_version_is_the_same_everywhere():
    citation, changes = (
        (ROOT / name).read_text(encoding="utf-8") for name in ("CITATION.cff", "CHANGELOG.md")
    )
    assert re.findall(r"^version: (.*)$", citation, re.MULTILINE) == [npf.__version__]
    assert re.findall(r"^## (\S+)", changes, re.MULTILINE)[0] == npf.__version__

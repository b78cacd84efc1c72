"""What the README says still holds: its Python runs, and the files and classes of its map exist."""

import re
from pathlib import Path

import pytest

import npformer as npf

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
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
        npf.seeing,
        npf.seeing.plots,
    )
    assert any(hasattr(home, name) for home in homes)


def test_pictures_and_pages_it_links_to_are_there():
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target

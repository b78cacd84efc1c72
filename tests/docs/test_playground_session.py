"""What the playground computes, outside a browser."""

import importlib.util
import json
from pathlib import Path

import pytest

import npformer as npf
from npformer.testing import BugEdit, PlantedBug, find_bug, gallery

ROOT = Path(npf.__file__).parents[1]
SENTENCE = "the girl sees a small dog ."
LAYER_NORM = "layers/layer_norm.py::LayerNorm.backward"


@pytest.fixture(scope="module")
def code():
    specification = importlib.util.spec_from_file_location(
        "session", ROOT / "docs/playground/session.py"
    )
    specification.loader.exec_module(module := importlib.util.module_from_spec(specification))
    return module


@pytest.fixture(scope="module")
def session(code):
    return code.Session()


@pytest.mark.parametrize("bug", gallery(), ids=lambda bug: bug.title)
def test_bug_of_the_gallery_shows(session, bug):
    assert session.shows(SENTENCE, bug)


def test_change_of_nothing_does_not_show(session):
    edit = BugEdit(LAYER_NORM, "dxhat = dy * self.gain.data", "dxhat = self.gain.data * dy")
    assert not session.shows(SENTENCE, PlantedBug("same numbers", [edit], caught_by=""))


def test_bug_in_how_a_model_is_made_is_compared(session):
    bug = "positional encoding with the exponent doubled"
    comparison = session.comparison(SENTENCE, "Das Mädchen schläft .", bug)
    assert comparison.bug == find_bug(bug) and comparison.first.direction == "forward"


def test_both_steps_begin_with_the_same_moments(session):
    """So that with a wrong optimizer the first difference is in the update."""
    comparison = session.comparison(SENTENCE, "Das Mädchen schläft .", "Adam's eps inside the root")
    assert {difference.direction for difference in comparison.differences} == {"update"}


def test_error_is_one_line(code, session):
    for change in (
        {"layers/layer_norm.py:60": "return ("},
        {"layers/layer_norm.py:60": "return a"},
    ):
        found = json.loads(code.answer(session, json.dumps(["compare", [SENTENCE, "", change]])))
        assert set(found) == {"error"} and "\n" not in found["error"]


def test_training_goes_on_a_little_at_a_time_to_both_curves(code, session, monkeypatch):
    monkeypatch.setattr(code, "N_UPDATES", 3)
    monkeypatch.setattr(code, "UPDATES_AT_A_TIME", 2)
    session.right_training = code.Training()
    session.comparison(SENTENCE, "Das Mädchen schläft .", "causal mask forgotten")
    found = []
    while not found or "progress" in found[-1]:
        found.append(session.train())
    assert [one["progress"][-14:] for one in found[:2]] == ["2 of 3 updates", "3 of 3 updates"]
    right, wrong = found[-1]["losses"]
    assert len(right) == len(wrong) == 3 and right != wrong

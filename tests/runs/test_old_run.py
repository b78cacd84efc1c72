"""A run folder that was written before settings, data sets and runs were what they are now."""

import json
import shutil
from pathlib import Path

import pytest

from npformer import runs
from npformer.runs.folder import RunFolder

OLD = Path(__file__).parent / "old_run"


@pytest.fixture
def old(tmp_path, monkeypatch):
    """A copy of the folder; its training files are named relative to it."""
    copy = shutil.copytree(OLD, tmp_path / "old")
    monkeypatch.chdir(copy)
    return copy


def test_old_run_gives_its_original_translations(old):
    translator = runs.load(old)
    assert translator.translate(["the dog sleeps .", "the boy sings ."]) == [
        "der Junge",
        "der Junge",
    ]
    best, second = translator.n_best(["the dog comes"], n=2)[0]
    assert [best.text, second.text] == ["der Junge", "der Hund"]
    assert [best.score, second.score] == pytest.approx([-2.0808, -2.2311], abs=1e-4)


def test_old_run_keeps_settings_of_its_config(old):
    written = json.loads((old / "config.json").read_text())["training"]
    settings = RunFolder(old).training()
    assert {name: getattr(settings, name) for name in written} == written
    assert (settings.dataset, settings.direction) == (None, None)


def test_old_run_resumes_with_its_original_losses(old):
    run = runs.resume(old, epochs=22)
    updates = list(run.updates())
    assert [update.step for update in updates] == [41, 42, 43, 44]
    assert updates[1].loss == pytest.approx(1.364173024892807, rel=1e-5)
    assert updates[3].loss == pytest.approx(1.2407045364379883, rel=1e-5)
    assert updates[3].held_out_loss == pytest.approx(1.1329440673192341, rel=1e-5)
    assert runs.resume(old).done

import sys

import pytest

from npformer import MissingExtraError
from npformer.utils.errors import import_optional


@pytest.fixture
def without(monkeypatch):
    """Make libraries look as if they were not installed."""

    def hide(*names):
        for name in names:
            monkeypatch.setitem(sys.modules, name, None)

    return hide


def test_missing_library_error_gives_install_command(without):
    without("cupy")
    with pytest.raises(MissingExtraError) as caught:
        import_optional("cupy", "npformer[cuda12]")
    assert str(caught.value) == 'cupy is not installed: run  pip install "npformer[cuda12]"'


@pytest.mark.parametrize(
    ("library", "name"),
    [("sacrebleu.metrics", "sacrebleu"), ("safetensors", "safetensors")],
    ids=["scores", "weights"],
)
def test_verb_that_needs_missing_library_reports_it(refused, without, trained_run, library, name):
    without(library)
    assert f"{name} is not installed: run  pip install" in refused("evaluate", trained_run)


def test_verb_that_does_not_need_missing_library_works(command, without, trained_run):
    without("sacrebleu", "sacrebleu.metrics", "matplotlib", "matplotlib.figure", "tqdm")
    assert command("translate", trained_run, "the dog sleeps .").status == 0

import sys

import pytest

from npformer import InputError, MissingExtraError
from npformer.utils.errors import import_optional, prefix_errors


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


def test_missing_library_in_the_browser_cannot_be_installed(without, monkeypatch):
    without("cupy")
    monkeypatch.setattr(sys, "platform", "emscripten")
    with pytest.raises(
        MissingExtraError, match=r"^cupy is not installed: it is not for the browser$"
    ):
        import_optional("cupy", "npformer[cuda12]")


def test_error_of_a_file_begins_with_its_name_but_not_that_of_a_missing_library(without):
    without("cupy")
    with pytest.raises(InputError, match=r"^a\.txt: too long$"), prefix_errors("a.txt"):
        raise InputError("too long")
    with pytest.raises(MissingExtraError, match=r"^cupy is not"), prefix_errors("a.txt"):
        import_optional("cupy", "npformer[cuda12]")


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

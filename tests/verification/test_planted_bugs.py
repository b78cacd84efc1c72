"""Can the tests fail? Each planted bug must be caught by the ordinary test that its entry names.

Whoever edits a line that a bug quotes sees tests here fail with InputError, whether the edit is
correct or not: the table npformer/testing/planted_bugs.toml has to follow. When mistakes are
planted from outside to measure the tests, leave this file out.
"""

import numpy as np
import pytest

from npformer import InputError
from npformer.layers import LayerNorm
from npformer.testing import BugEdit, PlantedBug, gradient_check, plant, read_planted_bugs

BUGS = read_planted_bugs()
N_BUGS = 346
CAUGHT = AssertionError, RuntimeError, ValueError, pytest.fail.Exception
# the bugs of these files are planted every day, all others with the long tests
EVERY_DAY = ("layers/layer_norm.py", "layers/softmax.py")


def files_of(bug):
    """Return the files that a bug is planted in."""
    return {edit.place.partition("::")[0] for edit in bug.edits}


def parameters():
    """Return the bugs as parameters of a test."""
    params = []
    for bug in BUGS:
        marks = [] if files_of(bug) <= set(EVERY_DAY) else [pytest.mark.long]
        params.append(pytest.param(bug, marks=marks, id=bug.name))
    return params


class Outcome:
    """A plugin of pytest that notes the exception of a test that fails."""

    error = None

    def pytest_exception_interact(self, call):
        self.error = call.excinfo.value


def run_test(test_id):
    """Run a test in this process, as pytest does; return its exception, or None if it passes."""
    outcome = Outcome()
    options = ["-o", "addopts=", "-n0", "-q", "--tb=no", "-p", "no:cacheprovider"]
    status = pytest.main([test_id, *options], plugins=[outcome])
    assert status in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED), test_id
    return outcome.error


@pytest.mark.parametrize("bug", parameters())
def test_planted_bug_is_caught(bug, monkeypatch, request):
    monkeypatch.chdir(request.config.rootpath)
    # what a wrong gradient looks like takes long to find out
    monkeypatch.setattr(gradient_check, "explain", lambda check, names: {})
    with plant(bug), np.errstate(all="ignore"):
        error = run_test(bug.caught_by)
    assert isinstance(error, CAUGHT)


@pytest.mark.long
@pytest.mark.parametrize("test_id", sorted({bug.caught_by for bug in BUGS}))
def test_same_test_passes_without_bug(test_id, monkeypatch, request):
    monkeypatch.chdir(request.config.rootpath)
    assert run_test(test_id) is None


def test_every_bug_can_be_planted():
    for bug in BUGS:
        with plant(bug):
            pass


def test_stale_edit_is_not_counted_as_caught():
    edit = BugEdit("layers/layer_norm.py::LayerNorm.backward", "no such line", "")
    bug = PlantedBug("stale", [edit], caught_by="")
    with pytest.raises(InputError, match="backward: 'no such line' occurs 0 times"), plant(bug):
        pass


def test_bug_is_removed_after_an_error():
    right_code = LayerNorm.backward.__code__
    with pytest.raises(KeyError), plant(BUGS[0]):
        assert LayerNorm.backward.__code__ is not right_code
        raise KeyError
    assert LayerNorm.backward.__code__ is right_code


def test_table_of_planted_bugs_is_complete():
    assert len(BUGS) == N_BUGS

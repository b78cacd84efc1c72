"""Can the tests fail? Each planted bug must be caught by the ordinary test that the table names for it.

Whoever edits a line into which a bug is planted sees tests here fail with InputError, be the edit right or wrong: that
says that the table has to follow, and nothing about the line. Whether it is right is for the other tests to say, so
when mistakes are planted from outside to measure the tests, leave this file out.
"""

from inspect import Parameter, signature

import numpy as np
import pytest
from planted_bugs import AT_LENGTH, EVERY_DAY, PLANTED_BUGS, plant
from planted_bugs.plant import called

from npformer import InputError
from npformer_course.exercise import Edit

N_PLANTED = 315
CAUGHT = AssertionError, RuntimeError, ValueError, pytest.fail.Exception
OTHERS = [pytest.param(bug, marks=pytest.mark.long) for bug in AT_LENGTH]
by_name = pytest.mark.parametrize("bug", [*EVERY_DAY, *OTHERS], ids=lambda bug: bug.name)


def run(test, request):
    """Run an ordinary test, with the fixtures that it asks for beyond what the table gives it."""
    asked = [
        name
        for name, parameter in signature(test).parameters.items()
        if parameter.default is Parameter.empty
    ]
    test(**{name: request.getfixturevalue(name) for name in asked})


@by_name
def test_planted_bug_is_caught(bug, monkeypatch, request):
    plant(bug.edits, monkeypatch)  # outside of what may raise: InputError is no bug that was caught
    with np.errstate(all="ignore"), pytest.raises(CAUGHT):
        run(bug.test, request)


@pytest.mark.long
@pytest.mark.parametrize(
    "test", {called(bug.test): bug.test for bug in PLANTED_BUGS}.values(), ids=called
)
def test_same_test_passes_without_bug(test, request):
    run(test, request)


def test_stale_patch_is_not_counted_as_caught(monkeypatch):
    bug = PLANTED_BUGS[0]
    place = bug.edits[0]
    with pytest.raises(InputError, match="backward: 'no such line' stands 0 times in the source"):
        plant([place._replace(edit=Edit("no such line", ""))], monkeypatch)


def test_planted_bugs_are_removed(monkeypatch):
    before = [vars(owner)[name] for bug in PLANTED_BUGS for owner, name, _ in bug.edits]
    for bug in PLANTED_BUGS:
        with monkeypatch.context() as patch:
            plant(bug.edits, patch)
    assert [vars(owner)[name] for bug in PLANTED_BUGS for owner, name, _ in bug.edits] == before


def test_table_of_planted_bugs_is_complete():
    assert len(PLANTED_BUGS) == len({bug.name for bug in PLANTED_BUGS}) == N_PLANTED

"""Can the tests fail? Each planted bug must be caught by the ordinary test that the table names for it."""

import numpy as np
import pytest
from planted_bugs import PLANTED_BUGS, plant

N_PLANTED = 93
by_name = pytest.mark.parametrize("bug", PLANTED_BUGS, ids=lambda bug: bug.name)


@by_name
def test_the_bug_is_caught(bug, monkeypatch):
    plant(bug.edits, monkeypatch)
    with np.errstate(all="ignore"), pytest.raises((AssertionError, RuntimeError, ValueError, pytest.fail.Exception)):
        bug.test()


@pytest.mark.parametrize("test", {str(bug.test): bug.test for bug in PLANTED_BUGS}.values(), ids=str)
def test_without_a_bug_the_same_test_passes(test):
    test()


def test_planting_is_undone(monkeypatch):
    before = [vars(owner)[name] for bug in PLANTED_BUGS for owner, name, *_ in bug.edits]
    for bug in PLANTED_BUGS:
        with monkeypatch.context() as patch:
            plant(bug.edits, patch)
    assert [vars(owner)[name] for bug in PLANTED_BUGS for owner, name, *_ in bug.edits] == before


def test_the_table_is_complete():
    assert len(PLANTED_BUGS) == len({bug.name for bug in PLANTED_BUGS}) == N_PLANTED

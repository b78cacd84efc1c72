"""Answers that once had full marks and are wrong: numbers for booleans, a mode that changes, a row that no id reads."""

import pytest

from npformer.classroom import course
from npformer.classroom.cases import Case
from npformer.classroom.checks import check, run_here

WRONG = {
    "masks": ("causal_mask", {"return np.tril": "return 1.0 * np.tril"}),
    "dropout": (
        "dx in training, then eval mode",
        {"return dy * self.factor": "return dy * self.factor if self.training else dy"},
    ),
    "tied_generator": ("tied gradient", {"    return total": "    total[0] = dgenerator[0]\n    return total"}),
}


@pytest.mark.parametrize("id", WRONG)
def test_it_is_wrong(id):
    part, changes = WRONG[id]
    text = course.load(id).key
    for right, wrong in changes.items():
        assert text.count(right) == 1
        text = text.replace(right, wrong)
    found = {found.name: found for found in check(Case(course.load(id), 0), text, run_here).parts}
    assert found[part].outcome == "wrong" and found[part].points == 0

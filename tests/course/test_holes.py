"""Answers that once had full marks and are wrong.

Numbers for booleans, a mode that changes, a row that no id reads; a zero of x taken for
dropped, the logarithm of a p that was rounded to 0, an end outside the first K that counts.
"""

import pytest

from npformer_course import course
from npformer_course.case import case_at
from npformer_course.check_answer import check
from tests.run_here import run_here

WRONG = [
    ("masks", "causal_mask", {"return np.tril": "return 1.0 * np.tril"}),
    (
        "dropout",
        "dx in training, then eval mode",
        {"return dy * self.factor": "return dy * self.factor if self.training else dy"},
    ),
    (
        "dropout",
        "dx",
        {
            "return x * self.factor": "self.y = x * self.factor\n        return self.y",
            "return dy * self.factor": "return dy * self.factor * (self.y != 0)",
        },
    ),
    (
        "tied_generator",
        "tied gradient",
        {"    return total": "    total[0] = dgenerator[0]\n    return total"},
    ),
    (
        "label_smoothing",
        "loss",
        {"shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))": "np.log(softmax(shifted))"},
    ),
    (
        "beam",
        "score",
        {"finished = ended & (np.arange(len(tokens)) < beam)": "finished = ended.copy()"},
    ),
]
SOFTMAX = """

def softmax(x):
    return np.exp(x) / np.exp(x).sum(-1, keepdims=True)
"""


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("id", "part", "changes"), WRONG, ids=[f"{id}-{part}" for id, part, _ in WRONG]
)
def test_answer_is_rejected(id, part, changes, seed):
    text = course.load(id).key
    for right, wrong in changes.items():
        assert text.count(right) == 1
        text = text.replace(right, wrong)
    found = {
        found.name: found
        for found in check(case_at(id, seed), text + SOFTMAX, run_here, explained=False).parts
    }
    assert found[part].outcome == "wrong" and found[part].points == 0

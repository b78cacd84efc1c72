"""What is said where something is written, and a call still comes to what is not."""

import pytest

from npformer.classroom import index as course
from npformer.classroom.exercise_at_seed import case_at
from npformer.classroom.grade import check, run_here
from npformer.classroom.render import student_text

RAISE = "    raise NotImplementedError  # your lines go here"
CALL = "    return padding_mask(ids, pad_id)"
LINES = "    e = np.exp(x - x.max(-1, keepdims=True))\n    return e / e.sum(-1, keepdims=True)"


def told(id, text):
    """Check a student's text; return the outcome of each part, and what is said of it."""
    return [(part.outcome, part.finding.text) for part in check(case_at(id, 0), text, run_here).parts]


def stub(id):
    text = student_text(course.load(id))
    assert RAISE in text
    return text


def test_of_an_untouched_file_nothing_is_said():
    assert {*told("softmax", stub("softmax"))} == {("unattempted", "")}


@pytest.mark.parametrize("written", [f"{RAISE}\n{LINES}", f"{LINES.splitlines()[0]}\n{RAISE}"])
def test_a_line_that_still_raises_is_named(written):
    text = stub("softmax").replace(RAISE, written)
    line = text[: text.index(RAISE)].count("\n") + 1
    assert told("softmax", text)[0] == ("unattempted", f"line {line} still raises NotImplementedError")


def test_a_call_of_what_is_not_written_is_named():
    before, behind = stub("masks").split("def target_mask", 1)
    text = f"{before}def target_mask{behind.replace(RAISE, CALL, 1)}"
    line = text[: text.index(CALL)].count("\n") + 1
    found = told("masks", text)
    assert found[0] == ("unattempted", "")
    assert ("unattempted", f"line {line} calls padding_mask, which is not written yet") in found

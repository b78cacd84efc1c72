"""Loops without end: what they cost, and that one interruption ends the check."""

import pytest

from npformer.classroom import index as course
from npformer.classroom.exercise_at_seed import Case
from npformer.classroom.sandbox.runner import Sandbox
from npformer.classroom.student.notebook import Question


@pytest.mark.long
def test_after_one_loop_the_other_calls_get_a_third_of_the_time():
    exercise = course.load("heads")
    loop = "".join(
        f"def {name}(*inputs):\n    while True: pass\n" for name in ("split_heads", "merge_heads", "mask_of_heads")
    )
    with Sandbox(0.6) as sandbox:
        answers = sandbox.run(exercise, loop, Case(exercise, 0).jobs).answers
    assert [answer.state for answer in answers] == ["timeout"] * 9
    assert [answer.error for answer in answers[::3]] == ["no end after 0.6 s", *["no end after 0.2 s"] * 2]


def test_what_is_fast_is_right_after_a_loop_too():
    exercise = course.load("heads")
    text = exercise.key.replace(
        "def merge_heads", "def split_heads(*inputs):\n    while True: pass\n\n\ndef merge_heads"
    )
    with Sandbox(0.6) as sandbox:
        states = [answer.state for answer in sandbox.run(exercise, text, Case(exercise, 0).jobs).answers]
    assert states == ["timeout"] * 3 + ["done"] * 6


def test_one_interruption_ends_a_check_in_a_notebook():
    calls = []

    def mask_of_heads(mask, n_heads):
        calls.append(mask)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Question(course.load("heads"), {"mask_of_heads": mask_of_heads}).require("mask_of_heads")
    assert len(calls) == 1

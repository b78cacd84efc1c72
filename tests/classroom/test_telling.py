"""What a terminal and a notebook print of a check, line by line, and how a notebook shows it."""

from itertools import pairwise

import pytest

from npformer.classroom import index as course
from npformer.classroom.format_report import Line, report_lines
from npformer.classroom.render import student_text
from npformer.classroom.report import Finding, Part, Report
from npformer.classroom.student.notebook import Namespace, Question, Shown

SAID = Finding("fact", "same", "all is lost", "Is it?")


def part(name, finding=SAID, outcome="wrong", **more):
    return Part(name, "backward", outcome, 1, finding, **more)


def texts(*parts, printed="", **more):
    return [line.text for line in report_lines(Report("softmax", parts, printed), **more)][1:]


def test_the_same_reason_is_said_once():
    asked_alone = Finding("fact", "other", "half is lost", "Is it?")
    lines = texts(part("dx"), part("dw"), part("db", asked_alone))
    assert lines == ["✗ dx: wrong", "all is lost", "Is it?", "✗ dw: wrong", "as above", "✗ db: wrong", "half is lost"]


def test_what_waits_for_another_part_is_not_called_wrong():
    waiting = part("inputs", Finding("none", "", "counts later"), "unattempted")
    assert texts(waiting) == ["· inputs: counts later"]


@pytest.mark.parametrize("numbers", ["the numbers differ", SAID.text])
def test_why_adds_neither_that_the_numbers_differ_nor_what_was_said(numbers):
    assert texts(part("dx", numbers=numbers), why=True) == ["✗ dx: wrong", "all is lost", "Is it?"]


def test_of_much_that_was_printed_it_is_said_that_there_is_more():
    assert texts(printed="a\n" * 20).count("a") == 20 and "... and more" not in texts(printed="a\n" * 20)
    assert "... and more" in texts(printed="a\n" * 21)


def test_code_keeps_its_spaces_in_a_notebook():
    shown = Shown([Line("code", 0, "    return x <= 1"), Line("code", 0, "")])._repr_html_()
    assert "white-space: pre-wrap" in shown and ">    return x &lt;= 1</div>" in shown and "&nbsp;" in shown


def names(lines):
    """What a notebook has defined after a cell with these lines."""
    made = {"__name__": "__main__"}
    exec(compile(lines, "cell-7", "exec"), made)
    return made


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        ("def softmax(x):\n    y = 1\n    return nope\n", "NameError: name 'nope'"),
        ("from statistics import median\ndef softmax(x):\n    return median([])\n", "StatisticsError: no median"),
    ],
)
def test_a_notebook_is_told_the_line_in_its_cell(lines, error):
    made = names(lines)
    assert Namespace(made).__files__ == {"cell-7"}
    assert f"ended in line 3 with {error}" in repr(Question(course.load("softmax"), made).check())


def test_one_interrupt_ends_a_check_in_a_notebook():
    calls = []
    made = names("def softmax(x):\n    calls.append(1)\n    raise KeyboardInterrupt\n") | {"calls": calls}
    made["softmax"].__globals__["calls"] = calls
    with pytest.raises(KeyboardInterrupt):
        Question(course.load("softmax"), made).check()
    assert len(calls) == 1


@pytest.mark.parametrize("id", course.ids())
def test_no_line_of_prose_is_long_or_becomes_a_list_by_chance(id):
    lines = student_text(course.load(id)).split("\n")
    assert max(map(len, lines)) <= 120
    for before, line in pairwise(lines):
        assert not line.startswith("# 1. ") or before == "#"

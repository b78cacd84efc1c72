"""What a terminal and a notebook print of a check, line by line, and how a notebook shows it."""

import pytest

from npformer_course import course
from npformer_course.format_report import report_lines
from npformer_course.report import Finding, Part, Report
from npformer_course.student.notebook import Namespace, NotebookExercise

SAID = Finding("fact", "same", "all is lost", "Is it?")


def part(name, finding=SAID, outcome="wrong", **more):
    return Part(name, "backward", outcome, 1, finding, **more)


def texts(*parts, printed="", **more):
    return [line.text for line in report_lines(Report("softmax", parts, printed), **more)][1:]


def test_repeated_reason_is_printed_once():
    asked_alone = Finding("fact", "other", "half is lost", "Is it?")
    lines = texts(part("dx"), part("dw"), part("db", asked_alone))
    assert lines == [
        "✗ dx: wrong",
        "all is lost",
        "Is it?",
        "✗ dw: wrong",
        "as above",
        "✗ db: wrong",
        "half is lost",
    ]


def test_same_reason_of_another_part_is_printed_once():
    lost = [
        Finding("mistake", "lost", f"{name} lacks dy", f"Is {name} it?") for name in ("dx", "y")
    ]
    assert texts(part("dx", lost[0]), part("y", lost[1])) == [
        "✗ dx: wrong",
        "dx lacks dy",
        "Is dx it?",
        "✗ y: wrong",
        "as above",
    ]
    # dx is dx_out, and dw is not
    apart = [Finding("fact", "is", f"{name} is dx_out", "?") for name in ("dx", "dx_out")]
    assert "as above" not in texts(part("dx", apart[0]), part("dx_out", apart[1]))


def test_each_line_of_a_reason_is_a_line():
    two = Finding("mistake", "a + b", "two mistakes\n1. dx\n2. dy", "1. Why?\n2. How?")
    assert texts(part("dx", two))[1:] == ["two mistakes", "1. dx", "2. dy", "1. Why?", "2. How?"]
    raised = Finding("guard", "raised", "line 1\nline 2", "?")
    assert texts(part("dx", raised))[1:] == ["line 1\nline 2", "?"]


def test_part_waiting_for_another_is_not_marked_incorrect():
    waiting = part("inputs", Finding("none", "", "counts later"), "unattempted")
    assert texts(waiting) == ["· inputs: counts later"]


@pytest.mark.parametrize(
    ("id", "part_and_fact", "words"),
    [
        ("softmax_backward", ("dx", "the sum goes along another axis", "an axis of dy?"), "dy * y"),
        ("beam", ("penalty", "it is not 1", "what is the length?"), "each length"),
        ("linear", ("db", "db is not summed over B", ""), "db"),
        ("warmup", ("rate", "it is flat", "?"), None),
    ],
)
def test_why_shows_the_hint_that_fits(id, part_and_fact, words):
    name, text, question = part_and_fact
    found = part(name, Finding("mistake", "", text, question))
    right = part("other", Finding("none", "", ""), "right")
    lines = [line.text for line in report_lines(Report(id, (right, found)), why=True)]
    hints = [line for line in lines if line.startswith("Hint ")]
    assert len(hints) == (words is not None)
    assert all(words in hint for hint in hints)
    assert not any("Hint " in line.text for line in report_lines(Report(id, (right, found))))


@pytest.mark.parametrize("numbers", ["the numbers differ", SAID.text])
def test_why_does_not_repeat_the_finding(numbers):
    assert texts(part("dx", numbers=numbers), why=True) == ["✗ dx: wrong", "all is lost", "Is it?"]


def names(lines):
    """What a notebook has defined after a cell with these lines."""
    made = {"__name__": "__main__"}
    exec(compile(lines, "cell-7", "exec"), made)
    return made


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        ("def softmax(x):\n    y = 1\n    return nope\n", "NameError: name 'nope'"),
        (
            "from statistics import median\ndef softmax(x):\n    return median([])\n",
            "StatisticsError: no median",
        ),
    ],
)
def test_notebook_error_reports_line_in_cell(lines, error):
    made = names(lines)
    assert Namespace(made).__files__ == {"cell-7"}
    assert f"ended in line 3 with {error}" in repr(
        NotebookExercise(course.load("softmax"), made).check()
    )


@pytest.mark.parametrize(("n", "is_cut"), [(20, False), (21, True)])
def test_twenty_lines_of_what_was_printed_are_shown(n, is_cut):
    lines = texts(part("dx"), printed="x\n" * n)
    assert lines.count("x") == 20 and ("... and more" in lines) is is_cut

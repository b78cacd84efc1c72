"""What a terminal and a notebook print of a check, line by line, and how a notebook shows it."""

import pytest

from npformer_course import course
from npformer_course.format_report import Line, report_lines
from npformer_course.report import NOTHING, Finding, Part, Report
from npformer_course.student.notebook import CellOutput, Namespace, NotebookExercise

SAID = Finding("fact", "same", "all is lost", "Is it?")


def part(name, finding=SAID, outcome="wrong", **more):
    return Part(name, "backward", outcome, 1, finding, **more)


def texts(*parts, printed="", **more):
    return [line.text for line in report_lines(Report("softmax", parts, printed), **more)][1:]


def test_lines_of_a_report_have_styles_and_indents():
    right, unwritten = part("dw", NOTHING, "right"), part("db", NOTHING, "unattempted")
    wrong = part("dx", numbers="at [0] your dx has 1, expected 2")
    report = Report("softmax", (right, wrong, unwritten), "a\nb\n", failed_cells=("cell 2 fails",))
    title = f"03 {course.load('softmax').title}"
    assert list(report_lines(report, why=True)) == [
        Line("title", 0, f"{title}: 1 of 3 points"),
        Line("error", 1, "! cell 2 fails"),
        Line("right", 1, "✓ dw: right"),
        Line("wrong", 1, "✗ dx: wrong"),
        Line("fact", 3, "all is lost"),
        Line("question", 3, "Is it?"),
        Line("plain", 3, "at [0] your dx has 1, expected 2"),
        Line("unattempted", 1, "· db: not written yet"),
        Line("plain", 1, "it printed:"),
        Line("code", 2, "a"),
        Line("code", 2, "b"),
    ]


@pytest.mark.parametrize(
    ("predicted", "said"),
    [
        ("{right}", "You predicted {right}: so it is."),
        ("{wrong}", "You predicted {wrong}: it is {right}, {text}."),
        ("", 'Under "Predict first" the answer is {right}, {text}.'),
        ("z", 'Under "Predict first" the answer is {right}, {text}.'),
    ],
)
def test_prediction_is_answered_once_all_is_right(predicted, said):
    prediction = course.load("softmax").prediction
    right = prediction.answer
    wrong = next(letter for letter in prediction.choices if letter != right)
    words = {"right": right, "wrong": wrong, "text": prediction.choices[right]}
    parts = (part("y", NOTHING, "right"),)
    report = Report("softmax", parts, predicted=predicted.format(**words))
    _, _, passed, last = report_lines(report)
    assert passed == Line("right", 0, "All checks passed.")
    assert last == Line("plain", 0, f"{said.format(**words)} {prediction.because}")


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
    # of two parts that are wrong it is about the first
    parts = (right, found, found)
    lines = [line.text for line in report_lines(Report(id, parts), why=True)]
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


def test_lines_in_a_notebook_have_colors_and_are_escaped():
    lines = [
        Line("wrong", 1, "<b>"),
        Line("plain", 0, ""),
        Line("title", 0, "t"),
        Line("code", 2, "x"),
    ]
    shown = CellOutput(lines, "<img>")
    assert repr(shown) == "  <b>\n\nt\n    x"
    red = "color-mix(in srgb, currentColor 40%, #ff3b30)"
    code = "font-family: monospace; white-space: pre-wrap"
    assert shown._repr_html_().split("\n") == [
        f'<div style="margin-left: 1em; color: {red}; ">&lt;b&gt;</div>',
        '<div style="margin-left: 0em; color: inherit; ">&nbsp;</div>',
        '<div style="margin-left: 0em; color: inherit; font-weight: bold">t</div>',
        f'<div style="margin-left: 2em; color: inherit; {code}">x</div>',
        "<img>",
    ]

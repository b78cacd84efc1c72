"""The question that goes with a fact."""

from types import SimpleNamespace

import pytest

from npformer.testing.mismatch import Fact
from npformer_course.diagnosis.questions import question
from npformer_course.percent_format import Cell


def asked(id, text="", *, prose="$$y = x$$"):
    exercise = SimpleNamespace(cells=[Cell(prose, markdown=True), Cell("y = x")])
    comparison = SimpleNamespace(case=SimpleNamespace(exercise=exercise))
    return question(comparison, Fact(id, text))


@pytest.mark.parametrize(
    ("id", "text", "words"),
    [
        ("close", "is right to 5 digits", "computed in float32"),
        ("zeros", "is 0 everywhere", "never filled"),
        ("zeros", "is 0", "returns early"),
        ("is x", "is x, unchanged", "not done yet"),
        ("sign", "has the wrong sign", "Which sign does the formula give it"),
        ("factor 2", "", "counted twice"),
        ("factor sqrt(D)", "", "which number, root or power"),
        ("factor 1/D", "", "takes a mean or divides by a length"),
        ("factor 1/(B * T)", "", "takes a mean or divides by a length"),
        ("factor 1/sqrt(D)", "", "which number, root or power"),
        ("factor 0.5", "as if a mean was taken", "takes a mean or divides by a length"),
        ("factor B * T", "", "Over which axes did you sum"),
        ("only at padding", "", "a position that holds no word"),
        ("only where the mask is False", "", "know the mask"),
        ("only in rows without a True", "", "a row give in which nothing may be seen"),
        ("only at repeated ids", "", "an id that occurs more than once"),
        ("only in the row of padding", "", "should the row of padding hold"),
        ("only at the last", "", "special about these entries"),
        ("term: the mean is missing", "", "Which paths lead"),
        ("term: the mean stands twice", "", "add it"),
        ("term: the mean has the wrong sign", "", "Which sign does this term have"),
        ("term: the mean has a factor 2", "", "By what is this term multiplied"),
        ("times gain", "", "Which of your lines can bring that about"),
    ],
)
def test_question_fits_the_fact(id, text, words):
    assert words in asked(id, text)


def test_question_names_the_text_where_it_has_no_formula():
    prose = "Which sign does {} give it, and which of your lines makes yours?"
    assert asked("sign") == prose.format("the formula")
    assert asked("sign", prose="y is x") == prose.format("the text")

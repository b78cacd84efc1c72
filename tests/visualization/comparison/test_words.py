"""What is said of two recordings, in words."""

import numpy as np
import pytest

from npformer.testing import BugEdit, PlantedBug, find_bug
from npformer.visualization.comparison.alignment import Difference, Place
from npformer.visualization.comparison.page import _name_sentences
from npformer.visualization.comparison.summary import (
    Evidence,
    _changed_functions,
    _how,
    _seen,
    describe_curves,
    describe_loss,
    describe_update,
    rows_of_differences,
    title_of,
)


def difference(**changes):
    """Return that of 4 in A and 3 in B."""
    said = {
        "place": Place("encoder.norm", "forward", 0, "y", "local", 0),
        "direction": "forward",
        "file": "npformer/layers/layer_norm.py",
        "line": 7,
        "step": 3,
        "a": np.array([4.0]),
        "b": np.array([3.0]),
        "apart": 1.0,
        "size": 0.25,
        "weight": 0.25,
        "is_rounding": False,
        "is_handed_on": False,
        "causes": (),
        "pair": None,
    }
    return Difference(**said | changes)


def evidence(**changes):
    said = Evidence(
        differences=[difference()],
        n_arrays=9,
        loss_a=2.0,
        loss_b=2.0,
        history="It was so.",
        bug=None,
        losses=None,
        gradient_check="",
    )
    return said._replace(**changes)


@pytest.mark.parametrize(
    ("changes", "in_words", "of_page"),
    [
        (
            {},
            "differs by up to 1, 25 % of its largest entry",
            "B differs from A by up to 1, which is 25 % of the largest entry of A",
        ),
        ({"b": None}, "is in the first recording only", "only A makes it"),
        ({"a": None}, "is in the second recording only", "only B makes it"),
        (
            {"b": np.zeros(2)},
            "has the shapes (1,) and (2,)",
            "its shape is (1,) in A and (2,) in B",
        ),
        (
            {"apart": np.inf, "size": np.inf},
            "is not finite in one of the recordings",
            "an entry is not finite",
        ),
        (
            {"size": np.inf},
            "differs by up to 1, and is 0 up to rounding in the first recording",
            "B differs from A by up to 1, and A is 0 up to rounding",
        ),
    ],
)
def test_how_two_arrays_differ(changes, in_words, of_page):
    found = difference(**changes)
    assert str(found) == f"y (encoder.norm forward, npformer/layers/layer_norm.py:7) {in_words}"
    assert _how(found) == of_page


def test_table_has_the_first_twenty_differences():
    lines = rows_of_differences([difference()] * 20).split("\n")
    how = "B differs from A by up to 1, which is 25 % of the largest entry of A"
    place = "<td>encoder.norm.forward</td><td>npformer/layers/layer_norm.py:7</td>"
    assert lines == [
        "<tr><th>array</th><th>layer and function</th><th>line</th><th>A and B</th></tr>",
        *[f"<tr><td>y</td>{place}<td>{how}</td></tr>"] * 20,
    ]
    more = rows_of_differences([difference()] * 21).split("\n")
    assert more == [*lines, '<tr><td colspan="4">and 1 more</td></tr>']


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"loss_b": 2.5}, "The loss of B is 0.5 above that of A."),
        ({"loss_b": 1.5}, "The loss of B is 0.5 below that of A."),
        ({}, "Arrays of forward differ, but the loss, its result, does not."),
        (
            {"differences": [difference(direction="backward"), difference()]},
            "Both losses are equal, as they must be: the loss is computed in forward, and the first "
            "difference comes later, in backward. It can change a loss only from the next update on.",
        ),
        ({"loss_b": np.nan}, ""),
        ({"differences": [], "loss_b": 2.5}, ""),
    ],
)
def test_loss_and_why_it_may_be_equal(changes, says):
    assert describe_loss(evidence(**changes)) == says


@pytest.mark.parametrize(
    ("changes", "sentences", "says"),
    [
        (
            {},
            ("“a”", "“a”"),
            "A and B are the same training update (forward) on “a”, with the loss 2 in both. It was "
            "so.",
        ),
        (
            {"loss_b": 2.5, "history": ""},
            ("", ""),
            "A and B are the same training update (forward), with the loss 2 in A and 2.5 in B.",
        ),
        (
            {"loss_b": 2.5},
            ("“a”", "“b”"),
            "A is one training update (forward) on “a”, with the loss 2; B is one on “b”, with the "
            "loss 2.5. It was so.",
        ),
    ],
)
def test_which_update_it_is(changes, sentences, says):
    assert describe_update(evidence(**changes), "forward", *sentences) == says


def bug(name, *functions, **more):
    edits = [BugEdit(f"layers/layer_norm.py::{function}", "x", "y") for function in functions]
    return PlantedBug(name, edits, "", **more)


@pytest.mark.parametrize(
    ("bug", "title"),
    [
        (None, "Two updates side by side"),
        (bug("no mean term", "A.f"), "What if this line were wrong? no mean term"),
        (bug("no mean", "A.f", title="No mean"), "What if this line were wrong? No mean"),
        (
            bug("a changed line", "A.f", "A.f", "A.g"),
            "What if A.f and A.g were changed?",
        ),
    ],
)
def test_title_names_what_is_changed(bug, title):
    assert title_of(bug) == title


BEGIN = "In a small training of 30 updates, of a model that begins untrained, "
OTHER_SEED = "A from another seed, gray, has 1.5:"


@pytest.mark.parametrize(
    ("losses", "says"),
    [
        ((1.0, 2.0), "the mean of the last 20 losses is 1 in A and 2 in B."),
        (
            (1.0, 2.0, 1.5),
            "the mean of the last 20 losses is 1 in A and 2 in B. A from another seed, gray, has "
            "1.5: B is farther from A than that, 1 as against 0.5.",
        ),
        (
            (1.0, 0.5, 1.5),
            "the mean of the last 20 losses is 1 in A and 0.5 in B. A from another seed, gray, has "
            "1.5: other random numbers alone make as much of a difference as the change.",
        ),
    ],
)
def test_curves_are_described_by_the_mean_of_their_last_losses(losses, says):
    # what was before does not count
    curves = [np.array([9.0] * 10 + [loss] * 20) for loss in losses]
    assert describe_curves(*curves) == BEGIN + says


def test_curve_that_ends_early_is_said_to():
    assert describe_curves(np.arange(30.0), np.arange(7.0)) == (
        f"{BEGIN}A ends at the loss 19.5, the mean of its last 20. B ends after 7 of 30 updates, "
        "because its loss is not finite."
    )


def test_sentences_are_counted():
    one, two = {"tokens": [["a", "<eos>"]]}, {"tokens": [["a"], ["b"]]}
    assert _name_sentences({}) == ""
    assert _name_sentences({"s": one, "t": one}) == "the sentence pair “a → a”"
    assert _name_sentences({"s": one}) == "the text “a”"
    assert _name_sentences({"s": two}) == "2 texts, of which the first is “a”"


def test_where_a_bug_was_seen_may_have_an_address():
    assert _seen(" In a <course>. ") == "<p><strong>Seen:</strong> In a &lt;course&gt;.</p>"
    assert _seen("In a course: https://a.b/1") == (
        "<p><strong>Seen:</strong> In a course: "
        '<a href="https://a.b/1" rel="noreferrer">https://a.b/1</a></p>'
    )


def test_each_changed_function_has_its_lines():
    edits = find_bug("attention: sqrt(d_v) for sqrt(d_k) in both directions").edits
    forward, backward = _changed_functions(edits)
    for html, name in ((forward, "forward"), (backward, "backward")):
        where = f"<code>ScaledDotProductAttention.{name}</code> in <code>layers/attention.py</code>"
        assert html.startswith(f'<div class="change"><p>{where}</p>')
        assert html.count('<code class="only-') == 2

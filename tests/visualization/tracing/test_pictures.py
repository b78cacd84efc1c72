"""A record's arrays as heat maps: which part is shown, and what its axes are called."""

import numpy as np
import pytest

import npformer as npf
from npformer.visualization.plots import new_figure

SELF_ATTENTION = "encoder.layers.0.self_attention"


@pytest.fixture
def ax():
    return new_figure()[1]


def picture(ax):
    return np.asarray(ax.images[0].get_array())


def test_the_first_sentence_is_shown_unless_another_is_asked_for(step, ax):
    record = step[SELF_ATTENTION]
    assert record.plot(ax) is ax
    np.testing.assert_array_equal(picture(ax), record.output[0])
    assert ax.get_title() == f"{SELF_ATTENTION}\noutput, sentence 0"
    record.plot(another := new_figure()[1], "dy", sentence=1)
    np.testing.assert_array_equal(picture(another), record.dy[1])


def test_of_four_axes_a_sentence_and_a_head(step, ax):
    record = step[f"{SELF_ATTENTION}.sublayer.attention.softmax"]
    record.plot(ax, "dx", sentence=1, head=1)
    np.testing.assert_array_equal(picture(ax), record.dinputs.dx[1, 1])
    assert ax.get_title().endswith("dx, sentence 1, head 1")


def test_of_two_axes_and_of_one_everything(step, ax):
    weight = step[f"{SELF_ATTENTION}.sublayer.w_key"]
    weight.plot(ax, "dweight", sentence=0)
    np.testing.assert_array_equal(picture(ax), weight.dparameters["weight"])
    weight.plot(another := new_figure()[1], "dbias")
    np.testing.assert_array_equal(picture(another), weight.dparameters["bias"][None])


@pytest.mark.parametrize(
    ("name", "what", "where", "message"),
    [
        ("encoder", "dx", {}, r"encoder has no 'dx' to plot: expected one of ids, mask, output, dy; or run backward"),
        ("encoder", "values", {}, "look at record.arrays"),
        ("encoder", "output", {"sentence": 2}, r"sentence = 2: output of encoder has 2 of them, counted from 0"),
        ("encoder", "output", {"sentence": -1}, "sentence = -1"),
        (f"{SELF_ATTENTION}.sublayer.attention.softmax", "output", {"head": 2}, "head = 2"),
        ("encoder", "output", {"row_names": ["a"]}, "1 row names for 4 rows"),
    ],
)
def test_what_cannot_be_shown(step, ax, name, what, where, message):
    with pytest.raises(npf.InputError, match=message) as caught:
        step[name].plot(ax, what, **where)
    assert "\n" not in str(caught.value) and not ax.images

"""The three checks of notebook 32d do what they say."""

import numpy as np
import pytest

from helpers import head_project
from helpers.head_project import Example, Head
from npformer import InputError

ON = Example(
    "I turn on the radio.",
    "I turn off the radio.",
    "Ich schalte das Radio",
    "ein",
    "aus",
    "on",
    "turn",
)


def test_measure_is_the_difference_of_two_logits():
    model = head_project.model
    src, tgt = head_project._ids(ON)
    logits = model.forward(src, tgt)[0, -1]
    ids = head_project.translator.target.ids
    assert head_project.measure(ON) == pytest.approx(logits[ids["ein"]] - logits[ids["aus"]])


@pytest.mark.parametrize("kind", head_project.KINDS)
def test_patch_from_the_same_sentence_changes_nothing(kind):
    same = ON._replace(other=ON.source)
    changed = head_project.with_result_of_other(Head(kind, 1, 2), same)
    assert changed == pytest.approx(head_project.measure(ON))


def test_all_heads_of_cross_attention_patched_make_the_other_sentence():
    # in the last layer everything that differs between the sentences comes through its four heads
    # or through the layer below
    shares = [head_project.share_of(Head("cross", 1, number), [ON]) for number in range(4)]
    assert shares[2] > 0.9 and abs(sum(shares) - 1) < 0.2


def test_ablation_takes_the_mean_over_positions_of_other_sentences():
    head = Head("encoder", 0, 1)
    means = head_project._mean_results("encoder", 0)
    assert means.shape == (4, 16) and np.abs(means).max() > 0
    assert head_project.without(head, ON) != head_project.measure(ON)
    assert head_project.measure(ON) == head_project.measure(ON)  # the model is as it was


def test_weight_is_that_of_the_word_that_is_named():
    off = ON._replace(source=ON.other, other=ON.source, right="aus", wrong="ein", looks_at="off")
    weight, chance = head_project.weight_of(Head("cross", 1, 2), off)
    assert weight > 0.9 and chance == pytest.approx(1 / 7)  # six tokens and <eos>
    total = 0
    for word in ("I", "turn", "on", "the", "radio", ".", "<eos>"):
        total += head_project.weight_of(Head("encoder", 1, 1), ON._replace(looks_at=word))[0]
    assert total == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("head", "example", "message"),
    [
        (Head("both", 0, 0), ON, "there is no head"),
        (Head("cross", 2, 0), ON, "a layer from 0 to 1"),
        (Head("cross", 0, 4), ON, "a head from 0 to 3"),
        (Head("cross", 0, 0), ON._replace(looks_at="lamp"), "'lamp' is not in 'i turn on"),
        (Head("cross", 0, 0), ON._replace(right="Xyz"), "'Xyz' is not a token"),
        (Head("cross", 0, 0), ON._replace(other="I turn off it."), "another number of tokens"),
    ],
)
def test_bad_claims_get_one_line(head, example, message):
    with pytest.raises(InputError, match=message):
        head_project.look(head, [example])
        head_project.patch(head, [example])

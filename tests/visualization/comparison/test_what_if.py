"""A change is planted as it is written, both updates begin alike, and what is beside them is true."""

import linecache
import re

import numpy as np
import pytest

import npformer as npf
from npformer import InputError, Transformer, TransformerConfig
from npformer.tasks import Objective, TranslationBatch
from npformer.testing import GradientRow, find_bug, plant
from npformer.visualization.comparison import evidence
from npformer.visualization.comparison.changes import bug_of
from npformer.visualization.comparison.evidence import (
    HIGHEST_OF_SEEDS,
    LOWEST_OF_SEEDS,
    _plain_name,
    case_for,
    gradient_check,
    loss_curve,
)

NORM = "npformer/layers/layer_norm.py"


@pytest.fixture(scope="module")
def objective():
    config = TransformerConfig(
        src_vocab_size=12,
        tgt_vocab_size=12,
        d_model=8,
        d_ff=16,
        n_heads=2,
        n_encoder_layers=1,
        n_decoder_layers=1,
        dropout=0.1,
    )
    model = Transformer(config, rng=0)
    for parameter in model.parameters():
        parameter.data += 0.1
    return Objective(model)


@pytest.fixture(scope="module")
def batch():
    return TranslationBatch.of([[4, 5, 6]], [[6, 7]])


def line_number(text):
    """Return the number of the line of LayerNorm's file that has a text."""
    lines = linecache.getlines(npf.layers.layer_norm.__file__)
    [number] = [n for n, line in enumerate(lines, 1) if text in line]
    return number


def test_line_by_number_and_by_text_are_the_same_change(objective, batch):
    number = line_number("dxhat = dy *")
    by_number = {f"layers/layer_norm.py:{number}": "dxhat = dy"}
    by_text = {"layers/layer_norm.py": ("dxhat = dy * self.gain.data", "dxhat = dy")}
    [one, other] = [
        npf.what_if(objective, batch, change, n_updates=0) for change in (by_number, by_text)
    ]
    assert str(one.differences) == str(other.differences)
    assert one.first.line == number


def test_line_that_occurs_twice_in_its_function_is_changed_where_it_is_said():
    source = npf.training.adam.__file__
    lines = linecache.getlines(source)
    text = "        p = data[chunk]"
    assert text in "".join(lines)
    number = 1 + next(n for n, line in enumerate(lines) if "m *= self.beta1" in line)
    [edit] = bug_of({f"training/adam.py:{number}": "m *= 0.5"}).edits
    assert edit.place == "training/adam.py::Adam.update_part"
    with plant(bug_of({f"training/adam.py:{number}": "m *= 0.5"})):
        changed = linecache.getlines(npf.Adam.update_part.__code__.co_filename)
    assert changed[number - 1] == "            m *= 0.5\n"
    assert changed[: number - 1] + changed[number:] == lines[: number - 1] + lines[number:]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, "no change is given"),
        ({"layers/nothing.py": ("a", "b")}, "'layers/nothing.py' is no file of npformer"),
        ({"testing/planted_bugs.toml": ("a", "b")}, "is no file of npformer: expected one below"),
        ({"../setup.py:1": "a"}, "is no file of npformer"),
        ({"layers/layer_norm.py": ("x", "y")}, "'x' is in 0 functions"),
        (
            {"layers/layer_norm.py": ("xhat, rstd", "1")},
            "'xhat, rstd' is in 2 functions of layers/layer_norm.py once: expected in one. "
            "Copy more of the line, or give the number of the line, such as {"
            '"layers/layer_norm.py:44": "new line"}',
        ),
        ({"layers/layer_norm.py:1": "a = 1"}, "line 1 of layers/layer_norm.py is in no function"),
        # a blank line
        (
            {f"layers/layer_norm.py:{line_number('# mean and var') - 1}": "a = 1"},
            "is in no function",
        ),
        (
            {"layers/layer_norm.py:one": "a = 1"},
            "layers/layer_norm.py:one: expected the number of a line, such as layers/layer_norm.py:"
            "44",
        ),
        (
            {"layers/layer_norm.py": ("dxhat = dy * self.gain.data", "dxhat = (dy")},
            "LayerNorm.backward: 'dxhat = (dy  # (..., D)' is not Python: ",
        ),
        ({"layers/layer_norm.py": ("dxhat = dy *", "dxhat = dy *")}, "has this line already"),
        (
            {"layers/layer_norm.py": ("dxhat = dy *", "dxhat = nobody *")},
            "with this change the update stops: NameError: name 'nobody' is not defined",
        ),
        ("no such bug", "no planted bug is called 'no such bug'"),
    ],
)
def test_change_that_cannot_be_made_is_refused_in_a_line(objective, batch, change, message):
    with pytest.raises(InputError) as error:
        npf.what_if(objective, batch, change, n_updates=0)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_change_that_makes_numbers_too_large_is_compared_without_a_warning(objective, batch):
    change = {"layers/layer_norm.py": ("dxhat = dy * self.gain.data", "dxhat = dy * 1e38 * 1e38")}
    comparison = npf.what_if(objective, batch, change, n_updates=0)
    assert "is not finite in one of the recordings" in str(comparison)


def test_last_line_of_a_function_and_a_function_of_no_class_can_be_changed():
    number = line_number("return rstd * (dxhat - mean - xhat * projection)")
    [edit] = bug_of({f"layers/layer_norm.py:{number}": "return dy"}).edits
    assert (edit.place, edit.wrong) == ("layers/layer_norm.py::LayerNorm.backward", "return dy")
    masks, dropout = "layers/masks.py", "layers/dropout.py"
    changes = {masks: ("!= pad_id", "== pad_id"), dropout: ("p == 0", "p == 1")}
    first, second = bug_of(changes).edits
    assert first.place == "layers/masks.py::padding_mask"
    assert second.place.startswith("layers/dropout.py::")


def test_only_one_layer_is_recorded(objective, batch):
    comparison = npf.what_if(
        objective, batch, "LayerNorm.backward: no mean term", only="encoder.layers.0", n_updates=0
    )
    modules = {difference.place.module for difference in comparison.differences}
    assert modules and all(name.startswith("encoder.layers.0") for name in modules)


@pytest.mark.parametrize("text", ["dxhat = a *", "raise SystemExit(3) #"])
def test_failed_change_leaves_the_code_as_it_was(objective, batch, text):
    before = npf.layers.LayerNorm.backward.__code__
    with pytest.raises(InputError, match="the update stops"):
        npf.what_if(objective, batch, {"layers/layer_norm.py": ("dxhat = dy *", text)})
    assert npf.layers.LayerNorm.backward.__code__ is before


def test_curves_are_those_of_the_same_training_without_and_with_the_bug(objective, batch):
    comparison = npf.what_if(objective, batch, "causal mask: upside down", n_updates=3)
    right, wrong, other_seed = comparison.losses
    np.testing.assert_array_equal(right, loss_curve(3))
    np.testing.assert_array_equal(other_seed, loss_curve(3, seed=1))
    assert len(wrong) == 3
    assert right[0] != wrong[0] and right[0] != other_seed[0]


def test_curve_of_another_seed_begins_with_other_weights(monkeypatch):
    # a single pair is the same batch for every seed
    monkeypatch.setattr(evidence, "_digits_to_reverse", lambda: [([4, 5], [5, 4])])
    [[loss], [other]] = loss_curve(1), loss_curve(1, seed=1)
    assert loss != other


def test_curve_of_a_training_that_diverges_ends_early():
    bug = bug_of({"training/adam.py": ("lr * m_scale * m", "1e38 * m")})
    with plant(bug):
        losses = loss_curve(10)
    assert np.all(np.isfinite(losses))
    assert 1 <= len(losses) < 10


def test_small_task_is_learned_in_200_updates():
    losses = loss_curve(200)
    assert len(losses) == 200
    assert losses[-20:].mean() < losses[:20].mean() / 2


@pytest.mark.long
def test_means_of_seeds_are_as_the_playground_says():
    means = [loss_curve(200, seed=seed)[-20:].mean() for seed in range(8)]
    # rounding differs from machine to machine, and 200 updates enlarge it
    assert min(means) == pytest.approx(LOWEST_OF_SEEDS, abs=0.1)
    assert max(means) == pytest.approx(HIGHEST_OF_SEEDS, abs=0.1)
    assert np.argmin(means) == 0


@pytest.mark.parametrize(
    ("bug", "case", "says"),
    [
        (
            "LayerNorm.backward: no mean term",
            "LayerNorm",
            "(of 1 input and 2 parameters, all entries) with numeric ones",
        ),
        (
            "LayerNorm: eps outside the root",
            "LayerNorm",
            "1 of 3 disagrees, that of the layer's input. The worst entry is ",
        ),
        (
            "AddNorm.backward: dropout forgotten",
            "PostNorm",
            "those of the layer's input, sublayer.linear_1.weight, sublayer.linear_1.bias and 2 "
            "more. The worst",
        ),
        (
            "PreNorm: the residual passes through the norm",
            "PreNorm",
            "those of the layer's input, norm.gain, norm.bias. The worst",
        ),
        (
            "Objective: a softmax before the loss, which has its own, in both directions",
            "Transformer as in the paper",
            "does not find this change",
        ),
        (
            "Objective: the decoder reads the targets, not shifted right",
            "Transformer as in the paper",
            "does not find this change",
        ),
        (
            "attention: sqrt(d_v) for sqrt(d_k) in both directions",
            "ScaledDotProductAttention",
            "They agree, to ",
        ),
        ("Adam: no bias correction of m", None, "no gradient to check"),
        ("ReLU.backward: dy changed in place", "ReLU", "changes dy"),
    ],
)
def test_gradient_check_says_what_it_finds(bug, case, says):
    found = case_for(find_bug(bug))
    assert (found and found.name) == case
    assert says in gradient_check(find_bug(bug))


def assert_says(text, expected):
    """Compare a text with one that has N for every number that rounding may change."""
    pattern = re.escape(expected).replace("N", r"-?[\d.]+(?:e[+-]\d+)?")
    assert re.fullmatch(pattern, text), text


RAN = (
    "It ran {} alone, on random numbers, and compared the gradients that backward computes (of {}) "
    "with numeric ones: how much the output of forward changes when one number is moved a little. "
)


def test_gradient_check_in_full():
    found = gradient_check(find_bug("LayerNorm.backward: no mean term"))
    assert_says(
        found.replace("LayerNorm", "a layer"),
        "The gradient check finds this change. "
        + RAN.format("a layer", "1 input and 2 parameters, all entries")
        + "1 of 3 disagrees, that of the layer's input. The worst entry is N by backward and N "
        "numerically, a relative error of N %, where N % is allowed. So backward is not the "
        "derivative of forward. The gradient of the layer's input differs in each row by one and the "
        "same number, as if a mean were wrong.",
    )
    not_found = gradient_check(find_bug("attention: sqrt(d_v) for sqrt(d_k) in both directions"))
    assert_says(
        not_found,
        "The gradient check does not find this change. "
        + RAN.format("ScaledDotProductAttention", "3 inputs, all entries")
        + "They agree, to N of their size: backward is the derivative of forward. Whether forward "
        "computes what it should, this check cannot see.",
    )


def test_gradient_check_that_stops_says_why():
    bug = bug_of({"layers/layer_norm.py": ("dxhat = dy *", "dxhat = nobody *")})
    expected = "The gradient check of LayerNorm stops: name 'nobody' is not defined."
    assert gradient_check(bug) == expected


def test_inputs_of_a_layer_are_counted_from_0():
    names = [_plain_name(GradientRow(name, (1,), 0.0, (0,), 1.0, 1.0)) for name in ("input 1", "w")]
    assert names == ["the layer's input 1", "w"]

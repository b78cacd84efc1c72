"""Two recordings are aligned by what is computed, and the first difference is where it begins."""

import copy

import numpy as np
import pytest

import npformer as npf
from npformer import Module, Parameter, Transformer, TransformerConfig
from npformer.tasks import Objective, TranslationBatch
from npformer.testing import find_bug
from npformer.training import Adam
from npformer.visualization.stepper import StepThrough
from npformer.visualization.stepper.recorder import Recorder


@pytest.fixture(scope="module")
def objective():
    """A model of two decoder layers with dropout, whose gains and biases are not 1 and 0."""
    config = TransformerConfig(
        src_vocab_size=12,
        tgt_vocab_size=12,
        d_model=16,
        d_ff=32,
        n_heads=2,
        n_encoder_layers=1,
        n_decoder_layers=2,
        dropout=0.1,
    )
    model = Transformer(config, rng=0)
    rng = np.random.default_rng(1)
    for parameter in model.parameters():
        parameter.data += rng.normal(0, 0.3, parameter.data.shape).astype("float32")
    return Objective(model)


@pytest.fixture(scope="module")
def batch():
    return TranslationBatch.of([[4, 5, 6, 7], [8]], [[6, 7, 9], [10]])


@pytest.fixture(scope="module")
def adam(objective, batch):
    adam = Adam(objective.parameters(), learning_rate=0.0)
    objective.zero_grad()
    objective.forward(batch)
    objective.backward()
    adam.step()
    adam.learning_rate = 0.01
    return adam


COMPARISONS = {}  # by bug, without and with Adam: tests look at the same ones


def compare(objective, batch, bug, adam=None):
    key = bug, adam is None
    if key not in COMPARISONS:
        COMPARISONS[key] = npf.what_if(objective, batch, find_bug(bug), adam, n_updates=0)
    return COMPARISONS[key]


def test_same_update_has_no_difference_and_leaves_the_model_as_it_was(objective, batch, adam):
    before = adam.data.copy()
    states = [g.bit_generator.state for g in objective.generators()]
    change = {
        "layers/layer_norm.py": ("dxhat = dy * self.gain.data", "dxhat = self.gain.data * dy")
    }
    comparison = npf.what_if(objective, batch, change, adam, n_updates=0)
    assert comparison.first is None
    assert comparison.n_arrays > 1000
    assert str(comparison) == (
        f"all {comparison.n_arrays:,} arrays are equal: the change does nothing in this update, or "
        "acts when a model is made"
    )
    assert repr(comparison) == f"Comparison({comparison})"
    begin = "Both begin with the weights that the model had."
    assert comparison.history == f"{begin} It is step 2 of Adam."
    np.testing.assert_array_equal(adam.data, before)
    assert [g.bit_generator.state for g in objective.generators()] == states


@pytest.mark.parametrize(
    ("bug", "module", "function", "name", "line_has"),
    [
        (
            "LayerNorm.backward: no mean term",
            "decoder.layers.1.feed_forward.norm",
            "backward",
            "returned",
            "return rstd",
        ),
        (
            "attention.backward: no 1 / sqrt(d_k)",
            "decoder.layers.1.cross_attention.sublayer.attention",
            "backward",
            "dscores",
            "dscores *= 1",
        ),
        (
            "causal mask: upside down",
            "decoder.layers.0.self_attention.sublayer.attention",
            "forward",
            "past",
            "causal_mask(",
        ),
        (
            "ReLU.backward: dy changed in place",
            "decoder.layers.1.feed_forward.sublayer.activation",
            "backward",
            "dy",
            "dy *= y > 0",
        ),
        ("Adam: the betas are exchanged", "Adam", "update_part", None, "p -= "),
    ],
)
def test_first_difference_is_at_the_changed_line(
    objective, batch, adam, bug, module, function, name, line_has
):
    comparison = compare(objective, batch, bug, adam)
    first = comparison.first
    assert (first.place.module, first.place.function) == (module, function)
    assert name in (None, first.place.name)
    assert first.causes == ()
    recording = comparison.b if first.a is None else comparison.a
    call = recording.recorder.calls[recording.steps[first.step].call]
    assert line_has in call.function.lines[first.line - call.function.first]


def test_line_of_both_recordings_is_compared_where_b_changes_the_array_once_more(objective, batch):
    """B sets the gradient to 0 before the line that adds to it, which A has too."""
    bug = "Embedding.backward: the table's gradient overwritten, the generator's part lost"
    comparison = compare(objective, batch, bug)
    of_table = [d for d in comparison.differences if d.place.module.startswith("decoder.input")]
    zeros, sums = [d for d in of_table if d.place.name == "table.grad"]
    assert zeros.a is None and zeros.causes == () and not zeros.b.any()
    assert sums.causes == (comparison.differences.index(zeros),)
    lines = []
    for recording, found in ((comparison.a, sums.pair.a), (comparison.b, sums.pair.b)):
        step = recording.steps[found.step]
        function = recording.recorder.calls[step.call].function
        lines.append(function.lines[step.line - function.first].strip())
    assert lines[0] == lines[1] and lines[0].startswith("scatter_add(self.table.grad, ")
    # what the generator added before
    lost = sums.a - sums.b
    assert np.abs(lost).max() == pytest.approx(sums.apart, rel=1e-6)


def test_argument_with_which_the_difference_begins_is_at_the_line_that_passes_it(objective, batch):
    comparison = compare(objective, batch, "PostNorm: no residual in either direction")
    first = comparison.first
    assert (first.place.kind, first.place.name, first.causes) == ("argument", "x", ())
    assert first.place.module.endswith("norm") and first.is_passed
    call = comparison.a.recorder.calls[comparison.a.steps[first.step].call]
    assert first.file == "npformer/layers/add_norm.py"
    assert "self.norm.forward(x + " in call.function.lines[first.line - call.function.first]
    assert f"add_norm.py:{first.line}" in str(comparison)
    assert not any(d.is_passed for d in comparison.differences if d.causes)


def test_everything_follows_from_the_layers_with_the_bug(objective, batch, adam):
    comparison = compare(objective, batch, "LayerNorm.backward: no mean term", adam)
    for origin in comparison.origins:
        assert origin.place.module.endswith("norm")
        assert origin.place.function == "backward"
    for number, difference in enumerate(comparison.differences):
        assert all(cause < number for cause in difference.causes)
    updated = [d for d in comparison.differences if d.direction == "update"]
    assert updated
    for difference in updated:
        [cause] = difference.causes
        place = comparison.differences[cause].place
        # the lines of step and of each chunk show the same parameter
        is_update = place.name == difference.place.name
        is_gradient = f"{place.module}.{place.name}" == f"{difference.place.name}.grad"
        assert is_update or is_gradient


def test_size_is_a_part_of_the_largest_entry(objective, batch):
    change = {
        "layers/layer_norm.py": ("dxhat = dy * self.gain.data", "dxhat = 1.5 * dy * self.gain.data")
    }
    comparison = npf.what_if(objective, batch, change, n_updates=0)
    assert comparison.first.place.name == "dxhat"
    assert comparison.first.size == pytest.approx(0.5, rel=1e-5)
    np.testing.assert_allclose(comparison.first.b, 1.5 * comparison.first.a, rtol=1e-5)


def test_loss_that_hides_a_bug_is_said_to_be_equal(objective, batch):
    backward = compare(objective, batch, "LayerNorm.backward: no mean term")
    count = f"{len(backward.differences):,} of {backward.n_arrays:,} arrays differ"
    loss = f"the loss is {backward.a.loss:.6g} in both"
    assert str(backward) == f"{count}; the first: {backward.first}; {loss}"
    forward = compare(objective, batch, "causal mask: upside down")
    assert f"the loss is {forward.a.loss:.6g} and {forward.b.loss:.6g}" in str(forward)


def test_arrays_of_other_shapes_and_of_one_recording_are_infinitely_far_apart(objective, batch):
    longer = TranslationBatch.of([[4, 5, 6, 7, 8], [8]], [[6, 7, 9], [10]])
    objective_copy = copy.deepcopy(objective)
    comparison = npf.compare_steps(
        npf.step_through(copy.deepcopy(objective), batch), npf.step_through(objective_copy, longer)
    )
    assert comparison.first.size == np.inf
    assert "has the shapes (2, 5) and (2, 6)" in str(comparison)


def test_flash_attention_has_no_array_with_numbers_of_chance(batch):
    config = TransformerConfig.tiny(src_vocab_size=12, tgt_vocab_size=12, attention="flash")
    objective = Objective(Transformer(config, rng=0))
    one = npf.step_through(copy.deepcopy(objective), batch)
    other = npf.step_through(copy.deepcopy(objective), batch)
    assert npf.compare_steps(one, other).first is None


def test_difference_of_rounding_is_marked(objective, batch):
    """The gradient of the bias of the keys sums to 0: what is left of it is rounding."""
    comparison = compare(objective, batch, "LayerNorm.backward: no mean term")
    found = [d for d in comparison.differences if d.place.name == "bias.grad"]
    of_keys = [d for d in found if d.place.module.endswith("w_key")]
    others = [d for d in found if not d.place.module.endswith("w_key")]
    assert len(of_keys) >= 4 and all(d.is_rounding for d in of_keys)
    assert len(others) > 4 and not any(d.is_rounding for d in others)
    assert not comparison.first.is_rounding


def test_masked_scores_are_equal_where_both_are_masked(objective, batch):
    bug = "attention: sqrt(d_model) for sqrt(d_k) in both directions"
    comparison = compare(objective, batch, bug)
    masked = [
        d
        for d in comparison.differences
        if d.place.module.endswith("softmax") and d.place.name == "x" and np.isinf(d.a).any()
    ]
    assert masked
    assert all(np.isfinite(d.apart) and np.isfinite(d.size) for d in masked)


def test_array_that_is_only_rounding_has_no_relative_size(objective, batch):
    comparison = compare(
        objective, batch, "Softmax: over the axis before the last, in both directions"
    )
    of_keys = [
        d
        for d in comparison.differences
        if d.place.name == "bias.grad" and d.place.module.endswith("w_key")
    ]
    assert of_keys
    for difference in of_keys:
        assert difference.size == np.inf and 0 < difference.apart < np.inf
        assert "is 0 up to rounding in the first recording" in str(difference)


def test_difference_below_rounding_counts_in_float64():
    config = TransformerConfig.tiny(src_vocab_size=12, tgt_vocab_size=12, dtype="float64")
    objective = Objective(Transformer(config, rng=0))
    batch = TranslationBatch.of([[4, 5, 6]], [[6, 7]])
    line = "dxhat = dy * self.gain.data"
    by_a_part = {"layers/layer_norm.py": (line, f"{line} * (1 + 1e-9)")}
    by_rounding = {"layers/layer_norm.py": (line, f"{line} * (1 + 1e-15)")}
    assert not npf.what_if(objective, batch, by_a_part, n_updates=0).first.is_rounding
    assert npf.what_if(objective, batch, by_rounding, n_updates=0).first.is_rounding


def test_array_that_is_handed_on_follows_from_the_same_two(objective, batch):
    comparison = compare(objective, batch, "LayerNorm.backward: no mean term")
    handed_on = [d for d in comparison.differences if d.is_handed_on]
    assert len(handed_on) > 50
    for difference in handed_on:
        [cause] = difference.causes
        before = comparison.differences[cause]
        np.testing.assert_array_equal(difference.a, before.a)
        np.testing.assert_array_equal(difference.b, before.b)


def recording(function, *inputs):
    """Return a recording of one method of a layer."""
    with Recorder(function.__self__) as recorder:
        function(*inputs)
    return StepThrough(recorder, 0.0, {})


class Same(Module):
    def forward(self, x):
        return x


@pytest.mark.parametrize(
    ("a", "b", "apart", "size", "is_rounding"),
    [
        ([2.0, -4.0], [2.0, -3.0], 1, 0.25, False),
        ([1.0], [np.nan], np.inf, np.inf, False),
        ([1e308], [-1e308], np.inf, np.inf, False),
        # the same numbers of another type
        ([3.0, 4.0], np.float32([3, 4]), 0, np.finfo(float).tiny, True),
        ([3, 4], np.int32([3, 4]), 0, np.finfo(float).tiny, True),
        ([0.0], np.float32([0]), 0, np.inf, True),
    ],
)
def test_distance_of_two_arrays(a, b, apart, size, is_rounding):
    comparison = npf.compare_steps(
        recording(Same().forward, np.array(a)), recording(Same().forward, np.array(b))
    )
    argument, returned = comparison.differences
    assert (argument.apart, argument.size, argument.is_rounding) == (apart, size, is_rounding)
    assert (returned.apart, returned.size, returned.causes) == (apart, size, (0,))


def test_order_of_memory_makes_no_difference():
    x = np.array([[np.nan, 1.0, 2.0], [3.0, -np.inf, 4.0]])
    one = recording(Same().forward, x)
    other = recording(Same().forward, np.asfortranarray(x))
    assert str(npf.compare_steps(one, other)) == "all 2 arrays are equal"


class Cancel(Module):
    """Adds to x - x what is not recorded."""

    def __init__(self, rest):
        self.rest = rest

    def forward(self, x):
        return x - x + self.rest


@pytest.mark.parametrize(
    ("dtype", "rest", "is_rounding"),
    [
        ("float64", 1e-7, True),
        ("float64", 1e-5, False),
        ("float32", 1e-1, True),
        ("float32", 1e1, False),
    ],
)
def test_rounding_of_a_sum_is_that_of_its_arguments(dtype, rest, is_rounding):
    """1e6 has a rounding of about 1e-6 in float64, and of 1 in float32."""
    x = np.array([1e6], dtype)
    comparison = npf.compare_steps(
        recording(Cancel(np.zeros(1)).forward, x), recording(Cancel(np.array([rest])).forward, x)
    )
    [returned] = comparison.differences
    assert returned.is_rounding is is_rounding
    assert (returned.size, returned.weight) == (np.inf, pytest.approx(rest / 1e6))


class Bias(Module):
    def __init__(self):
        self.bias = Parameter(np.zeros(2))

    def backward(self, dy):
        self.bias.grad += dy
        return dy


def test_gradient_that_is_equal_to_another_array_is_not_handed_on():
    comparison = npf.compare_steps(
        recording(Bias().backward, np.array([1.0, 2.0])),
        recording(Bias().backward, np.array([1.0, 3.0])),
    )
    found = [(d.place.name, d.is_handed_on, d.causes) for d in comparison.differences]
    assert found == [("dy", False, ()), ("bias.grad", False, (0,)), ("dy", True, (0,))]

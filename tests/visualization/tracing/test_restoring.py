"""Before and after the with block the layers are the same, and inside it they work as ever."""

import numpy as np
import pytest
from one_step import SRC, TGT_IN, train_step

import npformer as npf
from npformer.layers import FeedForward, ReLU
from npformer.visualization import attention_weights


def attributes(model):
    return [(name, list(vars(layer))) for name, layer in model.named_modules()]


def not_traced(model):
    return all("forward" not in names and "backward" not in names for _, names in attributes(model))


def test_the_layers_are_given_back_as_they_were(model):
    train_step(model)
    before = attributes(model)
    with npf.trace(model):
        assert attributes(model) != before
        train_step(model)
    assert attributes(model) == before and not_traced(model)


def test_also_after_an_exception(model):
    with pytest.raises(KeyboardInterrupt), npf.trace(model):
        model.forward(SRC, TGT_IN)
        raise KeyboardInterrupt
    assert not_traced(model)


def test_a_forward_of_ones_own_stays():
    layer = ReLU()
    layer.forward = lambda x: x + 1
    own = layer.forward
    with npf.trace(layer) as t:
        assert layer.forward(np.ones(1)).tolist() == [2.0]
    assert layer.forward is own and t["ReLU"].output.tolist() == [2.0]


def test_traces_may_be_nested(model):
    with npf.trace(model) as outer:
        with npf.trace(model.decoder) as inner:
            train_step(model)
        assert not not_traced(model)
        model.forward(SRC, TGT_IN)
    assert not_traced(model)
    assert inner["Decoder"].calls == 1 and outer["decoder"].calls == 2
    assert inner["layers.0"].dy is not None and "generator" not in inner


def test_the_weights_of_attention_can_be_had_inside_a_trace_which_then_goes_on(model):
    softmax = "encoder.layers.0.self_attention.sublayer.attention.softmax"
    with npf.trace(model) as t:
        weights = attention_weights(model, SRC, TGT_IN)
        assert weights.encoder[0].tobytes() == t[softmax].output.tobytes()
        train_step(model)
    assert t[softmax].calls == 2
    assert not_traced(model)


def test_a_trace_that_is_open_is_not_opened_again(model):
    with npf.trace(model) as t:
        with pytest.raises(npf.InputError, match="recording already"), t:
            pass
        model.forward(SRC, TGT_IN)
    assert len(t) > 20 and not_traced(model)


@pytest.mark.parametrize("thing", [None, 5, npf.Transformer, "encoder"])
def test_only_a_module_can_be_traced(thing):
    with pytest.raises(npf.InputError, match="expected a Module"):
        npf.trace(thing)


def test_depth_0_is_the_model_alone():
    layer = FeedForward(2, 3, rng=0)
    with npf.trace(layer, depth=0) as t:
        layer.forward(np.ones((1, 2), "float32"))
    assert t.first() is t.last() is t["FeedForward"] and "linear_1" not in str(t)


@pytest.mark.parametrize("depth", [-1, "3", 1.5])
def test_a_depth_is_a_number_of_modules(depth):
    with pytest.raises(npf.InputError, match="depth = "):
        npf.trace(ReLU(), depth=depth)


def test_a_layer_that_has_two_names_is_recorded_under_the_first():
    class Twice(npf.Module):
        def __init__(self):
            self.one = self.other = ReLU()

        def forward(self, x):
            return self.other.forward(self.one.forward(x))

    layer = Twice()
    with npf.trace(layer) as t:
        layer.forward(np.ones(2))
    assert t["one"].calls == 2 and list(t) == ["Twice", "one"]
    assert not_traced(layer)

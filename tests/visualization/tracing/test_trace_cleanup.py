"""Before and after the with block the layers are the same, and inside it they work as ever."""

from dataclasses import dataclass
from threading import Thread

import numpy as np
import pytest

import npformer as npf
from npformer.layers import FeedForward, ReLU
from tests.visualization.tracing.one_step import SRC, TGT_IN, train_step


def attributes(model):
    return [(name, list(vars(layer))) for name, layer in model.named_modules()]


def not_traced(model):
    return all("forward" not in names and "backward" not in names for _, names in attributes(model))


def test_layers_are_restored(model):
    train_step(model)
    before = attributes(model)
    with npf.trace(model):
        assert attributes(model) != before
        train_step(model)
    assert attributes(model) == before and not_traced(model)


def test_layers_are_restored_after_an_exception(model):
    with pytest.raises(KeyboardInterrupt), npf.trace(model):
        model.forward(SRC, TGT_IN)
        raise KeyboardInterrupt
    assert not_traced(model)


@pytest.mark.parametrize("thing", [None, npf.Transformer, "encoder", "x" * 70])
def test_only_a_module_can_be_traced(thing):
    expected = "expected a Module, such as a Transformer or one of its layers"
    with pytest.raises(npf.InputError) as caught, npf.trace(thing):
        pass
    assert str(caught.value) == f"trace got {repr(thing)[:60]}: {expected}"


def test_depth_0_records_only_the_model():
    layer = FeedForward(2, 3, rng=0)
    with npf.trace(layer, depth=0) as t:
        layer.forward(np.ones((1, 2), "float32"))
    assert "1 of 4 layers" in str(t) and "linear_1" not in str(t)


def test_other_threads_are_not_recorded():
    layer = FeedForward(2, 3, rng=0)
    other = Thread(target=layer.forward, args=(np.ones((7, 2), "float32"),))
    with npf.trace(layer) as t:
        layer.forward(np.ones((1, 2), "float32"))
        other.start()
        other.join()
    assert t["linear_1"].output.shape == (1, 3)


def test_two_layers_that_are_dataclasses_are_recorded():
    @dataclass
    class Scale(npf.Module):
        factors: np.ndarray

        def forward(self, x):
            return self.remember(x * self.factors)

        def backward(self, dy):
            self.recall(dy)
            return dy * self.factors

    class Both(npf.Module):
        def __init__(self):
            self.one = Scale(np.ones(2))
            self.other = Scale(np.ones(2))

        def forward(self, x):
            return self.other.forward(self.one.forward(x))

        def backward(self, dy):
            return self.one.backward(self.other.backward(dy))

    layer = Both()
    with npf.trace(layer) as t:
        layer.backward(layer.forward(np.ones((3, 2))))
    assert [*t] == ["Both", "one", "other"]


def test_layer_with_two_names_is_recorded_and_restored():
    class Twice(npf.Module):
        def __init__(self):
            self.one = self.other = ReLU()

        def forward(self, x):
            return self.other.forward(self.one.forward(x))

    layer = Twice()
    with npf.trace(layer) as t:
        layer.forward(np.ones(2))
    assert set(t) == {"Twice", "one"}
    assert not_traced(layer)

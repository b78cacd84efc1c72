"""The contract of a layer, for every layer, the loss and whole models: one rule a test, all cases
through each.
"""

import numpy as np
import pytest

from npformer import InputError, Module, Parameter
from npformer.layers import Embedding, FeedForward, Generator, PostNorm, PreNorm
from npformer.tasks import TranslationBatch
from npformer.testing import is_float
from npformer.testing.cases import CASES

BY_NAME = {case.name: case for case in CASES}
EVERY_DAY = "as in the paper", "with gradient checkpointing", "untied, no biases, no dropout"
every_case = pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name,
            marks=pytest.mark.long
            if "Transformer" in name and not name.endswith(EVERY_DAY)
            else (),
        )
        for name in BY_NAME
    ],
)


def build(name, dtype="float64"):
    return BY_NAME[name].build(np.random.default_rng(0), dtype)


def as_tuple(returned):
    return returned if isinstance(returned, tuple) else (returned,)


def like(y):
    """Return an upstream gradient for the output y: 1 for a loss, else random numbers."""
    return np.random.default_rng(1).normal(size=y.shape).astype(y.dtype) if is_float(y) else 1.0


def run(layer, inputs):
    """Run forward and backward with the same dropout each time; return the output and the inputs'
    gradients.
    """
    for generator in layer.generators():
        generator.bit_generator.state = np.random.default_rng(2).bit_generator.state
    y = layer.forward(*inputs)
    return y, as_tuple(layer.backward(like(y)))


def arrays_in(thing):
    """Yield every array, however deep in tuples, lists, dicts and batches."""
    if isinstance(thing, np.ndarray):
        yield thing
    elif isinstance(thing, (tuple, list)):
        for part in thing:
            yield from arrays_in(part)
    elif isinstance(thing, dict):
        yield from arrays_in(list(thing.values()))
    elif isinstance(thing, TranslationBatch):
        yield from arrays_in(vars(thing))


def parameters_anywhere(thing):
    """Yield every Parameter in all attributes and containers, looking where `parameters()` might
    not.
    """
    if isinstance(thing, Parameter):
        yield thing
    elif isinstance(thing, Module):
        yield from parameters_anywhere(list(vars(thing).values()))
    elif isinstance(thing, (tuple, list, set)):
        for part in thing:
            yield from parameters_anywhere(part)
    elif isinstance(thing, dict):
        yield from parameters_anywhere(list(thing.values()))


NO_CACHE = r"backward has no cached forward: call forward, in train mode, once before each backward"


@every_case
def test_backward_needs_a_forward(name):
    layer, inputs = build(name)
    dy = like(layer.forward(*inputs))
    fresh, _ = build(name)
    with pytest.raises(RuntimeError, match=NO_CACHE):
        fresh.backward(dy)


@every_case
def test_backward_works_once_per_forward(name):
    layer, inputs = build(name)
    layer.forward(*inputs)
    y, _ = run(layer, inputs)
    with pytest.raises(RuntimeError, match=NO_CACHE + ".* use a layer in one place only$"):
        layer.backward(like(y))
    assert all(module._cache is None for _, module in layer.named_modules())
    run(layer, inputs)


@every_case
def test_eval_mode_caches_nothing(name):
    layer, inputs = build(name)
    layer.forward(*inputs)
    layer.eval()
    assert all(module._cache is None for _, module in layer.named_modules())
    y = layer.forward(*inputs)
    assert all(module._cache is None for _, module in layer.named_modules())
    with pytest.raises(RuntimeError, match=NO_CACHE):
        layer.backward(like(y))
    layer.train()
    run(layer, inputs)


@every_case
def test_backward_rejects_gradient_of_wrong_shape(name):
    layer, inputs = build(name)
    (twin, _), (_, expected) = build(name), run(layer, inputs)
    for rng in twin.generators():
        rng.bit_generator.state = np.random.default_rng(2).bit_generator.state
    dy = like(twin.forward(*inputs))
    wrong = (
        [np.ones(3), [1.0], None]
        if isinstance(dy, float)
        else [dy[0], dy[..., :1], dy[None], dy.tolist(), 1.0]
    )
    for other in wrong:
        with pytest.raises(
            InputError, match=r"backward got shape .*: expected that of the output"
        ) as caught:
            twin.backward(other)
        assert "\n" not in str(caught.value)
    for dx, wanted in zip(as_tuple(twin.backward(dy)), expected, strict=True):
        np.testing.assert_array_equal(dx, wanted)
    for p, wanted in zip(twin.parameters(), layer.parameters(), strict=True):
        np.testing.assert_array_equal(p.grad, wanted.grad)


@every_case
def test_parameter_gradients_accumulate(name):
    layer, inputs = build(name)
    run(layer, inputs)
    once = [p.grad.copy() for p in layer.parameters()]
    run(layer, inputs)
    for p, gradient in zip(layer.parameters(), once, strict=True):
        np.testing.assert_allclose(p.grad, 2 * gradient, rtol=1e-12)
        p.grad[...] = 3
    run(layer, inputs)
    for p, gradient in zip(layer.parameters(), once, strict=True):
        np.testing.assert_allclose(p.grad, 3 + gradient, rtol=1e-12, atol=1e-12)


@every_case
def test_inputs_and_parameters_are_not_modified(name):
    layer, inputs = build(name)
    data = [p.data for p in layer.parameters()]
    outside = [*arrays_in(inputs), *data]
    before = [array.copy() for array in outside]
    for array in outside:
        array.setflags(write=False)
    y = layer.forward(*inputs)
    dy = like(y)
    cached = [*arrays_in([module._cache for _, module in layer.named_modules()]), *arrays_in(y)]
    snapshots = [array.copy() for array in cached]
    if is_float(dy):
        dy.setflags(write=False)
    layer.backward(dy)
    for array, copy in zip([*outside, *cached], [*before, *snapshots], strict=True):
        np.testing.assert_array_equal(array, copy)
    assert all(p.data is array for p, array in zip(layer.parameters(), data, strict=True))
    np.testing.assert_array_equal(dy, like(y))


@every_case
def test_input_gradients_have_order_and_shape_of_inputs(name):
    layer, inputs = build(name)
    _, gradients = run(layer, inputs)
    for x, dx in zip(inputs, gradients, strict=False):
        assert (dx.shape == x.shape) if is_float(x) else (dx is None)
    assert len(gradients) >= sum(is_float(x) for x in inputs)


@every_case
def test_float32_stays_float32(name):
    layer, inputs = build(name, "float32")
    y, gradients = run(layer, inputs)
    assert type(y) is float or y.dtype == np.float32
    assert all(dx.dtype == np.float32 for dx in gradients if dx is not None)
    assert all(p.data.dtype == p.grad.dtype == np.float32 for p in layer.parameters())


@every_case
def test_float32_keeps_no_float64(name):
    layer, inputs = build(name, "float32")
    layer.forward(*inputs)
    for inside, module in layer.named_modules():
        assert not any(array.dtype == np.float64 for array in arrays_in(module._cache)), inside


@every_case
def test_same_random_state_gives_identical_results(name):
    layer, inputs = build(name)
    y, gradients = run(layer, inputs)
    again, gradients_again = run(layer, inputs)
    np.testing.assert_array_equal(y, again)
    for dx, dx_again in zip(gradients, gradients_again, strict=True):
        np.testing.assert_array_equal(dx, dx_again)


@every_case
def test_every_parameter_is_found_once(name):
    layer, _ = build(name)
    found = [id(p) for p in layer.parameters()]
    assert len(found) == len(set(found))
    assert set(found) == {id(p) for p in parameters_anywhere(layer)}
    assert len({id(p.data) for p in layer.parameters()}) == len(found)


def test_shared_table_is_found_once():
    class Both(Module):
        def __init__(self):
            self.embedding = Embedding(5, 4)
            self.generator = Generator(5, 4, table=self.embedding.table)

    assert list(dict(Both().named_parameters())) == ["embedding.table"]


@pytest.mark.parametrize("kind", [PostNorm, PreNorm])
def test_add_norm_returns_all_gradients_of_its_sublayer(kind):
    layer = kind(FeedForward(4, 8), 4)
    y = layer.forward(np.ones((2, 4), "float32"))
    assert layer.backward(y).shape == (2, 4)
    assert len(run(*build("PostNorm around CrossAttention"))[1]) == 2


def test_batch_arrays_are_checked_for_modification():
    _, inputs = build("Transformer as in the paper")
    assert len(list(arrays_in(inputs))) == 3

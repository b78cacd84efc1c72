"""What is recorded is what an ordinary run computes, and what a print after the line would show."""

import sys
import threading

import numpy as np
import pytest

import npformer as npf
from npformer import InputError, Module, Parameter
from npformer.layers import Embedding, FeedForward, ScaledDotProductAttention
from npformer.tasks import LanguageModelBatch, Objective, TranslationBatch
from npformer.testing import is_float
from npformer.testing.cases import CASES, LAYER_CASES, MODEL_CASES
from npformer.training import Adam
from npformer.visualization.stepper.array_store import ArrayStore, content_of
from npformer.visualization.stepper.recorder import Recorder, _is_plain_product

BY_NAME = {case.name: case for case in CASES}
UPDATES = [
    "Transformer as in the paper",
    "Transformer with gradient checkpointing",
    "LanguageModel, pre-norm, untied",
    "Classifier, mean pooling",
]
WITHOUT = {*UPDATES, "EncoderLayer, checkpointed"}  # a wrapper goes by the name of its layer


def run(layer, inputs):
    """Run forward and backward with the same dropout each time; return all that comes out."""
    for generator in layer.generators():
        generator.bit_generator.state = np.random.default_rng(2).bit_generator.state
    y = layer.forward(*inputs)
    dy = np.random.default_rng(1).normal(size=y.shape).astype(y.dtype) if is_float(y) else 1.0
    dx = layer.backward(dy)
    return [y, *(dx if isinstance(dx, tuple) else [dx]), *(p.grad for p in layer.parameters())]


def bytes_of(values):
    return [None if value is None else np.asarray(value).tobytes() for value in values]


def recorded(layer, function, **settings):
    with Recorder(layer, **settings) as recorder:
        function()
    return recorder


def arrays_of(recorder, name, kind=None, module=None):
    """Return all arrays of a name, in order."""
    return [
        recorder.arrays[made.number]
        for step in recorder.steps
        for made in step.made
        if made.name == name
        and kind in (None, made.kind)
        and module in (None, recorder.calls[step.call].module)
    ]


@pytest.mark.parametrize(
    "name",
    [
        *(case.name for case in LAYER_CASES),
        *(
            pytest.param(case.name, marks=pytest.mark.long)
            for case in MODEL_CASES
            if case.name not in WITHOUT
        ),
    ],
)
def test_recording_changes_no_result(name):
    plain = run(*BY_NAME[name].build(np.random.default_rng(0)))
    layer, inputs = BY_NAME[name].build(np.random.default_rng(0))
    with Recorder(layer) as recorder:
        results = run(layer, inputs)
    assert bytes_of(results) == bytes_of(plain)
    outermost = [call for call in recorder.calls if call.parent is None]
    assert [call.direction for call in outermost] == ["forward", "backward"]
    returned = [
        recorder.arrays[made.number]
        for call in outermost
        for made in recorder.steps[call.last].made
    ]
    expected = [
        value
        for value in results[: len(results) - len(layer.parameters())]
        if hasattr(value, "dtype") or value
    ]
    assert bytes_of(returned) == bytes_of(value for value in expected if not isinstance(value, int))


@pytest.mark.parametrize("name", UPDATES)
def test_recorded_update_equals_ordinary_step(name):
    def make():
        objective, [batch] = BY_NAME[name].build(np.random.default_rng(0), "float32")
        return objective, batch, Adam(objective.parameters(), learning_rate=0.1)

    objective, batch, adam = make()
    objective.zero_grad()
    loss = objective.forward(batch)
    objective.backward()
    adam.step()
    other, batch, other_adam = make()
    other_adam.grad += 1  # left from an earlier backward
    recording = npf.step_through(other, batch, other_adam)
    assert recording.loss == loss
    assert bytes_of([other_adam.data, other_adam.grad, other_adam.m]) == bytes_of(
        [adam.data, adam.grad, adam.m]
    )
    last = len(recording.recorder.calls) - 1
    updated = {
        a.name: recording[a] for step in recording.steps for a in step.made if step.call == last
    }
    parameters = {name.removeprefix("model."): p.data for name, p in other.named_parameters()}
    np.testing.assert_equal(updated, parameters)


class Spy(Module):
    """Writes down what its arrays are after each line, as prints would show it."""

    def __init__(self):
        self.scale = Parameter(np.array([2.0, 3.0]))
        self.buffer, self.seen = np.zeros(2), []

    def see(self, name, array):
        self.seen.append((name, array.copy()))

    def forward(self, x):
        self.see("x", x)
        y = x + 1
        self.see("y", y)
        y *= self.scale.data
        self.see("y", y)
        same = y
        self.see("same", same)
        for i in range(3):
            y[i % 2] += i
            if i:
                self.see("y", y)
                self.see("same", y)
        shared = self.buffer
        self.see("shared", shared)
        self.fill()
        self.see("shared", shared)
        return self.remember(shared, y)

    def fill(self):
        self.buffer[...] = 7

    def backward(self, dy):
        (y,) = self.recall(dy)
        self.scale.grad += dy * y
        return dy


def test_recorded_arrays_equal_values_after_each_line():
    spy = Spy()
    recorder = recorded(spy, lambda: spy.backward(spy.forward(np.array([5.0, 6.0]))))
    [forward] = [i for i, call in enumerate(recorder.calls) if call.function.name == "forward"]
    made = [(a, step) for step in recorder.steps if step.call == forward for a in step.made]
    found = [
        (a.name, recorder.arrays[a.number].tolist())
        for a, _ in made
        if a.kind in ("argument", "local")
    ]
    assert found == [(name, array.tolist()) for name, array in spy.seen]
    spy.buffer[...] = 0  # later changes do not reach the recording
    assert arrays_of(recorder, "shared")[-1].tolist() == [7, 7]
    function = recorder.calls[forward].function
    lines = [
        (a.name, function.lines[step.line - function.first].strip())
        for a, step in made
        if a.kind == "local"
    ]
    assert lines == [
        ("y", "y = x + 1"),
        ("y", "y *= self.scale.data"),
        ("same", "same = y"),
        *[("y", "y[i % 2] += i"), ("same", "y[i % 2] += i")] * 2,
        ("shared", "shared = self.buffer"),
        ("shared", "self.fill()"),
    ]
    np.testing.assert_array_equal(arrays_of(recorder, "scale.grad")[0], [7 * 14, 7 * 22])
    np.testing.assert_array_equal(arrays_of(recorder, "y", "remembered")[0], [14, 22])


def test_array_is_available_from_the_next_step():
    layer = ScaledDotProductAttention()
    query, key, value = (np.random.default_rng(i).normal(size=(1, 2, 3, 4)) for i in range(3))
    recorder = recorded(layer, lambda: layer.forward(query, key, value))
    scores = query @ key.swapaxes(-1, -2)
    first, second = arrays_of(recorder, "scores")
    np.testing.assert_array_equal(first, scores)
    np.testing.assert_array_equal(second, scores * 0.5)
    for step in recorder.steps:
        following = recorder.steps[step.done] if step.done < len(recorder.steps) else step
        assert following.call == step.call and step.done >= recorder.steps.index(step)


def test_recorded_product_has_its_factors():
    layer = ScaledDotProductAttention()
    query, key, value = (np.random.default_rng(i).normal(size=(1, 2, 3, 4)) for i in range(3))
    recorder = recorded(layer, lambda: layer.backward(layer.forward(query, key, value)))
    products = [(step, product) for step in recorder.steps for product in step.products]
    assert [product[:2] for _, product in products][:2] == [
        ("query", "key.swapaxes(-1, -2)"),
        ("weights", "value"),
    ]
    for step, (*_, left, right) in products:
        result = recorder.arrays[left] @ recorder.arrays[right]
        assert any(
            np.array_equal(recorder.arrays[a.number], result)
            for a in step.made
            if a.kind in ("local", "returned")
        ) or (step.made == [] or all(a.kind == "remembered" for a in step.made))


def test_equal_arrays_are_stored_once():
    layer = FeedForward(4, 6, rng=0)
    x = np.random.default_rng(0).normal(size=(2, 3, 4)).astype("float32")
    recorder = recorded(layer, lambda: layer.backward(layer.forward(x)))
    contents = [(block.dtype, block.tobytes()) for block in recorder.arrays.blocks]
    assert len(set(contents)) == len(contents)
    assert sum(block.tobytes() == x.tobytes() for block in recorder.arrays.blocks) == 1
    turned = recorder.arrays[
        next(p[2] for s in recorder.steps for p in s.products if p[0] == "rows.T")
    ]
    np.testing.assert_array_equal(turned, turned.T.T)
    assert turned.dtype == np.float32


@pytest.mark.parametrize(
    ("left", "right", "is_plain"),
    [
        ((3, 4), (4, 5), True),
        ((2, 3, 4), (4, 5), True),
        ((2, 3, 4), (2, 4, 5), True),
        ((3, 4), (2, 4, 5), False),
        ((2, 3, 4), (6, 4, 5), False),
        ((3, 4), (5, 4), False),
        ((3, 0), (0, 5), False),
        ((4,), (4, 5), False),
        ((3, 4), (4,), False),
    ],
)
def test_products_that_a_page_can_show(left, right, is_plain):
    assert _is_plain_product(np.ones(left), np.ones(right)) is is_plain


def test_store_returns_arrays_of_any_order_in_memory():
    x = np.arange(24.0).reshape(2, 3, 4)
    arrays = [x, x.T, x[:, ::2], x[..., 1:3], x[::-1], x.swapaxes(0, 1)[:, :1]]
    store = ArrayStore(max_bytes=1000)
    numbers = [store.add(content_of(array)) for array in arrays]
    for array, number in zip(arrays, numbers, strict=True):
        np.testing.assert_array_equal(store[number], array)
    assert store.views[numbers[0]][0] == store.views[numbers[1]][0]  # one block


def test_equal_bytes_of_two_types_are_two_arrays():
    store = ArrayStore(max_bytes=1000)
    for array in (np.zeros(1), np.zeros(2, "float32"), np.zeros(1, "int64")):
        found = store[store.add(content_of(array))]
        assert (found.dtype, found.shape) == (array.dtype, array.shape)
    assert store.n_bytes == 24


def test_key_of_an_array_tells_its_shape_and_its_order():
    store = ArrayStore(max_bytes=1000)
    x = np.zeros((2, 2))
    keys = [store.key(store.add(content_of(array))) for array in (x, x.T, x[0], x.reshape(4))]
    assert len(set(keys)) == 4
    assert keys[0] == store.key(store.add(content_of(x.copy())))


def test_store_takes_as_many_bytes_as_it_may():
    store = ArrayStore(max_bytes=16)
    store.add(content_of(np.zeros(2)))
    store.add(content_of(np.zeros(2)))  # stored once
    with pytest.raises(InputError, match=r"\(0 MB of arrays so far, at most 0 MB\)"):
        store.add(content_of(np.ones(1)))


def test_store_says_how_many_bytes_are_too_many():
    store = ArrayStore(max_bytes=2_000_000)
    store.check_size(2_000_000, "weights")
    with pytest.raises(InputError) as caught:
        store.check_size(3_000_000_000, "weights")
    assert str(caught.value) == (
        "this update is too large to step through (3,000 MB of weights, at most 2 MB): record one "
        'part, such as only="decoder.layers.1", or take a smaller model or batch'
    )


def test_weights_count_once_each_with_their_gradients():
    """A table of 9 x 4 numbers, which two layers share."""
    pair = Module()
    pair.one = Embedding(9, 4, dtype="float64")
    pair.other = Embedding(9, 4, table=pair.one.table)
    n_bytes = 8 * 9 * 4
    Recorder(pair, max_bytes=2 * n_bytes)
    with pytest.raises(InputError, match="MB of weights and gradients, at most"):
        Recorder(pair, max_bytes=2 * n_bytes - 1)
    adam = Adam(pair.parameters(), learning_rate=0.1)
    Recorder(pair, optimizer=adam, max_bytes=3 * n_bytes)
    with pytest.raises(InputError, match="MB of weights before and after, and gradients, at most"):
        Recorder(pair, optimizer=adam, max_bytes=3 * n_bytes - 1)


@pytest.fixture
def objective(make_model):
    return Objective(make_model(dropout=0.0, n_decoder_layers=2))


@pytest.fixture
def batch():
    return TranslationBatch.of([[4, 5, 6], [7]], [[8, 9], [10]])


def test_find_accepts_modules_and_names_in_any_order(objective, batch):
    recording = npf.step_through(objective, batch)
    found = recording.find("decoder.layers.1 dscores")
    # twice in self- and in cross-attention
    assert found == recording.find("dscores layers.1") and len(found) == 4
    assert recording[found[0][1]].shape == (2, 2, 3, 4)
    assert not recording.find("decoder.layers.2 dscores")
    assert recording.find("DSCORES backward") == recording.find("dscores")
    assert not recording.find("dscores forward")
    calls = recording.recorder.calls
    modules = {calls[step.call].module for step, _ in recording.find("crossattention v")}
    assert modules == {f"decoder.layers.{i}.cross_attention.sublayer" for i in (0, 1)}


def test_calls_are_inside_the_ones_that_made_them(objective, batch):
    recorder = npf.step_through(objective, batch).recorder
    for number, call in enumerate(recorder.calls):
        assert {recorder.steps[i].call for i in (call.first, call.last)} == {number}
        around = []
        for i, outer in enumerate(recorder.calls):
            if outer.first < call.first and call.last < outer.last:
                around.append(i)
        assert call.parent == (around[-1] if around else None)
    # methods of Module itself are not shown
    assert not {"remember", "recall"} & {call.function.name for call in recorder.calls}


def test_only_records_one_layer(objective, batch):
    recording = npf.step_through(objective, batch, only="decoder.layers.1")
    modules = {call.module for call in recording.recorder.calls}
    assert "decoder.layers.1" in modules and all(
        name.startswith("decoder.layers.1") for name in modules
    )


def test_only_layer_1_is_not_layer_10(make_model, batch):
    objective = Objective(make_model(n_decoder_layers=11))
    recording = npf.step_through(objective, batch, only="decoder.layers.1")
    assert {call.module.split(".")[2] for call in recording.recorder.calls} == {"1"}


def test_invalid_recordings_are_rejected(objective, batch):
    with pytest.raises(
        InputError, match=r"only = 'decoder.layers.9': expected the name of a layer, such as loss"
    ):
        npf.step_through(objective, batch, only="decoder.layers.9")
    with pytest.raises(
        InputError, match=r"Objective\(\) is in eval mode.*: call train\(\) of it first"
    ):
        npf.step_through(objective.eval(), batch)
    objective.train()
    objective.model.eval()
    with pytest.raises(InputError, match=r"^Transformer.* is in eval mode.*: call train\(\) of it"):
        npf.step_through(objective, batch)
    with pytest.raises(InputError, match="step_through got 3: expected an Objective"):
        npf.step_through(3, batch)


@pytest.mark.parametrize(
    ("limit", "what"), [(10_000, "weights and gradients"), (100_000, "arrays so far")]
)
def test_too_large_model_is_rejected_with_a_suggestion(objective, batch, limit, what):
    message = rf"too large.*MB of {what}, at most.*only=\"decoder.layers.1\""
    with pytest.raises(InputError, match=message), Recorder(objective, max_bytes=limit):
        objective.forward(batch)
        objective.backward()
    assert sys.gettrace() is None


def test_exception_of_a_layer_removes_the_tracer(objective, batch):
    before = sys.gettrace()
    objective.model.generator.forward = lambda y: 1 / 0
    with pytest.raises(ZeroDivisionError):
        npf.step_through(objective, batch)
    assert sys.gettrace() is before


class Odd(Module):
    """Uses a generator, a comprehension, a thread, a caught exception and a nested recording,
    after which the outer one goes on.
    """

    def __init__(self):
        self.inner = FeedForward(2, 2, rng=0)

    def fail(self):
        raise ValueError

    def parts(self, x):
        yield x + 1
        yield self.inner.forward(x)

    def forward(self, x):
        first, second = self.parts(x)
        third = sum([self.inner.forward(part) for part in (first, second)])
        thread = threading.Thread(target=self.inner.forward, args=(x,))
        thread.start()
        thread.join()
        try:
            self.fail()
        except ValueError:
            fourth = third * 2
        with Recorder(self.inner) as nested:
            self.inner.forward(x)
        self.nested = len(nested.steps)
        self.inner.forward(x)
        return self.remember(fourth)


def test_generators_threads_and_nested_recordings_work():
    odd, x = Odd(), np.ones((1, 2), "float32")
    expected = odd.forward(x)
    recorder = recorded(odd, lambda: odd.forward(x))
    assert {"first", "second", "third", "fourth"} <= {
        a.name for step in recorder.steps for a in step.made
    }
    np.testing.assert_array_equal(arrays_of(recorder, "fourth")[0], expected)
    assert odd.nested > 10 and not recorder.open_calls
    assert (
        sum(call.module == "inner" and call.function.name == "forward" for call in recorder.calls)
        == 4
    )


def test_call_that_raises_has_ended():
    odd = Odd()
    recorder = recorded(odd, lambda: odd.forward(np.ones((1, 2), "float32")))
    [failed] = [call for call in recorder.calls if call.function.name == "fail"]
    [outer] = [call for call in recorder.calls if call.module == "Odd" and call is not failed]
    assert recorder.calls[failed.parent] is outer
    assert [call.parent for call in recorder.calls if call.module == "inner"] == [0] * 4
    assert outer.first < failed.first < failed.last < outer.last


def test_active_debugger_continues_afterwards(objective, batch):
    events = []

    def debugger(frame, event, _):
        events.append(event)
        return debugger

    sys.settrace(debugger)
    try:
        recording = npf.step_through(objective, batch)
        assert sys.gettrace() is debugger
        before = len(events)
        objective.zero_grad()
    finally:
        sys.settrace(None)
    assert len(events) > before and len(recording.steps) > 500
    assert sys.version_info < (3, 12) or before > 500  # continues meanwhile


@pytest.mark.skipif(sys.version_info < (3, 12), reason="needs sys.monitoring")
def test_recording_needs_one_of_six_monitoring_tools(objective, batch):
    monitoring, taken = sys.monitoring, []
    try:
        for tool in range(6):
            if monitoring.get_tool(tool) is None:
                assert len(npf.step_through(objective, batch).steps) > 500
                monitoring.use_tool_id(tool, "a debugger")
                taken.append(tool)
        with pytest.raises(InputError, match=r"all six tools of sys.monitoring are in use"):
            npf.step_through(objective, batch)
    finally:
        for tool in taken:
            monitoring.free_tool_id(tool)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="needs sys.monitoring")
def test_recording_leaves_no_events_behind(objective, batch):
    monitoring = sys.monitoring
    functions = npf.step_through(objective, batch).recorder.functions
    tool = next(tool for tool in range(6) if monitoring.get_tool(tool) is None)
    monitoring.use_tool_id(tool, "a debugger")
    try:
        assert monitoring.get_events(tool) == 0
        assert {monitoring.get_local_events(tool, code) for code in functions} == {0}
    finally:
        monitoring.free_tool_id(tool)


def test_recording_agrees_with_trace(objective, batch):
    with npf.trace(objective) as t:
        recording = npf.step_through(objective, batch)
    [*_, (_, dy)] = recording.find("decoder.layers.1.feed_forward.norm dy")
    np.testing.assert_array_equal(recording[dy], t["model.decoder.layers.1.feed_forward.norm"].dy)


def test_tokens_are_ids_without_a_vocabulary():
    layer, [batch] = BY_NAME["LanguageModel"].build(np.random.default_rng(0), "float32")
    recording = npf.step_through(layer, LanguageModelBatch(batch.ids[:1], batch.targets[:1]))
    assert list(recording.texts) == ["t"] and recording.texts["t"]["tokens"] == [
        [str(i) for i in batch.ids[0]]
    ]

"""What is in the records, compared with what is had by hand."""

import re

import numpy as np
import pytest

import npformer as npf
from npformer.layers import CrossAttention, Embedding, FeedForward, Linear
from npformer.tasks import LabelSmoothingLoss
from npformer.training import Adam
from tests.visualization.tracing.one_step import SRC, TGT_IN, train_step


def random(*shape):
    return np.random.default_rng(list(shape)).normal(size=shape)


def contents(t):
    return {
        (name, what): np.asarray(array).tobytes()
        for name in t
        for what, array in t[name].arrays.items()
    }


def equal(found, expected):
    np.testing.assert_array_equal(found, expected, strict=True)


def test_linear_record_equals_hand_calculation():
    layer = Linear(2, 3, dtype="float64")
    layer.weight.data[...], layer.bias.data[...] = [[1, 2, 3], [4, 5, 6]], [10, 20, 30]
    x, dy = np.array([[1.0, -1.0]]), np.array([[1.0, 0.0, -2.0]])
    with npf.trace(layer) as t:
        layer.forward(x)
        layer.backward(dy)
    record = t["Linear"]
    equal(record.inputs.x, x)
    equal(record.output, [[7.0, 17.0, 27.0]])
    equal(record.dy, dy)
    equal(record.dinputs.dx, [[-5.0, -8.0]])
    equal(record.dparameters["weight"], [[1.0, 0.0, -2.0], [-1.0, 0.0, 2.0]])
    equal(record.dparameters["bias"], [1.0, 0.0, -2.0])
    assert list(record.arrays) == ["x", "output", "dy", "dx", "dweight", "dbias"]


def test_records_of_feed_forward_layers():
    layer = FeedForward(4, 6, dtype="float64")
    x, dy = random(2, 3, 4), random(3, 2, 4).reshape(2, 3, 4)
    with npf.trace(layer) as t:
        y = layer.forward(x)
        dx = layer.backward(dy)
    hidden = x @ layer.linear_1.weight.data + layer.linear_1.bias.data
    dhidden = dy @ layer.linear_2.weight.data.T
    for name, inputs, output, d_output, dinputs in [
        ("linear_1", x, hidden, dhidden * (hidden > 0), dx),
        ("activation", hidden, hidden.clip(0), dhidden, dhidden * (hidden > 0)),
        ("linear_2", hidden.clip(0), y, dy, dhidden),
        ("FeedForward", x, y, dy, dx),
    ]:
        record = t[name]
        for found, expected in zip([*record.inputs, record.output, record.dy, *record.dinputs],
                                   [inputs, output, d_output, dinputs], strict=True):  # fmt: skip
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_inputs_and_gradients_have_names_of_forward():
    layer = CrossAttention(6, 2, dtype="float64")
    x, memory, mask = random(2, 3, 6), random(2, 5, 6), np.ones((3, 5), bool)
    with npf.trace(layer) as t:
        _, dmemory = layer.backward(layer.forward(x, mask=mask, memory=memory))
    record = t["CrossAttention"]
    assert record.inputs._fields == ("x", "memory", "mask") and record.dinputs._fields == (
        "dx",
        "dmemory",
    )
    equal(record.inputs.mask, mask)
    equal(record.inputs[1], memory)
    equal(record.dinputs.dmemory, dmemory)
    equal(t["attention.softmax"].inputs.mask, mask[None])
    assert t["w_key"].inputs.x.shape == (2, 5, 6)


def test_ids_have_no_gradient():
    layer = Embedding(9, 4)
    with npf.trace(layer) as t:
        layer.backward(layer.forward([[1, 2, 2]]))
    assert t["Embedding"].dinputs == (None,) and t["Embedding"].inputs.ids == [[1, 2, 2]]


def test_traced_gradients_equal_untraced_gradients(make_model):
    settings = {"n_decoder_layers": 2, "dropout": 0.25, "attention_dropout": 0.25}
    plain, model = make_model(**settings), make_model(**settings)
    expected = train_step(plain)
    with npf.trace(model) as t:
        found = train_step(model)
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        equal(found[name], array)
    for name, parameter in plain.named_parameters():
        layer, _, own = name.rpartition(".")
        equal(t[layer].dparameters[own], parameter.grad)
    equal(t["Transformer"].output, expected["logits"])


def test_shared_table_has_one_summed_gradient():
    config = npf.TransformerConfig.tiny(src_vocab_size=12, tgt_vocab_size=12)
    model = npf.Transformer(config, rng=np.random.default_rng(0))
    with npf.trace(model) as t:
        train_step(model)
    tables = [record.dparameters["table"] for record in t.records if "table" in record.dparameters]
    assert len(tables) == 3
    for table in tables:
        equal(table, model.generator.table.grad)


def test_output_of_a_layer_is_input_of_the_next(traced):
    boxes = ["encoder.input_embedding", "encoder.layers.0"]
    parts = ["input_embedding", "layers.0", "layers.1"]
    boxes += [f"decoder.{part}" for part in parts]
    for one, other in [boxes[:2], boxes[2:4], boxes[3:], ["decoder", "generator"]]:
        equal(traced[one].output, traced[other].inputs.x)
        equal(traced[one].dy, traced[other].dinputs.dx)
    memory = traced["encoder"].output
    for i in (0, 1):
        equal(traced[f"decoder.layers.{i}"].inputs.memory, memory)
    np.testing.assert_allclose(
        sum(traced[f"decoder.layers.{i}"].dinputs.dmemory for i in (0, 1)),
        traced["encoder"].dy,
        rtol=1e-6,
    )


def test_records_are_unchanged_by_later_steps(model):
    adam = Adam(model.parameters(), learning_rate=0.1)
    with npf.trace(model) as t:
        train_step(model)
        before = contents(t)
        model.zero_grad()
        adam.step()
    assert contents(t) == before
    assert t["generator"].dparameters["table"].any()
    with pytest.raises(ValueError, match="read-only"):
        t["generator"].output += 1


def test_forward_without_backward_records_no_gradients(model):
    with npf.trace(model) as t:
        model.forward(SRC, TGT_IN)
    assert all(
        r.output is not None and r.dy is r.dinputs is None and not r.dparameters for r in t.records
    )


def test_backward_of_an_earlier_forward_is_recorded():
    layer = Linear(2, 2, dtype="float64")
    layer.weight.data[...] = np.eye(2)
    layer.forward(np.array([[1.0, 3.0]]))
    with npf.trace(layer) as t:
        layer.backward(np.array([[3.0, -4.0]]))
    record = t["Linear"]
    assert record.inputs is record.output is None
    equal(record.dy, [[3.0, -4.0]])
    equal(record.dinputs.dx, [[3.0, -4.0]])
    equal(record.dparameters["bias"], [3.0, -4.0])
    assert re.search(r"output +- +- +- +-\n", repr(record))


def test_empty_array_has_no_statistics():
    layer = Linear(2, 2)
    with npf.trace(layer) as t:
        layer.forward(np.zeros((0, 2), "float32"))
    assert re.search(r"output +- +- +- +0\n", repr(t["Linear"]))


class Underscored(npf.Module):
    def forward(self, x, _mask):
        return x * _mask


def test_argument_may_have_an_underscore():
    layer = Underscored()
    with npf.trace(layer) as t:
        layer.forward(np.ones(2), np.array([0.0, 1.0]))
    equal(t["Underscored"].inputs[1], [0.0, 1.0])


class Rest(npf.Module):
    def forward(self, x, *rest, scale=2.0, pair=None):
        return x * scale


def test_all_arguments_are_recorded_as_they_were():
    layer = Rest()
    x, first, second = np.ones(2), np.zeros(1), np.ones(3)
    with npf.trace(layer) as t:
        layer.forward(x, first, second, pair=(first, "a"))
    first += 9
    inputs = t["Rest"].inputs
    assert inputs._fields == ("x", "rest_0", "rest_1", "scale", "pair")
    assert (inputs.scale, inputs.pair[1]) == (2.0, "a")
    equal(inputs.rest_0, [0.0])
    equal(inputs.rest_1, [1.0, 1.0, 1.0])
    equal(inputs.pair[0], [0.0])


def test_recorded_parameter_gradients_accumulate():
    layer = Linear(4, 2)
    x, dy = random(3, 4), random(3, 2)
    with npf.trace(layer) as t:
        for _ in range(2):
            layer.forward(x)
            layer.backward(dy)
    np.testing.assert_allclose(t["Linear"].dparameters["weight"], 2 * x.T @ dy, rtol=1e-5)


def test_loss_record_has_scalar_output():
    loss = LabelSmoothingLoss()
    with npf.trace(loss) as t:
        value = loss.forward(random(2, 5), np.array([1, 2]))
        loss.backward()
    record = t["LabelSmoothingLoss"]
    assert record.output == value and record.dy == 1.0
    assert record.dinputs._fields == ("dlogits",)


def test_gradient_checkpointing_changes_no_record(make_model):
    traces = []
    for checkpointing in (False, True):
        how = {"dropout": 0.25, "n_decoder_layers": 2}
        model = make_model(gradient_checkpointing=checkpointing, **how)
        with npf.trace(model) as t:
            train_step(model)
        traces.append(t)
    plain, other = traces
    assert list(plain) == list(other)
    assert contents(plain) == contents(other)

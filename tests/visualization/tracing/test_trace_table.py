"""The order of the records, their names, and the tables that people read."""

import re

import numpy as np
import pytest

import npformer as npf
from npformer.layers import FeedForward, Linear, PostNorm, PreNorm
from npformer.visualization.tracing.table import html_table
from tests.visualization.tracing.one_step import SRC

FIGURE_1 = [
    "Transformer",
    "encoder",
    "encoder.input_embedding",
    "encoder.input_embedding.embedding",
    "encoder.input_embedding.positions",
    "encoder.input_embedding.dropout",
    "encoder.layers.0",
    "encoder.layers.0.self_attention",
    "encoder.layers.0.feed_forward",
    "decoder",
    "decoder.input_embedding",
    "decoder.input_embedding.embedding",
    "decoder.input_embedding.positions",
    "decoder.input_embedding.dropout",
    *[
        f"decoder.layers.{i}{box}"
        for i in (0, 1)
        for box in ("", ".self_attention", ".cross_attention", ".feed_forward")
    ],
    "generator",
]


def shown(t):
    return [line.split(" ")[0] for line in str(t).splitlines()[2:] if "  (" in line]


def test_records_have_the_order_of_figure_1(traced):
    assert shown(traced) == FIGURE_1


def test_depth_none_shows_every_layer(traced):
    assert str(traced).endswith("\ndeeper layers: t.depth = None")
    traced.depth = None
    assert shown(traced) == list(traced)
    assert "deeper layers" not in str(traced)


def test_every_layer_called_by_forward_is_recorded(traced, model):
    assert set(traced) == {name or "Transformer" for name, _ in model.named_modules()} and len(
        traced
    ) == len(set(traced))


@pytest.mark.parametrize(
    ("kind", "order"),
    [(PostNorm, ["sublayer", "dropout", "norm"]), (PreNorm, ["norm", "sublayer", "dropout"])],
)
def test_records_have_data_order_not_construction_order(kind, order):
    layer = kind(FeedForward(4, 6), 4)
    with npf.trace(layer, depth=1) as t:
        layer.forward(np.ones((2, 4), "float32"))
    assert shown(t) == [kind.__name__, *order]
    assert list(t)[-1] == order[-1]


def test_layer_without_data_is_reported(model):
    with npf.trace(model) as t:
        with pytest.raises(npf.InputError, match="nothing has passed through encoder"):
            t["encoder"]
        assert str(t).startswith("Transformer(): 0 of 0 layers") and t.records == []
        model.encode(SRC)
    assert t["encoder"].output.shape == (2, 4, 16)
    with pytest.raises(npf.InputError, match="nothing has passed through decoder"):
        t["decoder"]


def test_unknown_layer_error_names_similar_ones():
    layer = FeedForward(4, 6)
    similar = {"linear": "linear_1, linear_2", "norm": "linear_2", 3: "linear_2"}
    for asked, expected in similar.items():
        with npf.trace(layer) as t, pytest.raises(npf.InputError) as caught:
            t[asked]
        message = f"FeedForward(4, 6) has no layer {asked!r}: expected one such as {expected}"
        assert str(caught.value) == message


def test_error_of_an_unknown_layer_names_three(model):
    with npf.trace(model) as t, pytest.raises(npf.InputError) as caught:
        t["linear"]
    assert str(caught.value).count("linear_1") + str(caught.value).count("linear_2") == 3


def test_table_text():
    layer = Linear(2, 2, dtype="float64")
    layer.weight.data[...] = np.eye(2)
    with npf.trace(layer) as t:
        layer.forward(np.array([[1.0, 3.0]]))
        layer.backward(np.array([[3.0, -4.0]]))
    assert str(t) == repr(t) == (
        "Linear(2, 2): 1 of 1 layers, in the order in which data passed\n"
        "layer   output  mean  std  gradient\n"
        "Linear  (1, 2)     2    1         5\n"
        "mean, std (standard deviation): of the output; gradient: norm of the upstream gradient"
    )  # fmt: skip
    assert t._repr_html_() == (
        "<p><b>Linear(2, 2): 1 of 1 layers, in the order in which data passed</b></p><table>"
        "<tr><th>layer</th><th>output</th><th>mean</th><th>std</th><th>gradient</th></tr>"
        "<tr><td>Linear</td><td>(1, 2)</td><td>2</td><td>1</td><td>5</td></tr></table>"
        "<p>mean, std (standard deviation): of the output; gradient: norm of the upstream gradient</p>"
    )
    assert repr(t["Linear"]) == (
        "Linear: Linear(2, 2)\n"
        "          shape  mean   std  norm\n"
        "x        (1, 2)     2     1  3.16\n"
        "output   (1, 2)     2     1  3.16\n"
        "dy       (1, 2)  -0.5   3.5     5\n"
        "dx       (1, 2)  -0.5   3.5     5\n"
        "dweight  (2, 2)    -1  7.84  15.8\n"
        "dbias      (2,)  -0.5   3.5     5"
    )


def test_table_numbers_equal_array_statistics(traced):
    for line in str(traced).splitlines():
        if found := re.match(r"(\S+) +\(.*\) +(\S+) +(\S+) +(\S+)$", line):
            record = traced[found[1]]
            numbers = record.output.mean(), record.output.std(), np.linalg.norm(record.dy)
            np.testing.assert_allclose(
                [float(text) for text in found.groups()[1:]], numbers, rtol=0.01, atol=1e-6
            )


def test_html_table_escapes_its_cells():
    assert (
        html_table(["<b>"], [["a & b"]])
        == "<table><tr><th>&lt;b&gt;</th></tr><tr><td>a &amp; b</td></tr></table>"
    )

"""Which axis has which tokens, and the boxes of figure 1."""

import numpy as np
import pytest

from npformer.layers.multi_head_attention import MultiHeadAttention
from npformer.models import LanguageModel, LanguageModelConfig
from npformer.tasks import Objective
from npformer.visualization.stepper.axes import AxisNames
from npformer.visualization.stepper.figure import boxes_of
from npformer.visualization.stepper.recorder import Recorder
from npformer.visualization.stepper.source_analysis import Function, computing_lines

IDS = {"s": np.ones((2, 5), int), "t": np.ones((2, 5), int)}  # of one length: sizes say nothing
CROSS, SELF = (
    "decoder.layers.0.cross_attention.sublayer",
    "decoder.layers.0.self_attention.sublayer",
)


@pytest.mark.parametrize(
    ("module", "shape", "commented", "letters"),
    [
        ("encoder.layers.0", (2, 5, 8), ["B", "S", "D"], "bs."),
        ("encoder.layers.0.feed_forward.norm", (2, 5, 8), ["B", "T", "D"], "bs."),
        (f"{CROSS}.attention", (2, 4, 5, 5), ["...", "T", "S"], "bhts"),
        (f"{SELF}.attention", (2, 4, 5, 5), ["...", "T", "S"], "bhtt"),
        (f"{CROSS}.attention.softmax", (2, 4, 5, 5), [], "bhts"),
        (f"{CROSS}.attention.dropout", (2, 4, 5, 5), [], "bhts"),
        (f"{CROSS}.w_key", (2, 5, 8), ["...", "d_in"], "bs."),
        (f"{CROSS}.w_query", (2, 5, 8), ["...", "d_in"], "bt."),
        (f"{SELF}.w_key", (2, 5, 8), ["...", "d_in"], "bt."),
        (f"{CROSS}.w_query", (10, 8), ["N", "d_out"], "T."),
        (f"{CROSS}.w_value", (2, 5, 8), ["...", "d_in"], "bs."),
        (f"{CROSS}.w_value", (10, 8), ["N", "d_out"], "S."),
        ("decoder", (10, 8), [], "T."),
        ("decoder", (2, 4, 5, 8), [], "bht."),
        ("decoder", (3, 4, 8), ["B", "T", "D"], "..."),  # other sizes than those of the texts
        ("decoder.layers.0.feed_forward.norm", (2, 5, 8), ["...", "D"], "bt."),
        ("decoder.layers.0.feed_forward.norm", (2, 5, 8), [], "bt."),
        ("Transformer", (2, 5), [], "bt"),
        ("generator", (9, 8), ["N", "V"], ".."),  # another size than all positions
        ("loss", (), [], ""),
        ("loss", (8,), ["D"], "."),
    ],
)
def test_axis_letters(module, shape, commented, letters):
    assert AxisNames(IDS).of(module, shape, commented) == letters


def test_only_text_is_the_source():
    assert AxisNames({"s": IDS["s"]}).of("layers.0", (2, 5, 8), ["B", "T", "D"]) == "bs."


def test_axes_are_unnamed_without_texts():
    assert AxisNames({}).of("loss", (2, 4, 5, 5), ["B", "H", "T", "S"]) == ".h.."


def test_comments_name_axes_of_arguments_and_results():
    function = Function(MultiHeadAttention.project.__code__)
    assert function.axes == {
        "key": ["B", "S", "D"],
        "value": ["B", "S", "D"],
        "k": ["B", "H", "S", "d_k"],
        "v": ["B", "H", "S", "d_v"],
    }
    function = Function(MultiHeadAttention.forward.__code__)
    assert function.axes["v"] == ["B", "H", "S", "d_v"] and function.axes["query"] == [
        "B",
        "T",
        "D",
    ]
    split = Function(MultiHeadAttention._split.__code__)
    assert split.axes_in(max(split.returned), "returned") == ["B", "H", "T", "d"]


class Lines:
    """Lines of which it is noted what they do."""

    def swap(self, query, key):
        turned = key.T  # (d, S)
        parts = (
            query @ turned,
            query @ self.swap(query, key),
            self.swap(query, key) @ turned,
        )
        first = second = parts[0]  # (T, S)
        return first, second, parts[1]


def test_what_lines_do():
    function = Function(Lines.swap.__code__)
    first = function.first
    # a comment of the first line says nothing of the arguments
    assert function.axes == {"turned": ["d", "S"], "first": ["T", "S"], "second": ["T", "S"]}
    for line in range(first + 2, first + 7):
        assert function.read[line] >= {"query", "turned", "key"}
    # what a layer computes is not computed a second time
    assert function.products == {first + 2: [("query", "turned")]}
    assert function.returned == {first + 8: ["first", "second", "returned"]}


def test_function_without_source_file():
    function = Function(compile("x = 1", "<no file>", "exec"))
    assert function.lines == ["# the source of this function is not in a file"]


def boxes(model):
    return boxes_of(Recorder(Objective(model)).modules)


def test_figure_1_of_a_post_norm_transformer(make_model):
    found = boxes(make_model())
    encoder = [
        "Input Embedding",
        "Positional Encoding",
        "Multi-Head Attention",
        "Add & Norm",
        "Feed Forward",
        "Add & Norm",
    ]
    decoder = [
        "Output Embedding",
        "Positional Encoding",
        "Masked Multi-Head Attention",
        "Add & Norm",
    ]
    decoder += [
        "Multi-Head Attention",
        "Add & Norm",
        "Feed Forward",
        "Add & Norm",
        "Linear",
        "Softmax, Loss",
    ]
    assert [box["label"] for box in found if box["stack"] == 0] == encoder
    assert [box["label"] for box in found if box["stack"] == 1] == decoder
    assert [box["modules"][0] for box in found if box["memory"]] == [
        "decoder.layers.0.cross_attention.sublayer"
    ]
    assert sum(box["residual"] for box in found) == 5


def described(found):
    """What a box has besides its place in the figure."""
    names = ("label", "color", "modules", "residual", "memory")
    return [tuple(box[name] for name in names) for box in found]


def test_boxes_of_a_decoder_layer(make_model):
    layer = "decoder.layers.0"
    found = boxes(make_model())
    masked, cross = f"{layer}.self_attention", f"{layer}.cross_attention"
    feed = f"{layer}.feed_forward"

    def add_norm(name):
        return ("Add & Norm", "norm", (name, f"{name}.norm", f"{name}.dropout"), True, False)

    assert described(box for box in found if box["layer"] == layer) == [
        ("Masked Multi-Head Attention", "attention", (f"{masked}.sublayer",), False, False),
        add_norm(masked),
        ("Multi-Head Attention", "attention", (f"{cross}.sublayer",), False, True),
        add_norm(cross),
        ("Feed Forward", "feed", (f"{feed}.sublayer",), False, False),
        add_norm(feed),
    ]
    assert [(box["label"], box["color"]) for box in found if not box["layer"]] == [
        ("Input Embedding", "embedding"),
        ("Positional Encoding", "other"),
        ("Output Embedding", "embedding"),
        ("Positional Encoding", "other"),
        ("Linear", "linear"),
        ("Softmax, Loss", "softmax"),
    ]


def test_boxes_of_a_pre_norm_layer(make_model):
    name = "encoder.layers.0.feed_forward"
    found = [box for box in boxes(make_model(norm="pre")) if name in box["modules"][0]]
    assert described(found) == [
        ("Norm", "norm", (f"{name}.norm",), False, False),
        ("Feed Forward", "feed", (f"{name}.sublayer",), False, False),
        ("Add", "norm", (name, f"{name}.dropout"), True, False),
    ]


def test_figure_1_of_pre_norm_and_of_one_stack(make_model):
    encoder = [box for box in boxes(make_model(norm="pre")) if box["layer"].startswith("encoder")]
    labels = [box["label"] for box in encoder]
    assert labels == ["Norm", "Multi-Head Attention", "Add", "Norm", "Feed Forward", "Add"]
    assert [box["label"] for box in encoder if box["residual"]] == ["Add", "Add"]
    config = LanguageModelConfig(vocab_size=9, d_model=8, d_ff=8, n_heads=2, n_decoder_layers=1)
    language_model = boxes(LanguageModel(config, rng=0))
    assert {box["stack"] for box in language_model} == {0}
    assert language_model[0]["label"] == "Input Embedding"
    assert {box["layer"] for box in language_model} == {"", "decoder.layers.0"}


@pytest.mark.parametrize(
    ("line", "computes"),
    [
        ("y = flatten_positions(x) @ w", True),
        ("y += b", True),
        ("return self.remember(y * gain, y)", True),
        ("return x + self.dropout.forward(y)", True),
        ("mask = padding_mask(ids, 0)", True),
        ("scale = dropout_mask(rng, shape, p).astype(dtype)", True),
        ("scatter_add(table, ids, rows)", True),
        ("ids = to_device(ids)", False),
        ("rows = flatten_positions(x)", False),
        ("x = np.asarray(x)", False),
        ("x = np.atleast_2d(to_host(x))", False),
        ("x = x.copy().transpose(1, 0)", False),
        ("heads = x.reshape(2, 3).swapaxes(0, 1)", False),
        ("return self.remember(y, y)", False),
        ("(x,) = self.recall(dy)", False),
        ("return self.norm.forward(x + y)", False),
        ("return super().forward(x, x)", False),
        ("x = layer.forward(x)", False),
        ("dx = layer.backward(dy)", False),
        ("x = super().project(x)", False),
        ("def f(x: int = 1 + 1): pass", False),
        ("if self.bias is not None: pass", False),
        ("= no Python", False),
    ],
)
def test_lines_that_compute(line, computes):
    assert computing_lines(["", line], 10) == ({11} if computes else set())

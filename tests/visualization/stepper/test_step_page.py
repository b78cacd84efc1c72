"""The page: what is packed into it, and that nothing in it can end what it is in."""

import html
import re
from pathlib import Path

import numpy as np
import pytest

import npformer as npf
from npformer import InputError, Module
from npformer.layers import LayerNorm, Linear
from npformer.tasks import Objective, TranslationBatch
from npformer.visualization.plots.colors import role_style
from npformer.visualization.stepper import page as page_module
from npformer.visualization.stepper.page import _in_ascii, layer_rows, page_of
from npformer.visualization.stepper.recorder import Recorder
from npformer.visualization.stepper.step_through import sentences_of
from tests.visualization.nasty_tokens import NASTY
from tests.visualization.stepper.unpacking import unpack


class Names:
    """A vocabulary of nasty tokens."""

    tokens = [*NASTY, *NASTY]


@pytest.fixture(scope="module")
def recording(make_model):
    objective = Objective(make_model(src_vocab_size=30, tgt_vocab_size=30))
    batch = TranslationBatch.of([[4, 5, 6], [7]], [[8, 9], [10]])
    return npf.step_through(objective, batch, vocabularies=[Names(), Names()])


def test_page_contains_all_arrays_exactly(recording):
    data, array = unpack(recording.html())
    assert len(data["steps"]) == len(recording.steps)
    for step, (_, line, done, made, _) in zip(recording.steps, data["steps"], strict=True):
        assert (step.line, step.done) == (line, done)
        for one, (name, kind, number, axes) in zip(step.made, made, strict=True):
            expected = recording[one]
            assert (one.name, one.kind, len(axes)) == (name, kind, expected.ndim)
            assert array(number).astype(expected.dtype).tobytes() == expected.tobytes()


def test_page_describes_calls_and_functions(recording):
    data, _ = unpack(recording.html())
    recorder = recording.recorder
    assert [step[0] for step in data["steps"]] == [step.call for step in recorder.steps]
    products = [[list(product) for product in step.products] for step in recorder.steps]
    assert [step[4] for step in data["steps"]] == products
    for call, (module, place, *rest) in zip(recorder.calls, data["calls"], strict=True):
        assert (module, rest) == (call.module, [call.parent, call.direction, call.first, call.last])
        function = data["functions"][place]
        for name in ("name", "file", "first", "lines"):
            assert function[name] == getattr(call.function, name)
    assert data["labels"].keys() == recorder.modules.keys()
    assert data["labels"]["encoder.layers.0.self_attention.sublayer.w_key"] == "Linear(16, 16)"
    assert data["tokens"]["t"] == [["&amp;", "`", "$name"], ["&amp;", "U+2028", "</script>"]]


LINEAR = [
    "y = flatten_positions(x) @ self.weight.data",
    "y += self.bias.data",
    "self.bias.grad += column_sum(dy)",
    "self.weight.grad += rows.T @ drows",
    "return (drows @ self.weight.data.T).reshape(x.shape)",
]
NORM = [
    "centered = x - row_mean(x)",
    "rstd = 1 / xp.sqrt(row_mean(centered * centered) + self.eps)",
    "xhat = centered * rstd",
    "return self.remember(xhat * self.gain.data + self.bias.data, xhat, rstd)",
    "self.bias.grad += column_sum(dy)",
    "self.gain.grad += column_sum(dy * xhat)",
    "dxhat = dy * self.gain.data",
    "mean = row_mean(dxhat)",
    "projection = row_mean(dxhat * xhat)",
    "return rstd * (dxhat - mean - xhat * projection)",
]


@pytest.mark.parametrize(
    ("layer", "expected"),
    [(Linear(2, 2), LINEAR), (LayerNorm(2), NORM)],
    ids=["Linear", "LayerNorm"],
)
def test_lines_that_compute_in_a_layer(layer, expected):
    with Recorder(layer) as recorder:
        layer.forward(np.float32([[1, 3]]))
        layer.backward(np.float32([[3, -4]]))
    data, _ = unpack(page_of(recorder, {}))
    lines = []
    for number in data["computing"]:
        call, line, *_ = data["steps"][number]
        function = data["functions"][data["calls"][call][1]]
        lines.append(function["lines"][line - function["first"]].partition("  # ")[0].strip())
    assert lines == expected


def test_backward_has_axis_names_of_forward_comments(recording):
    data, _ = unpack(recording.html())
    calls = [
        call
        for call in data["calls"]
        if call[0].endswith("sublayer.attention") and call[3] == "backward"
    ]
    axes = {
        name: axes
        for step in data["steps"]
        if data["calls"][step[0]] in calls
        for name, _, _, axes in step[3]
    }
    assert axes["weights"][:2] == "bh" and "." not in axes["weights"] and axes["query"][-1] == "."


def test_queries_keys_and_values_have_roles_in_attention_and_nowhere_else(make_model):
    model = make_model()
    adam = npf.Adam(model.parameters(), 0.1)
    batch = TranslationBatch.of([[4, 5]], [[8, 9]])
    recording = npf.step_through(Objective(model), batch, adam)
    data, _ = unpack(recording.html())
    assert data["roles"] == {"w_query": "query", "w_key": "key", "w_value": "value"}

    roles = {}
    for function in data["functions"]:
        roles.setdefault(function["file"].rpartition("/")[2], {}).update(function["roles"])
    assert roles["adam.py"] == {}  # whose v is another
    assert roles["attention.py"] == {
        "query": "query",
        "key": "key",
        "value": "value",
        "dquery": "query",
        "dkey": "key",
        "dvalue": "value",
    }


def test_each_text_needs_a_vocabulary(make_model):
    objective = Objective(make_model(src_vocab_size=30, tgt_vocab_size=30))
    batch = TranslationBatch.of([[4, 5]], [[8, 9]])
    with pytest.raises(
        npf.InputError, match=r"^vocabularies: got 1 for 2 texts, expected one for each$"
    ):
        npf.step_through(objective, batch, vocabularies=[Names()])


def test_page_describes_padding(recording):
    text = html.unescape(recording.html())
    assert (
        "Source: 4 tokens for each of 2 texts; 4, 2 are real, the rest at the end is <pad> (id 0)."
        in text
    )
    rest = "the rest at the end is <pad> (id 0)."
    assert f"<p>Target: 3 tokens for each of 2 texts; 3, 2 are real, {rest}</p>" in text
    note = f"Loss {recording.loss:.6g}. All arrays are exactly as the update computed them."
    assert f"<p>{note}</p>" in text
    title = f"\" ' \\ <b> → &amp; ` $name · loss {recording.loss:.4g}"
    assert f"<title>Step by step: {title}</title>" in text and f"<h1>{title}</h1>" in text


def test_title_has_sentences_without_the_tokens_at_their_ends():
    source = {"tokens": [["<s>", "a", "b c", "</s>", "<pad>"], ["another"]]}
    target = {"tokens": [["<bos>", "<eos>"]]}
    assert sentences_of({"s": source, "t": target}) == "a b␣c → <bos> <eos>"


def test_page_has_all_scripts_and_styles(recording):
    page = recording.html()
    folder = Path(page_module.__file__).parent
    scripts = [folder.parent / "viewer" / "theme.js", *sorted(folder.glob("*.js"))]
    places = [page.index(_in_ascii(script.read_text("utf-8"))) for script in scripts]
    assert places == sorted(places)
    assert (folder / "stepper.css").read_text("utf-8") + role_style(":root") in page
    assert _in_ascii("é → \n") == "\\u00e9 \\u2192 \n"


def test_page_makes_no_requests_and_escapes_tokens(recording):
    page = recording.html()
    assert page.isascii() and page.count("<script") == page.count("</script>") == 1
    packed = re.search('PACKED = "([^"]*)"', page)[1]
    assert not set("<>&") & set(packed)
    assert "<b>" not in page and "<!--" not in page
    names = r"src\s*=|href\s*=|@import|url\((?!#)|import\(|fetch\(|XMLHttpRequest|https?:(?!//www\.w3\.org/2000/svg)"
    assert not re.search(names, re.sub(r'PACKED = "[^"]*"', "", page))
    data, _ = unpack(page)
    assert data["tokens"]["s"][0][:2] == ['"', "'"]


def test_notebook_output_is_an_iframe_with_the_page(recording):
    shown = re.fullmatch(
        r'<iframe title="Step debugger" style="[^"]*" srcdoc="([^"]*)"></iframe><table>(.*)</table>'
        r"<style>iframe \+ table { display: none }</style>",
        recording._repr_html_(),
        re.DOTALL,
    )
    assert html.unescape(shown[1]) == recording.html()
    assert shown[2] == layer_rows(recording.recorder)
    blocks = recording.recorder.arrays.blocks
    size = f"{len(blocks):,} different arrays, {sum(b.nbytes for b in blocks) / 1e6:.1f} MB"
    expected = f"StepThrough({len(recording.steps):,} steps, {size}, loss {recording.loss:.4g})"
    assert repr(recording) == expected


def test_page_is_saved_only_as_html(recording, tmp_path):
    recording.save(tmp_path / "step.html")
    assert (tmp_path / "step.html").read_text() == recording.html()
    with pytest.raises(InputError, match=r"step.pdf: expected a name that ends in \.html"):
        recording.save(tmp_path / "step.pdf")


def test_table_without_javascript_names_every_layer(recording):
    page = recording.html()
    for call in recording.recorder.calls:
        assert f"<tr><td>{call.module}</td>" in page


def test_table_without_javascript_has_outputs_and_norms_of_gradients():
    layer = Linear(2, 2, dtype="float64")
    layer.weight.data[...] = np.eye(2)
    with Recorder(layer) as recorder:
        layer.forward(np.array([[1.0, 3.0]]))
        layer.backward(np.array([[3.0, -4.0]]))
    cells = "<td>Linear</td><td>(1, 2)</td><td>2</td><td>1</td><td>5</td>"
    head = "<td>layer</td><td>output</td><td>mean</td><td>std</td><td>norm of dy</td>"
    assert f"<table>\n<tr>{head}</tr>\n<tr>{cells}</tr>\n</table>" in page_of(recorder, {})
    with Recorder(layer) as recorder:
        layer.forward(np.zeros((0, 2)))
    assert layer_rows(recorder).endswith("<tr><td>Linear</td>" + "<td></td>" * 4 + "</tr>")


class Scale(Module):
    def __init__(self, factor):
        self.factor = factor

    def forward(self, x):
        y = x * 1
        return y if self.factor is None else y * self.factor


@pytest.mark.parametrize(("factor", "n_lines"), [(None, 1), (2.0, 2)])
def test_line_that_returns_an_argument_as_it_is_computes_nothing(factor, n_lines):
    layer = Scale(factor)
    with Recorder(layer) as recorder:
        layer.forward(np.array([1.0, 3.0]))
    data, _ = unpack(page_of(recorder, {}))
    first = recorder.functions[Scale.forward.__code__].first
    lines = [data["steps"][number][1] - first for number in data["computing"]]
    assert lines == [1, 2][:n_lines]


class Strange(Module):
    """Makes arrays of every kind that a page must bear."""

    def forward(self, x):
        broken = np.array([np.nan, np.inf, -np.inf, 0.0])
        empty = np.zeros((0, 3))
        large = np.array([2**40, -1])
        small = np.float16([0.5])
        flag = np.array(True)
        number = 0.25
        part = (x[::-1], None, [x])
        words, pairs = np.array(["a"]), np.array([1j])  # not shown
        return self.remember(part[0], broken, empty, large, small, flag, number, words, pairs)


def test_page_round_trip_of_all_number_types():
    layer = Strange()
    with Recorder(layer) as recorder:
        layer.forward(np.arange(6.0).reshape(2, 3))
    data, array = unpack(page_of(recorder, {}))
    numbers = {name: number for step in data["steps"] for name, _, number, _ in step[3]}
    found = {name: array(number) for name, number in numbers.items()}
    assert data["integers"] == [data["views"][numbers["large"]][0]]
    np.testing.assert_array_equal(found["broken"], [np.nan, np.inf, -np.inf, 0])
    assert found["empty"].shape == (0, 3) and found["large"].tolist() == [2**40, -1]
    assert (found["small"].tolist(), found["flag"].tolist(), found["number"].tolist()) == (
        [0.5],
        1,
        0.25,
    )
    np.testing.assert_array_equal(found["part[0]"], [[3, 4, 5], [0, 1, 2]])
    assert not {"words", "pairs"} & found.keys()

"""The page: what is packed into it, and that nothing in it can end what it is in."""

import html
import re

import numpy as np
import pytest

import npformer as npf
from npformer import InputError, Module
from npformer.layers import Linear
from npformer.tasks import Objective, TranslationBatch
from npformer.visualization.stepper.page import page_of
from npformer.visualization.stepper.recorder import Recorder
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


def test_page_describes_padding(recording):
    text = html.unescape(recording.html())
    assert (
        "Source: 4 tokens for each of 2 texts; 4, 2 are real, the rest at the end is <pad> (id 0)."
        in text
    )
    assert f"Loss {recording.loss:.6g}." in text


def test_page_makes_no_requests_and_escapes_tokens(recording):
    page = recording.html()
    assert page.isascii() and page.count("<script") == page.count("</script>") == 1
    assert "<b>" not in page and "<!--" not in page
    names = r"src\s*=|href\s*=|@import|url\((?!#)|import\(|fetch\(|XMLHttpRequest|https?:(?!//www\.w3\.org/2000/svg)"
    assert not re.search(names, re.sub(r'PACKED = "[^"]*"', "", page))
    data, _ = unpack(page)
    assert data["tokens"]["s"][0][:2] == ['"', "'"]


def test_notebook_output_is_an_iframe_with_the_page(recording):
    shown = re.match(
        r'<iframe title="[^"]*" style="[^"]*" srcdoc="([^"]*)"></iframe><table>',
        recording._repr_html_(),
    )
    assert html.unescape(shown[1]) == recording.html()
    assert re.fullmatch(
        r"StepThrough\([\d,]+ steps, \d+ different arrays, 0\.\d MB, loss [\d.]+\)", repr(recording)
    )


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
    assert f"<tr>{cells}</tr>" in page_of(recorder, {})


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
    found = {name: array(number) for step in data["steps"] for name, _, number, _ in step[3]}
    np.testing.assert_array_equal(found["broken"], [np.nan, np.inf, -np.inf, 0])
    assert found["empty"].shape == (0, 3) and found["large"].tolist() == [2**40, -1]
    assert (found["small"].tolist(), found["flag"].tolist(), found["number"].tolist()) == (
        [0.5],
        1,
        0.25,
    )
    np.testing.assert_array_equal(found["part[0]"], [[3, 4, 5], [0, 1, 2]])
    assert not {"words", "pairs"} & found.keys()

import base64
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from npformer import InputError
from npformer.tasks import Translator
from npformer.text import Vocabulary
from npformer.visualization import SentenceAttention, sentence_attention
from npformer.visualization.viewer import AttentionViewer, page_format
from npformer.visualization.viewer import viewer as viewer_module
from npformer.visualization.viewer.viewer import SCRIPTS, _asset, pack, readable
from tests.visualization.nasty_tokens import NASTY

PRECISION = 0.5 / 255


class Reader(HTMLParser):
    """Counts the elements of a piece of HTML, and keeps its text and what is in attributes."""

    def __init__(self, text):
        super().__init__()
        self.opened, self.closed, self.attributes, self.cells = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.opened.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        self.closed.append(tag)

    def handle_data(self, data):
        if self.opened[-1:] == ["bdi"] and self.closed.count("bdi") < self.opened.count("bdi"):
            self.cells.append(data)


@pytest.fixture
def looked(make_looked):
    return make_looked(["the", "dog", "<eos>"], ["der", "Hund", "da", "<eos>"])


def unpack(packed):
    """Return the weights that `pack` wrote, as the viewer's weights.js does."""
    steps = np.frombuffer(base64.b64decode(packed["bytes"]), np.uint8)
    return steps.reshape(packed["shape"]) / 255


def test_weights_round_trip_within_precision():
    weights = np.random.default_rng(0).dirichlet(np.full(7, 0.3), size=(3, 4, 5))
    assert abs(unpack(pack("cross", weights, 5, 7)) - weights).max() <= PRECISION + 1e-12


def test_byte_values_round_trip_exactly():
    weights = np.arange(256).reshape(1, 1, 16, 16) / 255
    back = unpack(pack("cross", weights, 16, 16))
    np.testing.assert_array_equal(back, weights)
    assert back.min() == 0 and back.max() == 1


def test_rounding_of_a_softmax_is_accepted():
    assert unpack(pack("cross", [[[[1 + 5e-7, -5e-7]]]], 1, 2)).tolist() == [[[[1, 0]]]]


def test_spaces_and_line_ends_are_shown():
    assert readable("a b\n\t c") == "a␣b↵⇥␣c"


def test_page_contains_all_weights(looked):
    page = AttentionViewer(looked).html()
    for kind in ("encoder", "decoder", "cross"):
        [shape, content] = re.search(
            rf'"{kind}":{{"shape":\[([^\]]+)\],"bytes":"([^"]+)"}}', page
        ).groups()
        back = unpack({"shape": [int(size) for size in shape.split(",")], "bytes": content})
        np.testing.assert_allclose(back, getattr(looked, kind), rtol=0, atol=PRECISION + 1e-7)


def test_page_has_its_title_and_all_scripts(looked, tmp_path):
    AttentionViewer(looked).save(tmp_path / "x.html")
    page = (tmp_path / "x.html").read_text("utf-8")
    title = "Attention: the dog &lt;eos&gt; → der Hund da &lt;eos&gt;"
    assert f"<title>{title}</title>" in page and f"<h1>{title}</h1>" in page
    scripts = {path.name for path in Path(viewer_module.__file__).parent.glob("*.js")}
    assert set(SCRIPTS) == scripts and all(_asset(name) in page for name in scripts)
    assert "--query: color-mix" in page and _asset("viewer.css")[:20] in page


def test_viewer_of_one_stack(tmp_path):
    rows = np.array([[[[0.25, 0.75], [1, 0]]]])
    classifier = AttentionViewer(SentenceAttention(["<bos>", "a"], [], [], rows, None, None))
    assert repr(classifier) == "AttentionViewer('<bos> a')"
    assert "Strongest weights of the encoder attention" in classifier.html()
    assert "<td><bdi>a</bdi> 75% · <bdi>&lt;bos&gt;</bdi> 25%</td>" in classifier.html()

    writer = AttentionViewer(SentenceAttention([], ["a", "b"], ["b", "c"], None, rows, None))
    writer.save(tmp_path / "x.html")
    assert "<title>Attention: b c</title>" in (tmp_path / "x.html").read_text("utf-8")
    # rows are labeled by what is written, columns by what is read
    row = "<tr><td><bdi>b</bdi></td><td><bdi>b</bdi> 75% · <bdi>a</bdi> 25%</td></tr>"
    assert row in writer.html()


@pytest.mark.parametrize("name", ["x.html", "x.HTM"])
def test_names_of_pages(name):
    page_format(name)
    with pytest.raises(InputError) as caught:
        page_format(f"{name}.txt")
    expected = f"cannot write a page to {name}.txt: expected a name that ends in .html"
    assert str(caught.value) == expected


def test_page_makes_no_network_requests(looked, tmp_path):
    AttentionViewer(looked).save(tmp_path / "x.html")
    page = (tmp_path / "x.html").read_text("utf-8")
    assert not re.search(
        r"https?:|src\s*=|href\s*=|@import|url\(|import\(|fetch\(|XMLHttpRequest|//[a-z]+\.", page
    )


@pytest.mark.parametrize("side", ["source", "written"])
def test_tokens_are_escaped(make_looked, tmp_path, side):
    sides = {"source": ["a", "<eos>"], "written": ["b", "<eos>"], side: [*NASTY, "<eos>"]}
    viewer = AttentionViewer(make_looked(**sides))
    viewer.save(tmp_path / "x.html")
    for page in (viewer.html(), (tmp_path / "x.html").read_text("utf-8")):
        seen = Reader(page)
        assert (
            seen.opened.count("script") == seen.closed.count("script") == page.count("<script") == 1
        )
        assert "b" not in seen.opened and "<!--" not in page
        assert set(seen.cells) <= {
            readable(token) for token in (*sides["source"], *sides["written"])
        }
        assert {readable(token) for token in sides["written"]} <= set(seen.cells)


def test_table_without_javascript_names_strongest_words(make_looked):
    looked = make_looked(["the", "dog", "a", "<eos>"], ["der", "<eos>"])
    looked.cross[-1, :2] = [[0.6, 0, 0.1, 0.3], [0, 0, 0, 1]]
    looked.cross[-1, 2:] = [[0.6, 0.3, 0.1, 0], [0, 0, 0, 1]]  # of two other heads
    page = AttentionViewer(looked).html()
    assert (
        "<tr><td><bdi>der</bdi></td><td><bdi>the</bdi> 60% · <bdi>dog</bdi> 15% · "
        "<bdi>&lt;eos&gt;</bdi> 15%</td></tr>" in page
    )
    assert "<tr><td><bdi>&lt;eos&gt;</bdi></td><td><bdi>&lt;eos&gt;</bdi> 100%</td></tr>" in page
    assert "<caption>Strongest weights of the cross attention in the last layer, mean " in page


def test_table_without_javascript_names_no_weight_that_rounds_to_zero(make_looked):
    looked = make_looked(["the", "dog", "<eos>"], ["<eos>"])
    looked.cross[-1] = [[0.99, 0.006, 0.004]]
    rows = re.findall(r"<tr>.*</tr>", AttentionViewer(looked).html())
    assert re.findall(r"(\d+)%", rows[-1]) == ["99", "1"]


def test_sentence_of_a_model_can_be_shown(make_model):
    vocabulary = Vocabulary.build(["a b c d e f g h"])
    model = make_model(src_vocab_size=len(vocabulary), tgt_vocab_size=len(vocabulary))
    viewer = AttentionViewer(
        sentence_attention(Translator(model, vocabulary, vocabulary), "c a b", "d e")
    )
    assert repr(viewer) == "AttentionViewer('c a b <eos>' -> 'd e <eos>')"


def test_page_is_written_atomically(looked, tmp_path, monkeypatch):
    path = tmp_path / "x.html"
    path.write_text("before")
    monkeypatch.setattr(
        "os.replace", lambda *paths: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    with pytest.raises(InputError, match="No space left"):
        AttentionViewer(looked).save(path)
    assert path.read_text() == "before" and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"read": ["<bos>", "der"], "decoder": np.zeros((3, 4, 2, 2))},
            r"decoder has shape \(3, 4, 2, 2\): expected \(layers, heads, 4, 2\), because there "
            "are 4 query tokens and 2 key tokens$",
        ),
        (
            {"source": ["the", "dog"]},
            r"cross has shape \(3, 4, 4, 3\): expected \(layers, heads, 4, 2\)",
        ),
        (
            {"cross": np.zeros((3, 4, 3, 4))},
            r"cross has shape \(3, 4, 3, 4\): expected \(layers, heads, 4, 3\)",
        ),
        ({"cross": np.zeros((4, 3))}, r"cross has shape \(4, 3\)"),
        ({"cross": np.zeros((0, 4, 4, 3))}, r"cross has shape \(0, 4, 4, 3\)"),
        ({"cross": np.full((3, 4, 4, 3), 1.01)}, "cross holds numbers outside 0 to 1"),
        ({"cross": np.full((3, 4, 4, 3), -0.01)}, "cross holds numbers outside 0 to 1"),
        ({"cross": np.ma.masked_equal(np.zeros((3, 4, 4, 3)), 0)}, "cross is a masked array"),
        (
            {"decoder": np.full((3, 4, 4, 4), np.nan)},
            "decoder holds numbers outside 0 to 1: give weights after the softmax, not scores",
        ),
    ],
)
def test_mismatched_input_is_rejected(looked, change, message):
    with pytest.raises(InputError, match=message) as caught:
        AttentionViewer(looked._replace(**change))
    assert "\n" not in str(caught.value)


def test_viewers_of_one_page_have_names_of_their_own(make_looked):
    names = []
    for seed in (0, 0, 1):
        html = AttentionViewer(make_looked(["a", "<eos>"], ["b", "<eos>"], seed=seed)).html()
        names.append(re.search(r'data-viewer="([^"]+)"', html)[1])
    assert names[0] == names[1] != names[2]

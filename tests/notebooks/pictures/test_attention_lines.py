import numpy as np
import pytest
from matplotlib.colors import to_rgb

from helpers.pictures import plot_attention_lines
from npformer import InputError
from npformer.visualization.plots import new_figure

QUERIES, KEYS = ["der", "Hund", "<eos>"], ["the", "dog", "sleeps", ".", "<eos>"]


@pytest.fixture
def weights():
    """Four heads over three queries and five keys, each row a distribution."""
    return np.random.default_rng(0).dirichlet(np.full(5, 0.5), (4, 3))


@pytest.fixture
def ax():
    return new_figure()[1]


def lines(ax):
    """Return the lines of each head: query, key, opacity."""
    found = []
    for head in ax.collections:
        ends = [np.rint(segment[:, 1]).astype(int) for segment in head.get_segments()]
        found.append(
            {
                (int(a), int(b)): alpha
                for (a, b), alpha in zip(ends, head.get_colors()[:, 3], strict=True)
            }
        )
    return found


def test_line_opacity_equals_attention_weight(ax, weights):
    assert plot_attention_lines(ax, weights, QUERIES, KEYS) is ax
    expected = [
        {at: weight for at, weight in np.ndenumerate(head) if weight >= 0.02} for head in weights
    ]
    for drawn, wanted in zip(lines(ax), expected, strict=True):
        assert drawn == pytest.approx(wanted)
    assert all(
        segment[:, 0].tolist() == [0, 1]
        for head in ax.collections
        for segment in head.get_segments()
    )


def test_heads_differ_in_color_and_height(ax, weights):
    plot_attention_lines(ax, np.ones_like(weights), QUERIES, KEYS)
    colors = {tuple(head.get_colors()[0, :3]) for head in ax.collections}
    heights = [head.get_segments()[0][0, 1] for head in ax.collections]
    assert len(colors) == 4 and heights == sorted(set(heights))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "head 0",
        "head 1",
        "head 2",
        "head 3",
    ]
    assert {to_rgb(line.get_color()) for line in ax.get_legend().get_lines()} == colors


def test_heads_can_be_selected(ax, weights):
    plot_attention_lines(ax, weights, QUERIES, KEYS, heads=[2])
    [drawn] = lines(ax)
    assert drawn == pytest.approx(
        {at: weight for at, weight in np.ndenumerate(weights[2]) if weight >= 0.02}
    )
    assert ax.get_legend() is None


def test_legend_names_selected_heads_and_lines_are_shifted(ax, weights):
    plot_attention_lines(ax, weights, QUERIES, KEYS, heads=[3, 1])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["head 3", "head 1"]
    for drawn, shift in zip(ax.collections, (-0.15, 0.15), strict=True):
        heights = np.array(drawn.get_segments())[:, :, 1]
        np.testing.assert_allclose(heights - np.rint(heights), shift)


def test_only_selected_queries_have_lines(ax, weights):
    plot_attention_lines(ax, weights, QUERIES, KEYS, only=[1])
    assert {query for head in lines(ax) for query, _ in head} == {1}
    assert [text.get_alpha() for text in ax.texts if text.xy[0] == 0][:3] == [0.35, 1, 0.35]
    assert [text.get_alpha() for text in ax.texts if text.xy[0] == 1][:5] == [1] * 5


def test_queries_are_on_the_left_and_keys_on_the_right(ax, weights):
    plot_attention_lines(ax, weights, QUERIES, KEYS, names=("written", "source"), title="layer 2")
    left, right = ([text for text in ax.texts if text.xy[0] == x] for x in (0, 1))
    assert [(text.get_text(), text.xy[1]) for text in left] == [
        ("der", 0),
        ("Hund", 1),
        ("<eos>", 2),
        ("written", -1),
    ]
    assert [text.get_text() for text in right] == [*KEYS, "source"]
    assert ax.get_title() == "layer 2"


@pytest.mark.parametrize(
    "change", [{"heads": [4]}, {"weights": np.ones((3, 5))}, {"weights": np.ones((4, 5, 3))}]
)
def test_mismatched_input_is_rejected(ax, weights, change):
    given = {"weights": weights, **change}
    with pytest.raises(InputError):
        plot_attention_lines(ax, given.pop("weights"), QUERIES, KEYS, **given)


@pytest.mark.parametrize("row", [3, -1])
def test_unknown_query_is_rejected(ax, weights, row):
    with pytest.raises(InputError, match=f"query {row} is unknown: expected 0 to 2"):
        plot_attention_lines(ax, weights, QUERIES, KEYS, only=[row])

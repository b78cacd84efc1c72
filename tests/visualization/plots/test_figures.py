import numpy as np
import pytest
from matplotlib import font_manager
from matplotlib.colors import to_hex

from npformer import InputError
from npformer.visualization.plots import (
    grid_size,
    map_size,
    new_figure,
    plot_attention,
    plot_learning_rate,
    plot_loss,
    save_figure,
)
from npformer.visualization.plots.colors import BLUE, GREY, ORANGE
from npformer.visualization.plots.curves import running_mean
from npformer.visualization.plots.fonts import CJK_FONTS, drawable

SIGNATURES = {"png": b"\x89PNG\r\n\x1a\n", "svg": b"<?xml", "pdf": b"%PDF-"}


@pytest.fixture
def axes():
    return new_figure()[1]


@pytest.mark.parametrize("ending", SIGNATURES)
def test_figure_format_follows_file_name(tmp_path, ending):
    figure, ax = new_figure(width=2, height=1)
    ax.set_title("Größe")
    path = tmp_path / f"figure.{ending}"
    save_figure(figure, path)
    assert path.read_bytes().startswith(SIGNATURES[ending])
    assert list(tmp_path.iterdir()) == [path]


def test_png_has_the_requested_size(tmp_path):
    from matplotlib.image import imread

    save_figure(new_figure(width=2, height=1)[0], tmp_path / "figure.png", dots_per_inch=50)
    assert imread(tmp_path / "figure.png").shape[:2] == (50, 100)


@pytest.mark.parametrize("name", ["figure.jpeg2", "figure"])
def test_unknown_picture_format_is_rejected(tmp_path, name):
    with pytest.raises(
        InputError, match=r"expected a name that ends in \.png, \.svg, \.pdf"
    ) as caught:
        save_figure(new_figure()[0], tmp_path / name)
    assert "\n" not in str(caught.value) and not list(tmp_path.iterdir())


def test_several_axes_have_rows_and_columns():
    assert new_figure(2, 3)[1].shape == (2, 3)


def test_figures_have_room_for_their_tokens():
    """A letter has 0.09 inches, a cell of a single map 0.5 x 0.4, of a grid 0.2 x 0.2."""
    queries, keys = ["der", "Hundehalter"], ["dog"] * 9 + ["owners"]
    expected = {"width": 0.99 + 5 + 1.2, "height": 0.54 + 0.8 + 0.9}
    assert map_size(queries, keys) == pytest.approx(expected)
    expected = {"width": 0.99 + 3 * 2 + 0.9, "height": 0.54 + 2 * 0.85 + 0.5}
    assert grid_size(queries, keys, 2, 3) == pytest.approx(expected)
    long = grid_size(["a"] * 10, ["b"], 1, 4)
    assert long == pytest.approx({"width": 0.09 + 4 * 1.2 + 0.9, "height": 0.09 + 2.35 + 0.5})
    # and a title
    assert map_size([], ["a"])["width"] == grid_size([], ["a"], 1, 1)["width"] == 4.5


def test_attention_is_plotted_into_axes_and_axes_returned(axes):
    weights = np.array([[0.61, 0.2, 0.19], [0.25, 0.25, 0.5]])
    assert (
        plot_attention(axes, weights, ["der", "Hund"], ["the", "dog", "<eos>"], title="layer 1")
        is axes
    )
    [image] = axes.images
    assert (
        (image.get_array() == weights).all()
        and image.get_clim() == (0, 1)
        and axes.get_title() == "layer 1"
    )
    assert [label.get_text() for label in axes.get_xticklabels()] == ["the", "dog", "<eos>"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["der", "Hund"]
    written = {(text.get_position(), text.get_text()) for text in axes.texts}
    assert written == {
        ((0, 0), "0.6"),
        ((1, 0), "0.2"),
        ((0, 1), "0.2"),
        ((1, 1), "0.2"),
        ((2, 1), "0.5"),
    }
    assert (
        plot_attention(axes, [[0.93, 0.07]], ["a"], ["b", "c"], digits=2).texts[-1].get_text()
        == "0.07"
    )


def test_lines_and_letters_of_a_map(axes):
    plot_attention(axes, np.eye(2, 3), ["der", "Hund"], ["the", "dog", "<eos>"])
    [image] = axes.images
    assert to_hex(image.cmap(0.0)) == "#ffffff" and image.get_interpolation() == "nearest"
    # a token such as $x$ is no formula
    labels = [*axes.get_xticklabels(), *axes.get_yticklabels()]
    assert [label.get_parse_math() for label in labels] == [False] * 5
    # between two cells, and the keys above
    assert axes.get_xticks(minor=True).tolist() == [0.5, 1.5]
    assert axes.get_yticks(minor=True).tolist() == [0.5]
    assert axes.xaxis.get_ticks_position() == "top"
    assert axes.figure.axes[1].get_ylabel() == "attention weight"
    assert {(text.get_ha(), text.get_va()) for text in axes.texts} == {("center", "center")}
    alone = new_figure()[1]
    plot_attention(alone, np.eye(2), ["a", "b"], ["c", "d"], colorbar=False)
    assert len(alone.figure.axes) == 1


@pytest.mark.parametrize(("n_keys", "n_numbers", "turned_by"), [(20, 20, 45), (21, 0, 90)])
def test_maps_of_up_to_twenty_keys_have_numbers(axes, n_keys, n_numbers, turned_by):
    plot_attention(axes, np.ones((1, n_keys)), ["query"], ["key"] * n_keys)
    assert len(axes.texts) == n_numbers
    assert {label.get_rotation() for label in axes.get_xticklabels()} == {turned_by}


def test_loss_plot_has_running_mean_and_held_out_loss(axes):
    steps, losses = list(range(1, 101)), np.linspace(3, 1, 100)
    assert plot_loss(axes, steps, losses, [50, 100], [2.5, 1.5]) is axes
    training, mean, held_out = (line.get_xydata() for line in axes.lines)
    assert (training == np.column_stack([steps, losses])).all()
    assert (mean[:, 1] == running_mean(losses, 2)).all()
    assert held_out.tolist() == [[50, 2.5], [100, 1.5]]
    assert [line.get_color() for line in axes.lines] == [GREY, BLUE, ORANGE]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "training, each update",
        "training, mean of 2 updates",
        "held-out (plain cross-entropy)",
    ]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("update", "loss per token (nats)")
    assert axes.get_ylim()[0] == 0


def test_loss_plot_says_what_a_loss_is_of(axes):
    plot_loss(axes, [1, 2], [3.0, 2.0], per="text", label_smoothing=0.1)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "training, each update (smoothed labels)",
        "training, mean of 1 update",
    ]
    assert axes.get_ylabel() == "loss per text (nats)"


def test_learning_rate_plot_shows_values(axes):
    assert plot_learning_rate(axes, [1, 2, 3], [0.1, 0.2, 0.15]) is axes
    assert axes.lines[0].get_xydata().tolist() == [[1, 0.1], [2, 0.2], [3, 0.15]]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("update", "learning rate")
    assert axes.get_ylim()[0] == 0


@pytest.mark.parametrize("width", [1, 3, 50])
def test_running_mean_averages_the_last_values(width):
    values = np.random.default_rng(0).normal(size=20)
    expected = [values[max(i + 1 - width, 0) : i + 1].mean() for i in range(20)]
    np.testing.assert_allclose(running_mean(values, width), expected, atol=1e-12)


def test_picture_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    (tmp_path / "curve.png").write_bytes(b"old")

    def fail(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(InputError, match="No space left"):
        save_figure(new_figure()[0], tmp_path / "curve.png")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


def test_whitespace_is_made_visible():
    tokens = [" ", "a\nb", "\u3000", " \n", "<eos>", "dragon <unk>"]
    assert drawable(tokens)[0] == ["␣", "a␣b", "␣", "␣␣", "<eos>", "dragon <unk>"]


def test_installed_cjk_fonts_follow_the_font_of_the_style(monkeypatch):
    dejavu = next(font for font in font_manager.fontManager.ttflist if font.name == "DejaVu Sans")
    cjk = font_manager.FontEntry(fname=dejavu.fname, name=CJK_FONTS[1])
    monkeypatch.setattr(font_manager.fontManager, "ttflist", [dejavu])
    assert drawable(["大"])[1] == {"fontfamily": ["sans-serif"], "parse_math": False}
    monkeypatch.setattr(font_manager.fontManager, "ttflist", [dejavu, cjk])
    assert drawable(["大"])[1]["fontfamily"] == ["sans-serif", CJK_FONTS[1]]


def test_a_loss_that_is_not_finite_spoils_only_the_means_that_have_it():
    found = running_mean([1, 2, np.nan, 4, 6], 2)
    np.testing.assert_array_equal(found, [1, 1.5, np.nan, np.nan, 5])
    # a sum of all of them would have lost the small ones
    np.testing.assert_array_equal(running_mean([1e17, 3, 3, 5], 2), [1e17, 5e16 + 1.5, 3, 4])

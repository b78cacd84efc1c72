"""The picture of a run: the Axes that are drawn, not the bytes of a file."""

import pytest

from npformer.cli.train import example


@pytest.fixture(params=[0.1, 0.0])
def drawn(begin, monkeypatch, request):
    """A run of two epochs, and the figures of its pictures by the names of their files."""
    run = begin(epochs=2, label_smoothing=request.param)
    figures = {}
    list(run.updates())
    name = "npformer.visualization.plots.save_figure"
    monkeypatch.setattr(name, lambda figure, path: figures.update({path.name: figure}))
    run.plot_curves()
    return run, figures


def points(line):
    return [tuple(point) for point in line.get_xydata().tolist()]


def test_curves_show_losses_and_learning_rate(drawn):
    run, figures = drawn
    rows = run.log.rows
    above, below = figures["curve.png"].axes
    training, _, held_out = above.lines
    assert points(training) == [(row["step"], row["loss"]) for row in rows]
    has_smoothed_labels = run.settings.label_smoothing > 0
    assert ("smoothed labels" in training.get_label()) == has_smoothed_labels
    ends = [row for row in rows if row["held_out_loss"] is not None]
    assert (
        points(held_out) == [(row["step"], row["held_out_loss"]) for row in ends] and len(ends) == 2
    )
    assert [points(line) for line in below.lines] == [
        [(row["step"], row["learning_rate"]) for row in rows]
    ]


def test_example_is_longest_of_ten_usable_sentences(begin):
    run = begin(max_len=20)
    sides = [
        "the dog .",
        "the dog " * 15,
        "the dog sees .",
        *["you"] * 7,  # the last by the alphabet
        "the dog sees the cat .",
        "the dog sees the cat and the boy .",
    ]
    run.held_out = [run.held_out[0]._replace(source=source) for source in sides]
    assert example(run) == "the dog sees the cat ."

"""The pictures of the paper's ideas draw what the code computes."""

import math

import numpy as np
import pytest

from helpers.pictures import (
    plot_label_smoothing,
    plot_position_waves,
    plot_positions,
    plot_schedules,
    show_ideas_of_positions,
)
from helpers.pictures.positions import STEPS
from npformer.layers.positional_encoding import sinusoids
from npformer.training import WarmupSchedule
from npformer.visualization.plots import new_figure


@pytest.fixture
def ax():
    return new_figure()[1]


def ticks(labels):
    return [label.get_text() for label in labels]


def test_position_plot_shows_the_encoding(ax):
    table = sinusoids(20, 8)
    assert plot_positions(ax, table) is ax
    assert (ax.images[0].get_array() == table).all() and ax.images[0].get_clim() == (-1, 1)


def test_learned_positions_have_symmetric_color_limits(ax):
    plot_positions(ax, [[0.5, -3.0]])
    assert ax.images[0].get_clim() == (-3, 3)


def test_waves_equal_encoding_at_every_position(ax):
    assert plot_position_waves(ax, 16, dimensions=[0, 4, 14], n_positions=30) is ax
    table = sinusoids(30, 16)
    for row, dimension in enumerate([0, 4, 14]):
        for odd in (0, 1):
            drawn = (ax.lines[2 * row + odd].get_ydata()[::STEPS] + row) / 0.4
            np.testing.assert_allclose(drawn, table[:, dimension + odd], atol=1e-12)
    assert ticks(ax.get_yticklabels()) == ["0, 1", "4, 5", "14, 15"]


def test_wavelengths_range_from_2_pi_to_20000_pi(ax):
    plot_position_waves(ax, 512)
    lengths = [float(text.get_text().split()[0].replace(",", "")) for text in ax.texts[:-1]]
    assert lengths[0] == round(2 * math.pi, 1) and lengths == sorted(lengths)
    assert lengths[-1] == round(2 * math.pi * 10000 ** (510 / 512))


def test_ideas_of_positions_write_each_position_in_four_ways():
    [ax] = show_ideas_of_positions().axes
    numbers = [text.get_text() for text in ax.texts]
    rows = [numbers[start : start + 4] for start in range(0, len(numbers))]
    assert ["0", "1", "1", "1"] in rows and ["1", "0", "0", "0"] in rows  # 7 and 8
    assert ["0.84", "0.54", "0.10", "1.00"] in rows  # position 1
    assert {"n", "n / length", "binary digits", "waves"} <= set(numbers)


def test_schedules_are_plotted_with_their_peaks(ax):
    schedules = [WarmupSchedule(512, 4000), WarmupSchedule.with_peak(0.001, 64, 333)]
    assert plot_schedules(ax, schedules, n_steps=10000) is ax
    for line, schedule in zip(ax.lines, schedules, strict=True):
        steps, rates = line.get_data()
        assert (steps[0], steps[-1]) == (1, 10000)
        assert rates.tolist() == [schedule(int(step)) for step in steps]
        assert [steps[i] for i in line.get_markevery()] == [schedule.warmup_steps]
    assert len({line.get_linestyle() for line in ax.lines}) == 2
    labels = ticks(ax.get_legend().get_texts())
    assert labels[0] == "512, 4,000" and labels[1].startswith("64, 333, times ")


def test_unfinished_warmup_has_no_peak(ax):
    plot_schedules(ax, [WarmupSchedule(512, 4000)], n_steps=100)
    assert ax.lines[0].get_markevery() == []


@pytest.mark.parametrize("target", ["a", "d", "e"])
def test_smoothed_target_is_plotted_next_to_one_hot(ax, target):
    assert plot_label_smoothing(ax, list("abcde"), target, eps=0.2) is ax
    before, after = ([bar.get_height() for bar in bars] for bars in ax.containers)
    place = "abcde".index(target)
    assert before == [float(i == place) for i in range(5)]
    assert after == pytest.approx([0.84 if i == place else 0.04 for i in range(5)])
    written = {text.get_text() for text in ax.texts}
    assert written == {"1 - eps + eps/V\n= 0.840", "eps/V\n= 0.040", "0.040"}
    assert ticks(ax.get_xticklabels()) == list("abcde")

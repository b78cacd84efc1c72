import numpy as np
import pytest

from helpers.pictures import plot_distributions
from npformer.visualization.plots import new_figure


@pytest.fixture
def ax():
    return new_figure()[1]


def histograms(ax):
    """Return the heights above its row, and the edges, of each histogram."""
    return [
        (values - base, edges) for values, edges, base in (patch.get_data() for patch in ax.patches)
    ]


def test_distributions_are_labeled_histograms_on_one_axis(ax):
    rng = np.random.default_rng(0)
    arrays = {"layer 1": rng.normal(size=(10, 30)), "layer 2": rng.normal(size=500) * 2}
    assert plot_distributions(ax, arrays) is ax
    assert ax.get_xscale() == "linear"
    for (heights, edges), values in zip(histograms(ax), arrays.values(), strict=True):
        counts = np.histogram(values, edges)[0]
        assert counts.sum() == values.size
        np.testing.assert_allclose(heights, 0.85 * counts / counts.max())
    assert [label.get_text() for label in ax.get_yticklabels()] == ["layer 1", "layer 2"]
    assert [tick > ax.get_yticks()[1] for tick in ax.get_yticks()] == [True, False]


def test_distributions_of_different_scale_use_log_axis(ax):
    values = np.random.default_rng(0).normal(size=1000)
    plot_distributions(ax, {"near": values, "far": 1e-4 * values})
    assert ax.get_xscale() == "log"
    (near, edges), (far, _) = histograms(ax)
    assert edges[far.argmax()] < 1e-3 < edges[near.argmax()]


def test_axis_scale_can_be_chosen(ax):
    plot_distributions(ax, {"near": [1.0, -2.0], "far": [1e-4]}, log=False)
    assert ax.get_xscale() == "linear"

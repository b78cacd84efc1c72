import numpy as np
import pytest

from helpers.pictures import plot_reach
from npformer import InputError
from npformer.paper.table1 import KINDS, Size, gradient_by_position
from npformer.visualization.plots import new_figure


def test_reach_plot_shades_gradient_norms():
    size, kinds = Size(12, 4, r=4), [KINDS[1], KINDS[4]]
    _, axes = new_figure(1, 2)
    assert plot_reach(axes, kinds, size, 3) is axes
    for ax, kind in zip(axes, kinds, strict=True):
        tones = ax.images[0].get_array()
        assert tones.shape == (3, 12) and ax.get_title() == kind.name
        for row in range(3):
            norms = gradient_by_position(kind, size, row + 1)
            assert (np.ma.getmaskarray(tones)[row] == (norms == 0)).all()
            assert tones[row].argmax() == norms.argmax() and tones[row].max() == 1
            reached = np.flatnonzero(norms)
            order = np.argsort(norms[reached])
            assert (np.diff(np.asarray(tones[row])[reached][order]) >= 0).all()
        [hatching] = ax.patches
        assert hatching.get_hatch() and hatching.get_zorder() < ax.images[0].get_zorder()
    first = axes[0].images[0].get_array()[0]
    assert first[0] < first[6] < first[11] or first[0] == 0.12


def test_each_layer_type_needs_an_axes():
    with pytest.raises(
        InputError, match="2 Axes were given for 3 kinds of layers: expected one for each"
    ):
        plot_reach(new_figure(1, 2)[1], KINDS[:3], Size(4, 4), 1)

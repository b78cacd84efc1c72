import numpy as np
import pytest
from matplotlib.colors import to_hex

from helpers.pictures import plot_heads
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import ORANGE

# two layers of two heads, two things
SHARES = np.array([[[0.125, 0.5], [0.75, 0.25]], [[0.0, 0.625], [0.5, 0.0]]])
CHANCE = np.array([0.3, 0.2])


@pytest.fixture
def axes():
    return new_figure()[1]


def test_head_shares_are_in_their_rows_with_chance_below(axes):
    assert plot_heads(axes, SHARES, CHANCE, ["before", "<eos>"], title="encoder") is axes
    written = {text.get_position(): text.get_text() for text in axes.texts}
    cells = {
        (thing, row): f"{share:.2f}" for (row, thing), share in np.ndenumerate(SHARES.reshape(4, 2))
    }
    assert written == cells | {(0, 4.4): "0.30", (1, 4.4): "0.20"}
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "0.0",
        "0.1",
        "1.0",
        "1.1",
        "chance",
    ]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["before", "<eos>"]
    assert axes.get_title() == "encoder"


@pytest.mark.parametrize(
    ("chance", "expected"), [([0.375, 0.3], {(0, 1), (1, 2)}), ([0.376, 0.9], set())]
)
def test_top_head_is_outlined_if_twice_chance(axes, chance, expected):
    plot_heads(axes, SHARES, chance, ["before", "<eos>"])
    outlined = [patch for patch in axes.patches if not patch.get_fill()]
    middles = {
        (round(p.get_x() + p.get_width() / 2), round(p.get_y() + p.get_height() / 2))
        for p in outlined
    }
    assert middles == expected
    assert all(to_hex(patch.get_edgecolor()) == ORANGE for patch in outlined)
    assert {text.get_position() for text in axes.texts if text.get_weight() == "bold"} == expected


def test_larger_share_is_darker(axes):
    plot_heads(axes, SHARES, CHANCE, ["before", "<eos>"])
    tones = {}
    for patch in axes.patches:
        if patch.get_fill():
            place = (
                round(patch.get_x() + patch.get_width() / 2),
                round(patch.get_y() + patch.get_height() / 2),
            )
            tones[place] = sum(patch.get_facecolor()[:3])
    assert tones[0, 2] > tones[0, 0] > tones[0, 3] > tones[0, 1]

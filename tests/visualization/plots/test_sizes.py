"""How wide tokens are taken to be."""

import pytest

from npformer.visualization.plots.figures import text_width


@pytest.mark.parametrize("wide", ["\u4f60\u597d", "\uff21\uff22"], ids=["ideographs", "full-width letters"])
def test_wide_letters_take_the_room_of_wide_letters(wide):
    assert text_width([wide]) == pytest.approx(2 * 10 / 72) and text_width(["AB"]) < text_width([wide])

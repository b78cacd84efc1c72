"""Arrows of queries and keys end where their vectors do."""

import numpy as np

from helpers.pictures.planes import show_queries_and_keys


def test_each_panel_has_the_keys_and_its_own_queries():
    keys = np.array([[1.0, 1.0], [1.0, -1.0]])
    figure = show_queries_and_keys(["who", "am"], keys, {"equal": keys, "opposite": -keys})

    for ax, queries in zip(figure.axes, (keys, -keys), strict=True):
        ends = [text.xy for text in ax.texts if not text.get_text()]
        assert np.array_equal(ends, [*keys, *queries])
        names = [text.get_text() for text in ax.texts if text.get_text()]
        assert names == ["key of who", "key of am", "query of who", "query of am"]
    assert [ax.get_title() for ax in figure.axes] == ["equal", "opposite"]

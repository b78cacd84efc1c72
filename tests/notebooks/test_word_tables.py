"""Labels of the nouns in notebook 27: they can be read, and belong to their dots."""

import numpy as np

from helpers.word_tables import LABEL_HEIGHT, places_of_labels


def test_labels_cover_neither_dots_nor_each_other_and_stay_inside():
    rng = np.random.default_rng(0)
    dots = rng.uniform(100, 300, size=(30, 2))
    widths = rng.uniform(20, 80, size=30)
    places = np.array(places_of_labels(dots, widths, edges=(0, 400)))
    left, right, middle = places[:, 0], places[:, 0] + widths, places[:, 1]
    assert left.min() >= 0 and right.max() <= 400
    for i in range(30):
        beside = (right < left[i]) | (right[i] < left)
        apart = beside | (abs(middle - middle[i]) >= LABEL_HEIGHT)
        assert apart.sum() == 29  # all but itself
        on_it = (left[i] < dots[:, 0]) & (dots[:, 0] < right[i])
        assert not (on_it & (abs(dots[:, 1] - middle[i]) < LABEL_HEIGHT / 2)).any()


def test_label_is_to_the_right_of_its_dot_where_there_is_room():
    [place] = places_of_labels(np.array([[50.0, 50.0]]), [30], edges=(0, 100))
    assert place == (56, 50)

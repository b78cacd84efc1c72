"""Pictures of the numbers of a wrong answer."""

import base64
import io
import re

import numpy as np
from PIL import Image

from npformer_course.report import Part, Report
from npformer_course.student.heat_maps import BLUE, GRAY, PICTURES, RED, pictures_of

WHITE = (255, 255, 255)


def maps_of(got, expected):
    """Return the pixels and the title of the three pictures of an array."""
    part = Part("y", "softmax", "wrong", 1, got=np.array(got), expected=np.array(expected))
    shown = pictures_of(Report("softmax", (part,)))
    found = re.findall(r"7em\">([^<]*)<img [^>]*base64,([^\"]+)", shown)
    titles = [title for title, _ in found]
    pixels = [np.array(Image.open(io.BytesIO(base64.b64decode(data)))) for _, data in found]
    return pixels, titles


def test_rounding_is_white_in_the_picture_of_the_differences():
    expected = np.array([[0.1, 0.2], [0.3, 0.4]])
    pixels, titles = maps_of(expected + np.array([[1e-16, -3e-17], [0, 0.2]]), expected)
    difference = pixels[2]
    assert [tuple(color) for color in difference.reshape(-1, 3)] == [WHITE, WHITE, WHITE, RED]
    assert titles[2] == "y: difference, darkest 0.2"


def test_differences_are_white_where_the_rest_is_nan():
    pixels, titles = maps_of([[np.nan, 0.1 + 1e-16]], [[0.2, 0.1]])
    assert [tuple(color) for color in pixels[2][0]] == [GRAY, WHITE]
    assert titles[0] == "y: yours, darkest 0.2, gray: 1 of 2 are NaN or infinite"
    assert "gray" not in titles[1]
    assert titles[2].endswith("gray: 1 of 2 are NaN or infinite")


def test_yours_and_the_expected_have_one_scale():
    pixels, titles = maps_of([[1.0, -2.0], [0.0, 0.0]], [[1.0, 2.0], [0.0, -4.0]])
    quarter = tuple(int(255 - (255 - color) / 4) for color in RED)
    half = tuple(int(255 - (255 - color) / 2) for color in BLUE)
    reddish = tuple(int(255 - (255 - color) / 2) for color in RED)
    colors = [[tuple(color.tolist()) for color in picture.reshape(-1, 3)] for picture in pixels]
    assert colors == [
        [quarter, half, WHITE, WHITE],
        [quarter, reddish, WHITE, BLUE],
        [WHITE, BLUE, WHITE, RED],  # -4 and 4 of 4
    ]
    assert titles == [f"y: {what}, darkest 4" for what in ("yours", "expected", "difference")]


def test_axes_before_the_last_run_down():
    got = np.arange(24.0).reshape(2, 3, 4)
    pixels, _ = maps_of(got, got + 1)
    assert [picture.shape for picture in pixels] == [(6, 4, 3)] * 3
    along = pixels[0][..., 1].reshape(-1)  # the larger, the less green
    assert (np.diff(along.astype(int)) < 0).all()


def test_only_arrays_of_one_shape_have_pictures():
    wrong = Part("y", "softmax", "wrong", 1, got=np.ones(3), expected=np.zeros(3))
    others = [
        Part("y", "softmax", "wrong", 1, got=np.ones(1), expected=np.zeros(1)),
        Part("y", "softmax", "wrong", 1, got=np.ones(3), expected=np.zeros(4)),
        Part("y", "softmax", "right", 1),
    ]
    assert pictures_of(Report("softmax", tuple(others))) == ""
    shown = pictures_of(Report("softmax", (*others, wrong)))
    assert shown.startswith(PICTURES) and shown.count("<img ") == 3


def test_zeros_are_white():
    pixels, titles = maps_of([[np.nan, 0.0]], [[0.0, 0.0]])
    assert (pixels[1] == 255).all() and titles[1] == "y: expected, darkest 1"

"""Pictures of the numbers of a wrong answer."""

import base64
import io
import re

import numpy as np
from PIL import Image

from npformer_course.report import Part, Report
from npformer_course.student.heat_maps import GRAY, RED, pictures_of

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

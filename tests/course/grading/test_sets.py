import re

import pytest

from npformer.utils.errors import InputError
from npformer_course import course
from npformer_course.grading.exercise_selection import WEEKS, exercise_ids


def numbers(words):
    return [course.load(id).number for id in exercise_ids(words)]


def test_weeks_cover_the_course_without_duplicates():
    assert (
        [number for week in WEEKS for number in numbers(week)] == numbers("all") == numbers("00-99")
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("10", [10]),
        ("heads", [10]),
        ("10_heads", [10]),
        ("7", [7]),
        ("8-10", [8, 9, 10]),
        ("10-10", [10]),
        ("warmup, heads,heads", [10, 23]),
        ("week3", [8, 9, 10]),
        ("week3,07,", [7, 8, 9, 10]),
    ],
)
def test_exercises_are_selected_by_name_in_course_order(words, expected):
    assert numbers(words) == expected


@pytest.mark.parametrize(
    "words", ["", " , ", "10-8", "99", "week12", "head", "-", "1-", "heads-10", "²", "90-99"]
)
def test_selection_without_exercise_is_rejected(words):
    with pytest.raises(InputError, match=re.escape("expected all")):
        exercise_ids(words)

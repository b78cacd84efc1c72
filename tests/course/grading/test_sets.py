import re

import pytest

from npformer.utils.errors import InputError
from npformer_course import course
from npformer_course.course import stem
from npformer_course.grading.exercise_selection import WEEKS, exercise_ids


def test_weeks_cover_the_course_without_duplicates():
    by_week = [id for week in WEEKS for id in exercise_ids(week)]
    assert by_week == exercise_ids("all") == exercise_ids("00-99") == list(course.EXERCISES)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("heads", ["heads"]),
        (stem("heads"), ["heads"]),
        ("15", ["adam_by_hand", "adam", "warmup"]),
        ("9", ["numeric_gradient"]),
        (
            "14-15",
            [
                "loss_gradient",
                "label_smoothing",
                "tied_generator",
                "adam_by_hand",
                "adam",
                "warmup",
            ],
        ),
        ("15-15", ["adam_by_hand", "adam", "warmup"]),
        ("warmup, heads,heads", ["heads", "warmup"]),
        ("week2", ["softmax", "attention", "heads", "multi_head"]),
        ("15,softmax,", ["softmax", "adam_by_hand", "adam", "warmup"]),
    ],
)
def test_exercises_are_selected_by_name_in_course_order(words, expected):
    assert exercise_ids(words) == expected


@pytest.mark.parametrize(
    "words",
    ["", " , ", "10-8", "99", "week13", "head", "-", "1-", "heads-10", "²", "90-99", "heads,10-8"],
)
def test_selection_without_exercise_is_rejected(words):
    with pytest.raises(InputError, match=re.escape("expected all")):
        exercise_ids(words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("heads,10-8", "'10-8' names no exercise: expected all, week1, an id, 07 or 05-09"),
        (
            "heads,head",
            f"'head' is not an exercise: expected all, {', '.join(WEEKS)}, an id, 07 or",
        ),
    ],
)
def test_word_that_names_no_exercise_is_said(words, said):
    with pytest.raises(InputError, match=f"^{re.escape(said)}"):
        exercise_ids(words)

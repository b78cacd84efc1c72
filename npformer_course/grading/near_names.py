"""Names of files that only resemble an answer's name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import NamedTuple

from .. import course
from ..order import NOTEBOOKS, labels
from .lms_names import ANSWER_STEM, stem_of

# also with more after it, as in .py.txt and .ipynb.json; not .pyc
ANSWER_ENDING = re.compile(r"\.(?:pyw?|ipynb)(?![a-z\d]).*$")
OTHER_ENDING = re.compile(r"\.(?:txt|json)$")
# left by editors, by `npformer course reset` and by Jupyter
BACKUP = re.compile(r"~$|\.(?:bak|orig|old\d*)$|-checkpoint\b")
NUMBER = re.compile(r"\d{1,2}(?![a-z\d])")
COURSE_NOTEBOOKS = {f"{label}_{name}" for name, label in labels().items()}
# the least similarity, as difflib computes it, of an id and the same with a typo; it may be smaller
# after the right number, where only a few ids can be meant
SIMILARITY = 0.82
SIMILARITY_AFTER_NUMBER = 0.7


class NearName(NamedTuple):
    """What a misnamed file may be: the stems of one or several exercises.

    `is_version` is whether the name says that the file is a version of the answer that its author
    wrote; a backup, a course notebook or a name with only the right number need not be one.
    """

    stems: Sequence[str]
    is_version: bool


def has_answer_ending(name: str) -> bool:
    """Return whether a file's name has an answer's ending, perhaps with more after it.

    >>> has_answer_ending("homework.py.txt"), has_answer_ending("softmax.pyc")
    (True, False)
    """
    return ANSWER_ENDING.search(name.lower()) is not None


def near_name(name: str) -> NearName | None:
    """Return the exercises that a file's name resembles, or None for an answer or another file.

    >>> near_name("03_sofmax.py.txt")
    NearName(stems=['03_softmax'], is_version=True)
    >>> near_name("03_answer.py")
    NearName(stems=['03_softmax', '03_attention'], is_version=False)
    >>> near_name("03_softmax.py"), near_name("softmax.png"), near_name("README.txt")
    (None, None, None)
    """
    if stem_of(name) or name.startswith("."):
        return None
    name = name.lower().strip()
    is_code = has_answer_ending(name)
    if is_code:
        base = ANSWER_ENDING.sub("", name)
    else:
        base = OTHER_ENDING.sub("", name)
    match = NUMBER.match(base)
    number = match[0] if match else ""
    if not is_code and not _is_like_a_stem(base, number):
        return None

    same_number = _ids_of_notebook(number)
    id = _resembled_id(base, same_number)
    if id:
        return NearName([course.stem(id)], is_version=not BACKUP.search(name))
    # 1.py and 2.py are the first and second of anything
    if is_code and same_number and len(number) == 2:
        return NearName([course.stem(id) for id in same_number], is_version=False)
    return None


def _is_like_a_stem(base: str, number: str) -> bool:
    """Return whether a name without an answer's ending may still be an answer's.

    Notes, data and figures have words of the course in their names, so it has to be an id alone, or
    begin with a number; and it has no other ending, such as that of a figure.
    """
    match = ANSWER_STEM.match(base)
    is_id = match is not None and match["id"] in course.EXERCISES
    has_ending = "." in base.removeprefix(f"{number}.")
    return is_id or (number != "" and not has_ending)


def _ids_of_notebook(number: str) -> Sequence[str]:
    """Return the exercises of the notebook with a number; none if there is no such notebook."""
    if not number or not 1 <= int(number) <= len(NOTEBOOKS):
        return ()
    return NOTEBOOKS[int(number) - 1].exercises


def _resembled_id(base: str, same_number: Sequence[str]) -> str:
    """Return the id that a name resembles, or nothing."""
    # the name of a course notebook may hold the id of one of its exercises
    if base in COURSE_NOTEBOOKS:
        return ""
    return (
        _similar_id(base, course.EXERCISES, SIMILARITY)
        or _id_within(base)
        or _similar_id(base, same_number, SIMILARITY_AFTER_NUMBER)
    )


def _similar_id(base: str, ids: Sequence[str], similarity: float) -> str:
    """Return the id that a name is except for a typo, spaces and digits, or nothing."""
    spelled = {id.replace("_", ""): id for id in ids}
    letters = re.sub("[^a-z]", "", base)
    near = get_close_matches(letters, spelled, n=1, cutoff=similarity)
    return spelled[near[0]] if near else ""


def _id_within(base: str) -> str:
    """Return the id that a name holds among other words, or nothing."""
    words = re.sub(r"\W", "_", base)
    within = []
    for id in course.EXERCISES:
        # between letters it is a part of another word
        if re.search(rf"(?<![a-z]){id}(?![a-z])", words):
            within.append(id)
    # the longest, since masked_softmax holds softmax too
    return max(within, key=len, default="")

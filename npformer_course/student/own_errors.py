"""What a learner's function raised inside a model, as a check says it."""

import traceback
from typing import NamedTuple

from .. import course
from ..diagnosis.crashes_and_types import question_about
from ..execution import place_of

ANSWER = "answer_"  # how the names of modules with a learner's functions begin


class OwnError(NamedTuple):
    """An exception of a learner's function, in words, and a question that helps to find it."""

    text: str
    question: str


def own_error(raised: Exception) -> OwnError | None:
    """Return what is to be said of an exception, or None where no function of a learner ran."""
    kind = type(raised).__name__
    what = f"{kind}: {raised}"
    text = ""
    for frame, line in traceback.walk_tb(raised.__traceback__):
        name = frame.f_globals.get("__name__", "")
        # an adapter has the learner's module under this name
        adapted = getattr(frame.f_locals.get("own"), "__name__", "")
        if name.startswith(ANSWER):
            function = frame.f_code.co_name
            place = place_of(frame.f_code.co_filename, line)
            text = f"{_stem(name)}: the call of {function} ended in {place} with {what}"
        elif adapted.startswith(ANSWER):
            text = f"{_stem(adapted)}: the model cannot use what it returns: {what}"
    # the last is the nearest to the exception
    return OwnError(text, question_about(what, kind)) if text else None


def _stem(module: str) -> str:
    return course.stem(module.removeprefix(ANSWER))

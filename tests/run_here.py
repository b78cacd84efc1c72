"""Students' answers without a sandbox, and the file that answers an exercise."""

from collections.abc import Sequence

from npformer_course.definition import Exercise, module_of
from npformer_course.execution import Answer, Job, make_call
from npformer_course.files import cells_of
from npformer_course.percent_format import as_text, without_marks


def run_here(exercise: Exercise, text: str, jobs: Sequence[Job]) -> tuple[list[Answer], str]:
    """Run our own code in this process."""
    module = module_of(text)
    return [make_call(module, exercise.call(call), inputs) for call, inputs in jobs], ""


def key_text(exercise: Exercise) -> str:
    """Return a student's file with the solution."""
    return without_marks(as_text(cells_of(exercise)))

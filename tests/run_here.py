"""Students' answers without a sandbox, and the file that answers an exercise."""

from npformer_course.definition import Exercise
from npformer_course.files import cells_of
from npformer_course.lint import run_here
from npformer_course.percent_format import as_text, without_marks

__all__ = ["key_text", "run_here"]


def key_text(exercise: Exercise) -> str:
    """Return a student's file with the solution."""
    return without_marks(as_text(cells_of(exercise)))

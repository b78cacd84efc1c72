"""Students' answers without a sandbox."""

from collections.abc import Sequence

from npformer.classroom.execution import Answer, Job, make_call
from npformer.classroom.exercise import Exercise, module_of


def run_here(exercise: Exercise, text: str, jobs: Sequence[Job]) -> tuple[list[Answer], str]:
    """Run our own code in this process."""
    module = module_of(text)
    return [make_call(module, exercise.call(call), inputs) for call, inputs in jobs], ""

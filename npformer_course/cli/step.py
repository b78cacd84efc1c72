"""The verb that steps through a student's answer."""

from npformer.visualization.viewer import page_format

from ..case import case_at
from ..sandbox.runner import SECONDS, Sandbox
from ..step.answer_step import step_answer
from ..student.folder import SEED, Folder
from ..submission import code_of
from .terminal import say


def step(options) -> int:
    """Step through your lines on a page: where they are wrong, next to the expected results."""
    page_format(options.html)  # raises InputError before the answer runs
    folder = Folder()
    id = folder.chosen(options.id)
    path = folder.files[id]
    # a call takes longer when each of its lines is recorded
    recorder = Sandbox(3 * SECONDS, worker="npformer_course.step.worker")
    recording = step_answer(
        case_at(id, SEED), code_of(path), path.name, Sandbox().run, recorder.run
    )
    recording.save(options.html)
    for note in recording.notes:
        say(note)
    print(options.html)
    return 0

"""The solutions of the exercises that are parts of the model, to be put into it."""

from npformer_course import course
from npformer_course.definition import module_of
from npformer_course.student.student_layers import ADAPTERS


def part(id: str, right: str = "", wrong: str = ""):
    """Return a part as a module, with something wrong in place of what is right."""
    text = course.load(id).key
    assert right in text
    return module_of(text.replace(right, wrong, 1), f"answer_{id}")


def all_parts() -> dict:
    """Return all parts by their ids."""
    return {id: part(id) for id in ADAPTERS}

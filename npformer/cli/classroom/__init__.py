"""Exercises: write the Transformer yourself, one after the other."""

from . import student, teacher

__all__ = ["add_options", "run"]

run = student.watch


def add_options(parser) -> None:
    """Add the verbs of students and of teachers."""
    student.add_verbs(parser)
    teacher.add_verbs(parser)

"""Exercises in which students write the Transformer, the doctor that names a mistake, and the teacher's desk.

Nothing here trains or decodes by itself, and nothing prints: cli/ does.
"""


def __getattr__(name: str):
    if name == "q":  # for notebooks alone: it draws
        from .student.notebook import q

        return q
    raise AttributeError(f"module 'npformer.classroom' has no attribute {name!r}")

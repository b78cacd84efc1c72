"""The course: exercises in which students write the Transformer, diagnosis, and grading."""

__all__ = ["q"]


def __getattr__(name: str):
    if name == "q":  # for notebooks alone: it draws
        from .student.notebook import q

        return q
    raise AttributeError(f"module 'npformer_course' has no attribute {name!r}")

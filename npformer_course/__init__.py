"""The course: exercises in which students write the Transformer, diagnosis, and grading."""

__all__ = ["exercise"]


def __getattr__(name: str):
    if name == "exercise":  # for notebooks alone: it draws
        from .student.notebook import exercise

        return exercise
    raise AttributeError(f"module 'npformer_course' has no attribute {name!r}")

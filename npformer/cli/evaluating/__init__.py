"""What `npformer evaluate` does on a run of each task. A file a task: its options, with their defaults, and its run."""

from types import ModuleType

from . import classification, language_modelling, translation

OF_TASK: dict[str, ModuleType] = {found.TASK: found for found in (translation, classification, language_modelling)}

__all__ = ["OF_TASK"]

"""What a run does that depends on its task: vocabularies, batches, scores and pictures. A file a task."""

from .classification import ClassificationJob
from .job import Job
from .language_modelling import LanguageModelJob
from .translation import TranslationJob

JOBS: dict[str, type[Job]] = {job.task: job for job in (TranslationJob, ClassificationJob, LanguageModelJob)}

__all__ = ["JOBS", "ClassificationJob", "Job", "LanguageModelJob", "TranslationJob"]

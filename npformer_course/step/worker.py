"""The process that runs a student's file and records it."""

from ..sandbox import worker
from .recording import record


def serve() -> None:
    """Answer requests as the sandbox's own worker does, with recordings in place of results."""
    worker.serve(record)

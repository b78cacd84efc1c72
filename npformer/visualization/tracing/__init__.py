"""Watching data pass through a model: what every layer took in and gave back, forward and backward."""

from .record import Record
from .trace import Trace, trace

__all__ = ["Record", "Trace", "trace"]

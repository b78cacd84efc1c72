"""A recorder of what every layer takes and returns, forward and backward."""

from .recorder import Record
from .trace import Trace, trace

__all__ = ["Record", "Trace", "trace"]

"""What if this line were wrong: two recordings of an update side by side."""

from .differences import Comparison, Difference, compare_steps
from .what_if import what_if

__all__ = ["Comparison", "Difference", "compare_steps", "what_if"]

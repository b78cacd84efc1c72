"""The gradient check, its report, and the cases that are put to it: what tests and teaching share.

Nothing here may be needed to train; only forward and backward are asked.
"""

from .gradient_check import gradcheck
from .gradient_report import GradientReport, GradientRow

__all__ = ["GradientReport", "GradientRow", "gradcheck"]

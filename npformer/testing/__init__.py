"""The gradient check, its report and its cases, shared by tests and the classroom."""

from .gradient_check import gradcheck
from .gradient_report import GradientReport, GradientRow

__all__ = ["GradientReport", "GradientRow", "gradcheck"]

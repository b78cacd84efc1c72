"""The gradient check, its report and its cases, shared by tests and the course."""

from .differentiation import is_float, numeric_derivative
from .gradient_check import GradientReport, GradientRow, gradcheck

__all__ = ["GradientReport", "GradientRow", "gradcheck", "is_float", "numeric_derivative"]

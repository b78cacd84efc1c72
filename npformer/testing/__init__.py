"""The gradient check, its report and its cases, shared by tests and the course."""

from .gradient_check import GradientReport, GradientRow, gradcheck
from .layer_gradients import is_float, numeric_derivative

__all__ = ["GradientReport", "GradientRow", "gradcheck", "is_float", "numeric_derivative"]

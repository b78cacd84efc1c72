"""The gradient check, its report and its cases, and planted bugs, for tests and the course."""

from .gradient_check import GradientReport, GradientRow, gradcheck
from .layer_gradients import is_float, numeric_derivative
from .planted_bugs import BugEdit, PlantedBug, find_bug, gallery, plant, read_planted_bugs

__all__ = [
    "BugEdit",
    "GradientReport",
    "GradientRow",
    "PlantedBug",
    "find_bug",
    "gallery",
    "gradcheck",
    "is_float",
    "numeric_derivative",
    "plant",
    "read_planted_bugs",
]

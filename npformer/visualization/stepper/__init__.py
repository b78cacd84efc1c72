"""A step debugger: one update of a model, line by line, with the arrays that each line makes."""

from .step_through import StepThrough, step_through

__all__ = ["StepThrough", "step_through"]

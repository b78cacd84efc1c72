"""Figures with sliders: what they show follows the reader, and its numbers are NumPy's.

Each is a Python function and a script with the same numbers, in the frame of `frame.js`.
"""

from .saturation import live_saturation

__all__ = ["live_saturation"]

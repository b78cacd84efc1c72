"""Figures with sliders: what they show follows the reader, and its numbers are NumPy's.

Each is a Python function and a script in the frame of `frame.py` and `frame.js`.
"""

from .alpha import live_alpha
from .backward import live_backward
from .clock_hands import live_clock_hands
from .ravine import live_ravine
from .saturation import live_saturation

__all__ = ["live_alpha", "live_backward", "live_clock_hands", "live_ravine", "live_saturation"]

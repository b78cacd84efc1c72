"""Figures with sliders or switches: what they show follows the reader, and its numbers are NumPy's.

Each is a Python function and a script in the frame of `frame.py` and `frame.js`.
"""

from .alpha import live_alpha
from .backward import live_backward
from .clock_hands import live_clock_hands
from .head_off import live_head_off
from .ravine import live_ravine
from .saturation import live_saturation
from .temperature import live_temperature

__all__ = [
    "live_alpha",
    "live_backward",
    "live_clock_hands",
    "live_head_off",
    "live_ravine",
    "live_saturation",
    "live_temperature",
]

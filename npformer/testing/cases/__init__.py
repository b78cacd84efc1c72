"""The cases of the gradient check: every layer, the loss, and whole models."""

from .case import GradientCase, check
from .layers import LAYER_CASES
from .models import MODEL_CASES

CASES = LAYER_CASES + MODEL_CASES

__all__ = ["CASES", "LAYER_CASES", "MODEL_CASES", "GradientCase", "check"]

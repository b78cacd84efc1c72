"""Models such as come from elsewhere, for who has none: trained in seconds, and written as others write them."""

from .imports import imported
from .language import split
from .models import OTHERS, trained
from .shares import Shares, measure_shares, neighbors
from .writing import write_jadore, write_marian, write_nn_transformer

__all__ = ["OTHERS", "Shares", "imported", "measure_shares", "neighbors", "split", "trained"]
__all__ += ["write_jadore", "write_marian", "write_nn_transformer"]

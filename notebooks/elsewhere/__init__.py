"""Models such as come from elsewhere, for who has none: trained in seconds, and written as others write them."""

from .language import split
from .models import OTHERS, trained
from .writing import write_jadore, write_marian, write_nn_transformer

__all__ = ["OTHERS", "split", "trained", "write_jadore", "write_marian", "write_nn_transformer"]

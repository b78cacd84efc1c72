"""Tables of names: weights of other programs read and written.

Nothing of those programs is run; arrays by name come in, and go out. A library that reads their files is imported where
it is used.
"""

from .export import save_nn_transformer
from .formats import KINDS, Kind, load
from .nn_transformer import from_nn_transformer, to_nn_transformer
from .state_dict import from_state_dict

__all__ = [
    "KINDS",
    "Kind",
    "from_nn_transformer",
    "from_state_dict",
    "load",
    "save_nn_transformer",
    "to_nn_transformer",
]

"""Tables of names: weights of other programs read and written.

Nothing here may import those programs; arrays by name come in, and go out.
"""

from .nn_transformer import from_nn_transformer, to_nn_transformer

__all__ = ["from_nn_transformer", "to_nn_transformer"]

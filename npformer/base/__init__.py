"""What knows no layer: the array library, errors, files, tensors in files, the C library's memory.

Nothing of models, text or training may stand here.
"""

from .backend import to_device, to_host, use_backend, xp
from .errors import InputError, MissingExtraError, require

__all__ = ["InputError", "MissingExtraError", "require", "to_device", "to_host", "use_backend", "xp"]

"""Errors, files, settings, random generators and the machine; nothing here knows a layer."""

import numpy as np

from .errors import InputError, MissingExtraError, import_optional, one_line, prefix_errors
from .files import (
    AnyPath,
    make_folder,
    read_json,
    read_text,
    remove_temporaries,
    write_atomic,
    write_json,
)
from .safetensors_io import load_tensors, save_tensors
from .settings import Setting, Settings, setting
from .threads_and_memory import blas_threads, n_cores, threads_for

Rng = np.random.Generator | int | None  # a generator, a seed, or None for other numbers each time

__all__ = [
    "AnyPath",
    "InputError",
    "MissingExtraError",
    "Rng",
    "Setting",
    "Settings",
    "blas_threads",
    "import_optional",
    "load_tensors",
    "make_folder",
    "n_cores",
    "one_line",
    "prefix_errors",
    "read_json",
    "read_text",
    "remove_temporaries",
    "save_tensors",
    "setting",
    "threads_for",
    "write_atomic",
    "write_json",
]

"""What npformer needs of the package safetensors, in Python: Pyodide 0.27 has no compiled one.

Releases for Python 3.14 have it: this file can go when the pages use one of them.
"""

import json
import struct
import sys
from typing import NamedTuple

import numpy as np

TYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "|i1",
}
TYPES |= {"U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1", "BOOL": "|b1"}
NAMES = {type_: name for name, type_ in TYPES.items()}
LENGTH = struct.Struct("<Q")  # of the header


class SafetensorError(Exception):
    """A file that is not one of safetensors."""


class Slice(NamedTuple):
    """The type of an array, such as "F32"."""

    dtype: str

    def get_dtype(self):
        """Return the type."""
        return self.dtype


class safe_open:
    """The arrays of a file."""

    def __init__(self, path, framework="numpy"):
        with open(path, "rb") as file:
            content = file.read()
        try:
            begin = LENGTH.size + LENGTH.unpack_from(content)[0]
            self.header = json.loads(content[LENGTH.size : begin])
        except (struct.error, ValueError) as error:
            raise SafetensorError(str(error)) from None
        self.note, self.data = self.header.pop("__metadata__", None), content[begin:]

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def keys(self):
        """Return the names."""
        return self.header.keys()

    def metadata(self):
        """Return the texts by name that are written with the arrays."""
        return self.note

    def get_slice(self, name):
        """Return what knows the type of an array before it is read."""
        return Slice(self.header[name]["dtype"])

    def get_tensor(self, name):
        """Return an array."""
        entry = self.header[name]
        begin, end = entry["data_offsets"]
        return (
            np.frombuffer(self.data[begin:end], TYPES[entry["dtype"]])
            .reshape(entry["shape"])
            .copy()
        )


def save(tensors, metadata=None):
    """Return the bytes of a file with these arrays."""
    header, data = {"__metadata__": metadata} if metadata else {}, b""
    for name, array in tensors.items():
        offsets = [len(data), len(data) + array.nbytes]
        header[name] = {
            "dtype": NAMES[array.dtype.str],
            "shape": array.shape,
            "data_offsets": offsets,
        }
        data += array.tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return LENGTH.pack(len(text)) + text + data


sys.modules["safetensors.numpy"] = sys.modules[__name__]

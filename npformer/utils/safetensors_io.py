"""Arrays by name in a safetensors file, with a JSON note and a checksum; never pickle."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from .errors import InputError, import_optional
from .files import AnyPath, write_atomic


def checksum(tensors: dict[str, np.ndarray], note: str) -> str:
    """Return the sha256 over names, types, shapes, values and the note."""
    digest = hashlib.sha256(note.encode())
    # a file has its arrays in another order than the dict that was saved
    for name in sorted(tensors):
        array = np.asarray(tensors[name], order="C")
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(array.data)
    return digest.hexdigest()


def save_tensors(path: AnyPath, tensors: dict[str, np.ndarray], note: dict | None = None) -> None:
    """Write arrays and a note (anything that JSON can hold) into one file, whole or not at all."""
    safetensors_numpy = import_optional("safetensors.numpy", "npformer")
    # safetensors writes the memory of an array as it is: one that is transposed, or whose numbers
    # have their bytes in another order, would be read wrongly
    contiguous = {}
    for name, array in tensors.items():
        contiguous[name] = np.asarray(array, array.dtype.newbyteorder("="), order="C")
    text = json.dumps(note or {})
    # one entry, because safetensors writes several in any order
    metadata = {"note": f"{checksum(contiguous, text)} {text}"}
    write_atomic(path, safetensors_numpy.save(contiguous, metadata))


def read_safetensors(path: AnyPath) -> tuple[dict[str, np.ndarray], dict | None]:
    """Return the arrays of a safetensors file, and its note if save_tensors wrote it, else None.

    Arrays of bfloat16, which NumPy does not have, are returned as float32, with the same values.
    Raises `InputError` when the file is missing, damaged, or of another kind.
    """
    safetensors = import_optional("safetensors", "npformer")
    if not Path(path).is_file():
        raise InputError(f"{path} does not exist: check the name and the folder")
    try:
        arrays = {}
        with safetensors.safe_open(path, framework="numpy") as file:
            for name in file.keys():  # noqa: SIM118
                arrays[name] = _read_array(path, file, name)
            return arrays, _read_note(path, file, arrays)
    except InputError:
        raise
    except (safetensors.SafetensorError, OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{path} is damaged or no safetensors file: {reason}") from None


def _read_array(path: AnyPath, file: Any, name: str) -> np.ndarray:
    """Return an array of an open file."""
    dtype = file.get_slice(name).get_dtype()
    if dtype == "BF16":
        return _read_bfloat16(path, name)
    try:
        return file.get_tensor(name)
    except (TypeError, AttributeError):
        raise InputError(
            f"{path} has numbers of a type that NumPy does not have: {dtype}. "
            "Save it as float32, float16 or bfloat16"
        ) from None


def _read_note(path: AnyPath, file: Any, arrays: dict[str, np.ndarray]) -> dict | None:
    """Return the note of an open file of ours. Raises `InputError` when the file was changed."""
    metadata = file.metadata() or {}
    digest, _, text = metadata.get("note", "").partition(" ")
    # other programs may have a note too, but it does not begin with a checksum
    if not re.fullmatch("[0-9a-f]{64}", digest) or not text.startswith("{"):
        return None
    if digest != checksum(arrays, text):
        raise InputError(
            f"{path} is damaged: its content does not match its checksum. Restore it or train again"
        )
    return json.loads(text)


def _read_bfloat16(path: AnyPath, name: str) -> np.ndarray:
    """Return an array of bfloat16, each number the upper half of a float32, as float32."""
    with open(path, "rb") as file:
        header_size = int.from_bytes(file.read(8), "little")
        entry = json.loads(file.read(header_size))[name]
        start, end = entry["data_offsets"]
        file.seek(8 + header_size + start)
        upper_halves = np.frombuffer(file.read(end - start), "<u2")
    return (upper_halves.astype(np.uint32) << 16).view(np.float32).reshape(entry["shape"])


def load_tensors(path: AnyPath) -> tuple[dict[str, np.ndarray], dict]:
    """Return what save_tensors wrote.

    Raises `InputError` when the file is missing, damaged, or of another kind.
    """
    tensors, note = read_safetensors(path)
    if note is None:
        raise InputError(
            f"{path} is damaged or of another program: it has no checksum. "
            "Restore it or train again"
        )
    return tensors, note

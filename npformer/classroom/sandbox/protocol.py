"""What passes between the checker and the child that runs a student's code: arrays and plain values, never objects."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Mapping
from typing import BinaryIO

import numpy as np

from ..execution import Answer

LENGTH = struct.Struct("<Q")
savez, load = np.savez, np.load  # as they were before a student's file could put others in their place


def pack(header: dict, arrays: Mapping[str, np.ndarray]) -> bytes:
    """Return a frame: its length, and an .npz with the header as JSON beside the arrays."""
    content = io.BytesIO()
    text = np.frombuffer(json.dumps(header).encode(), np.uint8)
    savez(content, **{"header": text, **{f"array {name}": array for name, array in arrays.items()}})
    return LENGTH.pack(content.tell()) + content.getvalue()


def unpack(content: bytes) -> tuple[dict, dict[str, np.ndarray]]:
    """Return header and arrays of a frame, less its length.

    >>> header, arrays = unpack(pack({"a": 1}, {"x": np.ones(2)})[8:])
    >>> header, arrays
    ({'a': 1}, {'x': array([1., 1.])})
    """
    with load(io.BytesIO(content), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    header = json.loads(arrays.pop("header").tobytes())
    return header, {name.removeprefix("array "): array for name, array in arrays.items()}


def read_frame(file: BinaryIO) -> bytes | None:
    """Return the next frame of a stream, less its length, or None where there is no whole one."""
    start = file.read(LENGTH.size)
    if len(start) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(start)
    content = file.read(length)
    return content if len(content) == length else None


def split(values: Mapping[str, object]) -> tuple[dict, dict[str, np.ndarray]]:
    """Part inputs into plain values and arrays."""
    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    return {name: value for name, value in values.items() if name not in arrays}, arrays


def pack_answer(answer: Answer, printed: str) -> bytes:
    """Return the frame of an answer, and of what was printed on the way to it."""
    arrays = {str(i): value for i, value in enumerate(answer.values) if isinstance(value, np.ndarray)}
    header = {**vars(answer), "values": [v if isinstance(v, str) else None for v in answer.values], "printed": printed}
    return pack(header, arrays)


def unpack_answer(content: bytes) -> tuple[Answer, str]:
    """Return the answer of a frame, and what was printed."""
    header, arrays = unpack(content)
    printed = header.pop("printed")
    values = tuple(arrays[str(i)] if v is None else v for i, v in enumerate(header.pop("values")))
    header |= {name: tuple(header[name]) for name in ("changed", "changed_by")}
    frames = tuple(map(tuple, header.pop("frames")))
    return Answer(**{**header, "values": values, "frames": frames}), printed

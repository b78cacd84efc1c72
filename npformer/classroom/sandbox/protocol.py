"""The messages between a checker and its worker process: a length, then .npz bytes without pickle."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Mapping
from typing import BinaryIO

import numpy as np

from ..execution import Answer, Job

LENGTH = struct.Struct("<Q")
LARGEST_MESSAGE = 1 << 30  # bytes; more than any answer has
_savez, _load = np.savez, np.load  # as they are before a student's file can replace them


def pack(header: dict, arrays: Mapping[str, np.ndarray]) -> bytes:
    """Return a message: its length, then an .npz of the arrays and of the header as JSON."""
    content = io.BytesIO()
    text = np.frombuffer(json.dumps(header).encode(), np.uint8)
    _savez(content, header=text, **{f"array {name}": array for name, array in arrays.items()})
    return LENGTH.pack(content.tell()) + content.getvalue()


def unpack(message: bytes) -> tuple[dict, dict[str, np.ndarray]]:
    """Return the header and the arrays of a message without its length.

    >>> header, arrays = unpack(pack({"a": 1}, {"x": np.ones(2)})[8:])
    >>> header, arrays
    ({'a': 1}, {'x': array([1., 1.])})
    """
    with _load(io.BytesIO(message), allow_pickle=False) as file:
        arrays = {name.removeprefix("array "): file[name] for name in file.files}
    return json.loads(arrays.pop("header").tobytes()), arrays


def read_message(file: BinaryIO) -> bytes | None:
    """Return the next message without its length, or None at the end."""
    start = file.read(LENGTH.size)
    if len(start) < LENGTH.size or LENGTH.unpack(start)[0] > LARGEST_MESSAGE:
        return None
    (length,) = LENGTH.unpack(start)
    message = file.read(length)
    return message if len(message) == length else None


def pack_job(job: Job) -> bytes:
    """Return the message that asks for one call of the file that was loaded."""
    call, inputs = job
    arrays = {name: value for name, value in inputs.items() if isinstance(value, np.ndarray)}
    return pack({"call": call, "inputs": {name: x for name, x in inputs.items() if name not in arrays}}, arrays)


def pack_answer(answer: Answer, printed: str) -> bytes:
    """Return the message of an answer and of what was printed meanwhile."""
    arrays = {str(i): value for i, value in enumerate(answer.values) if isinstance(value, np.ndarray)}
    header = {**vars(answer), "values": [v if isinstance(v, str) else None for v in answer.values], "printed": printed}
    return pack(header, arrays)


def unpack_answer(message: bytes) -> tuple[Answer, str]:
    """Return the answer of a message, and what was printed."""
    header, arrays = unpack(message)
    printed = header.pop("printed")
    values = tuple(arrays[str(i)] if v is None else v for i, v in enumerate(header.pop("values")))
    changed, frames = tuple(header.pop("changed")), tuple(map(tuple, header.pop("frames")))
    return Answer(**header, values=values, changed=changed, frames=frames), printed

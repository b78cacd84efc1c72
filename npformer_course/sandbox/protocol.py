"""A process's request as JSON, and the file of its answers: numbered messages without pickle."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Mapping
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from ..execution import Answer, as_array

LENGTH = struct.Struct("<Q")
LARGEST_FILE = 1 << 27  # bytes that are read; a process may write fewer
LONGEST_TEXT = 3000  # characters of an error that are read
STATES = ("done", "unattempted", "raised")  # that a process can report of itself


class Limits(NamedTuple):
    """How many seconds loading a file may take, and each call."""

    loading: float
    call: float


def pack_request(*request) -> bytes:
    """Return a request as JSON. Arrays in it keep dtype, shape and values, bit for bit."""
    return json.dumps(_to_json(request)).encode()


def unpack_request(message: bytes) -> tuple:
    """Return what `pack_request` was given, its tuples as tuples and its lists as lists."""
    return json.loads(message, object_hook=_from_json)


def _to_json(x: Any) -> Any:
    """Return a value in which arrays and tuples, which JSON does not have, are dicts."""
    if isinstance(x, np.ndarray):
        # as bytes: JSON writes floats one by one, which took a sixth of the time of a grading
        content = base64.b64encode(x.tobytes()).decode()
        return {"dtype": x.dtype.str, "shape": x.shape, "array": content}
    if isinstance(x, tuple):
        return {"tuple": [_to_json(value) for value in x]}
    if isinstance(x, list):
        return [_to_json(value) for value in x]
    if isinstance(x, Mapping):
        return {key: _to_json(value) for key, value in x.items()}
    return x


def _from_json(x: dict) -> Any:
    if "array" in x:
        content = np.frombuffer(base64.b64decode(x["array"]), x["dtype"])
        return content.reshape(x["shape"]).copy()  # a copy, which can be written to
    if "tuple" in x:
        return tuple(x["tuple"])
    return x


def pack_answer(number: int, answer: Answer, printed: str) -> bytes:
    """Return the message of an answer.

    It has the length of the rest, the length of a header, the header as JSON, and the bytes of the
    arrays one after the other.
    """
    described: list[object] = []
    contents = []
    for value in answer.values:
        if isinstance(value, str):
            described.append(value)
        else:
            described.append({"dtype": value.dtype.str, "shape": value.shape})
            contents.append(value.tobytes())

    fields = {**vars(answer), "values": described, "printed": printed, "number": number}
    header = json.dumps(fields).encode()
    body = LENGTH.pack(len(header)) + header + b"".join(contents)
    return LENGTH.pack(len(body)) + body


def read_answers(file: BinaryIO) -> tuple[list[Answer], str, bytes]:
    """Return the answers in a file up to the first thing that is not the next one.

    Returns also what was printed, and the rest of the file. Raises `MemoryError` where the checker
    has too little memory.
    """
    # a student's code could make the file larger than the memory of the checker
    file.seek(0)
    rest = file.read(LARGEST_FILE)
    answers: list[Answer] = []
    printed = ""
    while rest:
        try:
            end = LENGTH.size + LENGTH.unpack_from(rest)[0]
            answer, text = _unpack_answer(rest[LENGTH.size : end], len(answers))
        # too little memory is the checker's own trouble: no answer may look wrong for it
        except MemoryError:
            raise
        except Exception:  # a student's code wrote there itself
            break
        answers.append(answer)
        printed += text
        rest = rest[end:]
    return answers, printed, rest


def _unpack_answer(message: bytes, number: int) -> tuple[Answer, str]:
    """Return the answer of a message and what was printed.

    Raises an error for a message that is not this one. No array is made that the message does not
    hold, whatever its header says.
    """
    # a student's code can write this file: nothing in it is trusted
    start = LENGTH.size + LENGTH.unpack_from(message)[0]
    header = json.loads(message[LENGTH.size : start])
    if header["number"] != number or header["state"] not in STATES:
        raise ValueError("not the next answer")

    values: list[np.ndarray | str] = []
    for value in header["values"]:
        if isinstance(value, str):
            values.append(value)
            continue
        # a view, so that a shape that the message does not hold is an error and no allocation
        array = np.ndarray(value["shape"], value["dtype"], message, start)
        start += array.nbytes
        values.append(as_array(array))

    if start != len(message):
        raise ValueError("a message of another length")
    answer = Answer(
        state=header["state"],
        values=tuple(values),
        is_single=bool(header["is_single"]),
        changed=tuple(str(name) for name in header["changed"]),
        repeats=bool(header["repeats"]),
        error=str(header["error"])[:LONGEST_TEXT],
        place=str(header["place"])[:LONGEST_TEXT],
        frames=tuple((str(name), str(place)) for name, place in header["frames"]),
    )
    return answer, str(header["printed"])

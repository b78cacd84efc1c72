"""A process's request as JSON, and the file of its answers: numbered .npz messages without pickle."""

from __future__ import annotations

import io
import json
import struct
from contextlib import suppress
from typing import BinaryIO

import numpy as np

from ..execution import Answer, as_array

LENGTH = struct.Struct("<Q")
LARGEST_FILE = 1 << 27  # bytes that are read; a process may write fewer
_savez, _load = np.savez, np.load  # as they are before a student's file can replace them


def pack_request(*request) -> bytes:
    """Return a request as JSON. The arrays in it keep their dtype, shape and values, bit for bit."""
    text = json.dumps(
        request,
        default=lambda x: {"dtype": x.dtype.str, "shape": x.shape, "array": x.ravel().tolist()},
    )
    return text.encode()


def unpack_request(message: bytes) -> list:
    """Return what `pack_request` was given."""
    return json.loads(
        message,
        object_hook=lambda x: (
            np.array(x["array"], x["dtype"]).reshape(x["shape"]) if "array" in x else x
        ),
    )


def pack_answer(number: int, answer: Answer, printed: str) -> bytes:
    """Return the message of an answer: its length, then an .npz of its arrays and of a header as JSON."""
    content = io.BytesIO()
    arrays = {
        str(i): value for i, value in enumerate(answer.values) if isinstance(value, np.ndarray)
    }
    header = {**vars(answer), "values": [v if isinstance(v, str) else None for v in answer.values]}
    text = json.dumps({**header, "printed": printed, "number": number})
    _savez(content, header=np.frombuffer(text.encode(), np.uint8), **arrays)
    return LENGTH.pack(content.tell()) + content.getvalue()


def read_answers(file: BinaryIO) -> tuple[list[Answer], str, bytes]:
    """Return the answers in a file up to the first thing that is not the next one, what was printed, and the rest."""
    file.seek(0)
    rest, answers, printed = file.read(LARGEST_FILE), [], ""
    with suppress(Exception):  # a student's code wrote there itself
        while rest:
            end = LENGTH.size + LENGTH.unpack_from(rest)[0]
            answer, text = _unpack_answer(rest[LENGTH.size : end], len(answers))
            answers.append(answer)
            printed, rest = printed + text, rest[end:]
    return answers, printed, rest


def _unpack_answer(message: bytes, number: int) -> tuple[Answer, str]:
    """Return the answer of a message and what was printed. Raises an error for a message that is not this one."""
    with _load(io.BytesIO(message), allow_pickle=False) as file:
        if sum(entry.file_size for entry in file.zip.infolist()) > LARGEST_FILE:
            raise ValueError("an archive that is larger than it looks")
        arrays = {name: file[name] for name in file.files}
    header = json.loads(arrays["header"].tobytes())
    if header["number"] != number or header["state"] not in ("done", "unattempted", "raised"):
        raise ValueError("not the next answer")
    answer = Answer(
        state=header["state"],
        values=tuple(
            as_array(arrays[str(i)]) if v is None else str(v)
            for i, v in enumerate(header["values"])
        ),
        is_single=bool(header["is_single"]),
        changed=tuple(map(str, header["changed"])),
        repeats=bool(header["repeats"]),
        error=str(header["error"]),
        line=None if header["line"] is None else int(header["line"]),
        frames=tuple((str(name), int(line)) for name, line in header["frames"]),
    )
    return answer, str(header["printed"])

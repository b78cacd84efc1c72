"""A recording in few characters of ASCII, with every number exactly as recorded."""

import json
import zlib

import numpy as np

from .array_store import ArrayStore

TYPES = ("float32", "float64")  # of the numbers in a page
DIGITS = np.frombuffer(
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~",
    np.uint8,
)
# of base 85, the letters that mean something in HTML
HARMLESS = bytes.maketrans(b"<>&", b",.:")


def packed(data: dict, arrays: ArrayStore) -> str:
    """Return data and arrays, compressed: the length of a JSON text, this text, and the numbers.

    The JSON text has the entry "blocks": the type of each block, its first number and how many
    there are. Numbers are sorted by their bytes, all first bytes first, because like ones compress
    better.
    """
    # numbers of one type are together, so that a page can read them as one typed array
    sections: dict[str, list] = {name: [] for name in TYPES}
    blocks = []
    for values in arrays.blocks:
        kind = "float32" if values.dtype == "float32" else "float64"
        section = sections[kind]
        blocks.append([TYPES.index(kind), sum(map(len, section)), len(values)])
        section.append(values)
    numbers = []
    for kind, section in sections.items():
        numbers.append(np.concatenate([np.zeros(0, kind), *section], dtype=kind))

    data = {
        **data,
        "views": arrays.views,
        "blocks": blocks,
        "sizes": [len(values) for values in numbers],
    }
    text = json.dumps(data, separators=(",", ":")).encode()
    content = [len(text).to_bytes(4, "little"), text]
    for values in numbers:
        rows_of_bytes = values.view(np.uint8).reshape(len(values), values.itemsize)
        content.append(rows_of_bytes.T.tobytes())
    compressed = zlib.compress(b"".join(content), 6)
    return base_85(compressed).translate(HARMLESS).decode()


def base_85(content: bytes) -> bytes:
    """Return what base64.b85encode does, in a twentieth of the time.

    >>> import base64
    >>> base_85(b"Attention") == base64.b85encode(b"Attention")
    True
    """
    n_missing = -len(content) % 4
    words = np.frombuffer(content + bytes(n_missing), ">u4").astype(np.uint32)
    digits = np.empty((len(words), 5), np.uint8)
    for place in reversed(range(5)):
        digits[:, place] = words % 85
        words //= 85
    text = DIGITS[digits].tobytes()
    return text[: len(text) - n_missing]

"""Reading what is packed into a page."""

import base64
import json
import re
import zlib

import numpy as np

from npformer.visualization.stepper.packing import TYPES


def unpack(page):
    """Return what is packed into a page, and its arrays, as data.js reads them."""
    text = re.search(r'PACKED = "([^"]*)"', page)[1].translate(str.maketrans(",.:", "<>&"))
    raw = zlib.decompress(base64.b85decode(text))
    length = int.from_bytes(raw[:4], "little")
    data, start, numbers = json.loads(raw[4 : 4 + length]), 4 + length, []
    for name, size in zip(TYPES, data["sizes"], strict=True):
        width = np.dtype(name).itemsize
        planes = np.frombuffer(raw, np.uint8, size * width, start).reshape(width, size)
        numbers.append(planes.T.copy().reshape(-1).view(name))
        start += size * width
    assert start == len(raw)

    def array(number):
        place, shape, strides = data["views"][number]
        kind, start, size = data["blocks"][place]
        values = numbers[kind][start : start + size]
        return np.lib.stride_tricks.as_strided(
            values, shape, [stride * values.itemsize for stride in strides]
        )

    return data, array

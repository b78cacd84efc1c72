"""A recording in few characters of ASCII, with every number exactly as recorded."""

import base64
import json
import zlib

import numpy as np

TYPES = ("float32", "float64", "uint8", "uint32")  # of the numbers in a page; uint32 are bits of float32
HARMLESS = bytes.maketrans(b"<>&", b",.:")  # of base 85, the letters that mean something in HTML


def packed(data: dict, recorder) -> str:
    """Return data and the arrays of a recorder, compressed: the length of a JSON text, this text, and the numbers.

    Numbers are sorted by their bytes, all first bytes first, because like ones compress better. A block is given as its
    type, its first number and how many there are; uint32 are the bits that differ from a prediction.
    """
    arrays, predictions = recorder.arrays, predictions_of(recorder)
    sections, blocks = {name: [] for name in TYPES}, []
    for number, values in enumerate(arrays.blocks):
        how = ()
        if number in predictions:
            *how, values = predictions[number]
        elif values.dtype.name not in TYPES[:3]:
            values = values.astype("uint8" if values.dtype.kind == "b" else "float64")
        section = sections[values.dtype.name]
        blocks.append([TYPES.index(values.dtype.name), sum(map(len, section)), len(values), *how])
        section.append(values)
    numbers = [np.concatenate([np.zeros(0, name), *section], dtype=name) for name, section in sections.items()]
    data = data | {"views": arrays.views, "blocks": blocks, "sizes": list(map(len, numbers))}
    text = json.dumps(data, separators=(",", ":")).encode()
    planes = [section.view(np.uint8).reshape(len(section), section.itemsize).T.tobytes() for section in numbers]
    compressed = zlib.compress(b"".join([len(text).to_bytes(4, "little"), text, *planes]), 6)
    return base64.b85encode(compressed).translate(HARMLESS).decode()


@np.errstate(all="ignore")
def predictions_of(recorder) -> dict[int, tuple]:
    """Return for a block of which most entries follow from other arrays: kind, those arrays, and bits that differ.

    The kinds are "product", of two arrays that its line multiplies, and "copy", of the array that had its name before.
    """
    arrays, last, found = recorder.arrays, {}, {}
    for step in recorder.steps:
        for name, _, number in step.made:
            guesses = [("product", *product[2:]) for product in step.products]
            guesses += [("copy", last[name])] if name in last else []
            last[name], block = number, arrays.views[number][0]
            for kind, *sources in guesses:
                if block in found or max(arrays.views[source][0] for source in sources) >= block:
                    continue
                guess, values = [arrays[source] for source in sources], arrays.blocks[block]
                guess = rounded_product(*guess) if kind == "product" else np.ascontiguousarray(guess[0])
                if guess.dtype == values.dtype == "float32" and 0 < guess.size == values.size and np.isfinite(guess).all():
                    differing = guess.reshape(-1).view("uint32") ^ values.view("uint32")
                    if np.median(differing) < 2**16:  # most agree in sign, exponent and 7 binary digits
                        found[block] = (kind, *sources, differing)
    return found


def rounded_product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return left @ right as a page computes it: term by term, each sum rounded to float32.

    So do BLAS libraries with fused multiply-add, in most shapes of small matrices, to the last bit.
    """
    total = np.zeros((*left.shape[:-1], right.shape[-1]), "float32")
    for k in range(left.shape[-1]):
        total = (total + left[..., k, None].astype("float64") * right[..., k, None, :]).astype("float32")
    return total

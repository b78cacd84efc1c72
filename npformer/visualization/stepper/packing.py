"""A recording in few characters of ASCII, with every number exactly as recorded."""

import base64
import json
import zlib

import numpy as np

TYPES = ("float32", "float64", "uint32")  # of the numbers in a page; uint32 are bits of float32
HARMLESS = bytes.maketrans(b"<>&", b",.:")  # of base 85, the letters that mean something in HTML


def packed(data: dict, recorder) -> str:
    """Return data and the arrays of a recorder, compressed: the length of a JSON text, this text, and the numbers.

    A block is its type, its first number, how many there are, and what predicts it, if uint32 are the bits that differ
    from a prediction. Numbers are sorted by their bytes, all first bytes first, because like ones compress better.
    """
    arrays, predictions = recorder.arrays, predictions_of(recorder)
    sections, blocks = {name: [] for name in TYPES}, []
    for number, values in enumerate(arrays.blocks):
        values, *sources = predictions.get(
            number, [values if values.dtype == "float32" else values.astype("float64")]
        )
        section = sections[values.dtype.name]
        blocks.append(
            [TYPES.index(values.dtype.name), sum(map(len, section)), len(values), *sources]
        )
        section.append(values)
    numbers = [
        np.concatenate([np.zeros(0, name), *section], dtype=name)
        for name, section in sections.items()
    ]
    data = data | {"views": arrays.views, "blocks": blocks, "sizes": list(map(len, numbers))}
    text = json.dumps(data, separators=(",", ":")).encode()
    planes = [
        section.view(np.uint8).reshape(len(section), section.itemsize).T.tobytes()
        for section in numbers
    ]
    compressed = zlib.compress(b"".join([len(text).to_bytes(4, "little"), text, *planes]), 6)
    return base64.b85encode(compressed).translate(HARMLESS).decode()


@np.errstate(all="ignore")
def predictions_of(recorder) -> dict[int, tuple]:
    """Return, for blocks that other arrays nearly predict, the bits that differ and the numbers of these arrays."""
    arrays, last, found = recorder.arrays, {}, {}
    for step in recorder.steps:
        for name, _, number in step.made:
            block = arrays.views[number][0]
            values = arrays.blocks[block]
            # two factors in the line predict their product; the last array of the name predicts itself
            guesses = [*(product[2:] for product in step.products), *last.get(name, ())]
            for sources in guesses if values.dtype == "float32" else ():
                if block not in found and all(
                    arrays.views[source][0] < block for source in sources
                ):
                    guess = predicted(*(arrays[source] for source in sources))
                    if (
                        guess.dtype == "float32"
                        and 0 < guess.size == values.size
                        and np.isfinite(guess).all()
                    ):
                        differing = guess.reshape(-1).view("uint32") ^ values.view("uint32")
                        if (
                            np.median(differing) < 2**16
                        ):  # most agree in sign, exponent and 7 binary digits
                            found[block] = (differing, *sources)
            last[name] = [(number,)]
    return found


def predicted(left: np.ndarray, right: np.ndarray | None = None) -> np.ndarray:
    """Return left, or left @ right as a page computes it: term by term, each sum rounded to float32.

    So does OpenBLAS on processors with fused multiply-add, to the last bit, except for some shapes.
    """
    if right is None:
        return left.copy()
    total = np.zeros((*left.shape[:-1], right.shape[-1]), "float32")
    for k in range(left.shape[-1]):
        total = (total + left[..., k, None].astype("float64") * right[..., k, None, :]).astype(
            "float32"
        )
    return total

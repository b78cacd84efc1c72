"""What the entries along each axis of an array are: tokens, heads, texts or features."""

import numpy as np

ANY = "..."  # an axis of which no comment says anything


class AxisNames:
    """One letter per axis of an array.

    b: a text of the batch; s, t: a position of source or target; S, T: the same, of all texts one
    after the other; h: a head; a dot: anything else. The comments of the code name most axes; sizes
    decide what they leave open.

    Arguments:
        ids: The ids of the texts that there are: "s" (B, S) and "t" (B, T).
    """

    def __init__(self, ids: dict[str, np.ndarray]):
        self.ids = ids

    def of(self, module: str, shape: tuple[int, ...], commented: list[str]) -> str:
        """Return the letters of an array.

        Arguments:
            module: The name of the layer.
            shape: The shape of the array.
            commented: Its shape in the code, such as ["B", "T", "D"].
        """
        if module.endswith(("attention.dropout", "attention.softmax")):
            commented = [ANY, "S"]  # of weights
        # a classifier has no target, and calls its only text a source
        is_source = module.startswith("encoder") or "t" not in self.ids
        reads_source = "cross_attention" in module and module.endswith(("w_key", "w_value"))
        here = "s" if is_source or reads_source else "t"
        is_self_attention = module.startswith("decoder") and "self_attention" in module
        keys = "t" if is_self_attention else "s"
        known = {"B": "b", "H": "h", "N": here.upper(), "T": here, "S": keys}

        letters = []
        for axis, name in enumerate(_align(commented, len(shape))):
            letter = known.get(name, ".")
            if name == ANY:
                letter = self._unnamed(axis, shape, here)
            if not self._fits(letter, shape[axis]):
                letter = "."
            letters.append(letter)
        return "".join(letters)

    def _unnamed(self, axis: int, shape: tuple[int, ...], here: str) -> str:
        """Return the letter of an axis of which no comment says anything."""
        if here in self.ids and shape == self.ids[here].shape:
            return f"b{here}"[axis]
        if axis == len(shape) - 2:
            return here.upper() if len(shape) == 2 else here
        if axis == 0 and len(shape) > 2:
            return "b"
        if axis == 1 and len(shape) == 4:
            return "h"
        return "."

    def _fits(self, letter: str, size: int) -> bool:
        """Tell whether an axis of this size can have this letter."""
        if letter == "b":
            return any(size == len(ids) for ids in self.ids.values())
        if letter.lower() not in self.ids:
            return letter in ".h"
        ids = self.ids[letter.lower()]
        if letter.isupper():
            return size == ids.size
        return size == ids.shape[1]


def _align(commented: list[str], ndim: int) -> list[str]:
    """Return a name for each axis: those of a comment from the last one on, as far as they reach.

    >>> _align(["...", "T", "S"], 4), _align(["B", "T", "D"], 2)
    (['...', '...', 'T', 'S'], ['T', 'D'])
    """
    names = [ANY] * ndim
    for axis, name in zip(reversed(range(ndim)), reversed(commented), strict=False):
        if name == ANY:
            break
        names[axis] = name
    return names

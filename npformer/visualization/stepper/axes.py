"""What the entries along each axis of an array are: tokens, heads, texts or features."""

import numpy as np


class AxisNames:
    """One letter per axis of an array.

    b: a text of the batch; s, t: a position of source or target; S, T: the same, of all texts one after the other; h: a
    head; a dot: anything else. The comments of the code name most axes; sizes decide what they leave open.
    `ids` has the ids of the texts (B, S) and (B, T) that there are.
    """

    def __init__(self, ids: dict[str, np.ndarray]):
        self.ids = ids

    def of(self, module: str, shape: tuple[int, ...], commented: list[str]) -> str:
        """Return the letters of an array in a module; `commented` is its shape in the code, such as ["B", "T", "D"]."""
        if module.endswith(("attention.dropout", "attention.softmax")):
            commented = ["...", "S"]  # of weights
        is_source = module.startswith("encoder") or "t" not in self.ids
        reads_source = "cross_attention" in module and module.endswith(("w_key", "w_value"))
        here = "s" if is_source or reads_source else "t"
        keys = "t" if module.startswith("decoder") and "self_attention" in module else "s"
        known = {"B": "b", "H": "h", "N": here.upper(), "T": here, "S": keys}
        names = ["..."] * len(shape)
        for place, name in enumerate(reversed(commented[-len(shape) or len(commented) :])):
            if name == "...":
                break
            names[-1 - place] = name
        letters = [
            self._unnamed(axis, shape, here) if name == "..." else known.get(name, ".")
            for axis, name in enumerate(names)
        ]
        return "".join(
            letter if self._fits(letter, n) else "."
            for letter, n in zip(letters, shape, strict=True)
        )

    def _unnamed(self, axis: int, shape: tuple[int, ...], here: str) -> str:
        """Return the letter of an axis of which no comment says anything."""
        if here in self.ids and shape == self.ids[here].shape:
            return f"b{here}"[axis]
        if axis == len(shape) - 2:
            return here.upper() if len(shape) == 2 else here
        return (
            "b" if axis == 0 and len(shape) > 2 else "h" if axis == 1 and len(shape) == 4 else "."
        )

    def _fits(self, letter: str, size: int) -> bool:
        if letter == "b":
            return any(size == len(ids) for ids in self.ids.values())
        if letter.lower() not in self.ids:
            return letter in ".h"
        ids = self.ids[letter.lower()]
        return size == (ids.size if letter.isupper() else ids.shape[1])

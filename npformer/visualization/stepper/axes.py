"""What the entries along each axis of an array are: tokens, heads, texts or features."""

import numpy as np

KEYS_AND_VALUES = ("w_key", "w_value")  # the Linear layers of cross-attention that read the source


class AxisNames:
    """One letter per axis of an array.

    b: a text of the batch; s, t: a position of source or target; S, T: the same, of all texts one after the other; h: a
    head; a dot: anything else. The comments of the code name most axes; sizes decide what they leave open.
    `ids` has the ids of the texts (B, S) and (B, T) that there are.
    """

    def __init__(self, ids: dict[str, np.ndarray]):
        self.ids = {side: np.asarray(values) for side, values in ids.items() if np.ndim(values) == 2}

    def of(self, module: str, shape: tuple[int, ...], commented: list[str]) -> str:
        """Return the letters of an array in a module; `commented` is its shape in the code, such as ["B", "T", "D"]."""
        if module.endswith("attention.dropout"):
            commented = ["...", "S"]  # of weights
        here = self._side(module)
        names = ["?"] * len(shape)
        for i, axis in enumerate(reversed(commented[-len(shape) :] if shape else [])):
            if axis == "...":
                break
            names[-1 - i] = axis
        letters = [self._letter(name, module, here, i, shape) for i, name in enumerate(names)]
        return "".join(letter if self._fits(letter, n) else "." for letter, n in zip(letters, shape, strict=True))

    def _side(self, module: str) -> str:
        """Return the side whose positions most arrays of a module have."""
        is_source = module.startswith("encoder") or "t" not in self.ids
        reads_source = "cross_attention" in module and module.endswith(KEYS_AND_VALUES)
        return "s" if is_source or reads_source else "t"

    def _letter(self, name: str, module: str, here: str, axis: int, shape: tuple[int, ...]) -> str:
        known = {"B": "b", "H": "h", "N": here.upper(), "T": here, "S": "s"}
        if name == "S" and module.startswith("decoder") and "self_attention" in module:
            return "t"
        if name in known:
            return known[name]
        if name != "?" or here not in self.ids:
            return "."
        if shape == self.ids[here].shape:
            return f"b{here}"[axis]
        if axis == 0 and len(shape) > 2:
            return "b"
        if axis == len(shape) - 2:
            return here.upper() if len(shape) == 2 else here
        return "h" if axis == 1 and len(shape) == 4 else "."

    def _fits(self, letter: str, size: int) -> bool:
        if letter in "bst":
            return any(size == ids.shape["bs".find(letter) if letter == "b" else 1] for ids in self._of(letter))
        return letter not in "ST" or any(size == ids.size for ids in self._of(letter))

    def _of(self, letter: str) -> list[np.ndarray]:
        side = letter.lower()
        return list(self.ids.values()) if side == "b" else [self.ids[side]] if side in self.ids else []

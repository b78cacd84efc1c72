"""The attention of one sentence as a piece of HTML."""

import base64
import hashlib
import html
import json
import os
from collections.abc import Sequence
from importlib.resources import files
from string import Template

import numpy as np

from ...utils import AnyPath, InputError, write_atomic
from ..attention import SentenceAttention
from .fallback import picture, table
from .token_text import direction, readable

SCRIPTS = ("weights.js", "words.js", "build.js", "overview.js", "mount.js")
STEPS = 255  # of a weight
AXES = {"encoder": ("source", "source"), "decoder": ("written", "read"), "cross": ("written", "source")}


class AttentionViewer:
    """Where each head of each layer looks, word by word, to be shown in a notebook or saved for a browser.

    Built from what `npformer.visualization.sentence_attention` returns; as the last line of a notebook's cell it shows itself.

    Raises `InputError` when the weights do not fit the tokens, or are no weights.

    >>> from npformer.visualization import SentenceAttention
    >>> alone = np.ones((2, 4, 1, 1))
    >>> AttentionViewer(SentenceAttention(["<eos>"], ["<bos>"], ["<eos>"], alone, alone, alone))
    AttentionViewer('<eos>' -> '<eos>', 2 + 2 layers, 4 heads)
    """

    def __init__(self, looked: SentenceAttention):
        axes = {kind: sides for kind, sides in AXES.items() if kind in looked.kinds}
        if not axes:
            raise InputError("there are no weights of any attention: give what sentence_attention returned")
        names = dict.fromkeys(side for sides in axes.values() for side in sides)
        sides = {name: checked_tokens(name, getattr(looked, name)) for name in names}
        sizes = {kind: [len(sides[side]) for side in found] for kind, found in axes.items()}
        packed = {kind: pack(kind, getattr(looked, kind), *size) for kind, size in sizes.items()}
        if len({kind["shape"][1] for kind in packed.values()}) > 1:
            heads = ", ".join(f"{name} {kind['shape'][1]}" for name, kind in packed.items())
            raise InputError(f"the attentions have different numbers of heads ({heads}): expected one number for all")
        self.tokens = {name: [readable(token) for token in tokens] for name, tokens in sides.items()}
        self.directions = {name: direction(tokens) for name, tokens in sides.items()}
        self.packed = packed
        self.looked = looked

    def html(self) -> str:
        """Return the viewer as a piece of a page, in ASCII: a table, and the script that puts the viewer in its place.

        Any number of them can stand in one page. It holds no address and loads nothing.
        """
        data = {"tokens": self.tokens, "directions": self.directions, "weights": self.packed}
        style, values = as_script(asset("viewer.css")), as_script(data)
        code = "".join(asset(name) for name in SCRIPTS)
        name = hashlib.sha256((style + values + code).encode()).hexdigest()[:16]
        parts = {
            "name": name,
            "table": table(*self._still(), kind=self.looked.kinds[0]),
            "style": style,
            "data": values,
            "code": code,
        }
        return in_ascii(Template(asset("piece.html")).substitute(parts))

    def save(self, path: AnyPath) -> None:
        """Write the viewer as a page of its own, whole or not at all; the name must end in .html."""
        page_format(path)
        title = html.escape(" ".join(next(iter(self.tokens.values()))))
        write_atomic(path, in_ascii(Template(asset("page.html")).substitute(title=title, viewer=self.html())))

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        return {"text/html": self.html(), "image/png": picture(*self._still(), kind=self.looked.kinds[0])}

    def _still(self) -> tuple[np.ndarray, Sequence[str], Sequence[str]]:
        kind = self.looked.kinds[0]
        queries, keys = AXES[kind]
        return np.asarray(getattr(self.looked, kind))[-1].mean(0), self.tokens[queries], self.tokens[keys]

    def __repr__(self) -> str:
        sides = " -> ".join(repr(" ".join(self.tokens[side])) for side in ("source", "written") if side in self.tokens)
        columns = [self.packed[kind]["shape"] for kind in ("encoder", "decoder") if kind in self.packed]
        depths = " + ".join(str(layers) for layers, *_ in columns)
        return f"AttentionViewer({sides}, {depths} layers, {columns[0][1]} heads)"


def page_format(path: AnyPath) -> None:
    """Raise `InputError` unless a name is one of a page."""
    if os.path.splitext(path)[1].lower() not in (".html", ".htm"):
        raise InputError(f"cannot write a page to {path}: expected a name that ends in .html")


def checked_tokens(name: str, tokens) -> list[str]:
    """Return the tokens as a list; raises `InputError` when they are none, or not strings."""
    if isinstance(tokens, str) or not tokens or not all(isinstance(token, str) for token in tokens):
        raise InputError(f"{name} is {tokens!r:.60}: expected a list of at least one token, each a string")
    return list(tokens)


def pack(name: str, weights, n_queries: int, n_keys: int) -> dict:
    """Return the shape of weights (layers, H, queries, keys), and in base64 a byte for each, in steps of 1/255.

    0 and 1 are exact, others off by 0.002 at most, unseen in whole percent.

    Raises `InputError` when the weights are no such array, or are not numbers from 0 to 1.

    >>> pack("cross", [[[[0, 1, 0.5]]]], 1, 3)
    {'shape': [1, 1, 1, 3], 'bytes': 'AP+A'}
    """
    try:
        weights = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} is no array of numbers: give the weights that sentence_attention returned") from None
    if weights.ndim != 4 or 0 in weights.shape or weights.shape[2:] != (n_queries, n_keys):
        tokens = f"for there are {n_queries} tokens that look and {n_keys} that are looked at"
        raise InputError(f"{name} has shape {weights.shape}: expected (layers, heads, {n_queries}, {n_keys}), {tokens}")
    if not (weights >= -1e-6).all() or not (weights <= 1 + 1e-6).all():  # NaN fails both
        raise InputError(f"{name} holds numbers outside 0 to 1: give weights after the softmax, not scores")
    steps = np.rint(weights.clip(0, 1) * STEPS).astype(np.uint8)
    return {"shape": list(weights.shape), "bytes": base64.b64encode(steps.tobytes()).decode("ascii")}


def asset(name: str) -> str:
    """Return the text of one of the viewer's HTML, CSS and JavaScript files."""
    return files(__package__).joinpath(name).read_text("utf-8")


def as_script(value) -> str:
    r"""Return a value as JavaScript in which nothing can end the script element that it stands in.

    >>> as_script("</script>&")
    '"\\u003c/script\\u003e\\u0026"'
    """
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def in_ascii(text: str) -> str:
    """Return HTML with references for all other characters, so that no encoding can be mistaken."""
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")

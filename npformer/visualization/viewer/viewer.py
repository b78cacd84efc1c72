"""The attention of one sentence as a piece of HTML."""

import base64
import hashlib
import html
import json
import os
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np

from ...utils import AnyPath, InputError, write_atomic
from ..attention import UNKNOWN, SentenceAttention
from ..plots.colors import role_style

SCRIPTS = ("theme.js", "weights.js", "words.js", "build.js", "overview.js", "mount.js")
SPACE = "\u2423"
SIGNS = {"\n": "\u21b5", "\t": "\u21e5"}
STEPS = 255  # a weight is stored as a byte
# Sides of queries and keys. A row of the decoder is labeled by the token that it predicts, so that
# a word which is pointed at shows both of the decoder's attentions.
AXES = {
    "cross": ("written", "source"),
    "encoder": ("source", "source"),
    "decoder": ("written", "read"),
}
CAPTION = """Strongest weights of the {} attention in the last layer, mean over its heads.
In a trusted notebook, or in a browser with scripts, every layer and head can be seen."""


class AttentionViewer:
    """An interactive picture of the attention of every layer and head, for a notebook or a browser.

    The last line of a notebook's cell shows it. Raises `InputError` when the weights do not fit the
    tokens, or are not weights.

    Arguments:
        attention: The result of `npformer.visualization.sentence_attention`.

    >>> from npformer.visualization import SentenceAttention
    >>> alone = np.ones((2, 4, 1, 1))
    >>> AttentionViewer(SentenceAttention(["<eos>"], ["<bos>"], ["<eos>"], alone, alone, alone))
    AttentionViewer('<eos>' -> '<eos>')
    """

    def __init__(self, attention: SentenceAttention):
        self.tokens: dict[str, list[str]] = {}
        self.packed: dict[str, dict] = {}
        for kind in attention.kinds:
            for side in AXES[kind]:
                self.tokens[side] = [readable(token) for token in getattr(attention, side)]
            query_side, key_side = AXES[kind]
            n_queries = len(self.tokens[query_side])
            n_keys = len(self.tokens[key_side])
            self.packed[kind] = pack(kind, getattr(attention, kind), n_queries, n_keys)
        self.attention = attention

    def html(self) -> str:
        """Return the viewer as a piece of a page: a table, and the script that replaces it."""
        style = _to_script(_asset("viewer.css") + role_style(".viewer"))
        values = _to_script({"tokens": self.tokens, "weights": self.packed})
        code = "".join(_asset(name) for name in SCRIPTS)
        # the name is that of the content, so that two viewers in one notebook do not mix
        name = hashlib.sha256((style + values + code).encode()).hexdigest()[:16]
        parts = {"name": name, "table": self._table(), "style": style, "data": values, "code": code}
        return Template(_asset("piece.html")).substitute(parts)

    def save(self, path: AnyPath) -> None:
        """Write the viewer as a page, whole or not at all; the name must end in .html."""
        page_format(path)
        sides = [side for side in ("source", "written") if side in self.tokens]
        title = html.escape(" \u2192 ".join(" ".join(self.tokens[side]) for side in sides))
        page = Template(_asset("page.html")).substitute(title=title, viewer=self.html())
        write_atomic(path, page)

    def _repr_html_(self) -> str:
        return self.html()

    def _table(self) -> str:
        """Return a table with the three strongest keys of each query, for pages without scripts."""
        kind = self.attention.kinds[0]
        query_side, key_side = AXES[kind]
        queries = self.tokens[query_side]
        keys = self.tokens[key_side]
        weights = np.asarray(getattr(self.attention, kind))[-1].mean(0)
        rows = ["<tr><th>token</th><th>strongest weights</th></tr>\n"]
        # <bdi> keeps the order of a cell where a token is of a script from right to left
        for query, row in zip(queries, weights, strict=True):
            cells = []
            for key in np.argsort(-row, kind="stable")[:3]:
                # less would be shown as 0%
                if row[key] >= 0.005:
                    cells.append(f"<bdi>{html.escape(keys[key])}</bdi> {100 * row[key]:.0f}%")
            strongest = " \u00b7 ".join(cells)
            rows.append(f"<tr><td><bdi>{html.escape(query)}</bdi></td><td>{strongest}</td></tr>\n")
        return f"<table>\n<caption>{CAPTION.format(kind)}</caption>\n{''.join(rows)}</table>"

    def __repr__(self) -> str:
        texts = []
        for side in ("source", "written"):
            if side in self.tokens:
                texts.append(repr(" ".join(self.tokens[side])))
        return f"AttentionViewer({' -> '.join(texts)})"


def readable(token: str) -> str:
    r"""Return a token with signs for spaces and line ends.

    Other characters that are not visible become their code points.

    >>> readable("a b"), readable("a\x00b"), readable("\u202eabc <unk>"), readable("")
    ('a\u2423b', 'a U+0000 b', 'U+202E abc <unk>', '(empty)')
    """
    if token.endswith(UNKNOWN):
        return readable(token.removesuffix(UNKNOWN)) + UNKNOWN
    text = ""
    for character in token.replace(" ", SPACE):
        if character.isprintable():
            text += character
        else:
            text += SIGNS.get(character, f" U+{ord(character):04X} ")
    return " ".join(text.split()) or "(empty)"


def page_format(path: AnyPath) -> None:
    """Raise `InputError` unless a name is that of an HTML page."""
    if os.path.splitext(path)[1].lower() not in (".html", ".htm"):
        raise InputError(f"cannot write a page to {path}: expected a name that ends in .html")


def pack(name: str, weights: Any, n_queries: int, n_keys: int) -> dict:
    """Return the shape of weights, and in base64 one byte per weight, in steps of 1/255.

    Raises `InputError` when the weights have another shape, or are not numbers from 0 to 1.

    Arguments:
        name: What they are called in errors.
        weights: The weights (layers, H, queries, keys).
        n_queries: The number of query tokens.
        n_keys: The number of key tokens.

    >>> pack("cross", [[[[0, 1, 0.5]]]], 1, 3)
    {'shape': [1, 1, 1, 3], 'bytes': 'AP+A'}
    """
    if isinstance(weights, np.ma.MaskedArray):
        raise InputError(f"{name} is a masked array: expected one without masked numbers")
    weights = np.asarray(weights, dtype=np.float64)
    if weights.ndim != 4 or 0 in weights.shape or weights.shape[2:] != (n_queries, n_keys):
        raise InputError(
            f"{name} has shape {weights.shape}: expected (layers, heads, {n_queries}, {n_keys}), "
            f"because there are {n_queries} query tokens and {n_keys} key tokens"
        )
    # a softmax in float32 may exceed 1 by its rounding
    if not (weights >= -1e-6).all() or not (weights <= 1 + 1e-6).all():  # NaN fails both
        raise InputError(
            f"{name} holds numbers outside 0 to 1: give weights after the softmax, not scores"
        )
    steps = np.rint(weights.clip(0, 1) * STEPS).astype(np.uint8)
    return {
        "shape": list(weights.shape),
        "bytes": base64.b64encode(steps.tobytes()).decode("ascii"),
    }


def _to_script(value: Any) -> str:
    r"""Return a value as JavaScript that cannot end the script element that holds it.

    >>> _to_script("</script>&")
    '"\\u003c/script\\u003e\\u0026"'
    """
    # in JSON these three occur in texts alone, where an escape means the same
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def _asset(name: str) -> str:
    """Return the text of a file of this package."""
    return files(__package__).joinpath(name).read_text("utf-8")

"""The page of a recording: one piece of HTML with all lines and arrays, which asks nothing of the network."""

import base64
import html
import json
import zlib
from importlib.resources import files
from string import Template

import numpy as np

from ...text import PAD
from ..viewer.token_text import readable
from .axes import AxisNames
from .figure import boxes_of
from .recorder import Call, Recorder

SCRIPTS = ("data.js", "colors.js", "heat_map.js", "figure.js", "code.js", "array.js", "sum.js", "position.js", "main.js")
TYPES = ("float32", "float64", "int32", "uint8")  # of the numbers in a page
KINDS = ("argument", "parameter", "local", "gradient", "remembered", "returned")
DIRECTIONS = ("forward", "backward", "update")


def page_of(recorder: Recorder, loss: float, texts: dict) -> str:
    """Return the page of a recording, in ASCII."""
    content = {
        "title": html.escape(_title(texts)),
        "style": _asset("stepper.css"),
        "table": _table(recorder),
        "notes": "".join(f"<p>{html.escape(note)}</p>" for note in _notes(texts, loss)),
        "data": base64.b64encode(packed(recorder, texts)).decode(),
        "code": "".join(map(_in_ascii_script, map(_asset, SCRIPTS))),
    }
    page = Template(_asset("page.html")).substitute(content)
    return page.encode("ascii", "xmlcharrefreplace").decode()


def packed(recorder: Recorder, texts: dict) -> bytes:
    """Return all that the page's scripts need, compressed: the length of a JSON text, this text, and the numbers.

    Numbers are sorted by their bytes, all first bytes first, because like ones compress better.
    """
    arrays = recorder.arrays
    needed = {number for step in recorder.steps for made in step.made for number in [made.number]}
    needed |= {number for step in recorder.steps for product in step.products for number in product.numbers}
    needed |= {how[-1] for how in recorder.computed.values()}
    blocks = sorted({arrays.views[number].block for number in needed - recorder.computed.keys()})
    weights = {arrays.views[m.number].block for step in recorder.steps for m in step.made if m.kind == "parameter"}
    sections = {name: [] for name in TYPES}
    places = {}
    for block in blocks:
        values = _as_in_page(arrays.blocks[block])
        values = _rounded(values) if block in weights else values
        section = sections[values.dtype.name]
        places[block] = [TYPES.index(values.dtype.name), sum(map(len, section))]
        section.append(values)
    data = _described(recorder, texts)
    data["views"] = [
        {"shape": view.shape, "computed": recorder.computed[number]}
        if number in recorder.computed
        else {"shape": view.shape, "strides": view.strides, "place": places[view.block]}
        if number in needed
        else None
        for number, view in enumerate(arrays.views)
    ]
    numbers = [np.concatenate([np.zeros(0, name), *section]) for name, section in sections.items()]
    data["sizes"] = [len(section) for section in numbers]
    text = json.dumps(data, separators=(",", ":")).encode()
    planes = [section.view(np.uint8).reshape(len(section), -1).T.tobytes() for section in numbers]
    return zlib.compress(b"".join([len(text).to_bytes(4, "little"), text, *planes]), 9)


def _as_in_page(block: np.ndarray) -> np.ndarray:
    """Return numbers in a type that the page has."""
    if block.dtype.name in TYPES:
        return block
    if block.dtype.kind == "b":
        return block.astype("uint8")
    if block.dtype.kind == "f":
        return block.astype("float32" if block.itemsize < 4 else "float64")
    fits = block.size == 0 or (-(2**31) <= block.min() and block.max() < 2**31)
    return block.astype("int32" if fits else "float64")


def _rounded(values: np.ndarray) -> np.ndarray:
    """Return finite float32 numbers to 17 binary digits, which makes a page a tenth smaller.

    >>> _rounded(np.float32([1 / 3])).tolist()
    [0.3333320617675781]
    """
    if values.dtype != np.float32:
        return values
    fraction, exponent = np.frexp(values)
    return np.ldexp(np.rint(fraction * 2**17) / 2**17, exponent).astype(np.float32)


def _described(recorder: Recorder, texts: dict) -> dict:
    """Return everything except the arrays, as JSON has it."""
    names = AxisNames({side: text["ids"] for side, text in texts.items()})
    functions = list(recorder.functions.values())
    modules = [*recorder.modules]
    if recorder.optimizer is not None:
        modules.append(type(recorder.optimizer).__name__)
    places = {name: number for number, name in enumerate(modules)}
    axes = {}

    def described_step(step) -> list:
        call = recorder.calls[step.call]
        made = []
        for name, kind, number in step.made:
            shape = recorder.arrays.views[number].shape
            key = call.module, shape, tuple(call.function.axes_in(step.line, name))
            if key not in axes:
                axes[key] = names.of(*key)
            made.append([name, KINDS.index(kind), number, axes[key]])
        products = [[*product.texts, *product.numbers] for product in step.products]
        return [step.call, step.line, step.done, made, *([products] if products else [])]

    def described_call(call: Call) -> list:
        function = functions.index(call.function)
        direction = DIRECTIONS.index(call.direction)
        return [places[call.module], function, call.parent, direction, call.first, call.last]

    return {
        "modules": modules,
        "labels": [module.label for module in recorder.modules.values()],
        "functions": [{"name": f.name, "file": f.file, "first": f.first, "lines": f.lines} for f in functions],
        "calls": [described_call(call) for call in recorder.calls],
        "steps": [described_step(step) for step in recorder.steps],
        "boxes": boxes_of(recorder.modules),
        "tokens": {side: [[readable(t) for t in row] for row in text["tokens"]] for side, text in texts.items()},
    }


def _title(texts: dict) -> str:
    """Return the tokens of the first text of each side."""
    return " \u2192 ".join(" ".join(map(readable, text["tokens"][0])) for text in texts.values() if text["tokens"])


def _notes(texts: dict, loss: float) -> list[str]:
    """Return what the page says of the batch and its numbers."""
    notes = [f"Loss {loss:.6g}. All arrays are as computed, except weights, which are rounded to 5 digits."]
    for side, text in texts.items():
        name = {"s": "Source", "t": "Target"}[side]
        if (ids := text["ids"]).ndim == 2:
            several = f"{len(ids)} texts of " if len(ids) > 1 else ""
            lengths = ", ".join(str(n) for n in (ids != PAD).sum(1))
            padded = f"; {lengths} are real, and <pad> (id {PAD}) fills the rest at the end" if len(ids) > 1 else ""
            notes.append(f"{name}: {several}{ids.shape[1]} tokens{padded}.")
    return notes


def _table(recorder: Recorder) -> str:
    """Return a table of the layers, for places without scripts: what forward returned, and the norm of dy."""
    rows: dict[str, list[str]] = {}
    for call in recorder.calls:
        first, last = recorder.steps[call.first], recorder.steps[call.last]
        made = last.made if call.function.name == "forward" else first.made if call.function.name == "backward" else []
        made = [one for one in made if one.kind in ("returned", "argument")]
        row = rows.setdefault(call.module, ["", "", "", ""])
        if made and call.function.name == "forward":
            array = recorder.arrays[made[0].number]
            statistics = (f"{array.mean():.3g}", f"{array.std():.3g}") if array.size else ("", "")
            row[:3] = ["\u00d7".join(map(str, array.shape)) or "a number", *statistics]
        elif made:
            row[3] = f"{np.linalg.norm(recorder.arrays[made[0].number]):.3g}"
    cells = (f"<tr><th>{html.escape(name)}</th>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for name, row in rows.items())
    head = "".join(f"<th>{name}</th>" for name in ("layer", "output", "mean", "std", "norm of dy"))
    return f"<table><tr>{head}</tr>{''.join(cells)}</table>"


def _in_ascii_script(code: str) -> str:
    """Return JavaScript with escapes for everything that is not ASCII."""
    return "".join(letter if letter.isascii() else f"\\u{ord(letter):04x}" for letter in code)


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")

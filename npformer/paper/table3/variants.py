"""The variants of a base model: rows A to E of table 3 of the paper, and two more."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...layers.init import INITS
from ...utils import InputError
from .paper_table3 import BASE, ROWS, PapersRow

ROW_NAMES = {
    "A": "heads, at equal cost",
    "B": "d_k",
    "C": "size",
    "D": "dropout and label smoothing",
    "E": "positions",
    "F": "width of the embeddings",
    "G": "how weights start",
}
HEADS = (1, 2, 4, 8, 16)
REGULARISED = (0.0, 0.2)
HALVES, QUARTERS, THIRDS = (1 / 2, 2), (1 / 4, 1 / 2), (1 / 3, 2 / 3, 4 / 3)  # the paper's 2, 4 and 8 of 6 layers
LEAST = {"d_model": 2, "d_ff": 2, "d_k": 4}  # so that all parts of them are whole


class Variant(NamedTuple):
    """A row of the table: its letter, the name of its folder, the settings that differ from base, the paper's row."""

    row: str
    name: str
    changes: dict[str, Any]
    paper: PapersRow | None


def variants(base: Mapping[str, Any]) -> list[Variant]:
    """Return the base model, whose row is "", and its variants, in the paper's order.

    `base` are the settings of the base model and its training, d_k and d_v as numbers. Sizes are those parts and
    multiples of them that the paper's table has of its own; d_k and d_v follow d_model, as there. The heads are as many
    as all features of queries and of values can be dealt out to: h d_k and h d_v stay what they are, and so the cost.

    Raises `InputError` for a base model too small to be halved.

    >>> sizes = {"d_model": 512, "d_ff": 2048, "n_heads": 8, "d_k": 64, "d_v": 64}
    >>> sizes |= {"n_encoder_layers": 6, "n_decoder_layers": 6, "dropout": 0.1, "label_smoothing": 0.1}
    >>> for variant in variants({**sizes, "positions": "sinusoidal", "init": "glorot"})[:3]:
    ...     print(variant.name, variant.changes, variant.paper)
    base {} PapersRow(perplexity=4.92, bleu=25.8)
    A-heads-1 {'n_heads': 1, 'd_k': 512, 'd_v': 512} PapersRow(perplexity=5.29, bleu=24.9)
    A-heads-2 {'n_heads': 2, 'd_k': 256, 'd_v': 256} None
    """
    for name, least in LEAST.items():
        if base[name] < least:
            came = f"the base model has {name} = {base[name]}"
            raise InputError(f"{came}, and its variants are to have less: expected {least} or more")
    found = [Variant("", "base", {}, BASE)]

    def add(row: str, what: str, value, paper: PapersRow | None, changes: dict[str, Any]) -> None:
        if not changes.items() <= base.items() and all(changes != other.changes for other in found):
            found.append(Variant(row, f"{row}-{what}-{value}", changes, paper))

    d_model, h, d_k, d_v = (base[name] for name in ("d_model", "n_heads", "d_k", "d_v"))
    for n in HEADS:
        if (h * d_k) % n == (h * d_v) % n == 0:
            heads = {"n_heads": n, "d_k": h * d_k // n, "d_v": h * d_v // n}
            add("A", "heads", n, ROWS.get(("n_heads", n)), heads)
    for part in QUARTERS:
        add("B", "d_k", int(part * d_k), ROWS["d_k", part], {"d_k": int(part * d_k)})
    for part in THIRDS:
        depths = {name: max(round(part * base[name]), 1) for name in ("n_encoder_layers", "n_decoder_layers")}
        add("C", "layers", "+".join(map(str, depths.values())), ROWS["layers", part], depths)
    for part in HALVES:
        widths = {"d_model": int(part * d_model), "d_k": int(part * d_k), "d_v": max(int(part * d_v), 1)}
        add("C", "d_model", int(part * d_model), ROWS["d_model", part], widths)
    for part in HALVES:
        add("C", "d_ff", int(part * base["d_ff"]), ROWS["d_ff", part], {"d_ff": int(part * base["d_ff"])})
    for name in ("dropout", "label_smoothing"):
        for value in REGULARISED:
            add("D", name, value, ROWS[name, value], {name: value})
    other = "learned" if base["positions"] == "sinusoidal" else "sinusoidal"
    add("E", "positions", other, ROWS.get(("positions", other)), {"positions": other})
    add("F", "d_word_vec", d_model // 2, None, {"d_word_vec": d_model // 2})
    for init in INITS:
        add("G", "init", init, None, {"init": init})
    return found

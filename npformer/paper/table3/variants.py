"""The variants of a base model: rows A to E of table 3 of the paper with the paper's scores, and two more."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...layers.init import INITS
from ...utils import InputError


class PaperRow(NamedTuple):
    """Perplexity per token and BLEU of a row of the paper's table."""

    perplexity: float
    bleu: float


ROW_NAMES = {
    "A": "heads, at equal cost",
    "B": "d_k",
    "C": "size",
    "D": "dropout and label smoothing",
    "E": "positions",
    "F": "width of the embeddings",
    "G": "initialization",
}
BASE = PaperRow(4.92, 25.8)
PAPER = {  # by setting, and its value (A, D, E) or its multiple of the base model's (B, C)
    **{("n_heads", 1): (5.29, 24.9), ("n_heads", 4): (5.00, 25.5)},
    **{("n_heads", 16): (4.91, 25.8), ("n_heads", 32): (5.01, 25.4)},
    **{("d_k", 1 / 4): (5.16, 25.1), ("d_k", 1 / 2): (5.01, 25.4)},
    **{("layers", 1 / 3): (6.11, 23.7), ("layers", 2 / 3): (5.19, 25.3), ("layers", 4 / 3): (4.88, 25.5)},
    **{("d_model", 1 / 2): (5.75, 24.5), ("d_model", 2): (4.66, 26.0)},
    **{("d_ff", 1 / 2): (5.12, 25.4), ("d_ff", 2): (4.75, 26.2)},
    **{("dropout", 0.0): (5.77, 24.6), ("dropout", 0.2): (4.95, 25.5)},
    **{("label_smoothing", 0.0): (4.67, 25.3), ("label_smoothing", 0.2): (5.47, 25.7)},
    **{("positions", "learned"): (4.92, 25.7)},
}
HEADS = (1, 2, 4, 8, 16)
LEAST = {"d_model": 2, "d_ff": 2, "d_k": 4}  # so that halves and quarters are whole


class Variant(NamedTuple):
    """A row of the table: its letter, the name of its folder, the settings that differ from base, the paper's row."""

    row: str
    name: str
    changes: dict[str, Any]
    paper: PaperRow | None


def variants(base: Mapping[str, Any]) -> list[Variant]:
    """Return the base model, whose row is "", and its variants, in the paper's order.

    `base` are the settings of the base model and its training, d_k and d_v as numbers. Sizes are the fractions and
    multiples of the paper's table; d_k and d_v follow d_model. All numbers of heads keep h d_k and h d_v, and the cost.

    Raises `InputError` for a base model too small to be halved.

    >>> sizes = {"d_model": 512, "d_ff": 2048, "n_heads": 8, "d_k": 64, "d_v": 64}
    >>> sizes |= {"n_encoder_layers": 6, "n_decoder_layers": 6, "dropout": 0.1, "label_smoothing": 0.1}
    >>> for variant in variants({**sizes, "positions": "sinusoidal", "init": "glorot"})[:3]:
    ...     print(variant.name, variant.changes, variant.paper)
    base {} PaperRow(perplexity=4.92, bleu=25.8)
    A-heads-1 {'n_heads': 1, 'd_k': 512, 'd_v': 512} PaperRow(perplexity=5.29, bleu=24.9)
    A-heads-2 {'n_heads': 2, 'd_k': 256, 'd_v': 256} None
    """
    for name, least in LEAST.items():
        if base[name] < least:
            raise InputError(f"the base model has {name} = {base[name]}: expected {least} or more to make variants of")
    found = [Variant("", "base", {}, BASE)]

    def add(row: str, what: str, value, key: tuple, changes: dict[str, Any]) -> None:
        if not changes.items() <= base.items() and all(changes != other.changes for other in found):
            paper = PaperRow(*PAPER[key]) if key in PAPER else None
            found.append(Variant(row, f"{row}-{what}-{value}", changes, paper))

    d_model, h, d_k, d_v = (base[name] for name in ("d_model", "n_heads", "d_k", "d_v"))
    for n in HEADS:
        if (h * d_k) % n == (h * d_v) % n == 0:
            add("A", "heads", n, ("n_heads", n), {"n_heads": n, "d_k": h * d_k // n, "d_v": h * d_v // n})
    for part in (1 / 4, 1 / 2):
        add("B", "d_k", int(part * d_k), ("d_k", part), {"d_k": int(part * d_k)})
    for part in (1 / 3, 2 / 3, 4 / 3):  # the paper's 2, 4 and 8 of 6 layers
        depths = {name: max(round(part * base[name]), 1) for name in ("n_encoder_layers", "n_decoder_layers")}
        add("C", "layers", "+".join(map(str, depths.values())), ("layers", part), depths)
    for part in (1 / 2, 2):
        widths = {"d_model": int(part * d_model), "d_k": int(part * d_k), "d_v": max(int(part * d_v), 1)}
        add("C", "d_model", int(part * d_model), ("d_model", part), widths)
    for part in (1 / 2, 2):
        add("C", "d_ff", int(part * base["d_ff"]), ("d_ff", part), {"d_ff": int(part * base["d_ff"])})
    for name in ("dropout", "label_smoothing"):
        for value in (0.0, 0.2):
            add("D", name, value, (name, value), {name: value})
    other = "learned" if base["positions"] == "sinusoidal" else "sinusoidal"
    add("E", "positions", other, ("positions", other), {"positions": other})
    add("F", "d_word_vec", d_model // 2, (), {"d_word_vec": d_model // 2})
    for init in INITS:
        add("G", "init", init, (), {"init": init})
    return found

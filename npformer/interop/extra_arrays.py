"""The arrays of a module outside of its nn.Transformer: which array is which table, positions or generator."""

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ..utils import InputError
from .name_mapping import as_table

FOOT = re.compile(r"^(.*)(encoder|decoder)\.layers\.0\.norm1\.weight$")
SIDES = {"source": ("src", "source", "enc"), "target": ("tgt", "trg", "target", "dec")}
POSITIONS = re.compile(r"(^|[._])(pos|w?pe([._]|$))")
GENERATORS = re.compile(r"generator|out|proj|fc|head|linear|logit|vocab|classif")


class ExtraArrays(NamedTuple):
    """The names of the tables, of the generator (both of its parts, as far as they are there) and of positions."""

    source: str
    target: str
    generator: str
    bias: str | None
    positions: tuple[str, str] | None  # source's and target's


def prefix_of(names: Iterable[str]) -> str:
    """Return what is before "encoder.layers" and "decoder.layers". Raises `InputError` where that is not plain.

    >>> prefix_of(["net.encoder.layers.0.norm1.weight", "net.decoder.layers.0.norm1.weight", "table"])
    'net.'
    """
    found = {}
    for match in filter(None, map(FOOT.match, names)):
        found.setdefault(match[1], set()).add(match[2])
    whole = [prefix for prefix, columns in found.items() if len(columns) == 2]
    if len(whole) == 1:
        return whole[0]
    if whole:
        raise InputError(f"there are {len(whole)} Transformers: --ignore all but one of {', '.join(map(repr, whole))}")
    alone = [f"{prefix}{column}" for prefix, columns in found.items() for column in columns]
    there = f"there is {alone[0]} alone" if alone else f"the names are as {', '.join(sorted(names)[:3])}"
    raise InputError(f"no nn.Transformer is in it: expected encoder.layers.0.norm1.weight and decoder's, and {there}")


def find_extra_arrays(arrays: dict[str, np.ndarray], d_model: int, sizes: dict[str, int], opts: dict) -> ExtraArrays:
    """Find the arrays outside of the columns, by their names in the options `opts`, else by shapes and names.

    `sizes` are those of the two vocabularies, "source" and "target". Raises `InputError` where it is not plain.
    """
    positions = _find_positions(arrays, d_model, opts)
    rest = {name: array for name, array in arrays.items() if name not in (positions or ())}
    tables = {side: [name for name in rest if rest[name].shape == (size, d_model)] for side, size in sizes.items()}
    generator = opts["generator"] and _find_array(arrays, opts["generator"], "generator")
    if generator is None:
        likely = generators(tables["target"], arrays, sizes["target"])
        if len(likely) > 1:
            raise InputError(f"which array is the generator's? Say --generator, one of {', '.join(likely)}")
        generator = likely[0] if likely else None
    chosen = {}
    for side, names in tables.items():
        chosen[side] = opts[f"{side}_table"] and _find_array(arrays, opts[f"{side}_table"], f"{side}-table")
        if chosen[side] is None:
            shapes = {name: array.shape for name, array in rest.items() if array.ndim == 2}
            chosen[side] = _choose_table([n for n in names if n != generator], side, (sizes[side], d_model), shapes)
    generator = generator or chosen["target"]
    for name, size in ((chosen["source"], "source"), (chosen["target"], "target"), (generator, "target")):
        if arrays[name].shape != (sizes[size], d_model):
            came = f"{name} has the shape {arrays[name].shape}: expected {sizes[size], d_model}"
            raise InputError(f"{came}, for the {size} vocabulary has {sizes[size]} tokens")
    bias = generator.removesuffix("weight") + "bias"
    return ExtraArrays(chosen["source"], chosen["target"], generator, bias if bias in arrays else None, positions)


def generators(names: list[str], arrays: dict[str, np.ndarray], size: int) -> list[str]:
    """Return those of some tables that have a bias, or else those that are called as generators are."""
    biases = {name: arrays.get(name.removesuffix("weight") + "bias") for name in names}
    with_bias = [name for name, bias in biases.items() if bias is not None and bias.shape == (size,)]
    return with_bias or [name for name in names if GENERATORS.search(name.lower()) and "emb" not in name.lower()]


def _choose_table(names: list[str], side: str, shape: tuple, shapes: dict[str, tuple]) -> str:
    """Return the one of some tables that is a side's: the only one, or the only one that is called so."""
    called = [name for name in names if any(word in name.lower() for word in SIDES[side])]
    found = names if len(names) == 1 else called
    if len(found) == 1:
        return found[0]
    if names:
        raise InputError(f"which array is the {side}'s table? Say --{side}-table, one of {', '.join(names)}")
    there = ", ".join(f"{name} {came}" for name, came in shapes.items()) or "none of two axes"
    raise InputError(
        f"no table has the shape {shape}, of the {shape[0]} tokens of the {side} vocabulary: there is {there}"
    )


def _find_positions(arrays: dict[str, np.ndarray], d_model: int, opts: dict) -> tuple[str, str] | None:
    """Return the names of the position tables of source and target, or None where there are none.

    One that is given for one side serves both, if nothing else looks like the other's.
    """
    given = {side: opts[f"{side}_positions"] for side in SIDES}
    likely = [n for n, a in arrays.items() if POSITIONS.search(n.lower()) and as_table(a, d_model) is not None]
    found = {}
    for side, name in given.items():
        called = [name for name in likely if any(word in name.lower() for word in SIDES[side])]
        [found[side]] = [_find_array(arrays, name, f"{side}-positions")] if name else (called or likely or [None])[:1]
        if not name and len(called or likely) > 1:
            choice = ", ".join(called or likely)
            raise InputError(f"which array has the {side}'s positions? Say --{side}-positions, one of {choice}")
        if name and as_table(arrays[found[side]], d_model) is None:
            came = f"it is no table of positions, its shape is {arrays[found[side]].shape}"
            raise InputError(f"--{side}-positions {name}: {came}: expected (length, {d_model})")
    source, target = (found[side] or found[other] for side, other in (("source", "target"), ("target", "source")))
    return (source, target) if source else None


def _find_array(arrays: dict[str, np.ndarray], name: str, option: str) -> str:
    """Return the name of an array, which may be given without its ".weight"."""
    for whole in (name, f"{name}.weight"):
        if whole in arrays:
            return whole
    raise InputError(f"--{option} {name}: there is no such array, expected one of {', '.join(sorted(arrays))}")

"""The data sets that our own code makes, from a seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from ..data_set import DataSet


def reader(module: str, *task, of: Sequence[str] = ("train", "held_out")) -> Callable:
    """Return how the parts of a generator's data set are read; the generator, loaded when it is asked, gives those.

    `task` is what the generator is told of it, besides the seed.
    """

    def read(parts, direction, seed):
        split = import_module(f".{module}", __package__).split(*task, seed=seed)
        return [split[of.index(part)] for part in parts]

    return read


THREE = ("train", "held_out", "test")
FEW = 1000  # pairs to train on: so few that a small model is far from perfect, and a change of it shows
TINY = {"recipe": "tiny", "made": True}
DATA_SETS = (
    DataSet(
        name="phrasebook", read=reader("phrasebook"), languages=("en", "de"), unit="words", lowercase="source", **TINY
    ),
    DataSet(name="dates", read=reader("dates"), unit="characters", **TINY),
    *(DataSet(name=name, read=reader("sequences", name), unit="words", **TINY) for name in ("copy", "reverse", "sort")),
    DataSet(
        name="few_phrases",
        read=reader("phrasebook", FEW),
        languages=("en", "de"),
        unit="words",
        lowercase="source",
        recipe="ablation",
        made=True,
    ),
    DataSet(
        name="german",
        read=reader("german_text"),
        task="language_model",
        recipe="tiny_text",
        unit="characters",
        made=True,
    ),
    DataSet(
        name="mistakes",
        read=reader("german_errors", of=THREE),
        task="classification",
        parts=THREE,
        unit="words",
        recipe="mistakes",
        made=True,
    ),
)

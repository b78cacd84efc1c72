"""The data sets of npformer itself: from files that ship with it, or made from a seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from . import dates, mistakes, phrasebook, sequences
from .data_set import DataSet, Part, ReadParts

__all__ = ["DATA_SETS"]

# so few pairs that a small model is far from perfect, and a change of it shows
N_FEW = 1000


def _reader(split: Callable[..., Sequence[Part]], parts: Sequence[str]) -> ReadParts:
    """Return the function that reads some of the parts that `split` returns in this order."""

    def read(names: Sequence[str], direction: str | None, seed: int) -> list[Part]:
        # all parts are made, even for one: a part is what the others leave
        examples = dict(zip(parts, split(seed=seed), strict=True))
        return [examples[name] for name in names]

    return read


TWO_PARTS = ("train", "held_out")
THREE_PARTS = ("train", "held_out", "test")


def _few_phrases(*, seed: int) -> Sequence[Part]:
    return phrasebook.split(N_FEW, seed=seed)


def _sequences(task: str) -> DataSet:
    def split(*, seed: int) -> Sequence[Part]:
        return sequences.split(task, seed=seed)

    return DataSet(
        name=task,
        read=_reader(split, TWO_PARTS),
        recipe="tiny",
        tokenizer="word",
        is_synthetic=True,
    )


DATA_SETS = (
    DataSet(
        name="phrasebook",
        read=_reader(phrasebook.split, TWO_PARTS),
        recipe="tiny",
        languages=("en", "de"),
        tokenizer="word",
        lowercase="source",
        is_synthetic=True,
    ),
    DataSet(
        name="dates",
        read=_reader(dates.split, TWO_PARTS),
        recipe="tiny",
        tokenizer="character",
        is_synthetic=True,
    ),
    _sequences("copy"),
    _sequences("reverse"),
    _sequences("sort"),
    DataSet(
        name="few_phrases",
        read=_reader(_few_phrases, TWO_PARTS),
        recipe="ablation",
        languages=("en", "de"),
        tokenizer="word",
        lowercase="source",
        is_synthetic=True,
    ),
    DataSet(
        name="english",
        read=_reader(phrasebook.split_english, TWO_PARTS),
        recipe="tiny_text",
        task="language_model",
        tokenizer="character",
        is_synthetic=True,
    ),
    DataSet(
        name="mistakes",
        read=_reader(mistakes.split, THREE_PARTS),
        recipe="mistakes",
        task="classification",
        parts=THREE_PARTS,
        tokenizer="word",
        is_synthetic=True,
    ),
)

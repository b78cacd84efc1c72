"""Data sets made by our own code, from a seed."""

from ..data_set import DataSet
from . import dates, german_errors, phrasebook, sequences

__all__ = ["DATA_SETS"]

FEW = 1000  # pairs to train on: so few that a small model is far from perfect, and a change of it shows


def _synthetic(name: str, split, *args, parts=("train", "held_out"), **fields) -> DataSet:
    """Return the data set whose parts are what `split(*args, seed=seed)` returns."""

    def read(names, direction, seed):
        examples = dict(zip(parts, split(*args, seed=seed), strict=True))
        return [examples[name] for name in names]

    return DataSet(
        **{
            "name": name,
            "read": read,
            "parts": parts,
            "recipe": "tiny",
            "is_synthetic": True,
            **fields,
        }
    )


_PHRASEBOOK = {"languages": ("en", "de"), "unit": "words", "lowercase": "source"}
DATA_SETS = (
    _synthetic("phrasebook", phrasebook.split, **_PHRASEBOOK),
    _synthetic("dates", dates.split, unit="characters"),
    *(
        _synthetic(name, sequences.split, name, unit="words")
        for name in ("copy", "reverse", "sort")
    ),
    _synthetic("few_phrases", phrasebook.split, FEW, **_PHRASEBOOK, recipe="ablation"),
    _synthetic(
        "german",
        phrasebook.split_german,
        task="language_model",
        recipe="tiny_text",
        unit="characters",
    ),
    _synthetic(
        "mistakes",
        german_errors.split,
        parts=("train", "held_out", "test"),
        task="classification",
        recipe="mistakes",
        unit="words",
    ),
)

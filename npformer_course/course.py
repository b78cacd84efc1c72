"""The exercises of the course, in order."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path

from npformer.utils.errors import InputError

from .definition import Exercise
from .percent_format import read_cells

FOLDER = Path(__file__).parent / "exercises"

# each is a folder in exercises/, and its place here is its number
EXERCISES = (
    "numpy",
    "numeric_gradient",
    "linear",
    "softmax",
    "softmax_backward",
    "feed_forward",
    "masks",
    "masked_softmax",
    "attention",
    "attention_backward",
    "heads",
    "multi_head",
    "multi_head_backward",
    "cross_attention_backward",
    "layer_norm",
    "layer_norm_backward",
    "add_norm",
    "dropout",
    "embedding",
    "positions",
    "tied_generator",
    "label_smoothing",
    "adam",
    "warmup",
    "training_step",
    "greedy",
    "beam",
    "kv_cache",
    "bug_hunt",
    "byte_pair_merges",
    "top_p",
    "rotary",
    "encoder_training",
    "bleu",
)


def stem(id: str) -> str:
    """Return the name of a student's file without its ending, such as 03_softmax."""
    return f"{EXERCISES.index(id):02}_{id}"


def find(name: str) -> str:
    """Return the id of an exercise that is given by its id, its number, or both: 03_softmax.

    Raises `InputError` for another name.

    >>> find("1") == find("01") == find("01_numeric_gradient") == find("numeric_gradient")
    True
    """
    wanted = name.zfill(2) if name.isdecimal() else name
    for id in EXERCISES:
        if wanted in (id, stem(id), stem(id)[:2]):
            return id

    near = get_close_matches(name, EXERCISES, n=1)
    if near:
        raise InputError(f"there is no exercise {name!r}: did you mean {near[0]}?")
    raise InputError(
        f"there is no exercise {name!r}: expected a number up to {len(EXERCISES) - 1}, or a name "
        "such as softmax"
    )


def load(name: str) -> Exercise:
    """Return an exercise by its id, its number, or both.

    Raises `InputError` for another name.

    >>> load("layer_norm_backward").number
    15
    """
    return _read(find(name))


@cache
def _read(id: str) -> Exercise:
    """Return an exercise, put together from the files of its folder."""
    folder = FOLDER / id
    alternatives = sorted((folder / "alternatives").glob("*.py"))
    teacher = import_module(f"{__package__}.exercises.{id}.teacher")
    mistakes = import_module(f"{__package__}.exercises.{id}.mistakes")
    return replace(
        teacher.EXERCISE,
        id=id,
        number=EXERCISES.index(id),
        cells=tuple(read_cells((folder / "exercise.py").read_text(encoding="utf-8"))),
        mistakes=tuple(mistakes.MISTAKES),
        alternatives=tuple(path.read_text(encoding="utf-8") for path in alternatives),
    )

"""Trainings that run with what the learner has written, for notebook 17."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import numpy as np

import npformer as npf
from npformer.runs.training_run import Run
from npformer.text import EOS
from npformer_course import course, yours
from npformer_course.student.own_parts import lines_about_parts
from npformer_course.student.stand_ins import SOURCE, names_to_write, run_hidden
from npformer_course.student.student_layers import MODEL_PARTS, TRAINED, own_layers

from .course_sentence import COLUMNS
from .expected import Expected
from .schematics.learning_curve import smoothed_entropy

# where a model that has learned to reverse looks, row by row
PLACES = Expected(places=np.arange(6)[::-1])

_in_use = ExitStack()
_folders: list[TemporaryDirectory] = []  # each is deleted when Python ends


def use_own_parts() -> None:
    """Put the learner's functions into npformer's layers, and print which parts are whose.

    They stay there for the rest of the notebook. Called again, it reads them again.
    """
    _in_use.close()
    parts = own_parts()
    _in_use.enter_context(own_layers(parts))
    for line in lines_about_parts(parts, TRAINED):
        print(textwrap.fill(line.text, COLUMNS, break_on_hyphens=False))


def own_parts() -> dict[str, Any]:
    """Return the functions that earlier notebooks have kept and a training runs.

    They are modules by the ids of the exercises. Of an exercise of which only some functions are
    kept, the others are npformer's.
    """
    parts = {}
    for id in MODEL_PARTS:
        if id not in TRAINED:
            continue
        exercise = course.load(id)
        with redirect_stdout(StringIO()):  # a line for each function would be two pages
            found = yours(id)
        functions = found if isinstance(found, tuple) else (found,)
        own = {}
        for name, function in zip(names_to_write(exercise), functions, strict=True):
            if function.__module__ != SOURCE:
                own[name] = function
        if own:
            parts[id] = SimpleNamespace(**run_hidden(exercise.key) | own)
    return parts


def new_run(dataset: str, **settings: Any) -> Run:
    """Return a run that begins with random parameters, in a folder that does not stay.

    Arguments:
        dataset: its name, such as "reverse"
        settings: as those of `npformer.runs.begin`
    """
    folder = TemporaryDirectory()
    _folders.append(folder)
    return npf.runs.begin(dataset, folder=Path(folder.name, "run"), workers=1, **settings)


def floor_of(run: Run) -> float:
    """Return the entropy of the smoothed labels of a run: no loss can be lower.

    >>> run = new_run("reverse", d_model=8, d_ff=8, n_heads=2, batch_tokens=4096)
    >>> round(floor_of(run), 4)
    0.5473
    """
    return smoothed_entropy(Counter({0: 1}), run.config.tgt_vocab_size)


def token_counts(run: Run) -> np.ndarray:
    """Return how often each token of the vocabulary (V,) is to be predicted, with <eos>.

    They are counted in the held-out pairs.
    """
    counts = np.zeros(run.config.tgt_vocab_size)
    for pair in run.held_out:
        for id in (*run.vocabularies["target"].encode(pair.target), EOS):
            counts[id] += 1
    return counts


def share_right(outputs: Sequence[str], targets: Sequence[str]) -> float:
    """Return the share of outputs that are exactly the target.

    >>> share_right(["3 2 1", "4 5"], ["3 2 1", "5 4"])
    0.5
    """
    n_right = 0
    for output, target in zip(outputs, targets, strict=True):
        n_right += output == target
    return n_right / len(targets)

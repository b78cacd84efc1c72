"""Training data in memory, in the place of files."""

from collections.abc import Sequence
from dataclasses import replace
from operator import index
from typing import Any

from ..datasets import DataSet, LabeledText, SentencePair, from_files, from_text, from_tsv
from ..datasets.own_files import first_nine_tenths, hold_out
from ..datasets.stratified_split import random_hold_out
from ..text.labels import normalized
from ..utils import InputError

__all__ = ["IN_MEMORY", "in_memory"]

IN_MEMORY = ("pairs", "labeled", "texts")


def in_memory(kind: str, examples: Any) -> DataSet:
    """Return the data set of a list.

    The held-out part is chosen as for files: 2% of the different examples at random, and the last
    tenth of a single text. As in files, white space around sentences, labels and labeled texts is
    left out.

    Arguments:
        kind: what the list has: "pairs" (source, target), "labeled" texts (label, text), or
            "texts".
        examples: the list. None where a run is resumed without it.

    Loading it raises `InputError` for None, and for an example of another form.
    """

    def read(parts: Sequence[str], direction: str | None, seed: int) -> list:
        check_examples(kind, examples)
        train, held_out = _split(kind, examples, seed)
        return [held_out if part == "held_out" else train for part in parts]

    # the rest of a data set is as for files of the same kind; their paths are never read
    if kind == "pairs":
        return replace(from_files("", ""), read=read)
    if kind == "labeled":
        return replace(from_tsv(""), read=read)
    return replace(from_text(""), read=read)


def check_examples(kind: str, examples: Any) -> None:
    """Raise `InputError` unless examples are a list, each of the form of its kind."""
    if examples is None:
        raise InputError(
            f"the run was trained on {kind} in memory, which are in no file: "
            f"give the same again, as in runs.resume(folder, {kind}=...)"
        )
    n_strings = 1 if kind == "texts" else 2
    expected = "a string" if n_strings == 1 else "two strings"
    if isinstance(examples, str) or not isinstance(examples, Sequence):
        raise InputError(
            f"{kind} is a {type(examples).__name__}: expected a list, with {expected} per example"
        )

    for example in examples:
        # "ab" is one string, though a sequence of two
        strings = example
        if n_strings == 1 or not isinstance(example, (tuple, list)):
            strings = [example]
        elif kind == "pairs" and isinstance(example, SentencePair):
            strings = example[:2]  # besides them it may have an alignment
        if len(strings) != n_strings or not all(isinstance(text, str) for text in strings):
            raise InputError(f"{kind} has {example!r:.60}: expected {expected} for each example")
        if kind == "labeled" and not all(text.strip() for text in strings):
            raise InputError(f"labeled has {example!r:.60}: expected a label and a text, not empty")


def _split(kind: str, examples: Sequence, seed: int) -> tuple[list, list]:
    """Return the examples to train on, and those held out."""
    if kind == "labeled":
        texts = []
        for label, text in examples:
            texts.append(LabeledText(normalized(label.strip()), text.strip()))
        return random_hold_out(texts, seed=seed)
    if kind == "pairs":
        pairs = []
        for example in examples:
            pair = SentencePair(*example)
            links = _links(pair)
            pairs.append(SentencePair(pair.source.strip(), pair.target.strip(), links))
        return hold_out(pairs, seed=seed)
    if len(examples) == 1:
        train, held_out = first_nine_tenths(examples[0])
        return [train], [held_out]
    return hold_out(list(examples), seed=seed)


def _links(pair: SentencePair) -> tuple[tuple[int, int], ...]:
    """Return the alignment of a pair as tuples of int, where it may have lists or NumPy's integers.

    Raises `InputError` where it is anything else.
    """
    try:
        return tuple((index(i), index(j)) for i, j in pair.alignment)
    except (TypeError, ValueError):
        raise InputError(
            f"pairs has the alignment {pair.alignment!r:.60} of {pair.source!r:.60}: "
            "expected pairs (i, j) of integers, such as ((0, 1), (1, 0))"
        ) from None

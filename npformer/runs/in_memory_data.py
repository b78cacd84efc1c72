"""Training data in memory, in the place of files."""

from collections.abc import Sequence
from dataclasses import replace

from ..datasets import DataSet, LabeledText, SentencePair, from_files, from_text, from_tsv
from ..datasets.own_files import first_nine_tenths, hold_out
from ..datasets.stratified_split import random_hold_out
from ..utils import InputError

KINDS = {"pairs": from_files("", ""), "labeled": from_tsv(""), "texts": from_text("")}


def in_memory(kind: str, examples: Sequence | None) -> DataSet:
    """Return the data set of "pairs" (source, target), "labeled" texts (label, text), or "texts".

    As of files, a random 2% are held out, of a single text its last tenth. Loading it raises `InputError` for an
    example of another form, and for None: the run is resumed without its data.
    """

    def read(parts, direction, seed):
        if examples is None:
            again = f"give the same again, as in runs.resume(folder, {kind}=...)"
            raise InputError(
                f"the run was trained on {kind} in memory, which are in no file: {again}"
            )
        n, expected = (1, "a string") if kind == "texts" else (2, "two strings")
        for example in examples:
            strings = [example] if n == 1 or not isinstance(example, (tuple, list)) else example
            if len(strings) != n or not all(isinstance(string, str) for string in strings):
                raise InputError(
                    f"{kind} has {example!r:.60}: expected {expected} for each example"
                )
        if kind == "labeled":
            splits = random_hold_out([LabeledText(*labeled) for labeled in examples], seed=seed)
        elif len(examples) == n == 1:
            splits = [[part] for part in first_nine_tenths(examples[0])]
        else:
            splits = hold_out(
                [SentencePair(*pair) for pair in examples] if n == 2 else examples, seed=seed
            )
        return [splits[part == "held_out"] for part in parts]

    return replace(KINDS[kind], read=read)

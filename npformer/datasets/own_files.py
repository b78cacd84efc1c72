"""The data sets of one's own files: pairs of lines, labeled texts, or one text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..text.labels import normalized
from ..utils.errors import InputError, prefix_errors
from ..utils.files import AnyPath, read_lines, read_text
from .data_set import DataSet, LabeledText, Part, ReadParts, SentencePair
from .stratified_split import random_hold_out


def from_files(
    src: AnyPath,
    tgt: AnyPath,
    held_out_src: AnyPath | None = None,
    held_out_tgt: AnyPath | None = None,
) -> DataSet:
    """Return the data set of line-aligned files.

    Arguments:
        src: the file of the sentences
        tgt: the file of their translations
        held_out_src, held_out_tgt: the held-out files; without them a random 2 % of the
            different pairs

    Raises `InputError` for one of the held-out files without the other.
    """
    if (held_out_src is None) != (held_out_tgt is None):
        raise InputError("held_out_src and held_out_tgt belong together: give both or neither")
    read_held_out = None
    if held_out_src is not None and held_out_tgt is not None:
        read_held_out = partial(read_pairs, held_out_src, held_out_tgt)
    read = _reader(partial(read_pairs, src, tgt), read_held_out, hold_out)
    return DataSet(name="run", read=read, recipe="small")


def from_tsv(train: AnyPath, held_out: AnyPath | None = None) -> DataSet:
    """Return the data set of labeled texts.

    Loading it raises `InputError` for a line that is not a labeled text, a training file with a
    single label, and a held-out label that training never has.

    Arguments:
        train: a file with a label, a tab and a text per line
        held_out: the file that is held out; without it a random 2 % of each class are
    """

    def read(parts: Sequence[str], direction: str | None, seed: int) -> list[Part]:
        # the labels of a file that is held out can be checked only where train is read too
        known = None
        examples: dict[str, list[LabeledText]] = {}
        if held_out is None or "train" in parts:
            examples["train"] = _read_classes(train)
            known = {labeled.label for labeled in examples["train"]}
        if held_out is None:
            split = random_hold_out(examples["train"], seed=seed)
            examples["train"], examples["held_out"] = split
        elif "held_out" in parts:
            examples["held_out"] = read_labeled(held_out, known=known)
        return [examples[part] for part in parts]

    return DataSet(name="run", read=read, recipe="texts", task="classification")


def from_text(path: AnyPath, held_out: AnyPath | None = None) -> DataSet:
    """Return the data set of a text file, one document.

    Arguments:
        path: the file
        held_out: the file that is held out; without it the last tenth of the text is
    """

    def split(documents: list[str], *, seed: int) -> tuple[list[str], list[str]]:
        with prefix_errors(str(path)):
            train, rest = first_nine_tenths(documents[0])
        return [train], [rest]

    read_held_out = None
    if held_out is not None:
        read_held_out = partial(_read_documents, held_out)
    return DataSet(
        name="run",
        read=_reader(partial(_read_documents, path), read_held_out, split),
        recipe="tiny_text",
        task="language_model",
        tokenizer="character",
    )


def _reader(
    read_train: Callable[[], Any],
    read_held_out: Callable[[], Any] | None,
    split: Callable[..., tuple[Part, Part]],
) -> ReadParts:
    """Return the function that reads the parts, or splits the first where there is no second."""

    def read(parts: Sequence[str], direction: str | None, seed: int) -> list[Part]:
        examples: dict[str, Part] = {}
        if read_held_out is None:
            examples["train"], examples["held_out"] = split(read_train(), seed=seed)
        else:
            if "train" in parts:
                examples["train"] = read_train()
            if "held_out" in parts:
                examples["held_out"] = read_held_out()
        return [examples[part] for part in parts]

    return read


def _read_classes(path: AnyPath) -> list[LabeledText]:
    """Return the texts of a file that has two labels or more."""
    texts = read_labeled(path)
    labels = {labeled.label for labeled in texts}
    if len(labels) < 2:
        raise InputError(
            f"{path} has no other label than {min(labels)!r}: expected two or more to tell apart"
        )
    return texts


def _read_documents(path: AnyPath) -> list[str]:
    return [read_document(path)]


def read_pairs(src: AnyPath, tgt: AnyPath) -> list[SentencePair]:
    """Return the pairs of two line-aligned UTF-8 files, plain or .gz.

    White space around the sentences is left out. Raises `InputError` when a file cannot be read, is
    empty, or has another number of lines than the other.
    """
    sources = read_lines(src)
    targets = read_lines(tgt)
    if len(sources) != len(targets):
        raise InputError(
            f"{src} has {len(sources)} lines and {tgt} has {len(targets)}: expected line-aligned "
            "files, line n of one translating line n of the other"
        )
    if not sources:
        raise InputError(f"{src} and {tgt} are empty: expected one sentence per line")

    pairs = []
    for source, target in zip(sources, targets, strict=True):
        pairs.append(SentencePair(source.strip(), target.strip()))
    return pairs


def hold_out(
    pairs: list[SentencePair], *, seed: int = 0
) -> tuple[list[SentencePair], list[SentencePair]]:
    """Return pairs to train on, and a random 2 % of the different ones held out, 1 to 1,000.

    No copy of a held-out pair is trained on. Raises `InputError` when nothing is left to train on.
    """
    # a corpus may have the same pair many times, also with different alignments
    different: dict[Any, Any] = {}  # the first one, by its texts
    for pair in pairs:
        different.setdefault(_texts_of(pair), pair)
    texts = list(different)
    n_held_out = min(max(round(0.02 * len(texts)), 1), 1000)
    order = np.random.default_rng(seed).permutation(len(texts))
    chosen = [texts[i] for i in order[:n_held_out]]

    held_out = [different[each] for each in chosen]
    not_for_training = set(chosen)
    train = [pair for pair in pairs if _texts_of(pair) not in not_for_training]
    if not train:
        raise InputError(
            f"of {len(pairs)} examples, {len(different)} different, none is left to train on when "
            f"{n_held_out} are held out: expected two different ones at least"
        )
    return train, held_out


def _texts_of(example: Any) -> Any:
    """Return the two texts of a pair, or the text that an example is."""
    return example[:2] if isinstance(example, tuple) else example


def read_labeled(path: AnyPath, *, known: Collection[str] | None = None) -> list[LabeledText]:
    """Return the texts of a UTF-8 file, plain or .gz, with a label, a tab and a text per line.

    Arguments:
        path: the file
        known: the labels that may occur; all by default

    Raises `InputError`, which names the line, where a line has no tab, label or text, or a label
    that is not known; and when the file cannot be read or is empty.
    """
    texts = []
    for number, line in enumerate(read_lines(path), start=1):
        labeled = _labeled_text(f"{path}, line {number}", line)
        if known is not None and labeled.label not in known:
            some = ", ".join(sorted(known)[:10])
            if len(known) > 10:
                some += ", ..."
            raise InputError(
                f"{path}, line {number}: the label {labeled.label!r} is never seen in training, "
                f"which has {some}"
            )
        texts.append(labeled)
    if not texts:
        raise InputError(f"{path} is empty: expected a label, a tab and a text per line")
    return texts


def _labeled_text(place: str, line: str) -> LabeledText:
    """Return the label and the text of a line."""
    # at the first tab, because a text may have others
    label, tab, text = line.partition("\t")
    labeled = LabeledText(normalized(label.strip()), text.strip())
    for name, part in (("tab", tab), ("label", labeled.label), ("text", labeled.text)):
        if not part:
            raise InputError(f"{place} has no {name}: expected a label, a tab and a text")
    return labeled


def read_document(path: AnyPath) -> str:
    """Return the text of a UTF-8 file, plain or .gz, with line feeds at the ends of its lines.

    Raises `InputError` when it cannot be read, is empty, or has one character alone.
    """
    # the line ends of Windows would be one more character to learn
    text = read_text(path).replace("\r\n", "\n")
    content = text.strip()
    if not content:
        raise InputError(f"{path} is empty: expected a text")
    # a vocabulary of one token leaves nothing to predict
    if len(set(content)) == 1:
        raise InputError(f"{path} has no other character than {content[0]!r}: expected a text")
    return text


def first_nine_tenths(text: str) -> tuple[str, str]:
    """Return the first int(0.9 n) characters of n, to train on, and the rest, held out.

    >>> first_nine_tenths("It is a very short text.")
    ('It is a very short te', 'xt.')

    Raises `InputError` when a part would be blank, or fewer than two characters held out.
    """
    cut = int(0.9 * len(text))
    train = text[:cut]
    held_out = text[cut:]
    if len(held_out) < 2:
        raise InputError(
            f"a text of {len(text)} characters is too short to hold out a tenth: expected 11 at "
            "least"
        )

    remedy = "leave out what is empty, or give a file to hold out"
    if not train.strip():
        raise InputError(f"the first nine tenths are blank: {remedy}")
    if not held_out.strip():
        raise InputError(f"the last tenth, which is held out, is blank: {remedy}")
    return train, held_out

"""The data sets of one's own files: pairs of lines, labeled texts, or one text."""

from collections.abc import Callable, Collection

import numpy as np

from ..utils.errors import InputError, prefix_errors
from ..utils.files import AnyPath, read_lines, read_text
from .data_set import DataSet, LabeledText, SentencePair
from .stratified_split import random_hold_out


def from_files(
    src: AnyPath, tgt: AnyPath, valid_src: AnyPath | None = None, valid_tgt: AnyPath | None = None
) -> DataSet:
    """Return the data set of line-aligned files; without files to hold out, a random 2% of the pairs are."""
    held_out = None if valid_src is None else lambda known: read_pairs(valid_src, valid_tgt)
    return _of_files(lambda: read_pairs(src, tgt), held_out, hold_out, recipe="small")


def from_tsv(train: AnyPath, valid: AnyPath | None = None) -> DataSet:
    """Return the data set of labeled texts; without a file to hold out, a random 2% of each class are.

    Loading it raises `InputError` for a line that is not a labeled text, a training file with a single label, and a
    held-out label that training never has.
    """

    def read() -> list[LabeledText]:
        texts = read_labeled(train)
        labels = {labeled.label for labeled in texts}
        if len(labels) < 2:
            raise InputError(
                f"{train} has no other label than {min(labels)!r}: expected two or more to tell apart"
            )
        return texts

    def read_valid(texts: list[LabeledText] | None) -> list[LabeledText]:
        return read_labeled(valid, known=texts and {labeled.label for labeled in texts})

    held_out = None if valid is None else read_valid
    return _of_files(read, held_out, random_hold_out, recipe="texts", task="classification")


def from_text(path: AnyPath, valid: AnyPath | None = None) -> DataSet:
    """Return the data set of a text file, one document; without a file to hold out, its last tenth is."""

    def split(documents: list[str], seed: int) -> tuple[list[str], list[str]]:
        with prefix_errors(str(path)):
            train, rest = first_nine_tenths(documents[0])
        return [train], [rest]

    held_out = None if valid is None else lambda known: [read_document(valid)]
    fields = {"recipe": "tiny_text", "task": "language_model", "unit": "characters"}
    return _of_files(lambda: [read_document(path)], held_out, split, **fields)


def _of_files(read: Callable, read_held_out: Callable | None, split: Callable, **fields) -> DataSet:
    """Return the data set of what `read` returns, and of what `read_held_out` returns or `split` holds out."""

    def read_parts(parts, direction, seed):
        train = read() if read_held_out is None or "train" in parts else None
        if read_held_out is None:
            examples = dict(zip(("train", "held_out"), split(train, seed=seed), strict=True))
            return [examples[part] for part in parts]
        return [train if part == "train" else read_held_out(train) for part in parts]

    return DataSet(name="run", read=read_parts, **fields)


def read_pairs(src: AnyPath, tgt: AnyPath) -> list[SentencePair]:
    """Return the pairs of two line-aligned UTF-8 files, plain or .gz, without white space around the sentences.

    Raises `InputError` when a file cannot be read, is empty, or has another number of lines than the other.
    """
    sources, targets = read_lines(src), read_lines(tgt)
    if len(sources) != len(targets):
        raise InputError(
            f"{src} has {len(sources)} lines and {tgt} has {len(targets)}: expected line-aligned files, "
            "line n of one translating line n of the other"
        )
    if not sources:
        raise InputError(f"{src} and {tgt} are empty: expected one sentence per line")
    return [
        SentencePair(source.strip(), target.strip())
        for source, target in zip(sources, targets, strict=True)
    ]


def hold_out(
    pairs: list[SentencePair], *, seed: int = 0
) -> tuple[list[SentencePair], list[SentencePair]]:
    """Return pairs to train on, and a random 2% held out, 1 to 1,000, of which no copy is trained on.

    Raises `InputError` when nothing is left to train on.
    """
    n_held_out = min(max(round(0.02 * len(pairs)), 1), 1000)
    order = np.random.default_rng(seed).permutation(len(pairs))
    held_out = [pairs[i] for i in order[:n_held_out]]
    set_aside = set(held_out)
    train = [pair for pair in pairs if pair not in set_aside]
    if not train:
        raise InputError(
            f"of {len(pairs)} examples, {len(set(pairs))} different, none is left to train on when {n_held_out} "
            "are held out: expected two different ones at least"
        )
    return train, held_out


def read_labeled(path: AnyPath, *, known: Collection[str] | None = None) -> list[LabeledText]:
    """Return the texts of a UTF-8 file, plain or .gz, with a label, a tab and a text per line.

    Raises `InputError`, which names the line, where a line has no tab, label or text, or a label that is not among
    those known; and when the file cannot be read or is empty.
    """
    texts = []
    for number, line in enumerate(read_lines(path), start=1):
        label, tab, text = line.partition("\t")
        labeled = LabeledText(label.strip(), text.strip())
        if not all((tab, *labeled)):
            missing = "tab" if not tab else "label" if not labeled.label else "text"
            raise InputError(
                f"{path}, line {number} has no {missing}: expected a label, a tab and a text"
            )
        if known is not None and labeled.label not in known:
            some = ", ".join(sorted(known)[:10]) + (", ..." if len(known) > 10 else "")
            raise InputError(
                f"{path}, line {number}: the label {labeled.label!r} is never seen in training, which has {some}"
            )
        texts.append(labeled)
    if not texts:
        raise InputError(f"{path} is empty: expected a label, a tab and a text per line")
    return texts


def read_document(path: AnyPath) -> str:
    """Return the text of a UTF-8 file, plain or .gz, with line feeds at the ends of its lines.

    Raises `InputError` when it cannot be read, is empty, or has one character alone.
    """
    text = read_text(path).replace("\r\n", "\n")
    if not text.strip():
        raise InputError(f"{path} is empty: expected a text")
    if len(set(text.strip())) == 1:
        raise InputError(f"{path} has no other character than {text.strip()[0]!r}: expected a text")
    return text


def first_nine_tenths(text: str) -> tuple[str, str]:
    """Return the first int(0.9 n) characters of n, to train on, and the rest, held out.

    >>> first_nine_tenths("It is a very short text.")
    ('It is a very short te', 'xt.')

    Raises `InputError` when a part would be blank, or fewer than two characters held out.
    """
    cut = int(0.9 * len(text))
    if len(text) - cut < 2:
        raise InputError(
            f"a text of {len(text)} characters is too short to hold out a tenth: expected 11 at least"
        )
    for part, name in (
        (text[:cut], "first nine tenths are"),
        (text[cut:], "last tenth, which is held out, is"),
    ):
        if not part.strip():
            raise InputError(
                f"the {name} blank: leave out what is empty, or give a file to hold out"
            )
    return text[:cut], text[cut:]

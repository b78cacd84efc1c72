"""Sentence polarity: 10,662 sentences of film reviews, half of them positive ("MR").

Bo Pang and Lillian Lee, "Seeing stars", 2005, https://aclanthology.org/P05-1015. The data set is by
Bo Pang and Lillian Lee, under the license CC BY 4.0. Its sentences are in lower case, with spaces
around the punctuation marks.

`load` reads all.tsv in the folder sentence_polarity of $NPFORMER_DATA, a label (1 positive, 0
negative), a tab and a sentence per line, or makes the same rows of sentence_polarity.zip as NLTK
publishes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from zipfile import ZipFile

from ..data_set import DataSet, LabeledText
from ..download import Published
from ..stratified_split import fixed_hold_out
from ..verified_rows import archived_rows

COMMIT = "5db857e6f7df11eabb5e5665836db9ec8df07e28"
ADDRESS = f"https://github.com/nltk/nltk_data/raw/{COMMIT}/packages/corpora/"
PARTS = ("train", "held_out", "test")
SHA256 = "f0fd27c23882dc42eedce487599e2cac0e8965bb49f358b2c8b9df6f9462fee2"
FOLDS = 10
NAMES = {"0": "negative", "1": "positive"}


def load(parts: Sequence[str] = PARTS) -> list[list[LabeledText]]:
    """Return the parts asked for: 9,114 sentences to train on, 480 held out, 1,068 of the test.

    There is no published split: papers report ten folds. Here positive and negative sentences take
    turns, in the published order, and the pair at place i is of fold i mod 10. Fold 0 is the test.
    From the other nine, of each class, the sentences with the lowest sha256 are held out. No
    sentence occurs twice; two pairs of sentences that differ in punctuation alone are in folds 6 to
    9, so not in the test.

    Raises `InputError` when a file is missing, is not the one expected or cannot be downloaded.
    """
    published = Published(
        title="sentence polarity",
        folder="sentence_polarity",
        address=ADDRESS,
        sha256={"sentence_polarity.zip": None},
    )
    rows = archived_rows(published, "sentence_polarity.zip", "all.tsv", sentences, SHA256)

    test: list[LabeledText] = []
    rest: list[LabeledText] = []
    for i, (label, text) in enumerate(rows):
        fold = (i // 2) % FOLDS
        part = test if fold == 0 else rest
        part.append(LabeledText(NAMES[label], text))

    train, held_out = fixed_hold_out(rest)
    examples = {"train": train, "held_out": held_out, "test": test}
    return [examples[part] for part in parts]


def sentences(archive: ZipFile) -> Iterator[LabeledText]:
    """Yield the sentences of the archive's two files, a positive one and a negative one in turn."""
    positive = archive.read("sentence_polarity/rt-polarity.pos").decode("utf-8")
    negative = archive.read("sentence_polarity/rt-polarity.neg").decode("utf-8")
    # not splitlines, which also ends lines at characters such as U+0085
    lines = zip(positive.rstrip("\n").split("\n"), negative.rstrip("\n").split("\n"), strict=True)
    for positive_line, negative_line in lines:
        yield LabeledText("1", positive_line.strip())
        yield LabeledText("0", negative_line.strip())


DATA_SET = DataSet(
    name="sentence_polarity",
    recipe="sentence_polarity",
    task="classification",
    read=lambda parts, direction, seed: load(parts),
    parts=PARTS,
    try_with=("a warm and funny film , with fine actors .",),
)

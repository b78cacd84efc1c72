"""AG News: titles and descriptions of news, of the classes World, Sports, Business and Sci/Tech.

Xiang Zhang, Junbo Zhao and Yann LeCun, "Character-level Convolutional Networks for Text
Classification", 2015, https://arxiv.org/abs/1509.01626. Cite it when you publish results. The texts
may be used for research and other non-commercial activity, so none of them come with npformer.

`load` reads two files in the folder ag_news of $NPFORMER_DATA: train.tsv, 40,792 of the 120,000
texts that were published to train on, and test.tsv, the whole published test. A line has a label 0
to 3, a tab, a title, a space and a description. The texts to train on were put together from
several samples, so there is no place to download them from.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...utils.errors import InputError, prefix_errors
from ..data_set import DataSet, LabeledText
from ..download import own_file, own_folder
from ..own_files import read_labeled
from ..stratified_split import load_parts
from ..verified_rows import check_rows

NAMES = {"0": "World", "1": "Sports", "2": "Business", "3": "Sci/Tech"}
PARTS = ("train", "held_out", "test")
SHA256 = {
    "train": "9fb022747a03cbe0d75b0c8030856b324d98f50d493fce8a83280863abb5ce9a",
    "test": "203613284d989e7263dad1a7d442acebe83b14aea73062f478ab29aa886d765b",
}
REMEDY = "They cannot be downloaded; or train on labeled texts of your own: --tsv FILE.tsv"


def load(parts: Sequence[str] = PARTS) -> list[list[LabeledText]]:
    """Return the parts asked for: 38,752 texts to train on, 2,040 held out, 7,600 of the test.

    No held-out part was published: of each class, the 5 % of the texts with the lowest sha256 are
    held out. No text occurs twice, and no text of the test, comparing letters and digits alone, is
    in the other two parts.

    Raises `InputError` when a file is missing or is not the one expected.
    """
    return load_parts(parts, _rows)


def _rows(name: str) -> list[LabeledText]:
    folder = own_folder("ag_news")
    path = own_file(folder, f"{name}.tsv") if folder else None
    if path is None:
        raise InputError(
            f"there is no ag_news/{name}.tsv: set NPFORMER_DATA to a folder with ag_news/train.tsv "
            "and ag_news/test.tsv, a label 0 to 3, a tab and a text per line, plain or .gz. "
            f"{REMEDY}"
        )
    rows = read_labeled(path)
    with prefix_errors(f"{path} is not the file of AG News"):
        check_rows(rows, SHA256[name], "put that one in its place")
    return [LabeledText(NAMES[label], text) for label, text in rows]


DATA_SET = DataSet(
    name="ag_news",
    recipe="ag_news",
    task="classification",
    read=lambda parts, direction, seed: load(parts),
    parts=PARTS,
    try_with=("The bank reports higher profits for the third quarter.",),
)

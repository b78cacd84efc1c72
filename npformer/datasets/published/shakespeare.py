"""Tiny Shakespeare: 1,115,394 characters of his plays, as Andrej Karpathy's char-rnn has them.

The plays are in the public domain, and char-rnn (https://github.com/karpathy/char-rnn) is under the
MIT license. `load` reads input.txt in the folder tinyshakespeare of $NPFORMER_DATA, or downloads it
into the user's cache.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...utils.files import read_text
from ..data_set import DataSet
from ..download import Published
from ..own_files import first_nine_tenths

COMMIT = "6f9487a6fe5b420b7ca9afb0d7c078e37c1d1b4e"
ADDRESS = f"https://github.com/karpathy/char-rnn/raw/{COMMIT}/data/tinyshakespeare/"
SHA256 = {"input.txt": "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"}


def load(parts: Sequence[str] = ("train", "held_out")) -> list[list[str]]:
    """Return the first nine tenths of the text to train on, and the rest, each one document.

    The first part has 1,003,854 characters. It is the split of nanoGPT
    (https://github.com/karpathy/nanoGPT, data/shakespeare_char), so that losses can be compared.

    Raises `InputError` when the file is missing, is not the one expected or cannot be downloaded.
    """
    published = Published(
        title="tiny Shakespeare", folder="tinyshakespeare", address=ADDRESS, sha256=SHA256
    )
    train, held_out = first_nine_tenths(read_text(published.files("input.txt")[0]))
    documents = {"train": [train], "held_out": [held_out]}
    return [documents[part] for part in parts]


DATA_SET = DataSet(
    name="shakespeare",
    recipe="shakespeare",
    task="language_model",
    read=lambda parts, direction, seed: load(parts),
    tokenizer="character",
    try_with=("Good morrow, ",),
)

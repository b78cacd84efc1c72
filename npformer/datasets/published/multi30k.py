"""Multi30k, task 1: 31,014 descriptions of photographs in English, with German translations.

Desmond Elliott, Stella Frank, Khalil Sima'an and Lucia Specia, "Multi30K: Multilingual
English-German Image Descriptions", 2016, https://aclanthology.org/W16-3210. Cite it when you
publish results.

No license is stated for the translations, so none of them come with npformer: `load` reads the
files of the parts in the folder multi30k of $NPFORMER_DATA, or downloads them into the user's
cache.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...utils.errors import InputError
from ..data_set import DataSet, SentencePair
from ..download import Published
from ..own_files import read_pairs

ADDRESS = "https://github.com/multi30k/dataset/raw/master/data/task1/raw/"
DIRECTIONS = ("en-de", "de-en")
PARTS = {"train": "train", "held_out": "val", "test": "test_2016_flickr"}
SHA256 = {
    "train.en.gz": "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f",
    "train.de.gz": "726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6",
    "val.en.gz": "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28",
    "val.de.gz": "f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a",
    "test_2016_flickr.en.gz": "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9",
    "test_2016_flickr.de.gz": "9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8",
}


def load(
    direction: str | None = None, parts: Sequence[str] = tuple(PARTS)
) -> list[list[SentencePair]]:
    """Return 29,000 pairs to train on, 1,014 held out and 1,000 to test on (test_2016_flickr).

    They come from the folder multi30k of $NPFORMER_DATA where it is there, else from the user's
    cache, into which they are downloaded once. The sha256 of each file is checked every time.

    Arguments:
        direction: "en-de", which is the default, or "de-en"
        parts: the parts to return; files of others are not looked at

    Raises `InputError` for another direction, and when a file is missing, is not the one expected
    or cannot be downloaded; `MissingExtraError` when a download needs pooch and it is not
    installed.

    >>> load("en-fr")
    Traceback (most recent call last):
    npformer.utils.errors.InputError: direction = 'en-fr': expected one of en-de, de-en
    """
    if direction is None:
        direction = DIRECTIONS[0]
    if direction not in DIRECTIONS:
        raise InputError(f"direction = {direction!r}: expected one of {', '.join(DIRECTIONS)}")
    source, target = direction.split("-")
    published = Published(title="Multi30k", folder="multi30k", address=ADDRESS, sha256=SHA256)

    pairs = []
    for part in parts:
        names = f"{PARTS[part]}.{source}.gz", f"{PARTS[part]}.{target}.gz"
        source_file, target_file = published.files(*names)
        pairs.append(read_pairs(source_file, target_file))
    return pairs


DATA_SET = DataSet(
    name="multi30k",
    recipe="multi30k",
    read=lambda parts, direction, seed: load(direction, parts),
    languages=("en", "de"),
    directions=DIRECTIONS,
    parts=tuple(PARTS),
    try_with=("Two dogs run across a green field.", "Zwei Hunde laufen über eine grüne Wiese."),
)

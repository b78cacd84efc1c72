"""Multi30k, task 1: 31,014 descriptions of photographs in English, with German translations (Elliott et al. 2016).

Desmond Elliott, Stella Frank, Khalil Sima'an and Lucia Specia, "Multi30K: Multilingual English-German Image
Descriptions", 2016, https://aclanthology.org/W16-3210. Cite it when you publish results.

No licence is stated for the translations, so none of them come with npformer: `load` reads the six files, or those of
the parts that are wanted, in the folder multi30k of $NPFORMER_DATA, or downloads them into the user's cache.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from ..base.errors import InputError, require
from .data_set import DataSet
from .files import read_pairs
from .pair import SentencePair

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
ADVICE = "set NPFORMER_DATA to a folder with the six files in multi30k/"


def load(direction: str = "en-de", parts: Sequence[str] = tuple(PARTS)) -> list[list[SentencePair]]:
    """Return the 29,000 pairs to train on, 1,014 held out to validate with and 1,000 to test on (test_2016_flickr).

    They come from the folder multi30k of $NPFORMER_DATA where it is there, else from the user's cache, into which they
    are downloaded once. The sha256 of each file is checked every time. Files of other parts than `parts` are not looked
    at.

    Raises `InputError` for another direction than "en-de" and "de-en", and when a file is missing, is not the one
    expected or cannot be downloaded; `MissingExtraError` when a download needs pooch and it is not installed.

    >>> load("en-fr")
    Traceback (most recent call last):
    npformer.base.errors.InputError: direction = 'en-fr': expected one of en-de, de-en
    """
    if direction not in DIRECTIONS:
        raise InputError(f"direction = {direction!r}: expected one of {', '.join(DIRECTIONS)}")
    names = [[f"{PARTS[part]}.{language}.gz" for language in direction.split("-")] for part in parts]
    wanted = [name for part in names for name in part]
    files = _own_files(wanted) or _cached_files(wanted)
    return [read_pairs(*(files[name] for name in part)) for part in names]


def _own_files(names: Sequence[str]) -> dict[str, Path]:
    """Return files in the folder that the user named, or none when it is not there."""
    root = os.environ.get("NPFORMER_DATA")
    folder = Path(root or "") / "multi30k"
    if not root or not folder.is_dir():
        return {}
    for name in names:
        came, expected = _sha256(folder / name), SHA256[name]
        if came != expected:
            raise InputError(
                f"{folder / name} is not the file of Multi30k: its sha256 is {came}, expected {expected}. "
                f"Fetch it again from {ADDRESS}{name}"
            )
    return {name: folder / name for name in names}


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        raise InputError(f"{path} does not exist: fetch it from {ADDRESS}{path.name}") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None


def _cached_files(names: Sequence[str]) -> dict[str, Path]:
    """Return files in the user's cache; those that are missing or damaged are downloaded."""
    pooch = require("pooch", "npformer[multi30k]")
    folder = Path(pooch.os_cache("npformer")) / "multi30k"
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel(logging.WARNING)  # the progress bar says enough
    try:
        return {name: _fetch(pooch, folder, name) for name in names}
    finally:
        logger.setLevel(level)


def _fetch(pooch, folder: Path, name: str) -> Path:
    url, expected = f"{ADDRESS}{name}", SHA256[name]
    tqdm = require("tqdm", "npformer").tqdm
    quiet = not sys.stderr.isatty()
    try:
        with tqdm(desc=name, total=1, unit="B", unit_scale=True, leave=False, delay=0.5, disable=quiet) as bar:
            downloader = pooch.HTTPDownloader(progressbar=bar)
            return Path(pooch.retrieve(url, f"sha256:{expected}", name, folder, downloader=downloader))
    except require("requests", "npformer[multi30k]").RequestException as error:
        if error.response is not None:
            error.response.close()  # pooch leaves the connection of a 404 open
        raise InputError(f"cannot download {url} ({_reason(error)}): check the network, or {ADVICE}") from None
    except ValueError as error:
        came = re.search(r"but got (\w+)", str(error))
        what = f"its sha256 is {came[1]}, expected {expected}" if came else str(error)
        raise InputError(f"{url} is not the file of Multi30k: {what}. Try again later, or {ADVICE}") from None
    except OSError as error:
        raise InputError(f"cannot keep {folder / name} ({_reason(error)}): make room for it, or {ADVICE}") from None


def _reason(error: Exception) -> str:
    """Return what went wrong without the layers of wrapping that the libraries print around it."""
    text = getattr(error, "strerror", None) or " ".join(str(error).split())
    core = re.search(r"(?<=\] )[\w ]*\w|Connection broken|\d{3} \w+ Error: [\w ]+(?= for url)|Read timed out", text)
    return core[0] if core else text


DATA_SETS = (
    DataSet(
        name="multi30k",
        recipe="multi30k",
        read=lambda parts, direction, seed: load(direction, parts),
        languages=("en", "de"),
        directions=DIRECTIONS,
        parts=tuple(PARTS),
    ),
)

"""Couplets: the second line of a Chinese couplet from the first, in poems of the Tang.

The poems are in the public domain; the files, in traditional script, are those of
https://github.com/chinese-poetry/chinese-poetry under the MIT license, copyright (c) 2016
JackeyGao. `load` reads the 58 files poet.tang.*.json in the folder chinese_poetry of
$NPFORMER_DATA, or downloads them into the user's cache.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path

from ...utils.files import read_json, read_text
from ..data_set import DataSet, SentencePair
from ..download import Published

COMMIT = "99ebbef7e1345c0985c44b9fd96a3f9e776f117b"
ADDRESS = (
    f"https://github.com/chinese-poetry/chinese-poetry/raw/{COMMIT}/%E5%85%A8%E5%94%90%E8%AF%97/"
)
PARTS = ("train", "held_out", "test")
STOPS = re.compile("[，。？！；：、]")
# characters of Chinese writing
HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]+")
PARALLEL = ((2, 3), (4, 5))  # lines of the second and the third couplet, from 0
ONE_IN = 44  # poems are for the test, and as many are held out


def _read_checksums() -> dict[str, str]:
    """Return the sha256 of each file."""
    checksums = {}
    for line in read_text(Path(__file__).with_name("tang_poems.sha256")).splitlines():
        digest, name = line.split()
        checksums[name] = digest
    return checksums


SHA256 = _read_checksums()


def load(parts: Sequence[str] = PARTS) -> list[list[SentencePair]]:
    """Return the couplets of each part asked for; see `couplets` and `split` for the rules.

    Raises `InputError` when a file is missing, is not the one expected or cannot be downloaded.
    """
    published = Published(
        title="the Tang poems", folder="chinese_poetry", address=ADDRESS, sha256=SHA256
    )
    poems = []
    for path in published.files(*SHA256):
        poems += read_json(path, list)
    pairs = split(poems)
    return [pairs[part] for part in parts]


def couplets(poem: dict) -> list[SentencePair]:
    """Return the second and the third couplet of a poem of eight lines; they are parallel.

    A line is the text between two stops. All eight must have five characters, or all seven, and Han
    characters alone (no gap, no note). A couplet with the same character at the same place of both
    lines is left out. Tones are not looked at, so some old verse of eight lines, which need not be
    parallel, is included.

    >>> couplets_of_poem = ("天地", "日月", "山水", "風雨")
    >>> poem = {"paragraphs": [f"{one * 5}，{two * 5}。" for one, two in couplets_of_poem]}
    >>> [tuple(pair[:2]) for pair in couplets(poem)]
    [('日日日日日', '月月月月月'), ('山山山山山', '水水水水水')]
    """
    # every line ends in a stop, so that nothing is left after the last one
    *lines, rest = STOPS.split("".join(poem["paragraphs"]))
    lengths = {len(line) for line in lines}
    if rest or len(lines) != 8 or lengths not in ({5}, {7}):
        return []
    if not all(HAN.fullmatch(line) for line in lines):
        return []

    pairs = []
    for i, j in PARALLEL:
        if all(a != b for a, b in zip(lines[i], lines[j], strict=True)):
            pairs.append(SentencePair(lines[i], lines[j]))
    return pairs


def split(poems: Iterable[dict]) -> dict[str, list[SentencePair]]:
    """Return the different couplets of all poems by part; no line is in two parts.

    A poem goes to the test when the sha256 of its id modulo 44 is 0, is held out when it is
    1, and is trained on otherwise, so that both couplets of a poem stay together. A couplet
    is dropped from the held-out part if the test has one of its lines, and from training if
    either of them has.
    """
    by_part: dict[str, list[SentencePair]] = {"test": [], "held_out": [], "train": []}
    for poem in poems:
        by_part[_part_of(poem)] += couplets(poem)

    # the test first: what it has, the other parts lose
    used_lines: set[str] = set()
    for part, pairs in by_part.items():
        kept = []
        for pair in dict.fromkeys(pairs):
            if used_lines.isdisjoint(pair[:2]):
                kept.append(pair)

        # only now: two couplets of one part may share a line
        for pair in kept:
            used_lines.update((pair.source, pair.target))
        by_part[part] = kept
    return by_part


def _part_of(poem: dict) -> str:
    # not hash(), which differs from process to process
    remainder = int(sha256(poem["id"].encode("utf-8")).hexdigest(), 16) % ONE_IN
    if remainder == 0:
        return "test"
    if remainder == 1:
        return "held_out"
    return "train"


DATA_SET = DataSet(
    name="couplets",
    recipe="couplets",
    read=lambda parts, direction, seed: load(parts),
    languages=("first", "second"),
    parts=PARTS,
    tokenizer="character",
)

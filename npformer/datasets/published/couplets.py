"""Couplets: the second line of a Chinese couplet from the first, out of the poems of the Tang (7th to 10th century).

The poems are in the public domain; the files, in traditional script, are those of
https://github.com/chinese-poetry/chinese-poetry under the MIT license, copyright (c) 2016 JackeyGao. `load` reads the
58 files poet.tang.*.json in the folder chinese_poetry of $NPFORMER_DATA, or downloads them into the user's cache.
"""

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
_LINES = read_text(Path(__file__).with_name("tang_poems.sha256")).splitlines()
SHA256 = {name: digest for digest, name in map(str.split, _LINES)}
PARTS = ("train", "held_out", "test")
STOPS = re.compile("[，。？！；：、]")
HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]+")
PARALLEL = ((2, 3), (4, 5))  # lines of the second and the third couplet, from 0
ONE_IN = 44  # poems, for the test, and as many to validate with


def load(parts: Sequence[str] = PARTS) -> list[list[SentencePair]]:
    """Return the couplets of each part asked for; see `couplets` and `split` for the rules.

    Raises `InputError` when a file is missing, is not the one expected or cannot be downloaded.
    """
    published = Published(
        title="the Tang poems", folder="chinese_poetry", address=ADDRESS, sha256=SHA256
    )
    pairs = split(poem for path in published.files(*SHA256) for poem in read_json(path, object))
    return [pairs[part] for part in parts]


def couplets(poem: dict) -> list[SentencePair]:
    """Return the second and the third couplet of a poem of eight lines, which the form wants to be parallel.

    What stands between stops is a line. The eight must all have five or all seven characters, and Han characters alone
    (no gap, no note). A couplet with the same character at the same place of both lines is left out. Tones are not
    looked at, so some old verse of eight lines, which need not be parallel, is in it too.

    >>> poem = {"paragraphs": [f"{one * 5}，{two * 5}。" for one, two in ("天地", "日月", "山水", "風雨")]}
    >>> [tuple(pair[:2]) for pair in couplets(poem)]
    [('日日日日日', '月月月月月'), ('山山山山山', '水水水水水')]
    """
    *lines, rest = STOPS.split("".join(poem["paragraphs"]))
    lengths = {len(line) for line in lines}
    if (
        rest
        or len(lines) != 8
        or lengths not in ({5}, {7})
        or not all(HAN.fullmatch(line) for line in lines)
    ):
        return []
    pairs = [SentencePair(lines[i], lines[j]) for i, j in PARALLEL]
    return [
        pair for pair in pairs if all(a != b for a, b in zip(pair.source, pair.target, strict=True))
    ]


def split(poems: Iterable[dict]) -> dict[str, list[SentencePair]]:
    """Return the different couplets of all poems by part; a line of the test is in no other part, nor one held out.

    A poem goes to the test when the sha256 of its id leaves 0 divided by 44, is held out when it leaves 1, and is to
    train on otherwise, so that both couplets of a poem stay together. From what is to train on, couplets are dropped of
    which a line is held out or of the test, and from what is held out those with a line of the test.
    """
    by_part: dict[str, list[SentencePair]] = {"test": [], "held_out": [], "train": []}
    for poem in poems:
        remainder = int(sha256(poem["id"].encode("utf-8")).hexdigest(), 16) % ONE_IN
        by_part[{0: "test", 1: "held_out"}.get(remainder, "train")] += couplets(poem)
    used_lines: set[str] = set()
    for part, pairs in by_part.items():
        by_part[part] = [pair for pair in dict.fromkeys(pairs) if used_lines.isdisjoint(pair[:2])]
        used_lines.update(line for pair in by_part[part] for line in pair[:2])
    return by_part


DATA_SET = DataSet(
    name="couplets",
    recipe="couplets",
    read=lambda parts, direction, seed: load(parts),
    languages=("first", "second"),
    parts=PARTS,
    unit="characters",
)

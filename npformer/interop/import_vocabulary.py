"""The tokens of another program's model: read from a file, and put into the order that our vocabularies have."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from ..text.vocabulary import SPECIALS, UNITS, Vocabulary
from ..utils import AnyPath, InputError, check_settings, prefix_errors, setting
from ..utils.files import read_json, read_lines
from .convert_weights import SPARE, Side

FOLDED = ("none", "source", "both")
USUAL = {  # what special tokens are called, in the order of our ids
    "pad": ("<pad>", "<blank>", "[pad]"),
    "unk": ("<unk>", "<unknown>", "[unk]"),
    "bos": ("<bos>", "<sos>", "<start>", "<s>", "[bos]", "[sos]"),
    "eos": ("<eos>", "<end>", "</s>", "[eos]"),
}


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """The options of an import: none for Marian, because its folder holds everything."""

    def __post_init__(self):
        check_settings(self)


@dataclass(frozen=True, kw_only=True)
class VocabularyOptions(ImportOptions):
    """The vocabularies, required except for Marian, and how their text is cut."""

    source_vocabulary: str | None = setting(
        None, "source tokens, one per line in the order of their ids, or as .json"
    )
    target_vocabulary: str | None = setting(None, "target tokens", none_is="the source's")
    unit: str | None = setting(
        None, "what a token is", choices=UNITS, none_is="words, or a run's own"
    )
    lowercase: str | None = setting(
        None, "whose case is folded", choices=FOLDED, none_is="none, or a run's own"
    )


def read_tokens(path: AnyPath) -> tuple[list[str], dict]:
    """Return the tokens in a file, in the order of their ids, and how text is cut if it is a run folder's.

    There is one token per line, or in a .json file a list of tokens, a dict from token to id, or a dict that holds one
    list of tokens. Raises `InputError` where there are no tokens, or one is there twice.
    """
    content, how = read_json(path, object) if str(path).endswith(".json") else read_lines(path), {}
    if isinstance(content, dict):
        lists = [value for value in content.values() if isinstance(value, list)]
        if len(lists) == 1:
            how = {name: content[name] for name in ("unit", "lowercase") if name in content}
            [content] = lists
        elif sorted(i for i in content.values() if type(i) is int) == [*range(len(content))]:
            content = sorted(content, key=content.__getitem__)
    if not (
        isinstance(content, list)
        and content
        and all(isinstance(token, str) and token for token in content)
    ):
        expected = (
            "one token per line, or as JSON a list of tokens or a dict from token to id 0, 1, ..."
        )
        raise InputError(f"{path} is not a vocabulary: expected {expected}")
    token, count = Counter(content).most_common(1)[0]
    if count > 1:
        raise InputError(f"{path} is not a vocabulary: it has the token {token!r} {count} times")
    return content, how


def read_side(side: str, options: dict, needed: Collection[str]) -> Side:
    """Return the "source" or "target" side, whose vocabulary must have the special tokens that are `needed`.

    Text is cut as the options say, or else as the file does where it is of a run folder.
    """
    path = (side == "target" and options["target_vocabulary"]) or options["source_vocabulary"]
    if path is None:
        raise InputError(
            "weights hold no vocabulary: give --source-vocabulary FILE, and --target-vocabulary FILE"
        )
    tokens, how = read_tokens(path)
    if options["unit"]:
        how["unit"] = options["unit"]
    if options["lowercase"]:
        how["lowercase"] = options["lowercase"] in ("both", side)
    with prefix_errors(str(path)):
        tokens, rows = in_our_order(tokens, needed)
        return Side(Vocabulary(tokens, **how), rows)


def in_our_order(theirs: Sequence[str], needed: Collection[str]) -> tuple[list[str], np.ndarray]:
    """Return tokens with the special ones first, under our names, and the place that each had, or SPARE.

    Special tokens are recognized by their usual names. Raises `InputError` where one that is `needed` is not there, or
    several could be one.

    >>> in_our_order(["<s>", "</s>", "a", "<unk>", "b"], ["bos", "eos"])
    (['<pad>', '<unk>', '<bos>', '<eos>', 'a', 'b'], array([-1,  3,  0,  1,  2,  4]))
    """
    special = []
    for role, names in USUAL.items():
        matches = [i for i, token in enumerate(theirs) if token.lower() in names]
        if len(matches) > 1 or (role in needed and not matches):
            came = f"{' and '.join(theirs[i] for i in matches) or 'no token'} could be its {role}"
            raise InputError(f"{came}: expected one of {', '.join(names)}, rename it in the file")
        special += matches or [SPARE]
    others = [i for i in range(len(theirs)) if i not in special]
    return [*SPECIALS, *(theirs[i] for i in others)], np.array(special + others)

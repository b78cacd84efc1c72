"""The tokens of another program's model: read from a file, and put into the order that our vocabularies have."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..text.vocabulary import SPECIALS, Vocabulary
from ..utils import AnyPath, InputError, prefix_errors
from ..utils.files import read_json_value, read_lines

ROLES = ("pad", "unk", "bos", "eos")  # in the order of our ids
USUAL = {
    "pad": ("pad", "blank"),
    "unk": ("unk", "unknown"),
    "bos": ("bos", "sos", "start", "s"),
    "eos": ("eos", "end", "/s"),
}
FOLDED = ("none", "source", "both")  # whose case may be folded
UNIT, LOWERCASE = "words, or what the vocabulary of a run says", "none, or as the vocabularies of a run say"
SPARE = -1  # stands for a token of ours that they do not have
NEVER = -1e9  # a bias with which softmax gives such a token 0, while its logarithm is still a number


class Tokens(NamedTuple):
    """Our vocabulary's tokens, and for each of them its row in their tables, or SPARE where they have none.

    A token of ours that they do not write, because it is spare or another has its row already, is `unwritten`.
    """

    tokens: list[str]
    rows: np.ndarray  # (V,)
    unwritten: np.ndarray  # (V,), booleans


def read_tokens(path: AnyPath) -> list[str]:
    """Return the tokens in a file, in the order of their ids.

    That is one token per line, or in a .json file a list of tokens, a dict from token to id, or a dict that holds one
    list of tokens. Raises `InputError` when there are none, or one twice.
    """
    tokens = _tokens_in(read_json_value(path), path) if str(path).endswith(".json") else read_lines(path)
    if not tokens:
        raise InputError(f"{path} is no vocabulary: it has no token, expected one a line")
    if "" in tokens:
        raise InputError(f"{path} is no vocabulary: token {tokens.index('') + 1} is empty")
    token, count = Counter(tokens).most_common(1)[0]
    if count > 1:
        raise InputError(f"{path} is no vocabulary: it has the token {token!r} {count} times")
    return tokens


def _tokens_in(content, path: AnyPath) -> list[str]:
    """Return the tokens that a JSON file holds, in the order of their ids."""
    if isinstance(content, list) and all(isinstance(token, str) for token in content):
        return content
    content = content if isinstance(content, dict) else {}
    if content and sorted(value for value in content.values() if type(value) is int) == [*range(len(content))]:
        return sorted(content, key=content.__getitem__)
    lists = [value for value in content.values() if isinstance(value, list) and value]
    texts = [value for value in lists if all(isinstance(token, str) for token in value)]
    if len(texts) != 1:
        expected = "a list of tokens, a dict from token to id 0, 1, ..., or one that holds one list of tokens"
        raise InputError(f"{path} is no vocabulary: expected {expected}, it has {len(texts)} lists of tokens")
    return texts[0]


def _file_of_side(side: str, opts) -> str | None:
    """Return the name of a side's file of tokens; the target's may be the source's."""
    return (side == "target" and opts.target_vocabulary) or opts.source_vocabulary


def tokens_of_side(side: str, opts, holder: str, roles: dict[str, str | None], needed: Sequence[str]) -> Tokens:
    """Read the tokens of a side; `holder` is what has no vocabulary in it.

    `roles` and `needed` are what `in_our_order` calls `roles` and `needed`. Raises `InputError` where that cannot be.
    """
    path = _file_of_side(side, opts)
    if path is None:
        raise InputError(f"{holder} holds no vocabulary: say --source-vocabulary FILE, and --target-vocabulary FILE")
    return in_our_order(read_tokens(path), roles, needed, f"the {side}")


def vocabulary_of_side(side: str, tokens: Tokens, opts) -> Vocabulary:
    """Return the vocabulary of a side, cut as the options `opts` say, or as its file does if that is of a run folder.

    Raises `InputError` where the two contradict, or text is cut in another way than into words or characters.
    """
    path = _file_of_side(side, opts)
    content = read_json_value(path) if path.endswith(".json") else {}
    own = content if isinstance(content, dict) and {"unit", "lowercase", "tokens"} <= content.keys() else {}
    folds = None if opts.lowercase is None else opts.lowercase in ("both", side)
    given = {"unit": (opts.unit, opts.unit), "lowercase": (folds, opts.lowercase)}
    for name, (value, word) in given.items():
        if own and value not in (None, own[name]):
            came = f"--{name} {word} contradicts {path}, which has {json.dumps({name: own[name]})}"
            raise InputError(f"{came}: leave it out")
    how = {"unit": "words", "lowercase": False} | {name: own[name] for name in given if own}
    how |= {name: value for name, (value, _) in given.items() if value is not None}
    with prefix_errors(f"the {side} vocabulary"):
        return Vocabulary(tokens.tokens, **how)


def in_our_order(theirs: Sequence[str], roles: dict[str, str | None], needed: Sequence[str], whose: str) -> Tokens:
    """Return the tokens of a side with the special ones first, under our names.

    `roles` names the special tokens by their roles, pad, unk, bos and eos: "" is one that they do not have, None one to
    be found by its usual names. Those that are `needed` must be there.

    Raises `InputError` when one cannot be found, or is needed and said not to be there.

    Where one token plays two parts, both of ours have its row, and one alone is written: the end, if it is that.

    >>> found = in_our_order(["<s>", "</s>", "a", "<unk>", "b"], {"pad": ""}, ["bos", "eos"], "the source")
    >>> found.tokens, found.rows.tolist(), np.flatnonzero(found.unwritten).tolist()
    (['<pad>', '<unk>', '<bos>', '<eos>', 'a', 'b'], [-1, 3, 0, 1, 2, 4], [0])
    """
    special = {role: _special_token(theirs, role, roles.get(role), role in needed, whose) for role in ROLES}
    others = [i for i, token in enumerate(theirs) if token not in special.values()]
    rows = [SPARE if token is None else theirs.index(token) for token in special.values()] + others
    ends, before = special["eos"], [token for token in special.values()]
    again = [token is None or token in before[:i] or (token == ends and i < 3) for i, token in enumerate(before)]
    again[3] = ends is None
    return Tokens([*SPECIALS, *(theirs[i] for i in others)], np.array(rows), np.array(again + [False] * len(others)))


def _special_token(theirs: Sequence[str], role: str, chosen: str | None, needed: bool, whose: str) -> str | None:
    """Return the token that plays a role, or None where there is none."""
    if chosen:
        if chosen not in theirs:
            raise InputError(f"{whose} vocabulary has no token {chosen!r}, given as its {role}")
        return chosen
    found = [token for token in theirs if plays(token, role)] if chosen is None else []
    if len(found) == 1:
        return found[0]
    if needed or (chosen is None and (found or role == "unk")):
        came = f"has {' and '.join(found)}" if found else f"has none of <{'>, <'.join(USUAL[role])}>"
        none = "" if needed else f', or --{role} "" where there is none'
        raise InputError(f"which token of {whose} vocabulary is its {role}? It {came}: say --{role} TOKEN{none}")
    return None


def plays(token: str, role: str) -> bool:
    """Tell whether a token is called as those of a role usually are.

    >>> plays("[PAD]", "pad"), plays("<s>", "bos"), plays("s", "bos")
    (True, True, False)
    """
    return any(token.lower() in (f"<{name}>", f"[{name}]") for name in USUAL[role])


def permute(table: np.ndarray, rows: np.ndarray, spare: float = 0.0) -> np.ndarray:
    """Return the rows of a table, or of a bias, in our order; those that they do not have are filled with `spare`."""
    found = table[rows]
    found[rows == SPARE] = spare
    return found

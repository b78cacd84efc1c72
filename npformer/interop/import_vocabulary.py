"""The tokens of another program's model: read from a file, and put into our order."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from ..text import BPEVocabulary
from ..text.vocabulary import SPECIALS, Vocabulary
from ..utils import AnyPath, InputError, prefix_errors
from ..utils.files import read_json, read_lines
from .convert_weights import SPARE, Side
from .import_options import VocabularyOptions

USUAL = {  # what special tokens are called, in the order of our ids
    "pad": ("<pad>", "<blank>", "[pad]"),
    "unk": ("<unk>", "<unknown>", "[unk]"),
    "bos": ("<bos>", "<sos>", "<start>", "<s>", "[bos]", "[sos]"),
    "eos": ("<eos>", "<end>", "</s>", "[eos]"),
}


def read_tokens(path: AnyPath) -> tuple[list[str], dict[str, Any]]:
    """Return the tokens in a file, and how text is tokenized if it is the file of a run folder.

    There is one token per line, or in a .json file a list of tokens, a dict from token to id, or a
    dict that holds one list of tokens. Raises `InputError` where there are no tokens, or one is
    there twice.

    Arguments:
        path: The file.
    """
    content: Any
    if str(path).endswith(".json"):
        content = read_json(path, object)
    else:
        content = read_lines(path)

    tokenization = {}
    if isinstance(content, dict):
        # a run folder's vocabulary holds one list of tokens, among settings
        lists = [value for value in content.values() if isinstance(value, list)]
        if len(lists) == 1:
            for name in ("tokenizer", "lowercase"):
                if name in content:
                    tokenization[name] = content[name]
            content = lists[0]
        elif _are_ids(content.values()):
            content = sorted(content, key=content.__getitem__)

    if not _are_tokens(content):
        raise InputError(
            f"{path} is not a vocabulary: expected one token per line, "
            "or as JSON a list of tokens or a dict from token to id 0, 1, ..."
        )
    token, count = Counter(content).most_common(1)[0]
    if count > 1:
        raise InputError(f"{path} is not a vocabulary: it has the token {token!r} {count} times")
    return content, tokenization


def _are_ids(values: Collection) -> bool:
    """Tell whether these are the numbers 0, 1, 2, ... in any order."""
    # not isinstance, for which True is the number 1
    ids = [value for value in values if type(value) is int]
    return sorted(ids) == list(range(len(values)))


def _are_tokens(content: Any) -> bool:
    """Tell whether this is a list of texts, none of them empty."""
    if not isinstance(content, list) or not content:
        return False
    return all(isinstance(token, str) and token for token in content)


def read_side(side: str, options: VocabularyOptions, needed: Collection[str]) -> Side:
    """Return the vocabulary of one side, with the row of each of its tokens.

    Text is tokenized as the options say, or else as the file says where it is of a run folder. The
    file may be a run folder's subwords.json.

    Arguments:
        side: "source" or "target".
        options: The files, and how text is tokenized.
        needed: The special tokens that the vocabulary must have, such as "bos".
    """
    path = options.source_vocabulary
    if side == "target" and options.target_vocabulary:
        path = options.target_vocabulary
    if path is None:
        raise InputError(
            "weights hold no vocabulary: give --source-vocabulary FILE, "
            "and --target-vocabulary FILE"
        )

    content = read_json(path, object) if str(path).endswith(".json") else None
    if isinstance(content, dict) and content.get("tokenizer") == BPEVocabulary.tokenizer:
        subwords = BPEVocabulary.from_json(content)
        return Side(subwords, np.arange(len(subwords)), str(path))

    tokens, tokenization = read_tokens(path)
    if options.tokenizer:
        tokenization["tokenizer"] = options.tokenizer
    if options.lowercase:
        tokenization["lowercase"] = options.lowercase in ("both", side)
    with prefix_errors(str(path)):
        tokens, rows = in_our_order(tokens, needed)
        return Side(Vocabulary(tokens, **tokenization), rows, str(path))


def in_our_order(theirs: Sequence[str], needed: Collection[str]) -> tuple[list[str], np.ndarray]:
    """Return tokens with the special ones first, under our names, and the place that each had.

    The place is SPARE for a special token that they do not have. Special tokens are recognized by
    their usual names. Raises `InputError` where one that is needed is not there, or several could
    be one.

    Arguments:
        theirs: The tokens in the order of their ids.
        needed: The special tokens that must be there.

    >>> in_our_order(["<s>", "</s>", "a", "<unk>", "b"], ["bos", "eos"])
    (['<pad>', '<unk>', '<bos>', '<eos>', 'a', 'b'], array([-1,  3,  0,  1,  2,  4]))
    """
    special = []
    for role, names in USUAL.items():
        matches = [i for i, token in enumerate(theirs) if token.lower() in names]
        if len(matches) > 1 or (role in needed and not matches):
            found = " and ".join(theirs[i] for i in matches) or "no token"
            raise InputError(
                f"{found} could be its {role}: expected one of {', '.join(names)}, "
                "rename it in the file"
            )
        special.append(matches[0] if matches else SPARE)

    # our vocabularies begin with the special tokens, so the others follow
    tokens = list(SPECIALS)
    rows = list(special)
    for i, token in enumerate(theirs):
        if i not in special:
            tokens.append(token)
            rows.append(i)
    return tokens, np.array(rows)

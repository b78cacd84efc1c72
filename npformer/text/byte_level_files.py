"""The files of byte-level byte pairs: vocab.json with merges.txt, or tokenizer.json."""

from __future__ import annotations

from ..utils import AnyPath, InputError, prefix_errors
from ..utils.files import read_json, read_lines
from .byte_pair_encoding import Merge


def read_vocab_and_merges(vocab: AnyPath, merges: AnyPath) -> tuple[list[str], list[Merge]]:
    """Return the coded tokens and the merges in the files vocab.json and merges.txt."""
    lines = read_lines(merges)
    if lines and lines[0].startswith("#version"):
        del lines[0]
    ids = read_json(vocab)
    with prefix_errors(f"{vocab} and {merges}"):
        return _in_order(ids), split_merges(lines)


def read_tokenizer_json(path: AnyPath) -> tuple[list[str], list[Merge]]:
    """Return the coded tokens and the merges in a tokenizer.json that tokenizes as GPT-2 does."""
    content = read_json(path)
    with prefix_errors(str(path)):
        for name, kind in (
            ("pre_tokenizer", dict),
            ("post_processor", dict),
            ("added_tokens", list),
        ):
            if content.get(name) and not isinstance(content[name], kind):
                got = type(content[name]).__name__
                raise InputError(f"its {name} is a {got}: expected a {kind.__name__}")
        model = content.get("model")
        if not isinstance(model, dict) or not isinstance(model.get("vocab"), dict):
            raise InputError("it has no vocabulary of byte pairs: expected a model of type BPE")
        _check_tokenizes_as_gpt2(content, model)

        ids = dict(model["vocab"])
        for token in content.get("added_tokens") or []:
            # special tokens may be here alone
            if not isinstance(token, dict) or not isinstance(token.get("content"), str):
                raise InputError(f"it has the added token {token!r}: expected a dict with content")
            if not token.get("special"):
                raise InputError(
                    f"it splits text at {token['content']!r} first: expected added tokens that "
                    "are special, as in GPT-2"
                )
            ids[token["content"]] = token.get("id")
        return _in_order(ids), split_merges(model.get("merges"))


def split_merges(lines: object) -> list[Merge]:
    """Return merges, each given as two tokens with a space between, or as a list of two."""
    if not isinstance(lines, list):
        raise InputError("it has no list of merges")
    merges = []
    for number, line in enumerate(lines):
        parts = line.split(" ") if isinstance(line, str) else line
        if not isinstance(parts, list) or len(parts) != 2:
            raise InputError(
                f"merge {number} is {line!r}: expected two tokens with a space between"
            )
        merges.append((parts[0], parts[1]))
    return merges


def _in_order(ids: dict) -> list[str]:
    """Return tokens in the order of their ids. Raises `InputError` unless these are 0, 1, ..."""
    numbers = [value for value in ids.values() if type(value) is int]
    if sorted(numbers) != list(range(len(ids))):
        raise InputError("it is not a vocabulary: expected a dict from token to id 0, 1, ...")
    return sorted(ids, key=ids.__getitem__)


def _check_tokenizes_as_gpt2(content: dict, model: dict) -> None:
    """Raise `InputError` unless a tokenizer.json tokenizes as GPT-2 does."""
    pre_tokenizer = content.get("pre_tokenizer") or {}
    is_that_of_gpt2 = (
        pre_tokenizer.get("type") == "ByteLevel"
        and pre_tokenizer.get("use_regex", True)
        and not pre_tokenizer.get("add_prefix_space")
    )
    if not is_that_of_gpt2:
        raise InputError(
            f"its pre-tokenizer is {pre_tokenizer or None}: expected ByteLevel, as in GPT-2"
        )
    after = content.get("post_processor") or {"type": "ByteLevel"}
    adds_none = after.get("type") == "TemplateProcessing" and not after.get("special_tokens")
    if after.get("type") != "ByteLevel" and not adds_none:
        raise InputError("its post_processor adds tokens to a text: expected none, as in GPT-2")

    if content.get("normalizer"):
        raise InputError(f"it has normalizer = {content['normalizer']}: expected none, as in GPT-2")
    for name in ("ignore_merges", "dropout", "continuing_subword_prefix", "end_of_word_suffix"):
        if model.get(name):
            raise InputError(f"it has {name} = {model[name]}: expected none, as in GPT-2")

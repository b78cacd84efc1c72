"""What the library tokenizers writes about a byte-level byte-pair encoding: its alphabet, and a check of the rest."""

from __future__ import annotations

from ..errors import InputError
from .vocabulary import SPECIALS

PARTS = {"normalizer": None, "pre_tokenizer": "ByteLevel", "decoder": "ByteLevel", "model": "BPE"}
UNUSED = ("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback", "ignore_merges")

# The character that stands for a byte in a token is its own in Latin-1 or, where that cannot be seen, the next one
# from 256 on (Radford et al. 2019).
VISIBLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
INVISIBLE = [byte for byte in range(256) if byte not in VISIBLE]
BYTES = {chr(byte): byte for byte in VISIBLE} | {chr(256 + i): byte for i, byte in enumerate(INVISIBLE)}


def shown(token: str) -> str:
    r"""Return a token as people read it: a space as "▁", bytes that are no whole character as "\xc3"."""
    text = bytes(BYTES[character] for character in token).decode("utf-8", errors="backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text.replace(" ", "▁"))


def checked(value: dict) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Return the tokens and merges of the library's JSON; it is checked here, for the library may panic on it."""
    try:
        parts = {key: value[key] and value[key]["type"] for key in PARTS}
        model, cut = value["model"], value["pre_tokenizer"]
        options = cut["add_prefix_space"], cut.get("use_regex", True), *(bool(model.get(key)) for key in UNUSED)
        vocab, merges = model["vocab"], [(first, second) for first, second in model["merges"]]
        specials = [token for token, i in vocab.items() if i < len(SPECIALS)]
        known = vocab.keys() - specials
        good_ids = all(type(i) is int for i in vocab.values()) and sorted(vocab.values()) == list(range(len(vocab)))
        good_bytes = BYTES.keys() <= known and all(token and BYTES.keys() >= set(token) for token in known)
        good_merges = all({first, second, first + second} <= known for first, second in merges)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError("the subwords are damaged: expected what the library tokenizers writes") from None
    if parts != PARTS or options != (False, True, *(False for _ in UNUSED)):
        raise InputError("the subwords are not byte-level byte-pair encoding as npformer writes it")
    if not good_ids or not good_bytes or [vocab.get(token) for token in SPECIALS] != list(range(len(SPECIALS))):
        raise InputError(f"the subwords need ids without gaps, first {', '.join(SPECIALS)}, then all 256 bytes")
    if not good_merges:
        raise InputError("the subwords are damaged: a merge joins what is not in the vocabulary")
    return vocab, merges

"""What the library tokenizers writes about a byte-pair encoding of marked words, checked."""

from ..utils import InputError
from .case_marking import BYTES
from .vocabulary import SPECIALS

PARTS = {"normalizer": None, "pre_tokenizer": None, "decoder": None, "model": "BPE"}
UNUSED = ("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback", "ignore_merges")


def checked(value: dict) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Return the tokens and merges of the library's JSON; it is checked here, for the library may panic on it."""
    try:
        parts = {key: value[key] and value[key]["type"] for key in PARTS}
        model = value["model"]
        options = [key for key in UNUSED if model.get(key)]
        vocab, merges = model["vocab"], [(first, second) for first, second in model["merges"]]
        specials = [token for token, i in vocab.items() if i < len(SPECIALS)]
        known = vocab.keys() - specials
        good_ids = all(type(i) is int for i in vocab.values()) and sorted(vocab.values()) == list(range(len(vocab)))
        good_bytes = BYTES.keys() <= known and all(token and BYTES.keys() >= set(token) for token in known)
        good_merges = all({first, second, first + second} <= known for first, second in merges)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError("the subwords are damaged: expected what the library tokenizers writes") from None
    if parts != PARTS or options:
        raise InputError("the subwords are not a byte-pair encoding of marked words as npformer writes it")
    if not good_ids or not good_bytes or [vocab.get(token) for token in SPECIALS] != list(range(len(SPECIALS))):
        raise InputError(f"the subwords need ids without gaps, first {', '.join(SPECIALS)}, then all 256 bytes")
    if not good_merges:
        raise InputError("the subwords are damaged: a merge joins what is not in the vocabulary")
    return vocab, merges

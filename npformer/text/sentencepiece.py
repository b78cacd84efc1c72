"""A vocabulary of SentencePieces, as the models of Marian and Hugging Face have it (Kudo and Richardson 2018)."""

import hashlib
import re
from collections.abc import Iterable, Iterator

from ..utils import InputError, import_optional
from .streaming import stream_text
from .validation import check_unicode
from .vocabulary import SPECIALS, UNK, check_tokens, checked_ids

SPACE = "▁"  # as a piece writes the space before it
LANGUAGE = re.compile(r">>[^<]*<<")  # what a text for a model of many languages begins with


class SentencePieceVocabulary:
    """The pieces that a model knows, in the order of their ids; the first four are special.

    The library sentencepiece cuts text by `spm`, the bytes of a side's .spm file, and `tokens` gives the pieces their
    ids: those of `MarianTokenizer`, except for the four special ones. A piece begins with "▁" where a space, or the
    beginning of the text, is before it. White space is read as one space, and a language such as ">>fra<<" at the
    beginning is one token. Names of special tokens in a text are read as any other text. Vocabulary has the same
    methods.

    Raises `InputError` when the tokens are not distinct strings after the four special ones, or when `spm` is no
    model of SentencePieces, and `MissingExtraError` without the library.
    """

    unit = "sentencepieces"
    lowercase = False

    def __init__(self, tokens: list[str], spm: bytes):
        check_tokens(tokens)
        self.tokens = tokens
        self.spm = spm
        self.ids = {token: i for i, token in enumerate(tokens) if i >= len(SPECIALS)}
        self._model = _model(spm)

    def __len__(self):
        return len(self.tokens)

    def split(self, text: str) -> list[str]:
        """Cut text into pieces, whether known or not. Raises `InputError` for a text with half a surrogate pair."""
        return [piece for piece, _ in self._pieces(text)]

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text's pieces; an unknown piece becomes <unk>."""
        return [self.ids.get(piece, UNK) for piece in self.split(text)]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the pieces of a text stand in it, without the space before them.

        One that is nothing but a space, or a part of a character, stands where the next character does.
        """
        spans = []
        for _, (start, end) in self._pieces(text):
            start = end - len(text[start:end].lstrip())
            spans.append((start, max(end, min(start + 1, len(text)))))
        return spans

    def _pieces(self, text: str) -> list[tuple[str, tuple[int, int]]]:
        """Return the pieces of a text and where they stand in it, with the space before them."""
        check_unicode(text)
        language = LANGUAGE.match(text)
        begins = language.end() if language else 0
        found = [(language[0], (0, begins))] if language else []
        cut = self._model.encode_as_offset_mapping(text[begins:])
        places = ((begins + start, begins + end) for start, end in cut["offsets"])
        return found + list(zip(cut["pieces"], places, strict=True))

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of some ids, without the special ones. Raises `InputError` for an id of no token."""
        pieces = [self.tokens[i] for i in checked_ids(ids, len(self)) if i >= len(SPECIALS)]
        return self._model.decode_pieces(pieces).replace(SPACE, " ").strip()

    def pieces(self, ids: Iterable[int], after: str = "") -> Iterator[str]:
        """Yield what each of some ids adds to a text that begins with `after`: `decode`, an id at a time."""
        return stream_text(ids, self, after)

    def unknown(self, text: str) -> list[str]:
        """Return the pieces of a text that the vocabulary does not have, each once."""
        return list(dict.fromkeys(piece for piece in self.split(text) if piece not in self.ids))

    def to_json(self) -> dict:
        """Return what from_json needs besides `spm`, of which it has the checksum."""
        return {"unit": self.unit, "spm": hashlib.sha256(self.spm).hexdigest(), "tokens": self.tokens}

    @classmethod
    def from_json(cls, value: dict, spm: bytes) -> "SentencePieceVocabulary":
        """Return the vocabulary that to_json described. Raises `InputError` when something is missing or odd."""
        if missing := {"spm", "tokens"} - value.keys():
            raise InputError(f"a vocabulary lacks {', '.join(sorted(missing))}")
        if value["spm"] != hashlib.sha256(spm).hexdigest():
            raise InputError("the .spm file next to it is not the one that it was written with: bring that back")
        return cls(value["tokens"], spm)


def _model(spm: bytes):
    library = import_optional("sentencepiece", "npformer[marian]")
    if not spm:  # of which the library writes lines of its own
        raise InputError("the .spm file is empty: expected a model of SentencePieces")
    try:
        model = library.SentencePieceProcessor(model_proto=spm)
        if model.get_piece_size():
            return model
    except RuntimeError:
        pass
    raise InputError("the .spm file is damaged: expected a model of SentencePieces")

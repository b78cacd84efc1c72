"""A vocabulary of SentencePieces, as the models of Marian and Hugging Face have it (Kudo and Richardson 2018)."""

import hashlib
import re

from ..utils import InputError, import_optional
from .vocabulary import SPECIALS, UNK, AnyVocabulary

SPACE = "▁"  # as a piece writes the space before it
LANGUAGE = re.compile(r">>[^<]*<<")  # what a text for a model of many languages begins with


class SentencePieceVocabulary(AnyVocabulary):
    """The pieces of the library sentencepiece.

    The library cuts text by `spm`, the bytes of a side's .spm file, and `tokens` gives the pieces their ids: those of
    `MarianTokenizer`, except for the four special ones. A piece begins with "▁" where a space, or the beginning of the
    text, is before it. White space is read as one space, and a language such as ">>fra<<" at the beginning is one
    token.

    Raises `InputError` also when `spm` is no model of SentencePieces, and `MissingExtraError` without the library.
    """

    unit = "sentencepieces"

    def __init__(self, tokens: list[str], spm: bytes):
        super().__init__(tokens)
        self.ids = {
            token: i for i, token in enumerate(tokens) if i >= len(SPECIALS)
        }  # a text may name a special one
        library = import_optional("sentencepiece", "npformer[marian]")
        self.spm = spm
        try:
            self._model = library.SentencePieceProcessor(
                model_proto=spm or b"empty"
            )  # of b"" it would refuse nothing
        except RuntimeError:
            raise InputError(
                "the .spm file is damaged: expected a model of SentencePieces"
            ) from None

    def split(self, text: str) -> list[str]:
        """Cut text into pieces, whether known or not."""
        return [piece for piece, _ in self._pieces(text)]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the pieces of a text stand in it, without the space before them.

        One that is nothing but a space, or a part of a character, stands where the next character does.
        """
        spans = []
        for _, (start, end) in self._pieces(text):
            start = end - len(text[start:end].lstrip())
            spans.append((start, max(end, min(start + 1, len(text)))))
        return spans

    def to_json(self) -> dict:
        """Return what from_json needs besides `spm`, of which it has the checksum."""
        return {
            "unit": self.unit,
            "spm": hashlib.sha256(self.spm).hexdigest(),
            "tokens": self.tokens,
        }

    @classmethod
    def from_json(cls, value: dict, spm: bytes) -> "SentencePieceVocabulary":
        """Return the vocabulary that to_json described. Raises `InputError` when something is odd."""
        if value["spm"] != hashlib.sha256(spm).hexdigest():
            raise InputError(
                "the .spm file next to it is not the one that it was written with: bring that back"
            )
        return cls(value["tokens"], spm)

    def _pieces(self, text: str) -> list[tuple[str, tuple[int, int]]]:
        """Return the pieces of a text and where they stand in it, with the space before them."""
        language = LANGUAGE.match(text)
        begin = language.end() if language else 0
        pieces = [(language[0], (0, begin))] if language else []
        cut = self._model.encode_as_offset_mapping(text[begin:])
        places = ((begin + start, begin + end) for start, end in cut["offsets"])
        return pieces + list(zip(cut["pieces"], places, strict=True))

    def _text(self, ids: list[int]) -> str:
        return (
            self._model.decode_pieces([self.tokens[i] for i in ids if i != UNK])
            .replace(SPACE, " ")
            .strip()
        )

"""A vocabulary of SentencePieces (Kudo and Richardson 2018), as Marian's models have it."""

from __future__ import annotations

import hashlib
import re

from ..utils import InputError, import_optional
from .vocabulary import SPECIALS, UNK, BaseVocabulary

SPACE = "▁"  # as a piece writes the space before it
LANGUAGE = re.compile(r">>[^<]*<<")  # what a text for a model of many languages begins with

Piece = tuple[str, tuple[int, int]]


class SentencePieceVocabulary(BaseVocabulary):
    """The pieces of the library sentencepiece.

    A piece begins with "▁" where a space, or the beginning of the text, is before it. White space
    is read as one space, and a language such as ">>fra<<" at the beginning is one token.

    Arguments:
        tokens: give the pieces their ids, those of `MarianTokenizer` except for the four special
            ones
        spm: the bytes of a side's .spm file, by which the library splits text

    Raises `InputError` also when `spm` is no model of SentencePieces, and `MissingExtraError`
    without the library.
    """

    tokenizer = "sentencepiece"

    def __init__(self, tokens: list[str], spm: bytes):
        super().__init__(tokens)
        self.spm = spm

        # </s> in a text stays text
        for token in SPECIALS:
            del self.ids[token]

        library = import_optional("sentencepiece", "npformer[marian]")
        try:
            # the library would take b"" for a model
            self._model = library.SentencePieceProcessor(model_proto=spm or b"empty")
        except RuntimeError:
            raise InputError(
                "the .spm file is damaged: expected a model of SentencePieces"
            ) from None

    def split(self, text: str) -> list[str]:
        """Split text into pieces, whether known or not."""
        return [piece for piece, _ in self._pieces(text)]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the pieces of a text are in it, without the space before them.

        One that is nothing but a space, or a part of a character, has the place of the next
        character.
        """
        spans = []
        for _, (start, end) in self._pieces(text):
            # the library counts the space before a piece as a part of it
            start = end - len(text[start:end].lstrip())
            next_character = min(start + 1, len(text))
            spans.append((start, max(end, next_character)))
        return spans

    def to_json(self) -> dict[str, object]:
        """Return what from_json needs besides `spm`, of which it has the checksum."""
        return {
            "tokenizer": self.tokenizer,
            "spm": hashlib.sha256(self.spm).hexdigest(),
            "tokens": self.tokens,
        }

    @classmethod
    def from_json(cls, value: dict, spm: bytes) -> SentencePieceVocabulary:
        """Return the vocabulary that to_json described.

        Raises `InputError` when `spm` is another file, or the tokens are not those of a vocabulary.
        """
        if value["spm"] != hashlib.sha256(spm).hexdigest():
            raise InputError(
                "the .spm file next to it is not the one that it was written with: bring that back"
            )
        return cls(value["tokens"], spm)

    def _pieces(self, text: str) -> list[Piece]:
        """Return the pieces of a text and where they are in it, with the space before them."""
        pieces: list[Piece] = []
        begin = 0
        language = LANGUAGE.match(text)
        if language:
            begin = language.end()
            pieces.append((language[0], (0, begin)))

        # the library normalizes text, so a piece may differ from the text at its place
        mapping = self._model.encode_as_offset_mapping(text[begin:])
        for piece, (start, end) in zip(mapping["pieces"], mapping["offsets"], strict=True):
            pieces.append((piece, (begin + start, begin + end)))
        return pieces

    def _text(self, ids: list[int]) -> str:
        # the library would write "⁇" for <unk>
        pieces = [self.tokens[i] for i in ids if i != UNK]
        return self._model.decode_pieces(pieces).replace(SPACE, " ").strip()

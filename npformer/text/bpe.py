"""A vocabulary of subwords: one byte-pair encoding for both languages (paper section 5.1; Sennrich et al. 2016)."""

import json
import os
from collections.abc import Iterable

from ..utils import InputError, import_optional
from .pre_tokenizer import BYTES, ENDS, MARKS, display_token, text_of, words_of
from .vocabulary import SPECIALS, AnyVocabulary, check_list

SMALLEST = len(SPECIALS) + len(BYTES)
LARGEST = 1_000_000  # the library makes room for as many at once


class SubwordVocabulary(AnyVocabulary):
    r"""The subwords of one byte-pair encoding.

    A subword is a sequence of bytes, so nothing is unknown, and `decode(encode(text))` is the text. A word ends in "▁",
    in "⇧" when it begins with a capital, in "⇪" when it is all capitals, and begins with "‿" where there is no space
    before it; so "Mann" and the end of "Schneemann" are one subword. `tokens` and `split` show these marks to people,
    and bytes that are no whole character as "\xc3". The library tokenizers does the work.

    `value` is what `to_json` returns. Raises `InputError` when it is something else, and `MissingExtraError` without
    the library.

    >>> vocabulary = SubwordVocabulary.build(["Schneemann und Mann", "ein Mann, ein Hund", "und Schnee"], size=300)
    >>> vocabulary.split("Ein Schneemann, <eos>")
    ['ei', 'n⇧', 'schnee', 'mann⇧', '‿', ',', '▁', '<', '▁', '‿', 'e', 'o', 's', '▁', '‿', '>', '▁']
    >>> vocabulary.decode(vocabulary.encode("  Größe: 3 😀 "))
    '  Größe: 3 😀 '
    """

    unit = "subwords"

    def __init__(self, value: dict):
        library = _library()
        try:
            vocab, merges = value["model"]["vocab"], map(tuple, value["model"]["merges"])
            # The special tokens are not "added tokens" of the library, which it would look for in every text.
            self._tokenizer = library.Tokenizer(library.models.BPE(vocab, list(merges)))
            self._coded = sorted(vocab, key=vocab.__getitem__)
        except Exception:  # of the library, which has no class of its own for them
            raise InputError(
                "the subwords are damaged: expected what the library tokenizers writes"
            ) from None
        specials, others = tuple(self._coded[: len(SPECIALS)]), self._coded[len(SPECIALS) :]
        good_ids = [vocab[token] for token in self._coded] == [
            *range(len(vocab))
        ] and specials == SPECIALS
        if not good_ids or not {*"".join(others)} <= BYTES.keys() <= {*others}:
            raise InputError(
                f"the subwords need ids without gaps, first {', '.join(SPECIALS)}, then all 256 bytes"
            )
        self.tokens = [*SPECIALS, *map(display_token, others)]
        self.ids = {token: i for i, token in enumerate(self.tokens)}

    @classmethod
    def build(cls, lines: Iterable[str], *, size: int) -> "SubwordVocabulary":
        """Return the subwords of some lines: the four special tokens, the 256 bytes and the most frequent joins.

        `size` is the most tokens to have; there are fewer when no pair of subwords is left that occurs twice. The same
        lines give the same subwords. Raises `InputError` for one text in the place of lines.
        """
        check_list(lines)
        tokens = {"special_tokens": list(SPECIALS), "initial_alphabet": sorted(BYTES)}
        library = _library()
        trainer = library.trainers.BpeTrainer(
            vocab_size=int(size), min_frequency=2, show_progress=False, **tokens
        )
        tokenizer = library.Tokenizer(library.models.BPE())
        tokenizer.train_from_iterator((word for line in lines for word in cls.words(line)), trainer)
        return cls(json.loads(tokenizer.to_str()))

    def split(self, text: str) -> list[str]:
        """Cut text into subwords, as people read them."""
        return [self.tokens[i] for i in self.encode(text)]

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text's subwords."""
        return self._tokenizer.encode(
            self.words(text), is_pretokenized=True, add_special_tokens=False
        ).ids

    @staticmethod
    def words(text: str) -> list[str]:
        """Cut text into the words that no subword reaches across, with their marks, as `to_json` writes tokens."""
        return [word.marked for word in words_of(text)]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the subwords of a text stand in it.

        A piece of a character stands where the character does, a mark of its own where its word or a letter does.
        """
        spans = []
        for word in words_of(text):
            places = [
                word.start + i for i, letter in enumerate(word.letters) for _ in letter.encode()
            ]
            n_bytes = 0
            for token in self._tokenizer.encode([word.marked], is_pretokenized=True).tokens:
                first = min(n_bytes, len(places) - 1)
                n_bytes += sum(character not in MARKS for character in token)
                spans.append((places[first], places[max(n_bytes - 1, first)] + 1))
        return spans

    def to_json(self) -> dict:
        """Return what from_json needs: the JSON object that `tokenizers.Tokenizer.from_file` reads."""
        return json.loads(self._tokenizer.to_str())

    @classmethod
    def from_json(cls, value: dict) -> "SubwordVocabulary":
        """Return the vocabulary that to_json described. Raises `InputError` when something is missing or odd."""
        return cls(value)

    def _text(self, ids: list[int]) -> str:
        return text_of("".join(self._coded[i] for i in ids if i >= len(SPECIALS)))

    def _ends_word(self, i: int) -> bool:
        return self._coded[i][-1:] in ENDS


def _library():
    os.environ.setdefault(
        "TOKENIZERS_PARALLELISM", "false"
    )  # its threads make it warn when the process forks later
    return import_optional("tokenizers", "npformer[subwords]")

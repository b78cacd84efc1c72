"""A vocabulary of subwords: one byte-pair encoding for both languages (paper section 5.1; Sennrich et al. 2016)."""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from numbers import Integral

from ..utils import InputError, import_optional
from .bpe_json import checked
from .case_marking import BYTES, ENDS, MARKS, display_token, text_of, words_of
from .streaming import stream_text
from .validation import check_several
from .vocabulary import SPECIALS, checked_ids

SMALLEST = len(SPECIALS) + len(BYTES)
LARGEST = 1_000_000  # the library makes room for as many at once


class SubwordVocabulary:
    r"""The subwords that a model knows, in the order of their ids; the first four are special.

    A subword is a sequence of bytes, so nothing is unknown, and `decode(encode(text))` is the text. A word ends in "▁",
    in "⇧" when it begins with a capital, in "⇪" when it is all capitals, and begins with "‿" where there is no space
    before it; so "Mann" and the end of "Schneemann" are one subword. `tokens` and `split` show these marks to people,
    and bytes that are no whole character as "\xc3". The library tokenizers does the work; Vocabulary has the same
    methods.

    `value` is what `to_json` returns. Raises `InputError` when it is something else, and `MissingExtraError` without
    the library.

    >>> vocabulary = SubwordVocabulary.build(["Schneemann und Mann", "ein Mann, ein Hund", "und Schnee"], size=300)
    >>> vocabulary.split("Ein Schneemann, <eos>")
    ['ei', 'n⇧', 'schnee', 'mann⇧', '‿', ',', '▁', '<', '▁', '‿', 'e', 'o', 's', '▁', '‿', '>', '▁']
    >>> vocabulary.decode(vocabulary.encode("  Größe: 3 😀 "))
    '  Größe: 3 😀 '
    """

    unit = "subwords"
    lowercase = False

    def __init__(self, value: dict):
        vocab, merges = checked(value)
        # The special tokens are no "added tokens" of the library, which it would look for in every text.
        self._tokenizer = _tokenizer(vocab, merges)
        self._coded = sorted(vocab, key=vocab.__getitem__)
        self.tokens = [*SPECIALS, *(display_token(token) for token in self._coded[len(SPECIALS) :])]

    @classmethod
    def build(cls, lines: Iterable[str], *, size: int) -> "SubwordVocabulary":
        """Return the subwords of some lines: the four special tokens, the 256 bytes and the most frequent joins.

        `size` is the most tokens to have; there are fewer when no pair of subwords is left that occurs twice. The same
        lines give the same subwords.

        Raises `InputError` when `size` has no room for the bytes, or is above a million, and for one text in the place
        of lines.
        """
        check_several(lines)
        if not isinstance(size, Integral) or isinstance(size, bool) or not SMALLEST <= size <= LARGEST:
            room = f"from {SMALLEST}, special ones and bytes, to {LARGEST:,}"
            raise InputError(f"size = {size!r}: expected an integer {room}")
        tokens = {"special_tokens": list(SPECIALS), "initial_alphabet": sorted(BYTES)}
        trainer = _library().trainers.BpeTrainer(vocab_size=int(size), min_frequency=2, show_progress=False, **tokens)
        tokenizer = _tokenizer({}, [])
        with _one_thread():
            tokenizer.train_from_iterator((word for line in lines for word in cls.words(line)), trainer)
        return cls(json.loads(tokenizer.to_str()))

    def __len__(self):
        return len(self.tokens)

    def split(self, text: str) -> list[str]:
        """Cut text into subwords, as people read them."""
        return [self.tokens[i] for i in self.encode(text)]

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text's subwords. Raises `InputError` for a text with half a surrogate pair."""
        return self._tokenizer.encode(self.words(text), is_pretokenized=True, add_special_tokens=False).ids

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
            places = [word.start + i for i, letter in enumerate(word.letters) for _ in letter.encode()]
            n_bytes = 0
            for token in self._tokenizer.encode([word.marked], is_pretokenized=True).tokens:
                first = min(n_bytes, len(places) - 1)
                n_bytes += sum(character not in MARKS for character in token)
                spans.append((places[first], places[max(n_bytes - 1, first)] + 1))
        return spans

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of some ids, without the special ones; bytes that are not UTF-8 become "�".

        Raises `InputError` for an id of no token.
        """
        return text_of("".join(self._coded[i] for i in checked_ids(ids, len(self)) if i >= len(SPECIALS)))

    def pieces(self, ids: Iterable[int], after: str = "") -> Iterator[str]:
        """Yield what each of some ids adds to a text that begins with `after`: `decode`, a word at a time."""
        return stream_text(ids, self, after, ends=lambda i: self._coded[i][-1:] in ENDS)

    def unknown(self, text: str) -> list[str]:
        """Return no token: every text can be written with the bytes."""
        return []

    def to_json(self) -> dict:
        """Return what from_json needs: the JSON object that `tokenizers.Tokenizer.from_file` reads."""
        return json.loads(self._tokenizer.to_str())

    @classmethod
    def from_json(cls, value: dict) -> "SubwordVocabulary":
        """Return the vocabulary that to_json described. Raises `InputError` when something is missing or odd."""
        return cls(value)


def _library():
    return import_optional("tokenizers", "npformer[subwords]")


def _tokenizer(vocab: dict[str, int], merges: list[tuple[str, str]]):
    return _library().Tokenizer(_library().models.BPE(vocab, merges))


@contextmanager
def _one_thread():
    """Keep the library from starting threads, about which some versions warn when the process forks later."""
    name = "TOKENIZERS_PARALLELISM"
    is_set = name in os.environ
    os.environ.setdefault(name, "false")
    try:
        yield
    finally:
        if not is_set:
            del os.environ[name]

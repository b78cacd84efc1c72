"""A vocabulary of subwords: one byte-pair encoding for both languages (paper section 5.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..utils import InputError, prefix_errors
from .byte_level_files import split_merges
from .byte_pair_encoding import BytePairEncoding, Merge, learn_merges
from .pre_tokenizer import ALPHABET, ENDS, MARKS, display_token, text_of, words_of
from .vocabulary import SPECIALS, BaseVocabulary, check_list

MIN_VOCAB_SIZE = len(SPECIALS) + len(ALPHABET)


class BPEVocabulary(BaseVocabulary):
    r"""The subwords of one byte-pair encoding: four special tokens, 256 bytes, merged tokens.

    A subword is a sequence of bytes, so nothing is unknown, and `decode(encode(text))` is the text.
    A word ends in "▁", in "⇧" when it begins with a capital, in "⇪" when it is all capitals, and
    begins with "‿" where there is no space before it; so "Mann" and the end of "Schneemann" are one
    subword. `tokens` and `split` show these marks to people, and bytes that are no whole character
    as "\xc3"; `coded_tokens` has a character for each byte, as `merges` have.

    Arguments:
        merges: the pairs of coded tokens that are joined, in the order in which they were learned

    Raises `InputError` for a merge of a token that no earlier merge makes.

    >>> lines = ["Schneemann und Mann", "ein Mann, ein Hund", "und Schnee"]
    >>> vocabulary = BPEVocabulary.build(lines, size=300)
    >>> vocabulary.split("Ein Schneemann, <eos>")
    ['ei', 'n⇧', 'schnee', 'mann⇧', '‿', ',', '▁', '<', '▁', '‿', 'e', 'o', 's', '▁', '‿', '>', '▁']
    >>> vocabulary.decode(vocabulary.encode("  Größe: 3 😀 "))
    '  Größe: 3 😀 '
    """

    tokenizer = "bpe"

    def __init__(self, merges: Iterable[Merge]):
        self._encoding = BytePairEncoding(merges)
        self.coded_tokens = [*SPECIALS, *ALPHABET]
        self._ids = {token: i for i, token in enumerate(self.coded_tokens)}
        for number, (first, second) in enumerate(self.merges):
            self._add_merged_token(number, first, second)

        # coded tokens are what merges join; people read the other form
        self.tokens = list(SPECIALS)
        self.tokens += map(display_token, self.coded_tokens[len(SPECIALS) :])

    @property
    def merges(self) -> list[Merge]:
        """The pairs of coded tokens that are joined, in the order in which they were learned."""
        return self._encoding.merges

    @classmethod
    def build(cls, lines: Iterable[str], *, size: int) -> BPEVocabulary:
        """Return the subwords of some lines; the same lines give the same subwords.

        Arguments:
            lines: texts
            size: the most tokens to have, 260 or more; there are fewer when no pair is left that
                occurs twice

        Raises `InputError` for one text in the place of lines, and for a smaller size.
        """
        check_list(lines)
        if size < MIN_VOCAB_SIZE:
            raise InputError(
                f"size = {size}: expected an integer >= {MIN_VOCAB_SIZE}, "
                "the four special tokens and all 256 bytes"
            )
        word_counts: Counter[str] = Counter()
        for line in lines:
            word_counts.update(cls.words(line))
        n_tokens = int(size) - len(SPECIALS)
        return cls(learn_merges(word_counts, ALPHABET, n_tokens=n_tokens))

    def split(self, text: str) -> list[str]:
        """Split text into subwords, as people read them."""
        return [self.tokens[i] for i in self.encode(text)]

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text's subwords."""
        ids = []
        for word in words_of(text):
            for token in self._encoding.split(word.marked):
                ids.append(self._ids[token])
        return ids

    def unknown(self, text: str) -> list[str]:
        """Return no tokens: every text is a sequence of bytes, and every byte is a token."""
        return []

    @staticmethod
    def words(text: str) -> list[str]:
        """Return the words that no subword crosses, with their marks, as in coded tokens."""
        return [word.marked for word in words_of(text)]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the subwords of a text are in it.

        A part of a character has the place of the character, a mark on its own that of a letter
        next to it.
        """
        spans = []
        for word in words_of(text):
            # the place in the text of each byte of the word
            places = []
            for i, letter in enumerate(word.letters):
                places += [word.start + i] * len(letter.encode())

            n_bytes = 0
            for token in self._encoding.split(word.marked):
                # a mark is no byte of the text: one after the last letter has its place
                first = min(n_bytes, len(places) - 1)
                n_bytes += sum(character not in MARKS for character in token)
                last = max(n_bytes - 1, first)
                spans.append((places[first], places[last] + 1))
        return spans

    def to_json(self) -> dict[str, object]:
        """Return what from_json needs: the merges, a space between the two tokens of each."""
        return {"tokenizer": self.tokenizer, "merges": [" ".join(merge) for merge in self.merges]}

    @classmethod
    def from_json(cls, value: dict) -> BPEVocabulary:
        """Return the vocabulary that to_json described.

        Raises `InputError` when `value` has no list of merges or a damaged one.
        """
        with prefix_errors("the subwords are damaged"):
            merges = split_merges(value.get("merges"))
        return cls(merges)

    def _add_merged_token(self, number: int, first: str, second: str) -> None:
        """Give the token that a merge makes an id, unless another merge has made it already."""
        for token in (first, second):
            # an unknown token counts as the id 0, and no merge may make a special token either
            if self._ids.get(token, 0) < len(SPECIALS):
                raise InputError(
                    f"the subwords are damaged: merge {number} joins {first!r} and {second!r}, "
                    f"but {token!r} is not a byte and no earlier merge makes it"
                )
        if first + second not in self._ids:
            self._ids[first + second] = len(self.coded_tokens)
            self.coded_tokens.append(first + second)

    def _text(self, ids: list[int]) -> str:
        # <unk> is the only special token left, and no text is read as it
        coded = [self.coded_tokens[i] for i in ids if i >= len(SPECIALS)]
        return text_of("".join(coded))

    def _ends_word(self, i: int) -> bool:
        return self.coded_tokens[i][-1:] in ENDS

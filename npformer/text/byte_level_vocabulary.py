"""The vocabulary of GPT-2: byte-pair encoding of bytes, with the space before a word in its token.

Radford et al. 2019, section 2.2. There is no token for padding, for the beginning of a text or for
unknown words.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from ..utils import AnyPath, InputError, prefix_errors
from .byte_level_files import read_tokenizer_json, read_vocab_and_merges, split_merges
from .byte_pair_encoding import BytePairEncoding, Merge, learn_merges
from .gpt2_words import gpt2_words
from .pre_tokenizer import ALPHABET, CHARACTER_OF_BYTE, bytes_of, display_bytes, utf_8
from .vocabulary import BaseVocabulary, check_list

END_OF_TEXT = "<|endoftext|>"


class ByteLevelVocabulary(BaseVocabulary):
    r"""Tokens of bytes, in the order of their ids, as the files of GPT-2 have them.

    Every text comes back exactly, and texts can be joined as ids:
    `decode(encode(a) + encode(b)) == a + b`.

    A token that is not a byte and that no merge makes is special, such as <|endoftext|>. Its name
    in a text is plain text, unless `encode` is called with `special_tokens=True`. `eos_id` is the
    id of <|endoftext|>; None if there is no such token.

    `tokens` and `split` show tokens as people read them: a space as "␣", and bytes that are no
    whole character such as "\xc3". `coded_tokens` has a character for each byte, as `merges` have.

    Arguments:
        tokens: coded tokens, all 256 bytes and the token of each merge among them
        merges: the pairs of coded tokens that are joined, an earlier one before a later one

    Raises `InputError` where a token is missing or occurs twice.

    >>> lines = ["the cat and the dog", "then the cat"]
    >>> vocabulary = ByteLevelVocabulary.build(lines, size=270)
    >>> vocabulary.split("the cats, then ä")
    ['the', '␣cat', 's', ',', '␣the', 'n', '␣', '\\xc3', '\\xa4']
    >>> vocabulary.decode(vocabulary.encode("the  c") + vocabulary.encode("at\n"))
    'the  cat\n'
    >>> vocabulary.encode("<|endoftext|>", special_tokens=True) == [vocabulary.eos_id]
    True
    """

    tokenizer = "byte_level"
    unk_id = None

    def __init__(self, tokens: list[str], merges: Iterable[Merge]):
        self._encoding = BytePairEncoding(merges)
        self.coded_tokens = list(tokens)
        self._ids = {token: i for i, token in enumerate(self.coded_tokens)}
        if len(self._ids) < len(self.coded_tokens):
            [(token, count)] = Counter(self.coded_tokens).most_common(1)
            raise InputError(f"the token {token!r} occurs {count} times: expected distinct tokens")

        made = set(ALPHABET)
        for first, second in self.merges:
            made.add(first + second)
        missing = made.difference(self._ids)
        if missing:
            raise InputError(
                f"{len(missing)} tokens are missing, such as {min(missing)!r}: "
                "expected all 256 bytes and what the merges make"
            )

        self.special_tokens = [token for token in self.coded_tokens if token not in made]
        self.special_ids = tuple(self._ids[token] for token in self.special_tokens)
        self.eos_id = self._ids[END_OF_TEXT] if END_OF_TEXT in self.special_tokens else None
        self.tokens = []
        for token in self.coded_tokens:
            is_special = token in self.special_tokens
            self.tokens.append(token if is_special else display_bytes(bytes_of(token)))

    @property
    def merges(self) -> list[Merge]:
        """The pairs of coded tokens that are joined, in the order in which they were learned."""
        return self._encoding.merges

    @classmethod
    def build(cls, lines: Iterable[str], *, size: int) -> ByteLevelVocabulary:
        """Return the vocabulary of some texts: bytes, learned merges and <|endoftext|>.

        Arguments:
            lines: texts
            size: the most tokens to have, 257 or more; there are fewer when no pair is left that
                occurs twice

        Raises `InputError` for one text in the place of lines, and for a smaller size.
        """
        check_list(lines)
        if size <= len(ALPHABET):
            raise InputError(
                f"size = {size}: expected an integer >= {len(ALPHABET) + 1}, "
                "all 256 bytes and <|endoftext|>"
            )
        word_counts: Counter[str] = Counter()
        for line in lines:
            word_counts.update(_coded_words(line))

        # GPT-2 has its tokens in this order too
        tokens = list(ALPHABET)
        merges = learn_merges(word_counts, tokens, n_tokens=int(size) - 1)
        tokens += [first + second for first, second in merges]
        return cls([*tokens, END_OF_TEXT], merges)

    @classmethod
    def from_files(cls, vocab: AnyPath, merges: AnyPath) -> ByteLevelVocabulary:
        """Return the vocabulary in the files vocab.json and merges.txt of a model such as GPT-2.

        Raises `InputError` where a file is missing, damaged, or of another kind.

        Arguments:
            vocab: a JSON object with the id of each coded token
            merges: a pair of coded tokens per line, after a line with the version
        """
        tokens, pairs = read_vocab_and_merges(vocab, merges)
        with prefix_errors(f"{vocab} and {merges}"):
            return cls(tokens, pairs)

    @classmethod
    def from_tokenizer_json(cls, path: AnyPath) -> ByteLevelVocabulary:
        """Return the vocabulary in a tokenizer.json of the library tokenizers.

        Raises `InputError` where the file is missing, damaged, or does not tokenize as GPT-2 does.
        """
        tokens, pairs = read_tokenizer_json(path)
        with prefix_errors(str(path)):
            return cls(tokens, pairs)

    def split(self, text: str) -> list[str]:
        """Split text into tokens, as people read them."""
        return [self.tokens[i] for i in self.encode(text)]

    def encode(self, text: str, *, special_tokens: bool = False) -> list[int]:
        """Return the ids of a text's tokens.

        Arguments:
            text: the text
            special_tokens: whether the name of a special token, such as <|endoftext|>, is that
                token; without it the name is text, so that a text of others cannot hold one
        """
        parts = [text]
        if special_tokens and self.special_tokens:
            # the longest first, where one name begins with another
            names = sorted(self.special_tokens, key=len, reverse=True)
            parts = re.split(f"({'|'.join(map(re.escape, names))})", text)

        ids = []
        for number, part in enumerate(parts):
            # re.split returns what it splits at in every second place
            if number % 2:
                ids.append(self._ids[part])
            else:
                for word in _coded_words(part):
                    ids += [self._ids[token] for token in self._encoding.split(word)]
        return ids

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the tokens of a text are in it; a part of a character has its place."""
        # the place in the text of each of its bytes
        places = []
        for i, character in enumerate(text):
            places += [i] * len(character.encode())

        spans = []
        start = 0
        for i in self.encode(text):
            # one coded character per byte
            end = start + len(self.coded_tokens[i])
            spans.append((places[start], places[end - 1] + 1))
            start = end
        return spans

    def pieces(self, ids: Iterable[int], after: str = "") -> Iterator[str]:
        """Yield what each of some ids adds to a text, and then the rest.

        A part of a character is held back until it is whole. What comes before, `after`, changes
        nothing, because spaces are parts of tokens.
        """
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        for i in ids:
            yield decoder.decode(self._token_bytes(i))
        rest = decoder.decode(b"", final=True)
        if rest:
            yield rest

    def to_json(self) -> dict[str, object]:
        """Return what from_json needs."""
        return {
            "tokenizer": self.tokenizer,
            "tokens": self.coded_tokens,
            "merges": [" ".join(merge) for merge in self.merges],
        }

    @classmethod
    def from_json(cls, value: dict) -> ByteLevelVocabulary:
        """Return the vocabulary that to_json described.

        Raises `InputError` where its tokens or merges are damaged.
        """
        tokens = value["tokens"]
        if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
            raise InputError("expected a list of 'tokens', all of them texts")
        return cls(tokens, split_merges(value["merges"]))

    def _text(self, ids: list[int]) -> str:
        return b"".join(map(self._token_bytes, ids)).decode(errors="replace")

    def _token_bytes(self, i: int) -> bytes:
        """Return the bytes of a token; a special one has none."""
        return b"" if i in self.special_ids else bytes_of(self.coded_tokens[i])


def _coded_words(text: str) -> list[str]:
    """Return the words of a text, with a character for each byte."""
    words = []
    for word in gpt2_words(text):
        coded = [CHARACTER_OF_BYTE[byte] for byte in utf_8(word)]
        words.append("".join(coded))
    return words

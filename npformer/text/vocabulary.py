"""What all vocabularies share, and the vocabulary of words or characters."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import numpy as np

from ..utils import InputError

# the same in every vocabulary, so that batches and masks need not know one
PAD, UNK, BOS, EOS = range(4)
SPECIALS = ("<pad>", "<unk>", "<bos>", "<eos>")
TOKENIZERS = ("word", "character")

# the tokens before and after a sentence
SPECIAL_TOKEN_AFFIXES = {
    "eos": ((), (EOS,)),
    "both": ((BOS,), (EOS,)),
    "none": ((), ()),
}

# <unk> is one token, so that decoded text splits into what it came from
WORD = re.compile(r"<unk>|\w+|[^\w\s]")
NO_SPACE_BEFORE = re.compile(r" ([.,;:!?%)\]}])")
NO_SPACE_AFTER = re.compile(r"([(\[{]) ")


class BaseVocabulary:
    """The tokens that a model knows, in the order of their ids; the first four are special.

    `ids` has the id of each token, except in vocabularies of bytes: `tokens` shows bytes as people
    read them, and two tokens may look the same.

    A subclass has a `tokenizer` and defines `split`, `spans`, `to_json`, `from_json` and `_text`.
    One with other special tokens than these four says so in:

    special_ids: the ids of tokens that are not text, which a generator never draws.
    unk_id: the one that is read in the place of an unknown token; None if nothing is unknown.
    eos_id: the one between two documents; None if there is none.

    Arguments:
        tokens: distinct strings, the first four <pad>, <unk>, <bos> and <eos>

    Raises `InputError` for other tokens.
    """

    tokenizer: str
    lowercase = False
    special_ids: tuple[int, ...] = (PAD, UNK, BOS, EOS)
    unk_id: int | None = UNK
    eos_id: int | None = EOS

    def __init__(self, tokens: list[str]):
        _check_tokens(tokens)
        self.tokens = list(tokens)
        self.ids = {token: i for i, token in enumerate(tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def split(self, text: str) -> list[str]:
        """Split text into tokens, whether known or not."""
        raise NotImplementedError

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the tokens of a text are in it: `text[start:end]` for each."""
        raise NotImplementedError

    def to_json(self) -> dict[str, object]:
        """Return what from_json needs."""
        raise NotImplementedError

    def normalize(self, text: str) -> str:
        """Return a text in the form in which it is read."""
        return text

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text's tokens; an unknown token becomes <unk>."""
        return [self.ids.get(token, UNK) for token in self.split(text)]

    def unknown(self, text: str) -> list[str]:
        """Return the tokens of a text that the vocabulary does not have, each once."""
        if self.unk_id is None:
            return []
        missing = [token for token in self.split(text) if token not in self.ids]
        return list(dict.fromkeys(missing))

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of some ids, without the special ones except <unk>.

        Raises `InputError` for an id of no token.
        """
        kept = []
        for i in ids:
            if not 0 <= i < len(self):
                raise InputError(f"{i} is the id of no token: expected 0 .. {len(self) - 1}")
            if i not in self.special_ids or i == self.unk_id:
                kept.append(i)
        return self._text(kept)

    def pieces(self, ids: Iterable[int], after: str = "") -> Iterator[str]:
        """Yield what each of some ids adds to a text that begins with `after`, and then the rest.

        A token that does not end a word is held back until a later one does, because that may
        change its text.
        """
        # a word's text depends on the word before it, but on none before that
        context = self.encode(after)
        n_shown = len(self.decode(context))
        # then the space between `after` and the first word is there already
        ends_in_space = after[-1:].isspace()
        word: list[int] = []
        for i in ids:
            word.append(i)
            piece = ""
            if self._ends_word(i):
                piece = self.decode(context + word)[n_shown:]
            if piece:
                text = self.decode(word)
                if ends_in_space and piece == " " + text:
                    piece = text
                ends_in_space = False
                context = word
                n_shown = len(text)
                word = []
            yield piece

        rest = self.decode(context + word)[n_shown:]
        if rest:
            yield rest

    def _text(self, ids: list[int]) -> str:
        """Return the text of ids, none of them special except <unk>."""
        raise NotImplementedError

    def _ends_word(self, i: int) -> bool:
        return True


class Vocabulary(BaseVocabulary):
    """Words or characters.

    With the tokenizer "word" a token is a word or a single punctuation mark, with "character" a
    character. A combining mark is a token too. So decoded words of scripts that write vowels as
    marks, such as Devanagari or Thai, have spaces before these: such texts need characters or byte
    pairs.

    Arguments:
        tokens: as for all vocabularies
        tokenizer: "word" or "character"
        lowercase: read text in lower case; two languages may share the tokens and differ in this
        running: a text is a piece of a longer one, so white space at its ends is read too

    >>> vocabulary = Vocabulary.build(["Who am I?", "I am."], tokenizer="word")
    >>> vocabulary.encode("I am who ?")
    [4, 5, 1, 7]
    >>> vocabulary.decode([4, 5, 6]), vocabulary.unknown("I am who?")
    ('I am.', ['who'])
    """

    def __init__(
        self,
        tokens: list[str],
        *,
        tokenizer: str = "word",
        lowercase: bool = False,
        running: bool = False,
    ):
        super().__init__(tokens)
        if tokenizer not in TOKENIZERS:
            expected = " or ".join(map(repr, TOKENIZERS))
            raise InputError(f"tokenizer = {tokenizer!r}: expected {expected}")
        self.tokenizer = tokenizer
        self.lowercase = lowercase
        self.running = running

    @classmethod
    def build(
        cls,
        lines: Iterable[str],
        *,
        min_count: int = 1,
        tokenizer: str = "word",
        lowercase: bool = False,
        running: bool = False,
    ) -> Vocabulary:
        """Return the vocabulary of some lines, the most frequent tokens first.

        An <unk> in the text, written there for a rare word, is the special token.

        Arguments:
            lines: texts
            min_count: how often a token must occur in them
            tokenizer, lowercase, running: as for the class

        Without lines, as of a file that was read to its end, it has the special tokens alone.

        Raises `InputError` for one text in the place of lines.
        """
        check_list(lines)
        empty = cls(list(SPECIALS), tokenizer=tokenizer, lowercase=lowercase, running=running)
        counts: Counter[str] = Counter()
        for line in lines:
            counts.update(empty.split(line))

        for special in SPECIALS:
            del counts[special]

        frequent = [token for token, n in counts.items() if n >= min_count]
        # equally frequent ones in alphabetical order: ids do not depend on the order of the lines
        frequent.sort(key=lambda token: (-counts[token], token))
        tokens = [*SPECIALS, *frequent]
        return cls(tokens, tokenizer=tokenizer, lowercase=lowercase, running=running)

    def lone_marks(self) -> list[str]:
        """Return the combining marks that are tokens of words: decoding puts a space before them.

        >>> marks = Vocabulary.build(["नमस्ते"]).lone_marks()
        >>> [unicodedata.name(mark) for mark in marks]
        ['DEVANAGARI VOWEL SIGN E', 'DEVANAGARI SIGN VIRAMA']
        """
        if self.tokenizer == "character":
            return []
        of_one = [token for token in self.tokens if len(token) == 1]
        return [token for token in of_one if unicodedata.category(token).startswith("M")]

    def split(self, text: str) -> list[str]:
        """Split text into tokens, whether known or not."""
        text = self.normalize(text)
        if self.tokenizer == "character":
            return list(text)
        return WORD.findall(text)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the tokens of a text are in it: `text[start:end]` for each.

        Raises `InputError` when a character is read as several, as "İ" is in lower case, or several
        as one.
        """
        content = text if self.running else text.strip()
        read = self.normalize(text)
        # one longer and one shorter would leave the length as it is, and move what is between
        lengths = {len(self.normalize(c)) for c in set(content) if not c.isspace()}
        if len(read) != len(content) or not lengths <= {1}:
            raise InputError(
                f"{text!r} has characters that become more or fewer when it is read: give it in "
                "the form that the vocabulary reads (NFC, perhaps lower case)"
            )

        start = text.index(content)
        if self.tokenizer == "character":
            return [(start + i, start + i + 1) for i in range(len(read))]

        spans = []
        for word in WORD.finditer(read):
            spans.append((start + word.start(), start + word.end()))
        return spans

    def normalize(self, text: str) -> str:
        """Return a text as it is read: in NFC, perhaps stripped and in lower case."""
        if not self.running:
            text = text.strip()
        text = unicodedata.normalize("NFC", text)
        if self.lowercase:
            # lower case may bring characters that are not in NFC
            text = unicodedata.normalize("NFC", text.lower())
        return text

    def to_json(self) -> dict[str, object]:
        """Return what from_json needs."""
        value: dict[str, object] = {"tokenizer": self.tokenizer, "lowercase": self.lowercase}
        if self.running:
            value["running"] = True
        value["tokens"] = self.tokens
        return value

    @classmethod
    def from_json(cls, value: dict) -> Vocabulary:
        """Return the vocabulary that to_json described.

        Raises `InputError` when its tokens or its tokenizer are not those of a vocabulary.
        """
        return cls(
            value["tokens"],
            tokenizer=value["tokenizer"],
            lowercase=value["lowercase"],
            running=value.get("running", False),
        )

    def _text(self, ids: list[int]) -> str:
        tokens = [self.tokens[i] for i in ids]
        if self.tokenizer == "character":
            return "".join(tokens)
        text = NO_SPACE_BEFORE.sub(r"\1", " ".join(tokens))
        return NO_SPACE_AFTER.sub(r"\1", text)


def pad(sentences: Sequence[Sequence[int]], pad_id: int) -> np.ndarray:
    """Lay the ids of sentences into one array (B, longest), filled up with pad_id.

    Raises `InputError` for no sentences, and for ids that are not whole numbers.

    >>> pad([[5, 6], [7]], pad_id=0).tolist()
    [[5, 6], [7, 0]]
    """
    if not len(sentences):
        raise InputError("there are no sentences to make a batch of: expected one or more")

    tokens = np.array(list(chain.from_iterable(sentences)))
    if len(tokens) and not np.can_cast(tokens.dtype, np.int64, casting="same_kind"):
        raise InputError("the sentences have ids that are not whole numbers: encode the text first")

    lengths = np.array([len(sentence) for sentence in sentences])  # (B,)
    real = np.arange(lengths.max()) < lengths[:, None]  # (B, longest)
    ids = np.full(real.shape, pad_id, np.int64)
    ids[real] = tokens
    return ids


def add_special_tokens(ids: Iterable[int], special_tokens: str = "eos") -> list[int]:
    """Return the ids of a sentence with special tokens around them.

    Arguments:
        ids: the ids of the sentence
        special_tokens: "eos": <eos> after it; "both": <bos> before it too; "none"

    >>> add_special_tokens([5, 6]), add_special_tokens([5, 6], "both")
    ([5, 6, 3], [2, 5, 6, 3])
    """
    before, after = SPECIAL_TOKEN_AFFIXES[special_tokens]
    return [*before, *ids, *after]


def describe_special_tokens(special_tokens: str = "eos") -> str:
    """Return which tokens a message counts besides a sentence's own: " with <bos> and <eos>"."""
    names = [SPECIALS[i] for i in add_special_tokens([], special_tokens)]
    if not names:
        return ""
    return f" with {' and '.join(names)}"


def fits(ids: Sequence[int], longest: int, special_tokens: str = "eos") -> bool:
    """Return whether a sentence has a token, and with the special ones at most `longest`."""
    return 0 < len(ids) <= longest - len(add_special_tokens([], special_tokens))


def check_list(texts: Iterable[str], what: str = "lines") -> None:
    """Raise `InputError` for one text in the place of several.

    Its characters would be taken for texts.
    """
    if isinstance(texts, str):
        excerpt = f"{texts[:20]}..." if len(texts) > 20 else texts
        raise InputError(f"{excerpt!r} is one text: expected several {what}, such as {[excerpt]!r}")


def check_special_tokens(vocabulary: BaseVocabulary, what: str) -> None:
    """Raise `InputError` for a vocabulary without <pad>, <unk>, <bos> and <eos>, as that of GPT-2.

    Its ids 0 to 3 are those of other tokens.
    """
    if vocabulary.unk_id is None:
        raise InputError(
            f"{what} is a {type(vocabulary).__name__}, which has no <pad>, <bos> and <eos>: "
            "it is for language models alone, expected another such as BPEVocabulary"
        )


def _check_tokens(tokens: object) -> None:
    """Raise `InputError` unless tokens are distinct strings, the special ones first."""
    good = (
        isinstance(tokens, list)
        and all(isinstance(token, str) for token in tokens)
        and tuple(tokens[: len(SPECIALS)]) == SPECIALS
        and len(set(tokens)) == len(tokens)
    )
    if not good:
        raise InputError(
            "a vocabulary needs a list of distinct strings, the first four " + ", ".join(SPECIALS)
        )

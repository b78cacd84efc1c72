"""A vocabulary of words or characters: from text to token ids and back, and sentences of ids in one array."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ..utils import InputError
from .streaming import stream_text
from .validation import check_several

PAD, UNK, BOS, EOS = range(4)
SPECIALS = ("<pad>", "<unk>", "<bos>", "<eos>")
UNITS = ("words", "characters")
MARKS = {"eos": ((), (EOS,)), "both": ((BOS,), (EOS,)), "none": ((), ())}  # what is before and behind a sentence
WORD = re.compile(r"<unk>|\w+|[^\w\s]")  # <unk> as one token, so that decoded text splits into what it came from
NO_SPACE_BEFORE = re.compile(r" ([.,;:!?%)\]}])")
NO_SPACE_AFTER = re.compile(r"([(\[{]) ")


class Vocabulary:
    """The tokens that a model knows, in the order of their ids; the first four are special.

    With unit "words" a token is a word or a single punctuation mark, with "characters" a character. `lowercase` folds
    text on its way in. Two languages may share one list of tokens and differ in `lowercase`. White space around a text
    is not read, unless it is a piece of a longer one: `running=True`.

    Raises `InputError` for another unit, or for tokens that are not distinct strings after the four special ones.

    >>> vocabulary = Vocabulary.build(["Who am I?", "I am."], unit="words")
    >>> vocabulary.encode("I am who ?")
    [4, 5, 1, 7]
    >>> vocabulary.decode([4, 5, 6]), vocabulary.unknown("I am who?")
    ('I am.', ['who'])
    """

    def __init__(self, tokens: list[str], *, unit: str = "words", lowercase: bool = False, running: bool = False):
        if unit not in UNITS:
            raise InputError(f"unit = {unit!r}: expected one of {', '.join(map(repr, UNITS))}")
        for name, value in (("lowercase", lowercase), ("running", running)):
            if not isinstance(value, bool):
                raise InputError(f"{name} = {value!r}: expected true or false")
        check_tokens(tokens)
        self.tokens = tokens
        self.unit = unit
        self.lowercase = lowercase
        self.running = running
        self.ids = {token: i for i, token in enumerate(tokens)}

    @classmethod
    def build(cls, lines: Iterable[str], *, min_count: int = 1, unit: str = "words", **how: bool) -> "Vocabulary":
        """Return the vocabulary of some lines: every token that occurs min_count times, the most frequent first.

        An <unk> that is in the text, as somebody wrote it there for a rare word, is the special one.

        Raises `InputError` for one text in the place of lines.
        """
        check_several(lines)
        empty = cls(list(SPECIALS), unit=unit, **how)
        counts = Counter(token for line in lines for token in empty.split(line))
        kept = {token: count for token, count in counts.items() if count >= min_count and token not in SPECIALS}
        ranked = sorted((-count, token) for token, count in kept.items())
        return cls([*SPECIALS, *(token for _, token in ranked)], unit=unit, **how)

    def __len__(self):
        return len(self.tokens)

    def split(self, text: str) -> list[str]:
        """Cut text into tokens, whether known or not."""
        text = self.folded(text)
        return WORD.findall(text) if self.unit == "words" else list(text)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the tokens of a text stand in it: `text[start:end]` for each.

        Raises `InputError` when reading the text changes how many characters it has, as lower case does with "İ".
        """
        given = text if self.running else text.strip()
        read, start = self.folded(text), 0 if self.running else len(text) - len(text.lstrip())
        if len(read) != len(given):
            as_read = f"{len(read)} in the form that the vocabulary reads (NFC, perhaps lower case)"
            raise InputError(f"{text!r} has {len(given)} characters, and {as_read}: give it in that form")
        chunks = (word.span() for word in WORD.finditer(read))
        if self.unit == "characters":
            chunks = ((i, i + 1) for i in range(len(read)))
        return [(start + first, start + end) for first, end in chunks]

    def folded(self, text: str) -> str:
        """Return a text as it is read: in NFC, perhaps in lower case, and less white space around one that is whole."""
        text = unicodedata.normalize("NFC", text)
        text = text if self.running else text.strip()
        return unicodedata.normalize("NFC", text.lower()) if self.lowercase else text

    def join(self, tokens: Iterable[str]) -> str:
        """Write tokens as text again."""
        if self.unit == "characters":
            return "".join(tokens)
        return NO_SPACE_AFTER.sub(r"\1", NO_SPACE_BEFORE.sub(r"\1", " ".join(tokens)))

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text's tokens; an unknown token becomes <unk>."""
        return [self.ids.get(token, UNK) for token in self.split(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of some ids, without <pad>, <bos> and <eos>. Raises `InputError` for an id of no token."""
        return self.join(self.tokens[i] for i in checked_ids(ids, len(self)) if i not in (PAD, BOS, EOS))

    def pieces(self, ids: Iterable[int], after: str = "") -> Iterator[str]:
        """Yield what each of some ids adds to a text that begins with `after`: `decode`, an id at a time."""
        return stream_text(ids, self, after)

    def unknown(self, text: str) -> list[str]:
        """Return the tokens of a text that the vocabulary does not have, each once."""
        return list(dict.fromkeys(token for token in self.split(text) if token not in self.ids))

    def to_json(self) -> dict:
        """Return what from_json needs."""
        running = {"running": True} if self.running else {}
        return {"unit": self.unit, "lowercase": self.lowercase, **running, "tokens": self.tokens}

    @classmethod
    def from_json(cls, value: dict) -> "Vocabulary":
        """Return the vocabulary that to_json described. Raises `InputError` when something is missing or odd."""
        missing = {"unit", "lowercase", "tokens"} - value.keys()
        if missing:
            raise InputError(f"a vocabulary lacks {', '.join(sorted(missing))}")
        how = {name: value[name] for name in ("lowercase", "running") if name in value}
        return cls(value["tokens"], unit=value["unit"], **how)


def check_tokens(tokens: list[str]) -> None:
    """Raise `InputError` unless these are distinct strings, the first four the special ones."""
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        raise InputError("a vocabulary needs a list of strings")
    if tuple(tokens[: len(SPECIALS)]) != SPECIALS or len(set(tokens)) != len(tokens):
        raise InputError(f"a vocabulary needs distinct tokens, the first four {', '.join(SPECIALS)}")


def checked_ids(ids: Iterable[int], size: int) -> list[int]:
    """Return ids as a list. Raises `InputError` for one that is not in 0 .. size - 1."""
    ids = list(ids)
    if odd := [i for i in ids if not 0 <= i < size]:
        raise InputError(f"{odd[0]} is the id of no token: expected 0 .. {size - 1}")
    return ids


def pad(sentences: Sequence[Sequence[int]], pad_id: int) -> np.ndarray:
    """Lay the ids of sentences into one array (B, longest), filled up with pad_id.

    Raises `InputError` for ids that are no whole numbers.

    >>> pad([[5, 6], [7]], pad_id=0).tolist()
    [[5, 6], [7, 0]]
    """
    lengths = np.array([*map(len, sentences)])
    ids = np.full((len(sentences), lengths.max()), pad_id, np.int64)
    filled = [np.empty(0, np.int64), *(sentence for sentence in sentences if len(sentence))]
    try:
        tokens = np.concatenate(filled, dtype=np.int64, casting="same_kind")
    except TypeError:
        odd = next(
            sentence for sentence in filled if not np.can_cast(np.asarray(sentence).dtype, np.int64, "same_kind")
        )
        raise InputError(f"{odd!r} holds ids that are no whole numbers: encode the text first") from None
    ids[np.arange(lengths.max()) < lengths[:, None]] = tokens
    return ids


def marked(ids: Iterable[int], marks: str = "eos") -> list[int]:
    """Return a sentence with its marks: <eos> behind it, <bos> before it too for "both", or "none".

    >>> marked([5, 6]), marked([5, 6], "both"), marked([5, 6], "none")
    ([5, 6, 3], [2, 5, 6, 3], [5, 6])
    """
    before, behind = MARKS[marks]
    return [*before, *ids, *behind]


def with_marks(marks: str = "eos") -> str:
    """Say which tokens are counted besides a sentence's own, for a message.

    >>> with_marks(), with_marks("both"), with_marks("none")
    (' with <eos>', ' with <bos> and <eos>', '')
    """
    names = [SPECIALS[i] for side in MARKS[marks] for i in side]
    return f" with {' and '.join(names)}" if names else ""


def fits(ids: Sequence[int], longest: int, marks: str = "eos") -> bool:
    """Tell whether a sentence is not empty and has, with its marks, at most `longest` tokens.

    >>> fits([5, 6], 3), fits([5, 6], 2), fits([], 3), fits([5, 6], 3, "both")
    (True, False, False, False)
    """
    return len(ids) > 0 and len(marked(ids, marks)) <= longest

"""From text to token ids and back: what all vocabularies share, and the vocabulary of words or characters."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ..utils import InputError

PAD, UNK, BOS, EOS = range(4)
SPECIALS = ("<pad>", "<unk>", "<bos>", "<eos>")
UNITS = ("words", "characters")
MARKS = {
    "eos": ((), (EOS,)),
    "both": ((BOS,), (EOS,)),
    "none": ((), ()),
}  # the tokens before and after a sentence
WORD = re.compile(
    r"<unk>|\w+|[^\w\s]"
)  # <unk> as one token, so that decoded text splits into what it came from
NO_SPACE_BEFORE = re.compile(r" ([.,;:!?%)\]}])")
NO_SPACE_AFTER = re.compile(r"([(\[{]) ")


class AnyVocabulary:
    """The tokens that a model knows, in the order of their ids; the first four are special.

    A subclass has a `unit`; `split(text)`, the tokens of a text; `spans(text)`, where they are in it; `to_json` and
    `from_json`; and `_text(ids)`, for `decode`. Raises `InputError` unless the tokens are distinct strings after the
    four special ones.
    """

    unit: str
    lowercase = False

    def __init__(self, tokens: list[str]):
        strings = isinstance(tokens, list) and all(isinstance(token, str) for token in tokens)
        if (
            not strings
            or tuple(tokens[: len(SPECIALS)]) != SPECIALS
            or len(set(tokens)) != len(tokens)
        ):
            raise InputError(
                f"a vocabulary needs a list of distinct strings, the first four {', '.join(SPECIALS)}"
            )
        self.tokens = tokens
        self.ids = {token: i for i, token in enumerate(tokens)}

    def __len__(self):
        return len(self.tokens)

    def folded(self, text: str) -> str:
        """Return a text in the form in which it is read."""
        return text

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text's tokens; an unknown token becomes <unk>."""
        return [self.ids.get(token, UNK) for token in self.split(text)]

    def unknown(self, text: str) -> list[str]:
        """Return the tokens of a text that the vocabulary does not have, each once."""
        return list(dict.fromkeys(token for token in self.split(text) if token not in self.ids))

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of some ids, without <pad>, <bos> and <eos>. Raises `InputError` for an id of no token."""
        ids = list(ids)
        if odd := [i for i in ids if not 0 <= i < len(self)]:
            raise InputError(f"{odd[0]} is the id of no token: expected 0 .. {len(self) - 1}")
        return self._text([i for i in ids if i not in (PAD, BOS, EOS)])

    def pieces(self, ids: Iterable[int], after: str = "") -> Iterator[str]:
        """Yield what each of some ids adds to a text that begins with `after`, and then the rest.

        A token that does not end a word is held back until a later one does, because that may change its text.
        """
        read = self.encode(after)
        begin = end = len(self.decode(read))
        for i in ids:
            read.append(i)
            piece = self.decode(read)[end:] if self._ends_word(i) else ""
            yield piece.lstrip(" ") if end == begin and after[-1:].isspace() else piece
            end += len(piece)
        if rest := self.decode(read)[end:]:
            yield rest

    def _ends_word(self, i: int) -> bool:
        return True


class Vocabulary(AnyVocabulary):
    """Words or characters.

    With unit "words" a token is a word or a single punctuation mark, with "characters" a character. `lowercase` folds
    text on its way in. Two languages may share one list of tokens and differ in `lowercase`. White space around a text
    is not read, unless it is a piece of a longer one: `running=True`.

    >>> vocabulary = Vocabulary.build(["Who am I?", "I am."], unit="words")
    >>> vocabulary.encode("I am who ?")
    [4, 5, 1, 7]
    >>> vocabulary.decode([4, 5, 6]), vocabulary.unknown("I am who?")
    ('I am.', ['who'])
    """

    def __init__(
        self,
        tokens: list[str],
        *,
        unit: str = "words",
        lowercase: bool = False,
        running: bool = False,
    ):
        super().__init__(tokens)
        if unit not in UNITS:
            raise InputError(f"unit = {unit!r}: expected one of {', '.join(map(repr, UNITS))}")
        self.unit, self.lowercase, self.running = unit, lowercase, running

    @classmethod
    def build(
        cls, lines: Iterable[str], *, min_count: int = 1, unit: str = "words", **how: bool
    ) -> "Vocabulary":
        """Return the vocabulary of some lines: every token that occurs min_count times, the most frequent first.

        An <unk> that is in the text, as somebody wrote it there for a rare word, is the special one.

        Raises `InputError` for one text in the place of lines.
        """
        check_list(lines)
        empty = cls(list(SPECIALS), unit=unit, **how)
        counts = Counter(token for line in lines for token in empty.split(line))
        tokens = [token for token, n in counts.items() if n >= min_count and token not in SPECIALS]
        return cls(
            [*SPECIALS, *sorted(tokens, key=lambda token: (-counts[token], token))],
            unit=unit,
            **how,
        )

    def split(self, text: str) -> list[str]:
        """Cut text into tokens, whether known or not."""
        text = self.folded(text)
        return WORD.findall(text) if self.unit == "words" else list(text)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the tokens of a text stand in it: `text[start:end]` for each.

        Raises `InputError` when reading the text changes how many characters it has, as lower case does with "İ".
        """
        content = text if self.running else text.strip()
        read, start = self.folded(text), 0 if self.running else len(text) - len(text.lstrip())
        if len(read) != len(content):
            as_read = f"{len(read)} in the form that the vocabulary reads (NFC, perhaps lower case)"
            raise InputError(
                f"{text!r} has {len(content)} characters, and {as_read}: give it in that form"
            )
        if self.unit == "characters":
            return [(start + i, start + i + 1) for i in range(len(read))]
        return [(start + word.start(), start + word.end()) for word in WORD.finditer(read)]

    def folded(self, text: str) -> str:
        """Return a text as it is read: in NFC, perhaps in lower case, and less white space around one that is whole."""
        text = unicodedata.normalize("NFC", text if self.running else text.strip())
        return unicodedata.normalize("NFC", text.lower()) if self.lowercase else text

    def to_json(self) -> dict:
        """Return what from_json needs."""
        running = {"running": True} if self.running else {}
        return {"unit": self.unit, "lowercase": self.lowercase, **running, "tokens": self.tokens}

    @classmethod
    def from_json(cls, value: dict) -> "Vocabulary":
        """Return the vocabulary that to_json described. Raises `InputError` when something is odd."""
        how = {
            "unit": value["unit"],
            "lowercase": value["lowercase"],
            "running": value.get("running", False),
        }
        return cls(value["tokens"], **how)

    def _text(self, ids: list[int]) -> str:
        tokens = [self.tokens[i] for i in ids]
        if self.unit == "characters":
            return "".join(tokens)
        return NO_SPACE_AFTER.sub(r"\1", NO_SPACE_BEFORE.sub(r"\1", " ".join(tokens)))


def pad(sentences: Sequence[Sequence[int]], pad_id: int) -> np.ndarray:
    """Lay the ids of sentences into one array (B, longest), filled up with pad_id.

    Raises `InputError` for no sentences, and for ids that are not whole numbers.

    >>> pad([[5, 6], [7]], pad_id=0).tolist()
    [[5, 6], [7, 0]]
    """
    if not len(sentences):
        raise InputError("there are no sentences to make a batch of: expected one or more")
    lengths = np.array([*map(len, sentences)])
    ids = np.full((len(sentences), lengths.max()), pad_id, np.int64)
    try:
        tokens = np.concatenate(
            [ids[0, :0], *filter(len, sentences)], dtype=np.int64, casting="same_kind"
        )
    except TypeError:
        raise InputError(
            "the sentences have ids that are not whole numbers: encode the text first"
        ) from None
    ids[np.arange(lengths.max()) < lengths[:, None]] = tokens
    return ids


def marked(ids: Iterable[int], marks: str = "eos") -> list[int]:
    """Return a sentence with its marks: <eos> after it, <bos> before it too for "both", or "none".

    >>> marked([5, 6]), marked([5, 6], "both"), marked([5, 6], "none")
    ([5, 6, 3], [2, 5, 6, 3], [5, 6])
    """
    before, after = MARKS[marks]
    return [*before, *ids, *after]


def with_marks(marks: str = "eos") -> str:
    """Return which tokens are counted besides a sentence's own, such as " with <bos> and <eos>", for a message."""
    names = [SPECIALS[i] for i in marked([], marks)]
    return f" with {' and '.join(names)}" if names else ""


def fits(ids: Sequence[int], longest: int, marks: str = "eos") -> bool:
    """Return whether a sentence is not empty and has, with its marks, at most `longest` tokens."""
    return 0 < len(ids) <= longest - len(marked([], marks))


def check_list(texts: Iterable[str], what: str = "lines") -> None:
    """Raise `InputError` for one text in the place of several: its characters would be taken for texts."""
    if isinstance(texts, str):
        excerpt = f"{texts[:20]}..." if len(texts) > 20 else texts
        raise InputError(f"{excerpt!r} is one text: expected several {what}, such as {[excerpt]!r}")

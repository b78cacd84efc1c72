"""Texts that come as arguments or on standard input, and the lines that a verb prints for each."""

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ..utils import InputError, import_optional
from .output import tell


class Read(NamedTuple):
    """A text, its number, its ids, which are None where it cannot be used, and those of its words that are unknown."""

    number: int
    text: str
    ids: list[int] | None
    unknown: list[str]


class Answers:
    """Take texts in and print an answer for each, in their order, whenever a batch has come.

    A kind of it has `lines`. Of a text that cannot be used a reason is told, and the exit status is 2; of a blank line
    on standard input, which may just part paragraphs, no more than the reason.
    """

    def __init__(self, *, encode: Callable[[str], list[int]], unknown: Callable[[str], list[str]], batch_tokens: int):
        self.encode, self.unknown, self.batch_tokens = encode, unknown, batch_tokens
        self.status = 0
        self.n_read = 0
        self.waiting: list[Read] = []  # what is not answered yet

    def lines(self, texts: Sequence[Read]) -> Iterable[str]:
        """Return what is printed for some texts, at least a line for each."""
        raise NotImplementedError

    def read(self, text: str, what: str) -> None:
        """Take a text in, and tell what is odd about it; errors call it a `what` and tell its number."""
        self.n_read += 1
        if unknown := self.unknown(text):
            tell(f"{what} {self.n_read}: unknown, read as <unk>: {', '.join(unknown)}")
        ids = None
        try:
            ids = self.encode(text)
        except InputError as error:
            tell(f"{what} {self.n_read}: {error}")
            if text.strip() or what != "line":
                self.status = 2
        self.waiting.append(Read(self.n_read, text, ids, unknown))

    @property
    def is_full(self) -> bool:
        """Whether a batch of tokens waits to be answered."""
        return sum(len(read.ids or " ") for read in self.waiting) >= self.batch_tokens

    def write(self) -> int:
        """Print the answers to what waits; return how many texts that were."""
        n_written = len(self.waiting)
        for line in self.lines(self.waiting):
            print(line)
        sys.stdout.flush()
        self.waiting.clear()
        return n_written


def answer(output: Answers, texts: Sequence[str], what: str) -> int:
    """Answer texts that are called a `what`, or where there is none the lines of standard input; return the status."""
    if texts:
        for text in texts:
            output.read(text, what)
        output.write()
    else:
        answer_standard_input(output, f"{what}s")
    return output.status


def answer_standard_input(output: Answers, whats: str) -> None:
    """Answer whenever a batch of tokens has come; what somebody types, line by line."""
    if sys.stdin is None:
        raise InputError(f"standard input is closed: give {whats} as arguments, or lines to read")
    typed = sys.stdin.isatty()
    bar = import_optional("tqdm", "npformer").tqdm(unit=" lines", disable=True if typed else None, dynamic_ncols=True)

    def write() -> None:
        with bar.external_write_mode(file=sys.stdout):
            n_written = output.write()
        bar.update(n_written)

    with bar:
        try:
            for line in standard_input_lines():
                with bar.external_write_mode():
                    output.read(line, "line")
                if typed or output.is_full:
                    write()
        finally:
            write()  # what came before a bad line is not lost


def standard_input_lines() -> Iterable[str]:
    """Yield the lines of standard input, read as UTF-8."""
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            raise InputError(f"line {number} of standard input is not UTF-8: save it as UTF-8 text") from None

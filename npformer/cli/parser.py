"""The parser of a verb, and the kinds of words that verbs take."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from ..base.errors import InputError


class OneLineParser(argparse.ArgumentParser):
    """A parser that takes options and other words in any order, and reports an error as every other is: in one line."""

    def parse(self, arguments: list[str]) -> argparse.Namespace:
        """Return the options; what follows a -- is none, even with a dash. Raises `InputError`."""
        cut = arguments.index("--") if "--" in arguments else len(arguments)
        while arguments[cut + 1 : cut + 2] and not arguments[cut + 1].startswith("-"):
            arguments[cut : cut + 2] = [arguments[cut + 1], "--"]  # older argparses lose a -- before the first word
            cut += 1
        return self.parse_intermixed_args(arguments)

    def error(self, message: str):
        """Raise `InputError` in place of argparse's usage text."""
        raise InputError(f"{message.rstrip(' .')}. {self.prog} --help shows the options")


def whole_number(least: int) -> Callable[[str], int]:
    """Return the type of an option that takes a whole number, `least` or more."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"expected a whole number, {least} or more, got {text!r}")
        return int(text)

    return read


def sentence(text: str) -> str:
    """Take text, which must be UTF-8."""
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise argparse.ArgumentTypeError(f"expected text in UTF-8, got {text!r}")
    return text

"""What a verb may be told: its parser, the kinds of words it takes, and the options that follow from settings."""

import argparse
import math
from collections.abc import Callable, Iterable, Mapping

from ..utils import InputError, Setting

LONGEST = 18  # digits of a whole number
TRUTH = {"true": True, "false": False}
NONE = "none"  # leaves a number open that a recipe names


class OneLineParser(argparse.ArgumentParser):
    """A parser that takes options and other words in any order, and reports an error as every other is: in one line."""

    def parse(self, arguments: list[str]) -> argparse.Namespace:
        """Return the options; what follows a -- is none, even with a dash. Raises `InputError`."""
        cut = arguments.index("--") if "--" in arguments else len(arguments)
        for word in arguments[:cut]:  # argparse would find fault with the word behind an option that it does not know
            if word.startswith("--") and not self.knows(word.partition("=")[0]):
                self.error(f"unrecognized arguments: {word}")
        while arguments[cut + 1 : cut + 2] and not arguments[cut + 1].startswith("-"):
            arguments[cut : cut + 2] = [arguments[cut + 1], "--"]  # older argparses lose a -- before the first word
            cut += 1
        return self.parse_intermixed_args(arguments)

    def knows(self, option: str) -> bool:
        """Tell whether this is an option, or the beginning of one."""
        return any(known.startswith(option) for known in self._option_string_actions)

    def error(self, message: str):
        """Raise `InputError` in place of argparse's usage text."""
        raise InputError(f"{message.rstrip(' .')}. {self.prog} --help shows the options")


def is_whole(text: str, least: int, most: float = math.inf) -> bool:
    """Tell whether a text is a whole number in this range; one of thousands of digits Python would not read.

    >>> is_whole("3", 1), is_whole("3", 1, most=2), is_whole("-3", 1), is_whole("9" * 5000, 1)
    (True, False, False, False)
    """
    return text.isdecimal() and len(text) <= LONGEST and least <= int(text) <= most


def whole_number(least: int) -> Callable[[str], int]:
    """Return the type of an option that takes a whole number, `least` or more."""

    def read(text: str) -> int:
        if not is_whole(text, least):
            raise argparse.ArgumentTypeError(f"expected a whole number, {least} or more, got {text!r}")
        return int(text)

    return read


def number_above_0(text: str) -> float:
    """Take a number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number above 0, got {text!r}")
    return number


def sentence(text: str) -> str:
    """Take text, which must be UTF-8."""
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise argparse.ArgumentTypeError(f"expected text in UTF-8, got {text!r}")
    return text


def true_or_false(text: str) -> bool:
    """Read a truth value."""
    if text not in TRUTH:
        raise argparse.ArgumentTypeError(f"expected true or false, got {text!r}")
    return TRUTH[text]


def or_none(kind: Callable) -> Callable:
    """Return the type of an option that takes what another type does, and `none`.

    >>> or_none(int)("2"), or_none(int)("none")
    (2, None)
    """

    def read(text: str):
        return None if text == NONE else kind(text)

    read.__name__ = kind.__name__  # argparse names it where it is no such number
    return read


def named(text: str) -> str:
    """Take a name, in any bytes, but not an empty one."""
    if not text:
        raise argparse.ArgumentTypeError("expected a name, got ''")
    return text


def add_settings(
    group,
    known: Mapping[str, Setting],
    names: Iterable[str] | None = None,
    *,
    by_recipe: Mapping[str, str] | None = None,
    flags: bool = False,
) -> None:
    """Add to a parser or group an option for each of some settings that has a help text, or for those named.

    One that is not given leaves no trace, so that a recipe can fill it; `by_recipe` says which defaults recipes replace
    by what. With `flags` a setting that is true or false is an option without a value.
    """
    for name in known if names is None else names:
        if known[name].help:
            told = described(known[name], (by_recipe or {}).get(name))
            if flags and known[name].kind is bool:
                told = {"help": known[name].help, "action": "store_true"}
            group.add_argument(f"--{name.replace('_', '-')}", default=argparse.SUPPRESS, **told)


def described(setting: Setting, by_recipe: str | None = None) -> dict:
    """Return what argparse is told of a setting.

    >>> described(Setting("dropout", float, False, 0.1, "share that is dropped"))
    {'help': 'share that is dropped (default 0.1)', 'type': <class 'float'>, 'metavar': 'FLOAT'}
    >>> described(Setting("neighbours", int, True, None, "how many it sees", none_is="all"), "trec: 2")["help"]
    'how many it sees (default none: all; trec: 2)'
    """
    default = str(setting.default).lower() if isinstance(setting.default, bool) else setting.default
    may_be_none = setting.may_be_none and setting.kind is not str
    if default is None and may_be_none:
        default = f"{NONE}: {setting.none_is}"
    defaults = [str(text) for text in (setting.none_is if default is None else default, by_recipe) if text is not None]
    text = (f"{setting.help} (default {'; '.join(defaults)})" if defaults else setting.help).replace("%", "%%")
    if setting.choices:
        return {"help": text, "choices": setting.choices}
    text_kind = str if setting.may_be_empty else named
    other = (setting.kind, setting.kind.__name__.upper())
    truth = true_or_false, "{true,false,none}" if may_be_none else "{true,false}"
    kind, metavar = {bool: truth, str: (text_kind, "TEXT")}.get(setting.kind, other)
    return {"help": text, "type": or_none(kind) if may_be_none else kind, "metavar": metavar}

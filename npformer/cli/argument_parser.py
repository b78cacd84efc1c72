"""The parser of the command line, the types of its arguments, and the options that follow from settings."""

import argparse
import difflib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import takewhile

from ..utils import InputError, Setting

BOOLEANS = {"true": True, "false": False}
NONE = "none"  # clears a setting that a recipe sets


class Parser(argparse.ArgumentParser):
    """An argparse parser that takes options and texts in any order, suggests names, and raises `InputError`."""

    verbs = None

    def add_verb(self, name: str, run: Callable, description: str | None = None) -> "Parser":
        """Add and return the sub-parser of a verb; `run(options)` runs it, and describes it if nothing else does."""
        self.verbs = self.verbs or self.add_subparsers(title="verbs", metavar="VERB")
        description = description or run.__doc__
        first = (
            description.splitlines()[0].partition(". ")[0].rstrip(".").replace("%", "%%")
        )  # the first sentence
        parser = self.verbs.add_parser(
            name, help=first[0].lower() + first[1:], description=description
        )
        parser.set_defaults(run_verb=run)
        return parser

    def parse(self, arguments: list[str]) -> argparse.Namespace:
        """Return the options. Raises `InputError`."""
        if self.verbs is None:
            known = self._option_string_actions
            for name in (
                text.partition("=")[0]
                for text in takewhile("--".__ne__, arguments)
                if text.startswith("--")
            ):
                if not any(option.startswith(name) for option in known):
                    self.error(f"unrecognized arguments: {name}{_did_you_mean(name, known)}")
            return self.parse_intermixed_args(arguments)
        if arguments and arguments[0] in self.verbs.choices:
            return self.verbs.choices[arguments[0]].parse(arguments[1:])
        return self.parse_args(arguments)

    def _check_value(self, action, value) -> None:
        """Refuse a value that is not one of the choices, with the nearest of them."""
        if action.choices is not None and value not in action.choices:
            what = f"invalid choice: {value!r}{_did_you_mean(value, action.choices)}"
            raise argparse.ArgumentError(
                action, f"{what}, expected one of {', '.join(action.choices)}"
            )

    def error(self, message: str):
        """Raise `InputError` in the place of printing a usage."""
        raise InputError(f"{message.rstrip(' .')}. {self.prog} --help shows the options")


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question with the nearest known word, or nothing."""
    return "".join(
        f" (did you mean {near}?)" for near in difflib.get_close_matches(word, known, 1, 0.75)
    )


def number(kind: type = int, **limits: float) -> Callable[[str], float]:
    """Return the type of an argument that is a number; `limits` are as a `Setting` has them.

    >>> number(float, above=0)("0.5")
    0.5
    """
    known = Setting("", kind, **limits)

    def read(text: str) -> float:
        with suppress(ValueError):
            if "_" not in text:  # Python reads 1_0 as 10
                return known.checked(kind(text)) if limits else kind(text)
        raise argparse.ArgumentTypeError(f"expected {known.expected()}, got {text!r}")

    return read


def utf8_text(text: str) -> str:
    """Read text, which must be UTF-8."""
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise argparse.ArgumentTypeError(f"expected text in UTF-8, got {text!r}")
    return text


def file_name(text: str) -> str:
    """Read a name, in any bytes, but not an empty one."""
    if not text:
        raise argparse.ArgumentTypeError("expected a name, got ''")
    return text


def boolean(text: str) -> bool:
    """Read true or false."""
    if text not in BOOLEANS:
        raise argparse.ArgumentTypeError(f"expected true or false, got {text!r}")
    return BOOLEANS[text]


def add_settings(
    group, known: Mapping[str, Setting], names: Iterable[str] | None = None, *, flags: bool = False
) -> None:
    """Add an option for each of some settings that has a help text, or for those named.

    An option that is not given is not in the namespace, so that a recipe can set it. With `flags` a boolean setting is
    an option without a value.
    """
    for name in known if names is None else names:
        if known[name].help:
            how = _describe_setting(known[name])
            if flags and known[name].kind is bool:
                how = {"help": known[name].help, "action": "store_true"}
            group.add_argument(f"--{name.replace('_', '-')}", default=argparse.SUPPRESS, **how)


def _describe_setting(setting: Setting) -> dict:
    """Return the arguments of `add_argument` for a setting.

    >>> _describe_setting(Setting("neighbors", int, True, None, "how many it sees", none_is="all"))["help"]
    'how many it sees (default none: all)'
    """
    may_be_none = setting.may_be_none and setting.kind is not str
    default = str(setting.default).lower() if setting.kind is bool else setting.default
    if setting.default is None:
        default = f"{NONE}: {setting.none_is}" if may_be_none else setting.none_is
    text = setting.help if default is None else f"{setting.help} (default {default})"
    if setting.choices:
        return {"help": text.replace("%", "%%"), "choices": setting.choices}
    if setting.kind is str:
        read, metavar = file_name, "TEXT"
    elif setting.kind is bool:
        read, metavar = boolean, "{true,false,none}" if may_be_none else "{true,false}"
    else:
        read, metavar = number(setting.kind), setting.kind.__name__.upper()
    kind = (lambda value: None if value == NONE else read(value)) if may_be_none else read
    return {"help": text.replace("%", "%%"), "type": kind, "metavar": metavar}

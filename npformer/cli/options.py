"""The parser of the command line, the types of its arguments, and the options that follow from settings."""

import argparse
import difflib
import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import takewhile

from ..models.model_folder import RENAMED
from ..utils import InputError, Setting

MAX_DIGITS = 18
BOOLEANS = {"true": True, "false": False}
NONE = "none"  # clears a setting that a recipe sets


class Parser(argparse.ArgumentParser):
    """An argparse parser with verbs, which takes options and other arguments in any order.

    A verb is a module, or an object, with a docstring, `add_options(parser)` and `run(options)`.
    """

    verbs = None

    def add_verbs(self, verbs: Mapping[str, object], default: str | None = None) -> None:
        """Add a sub-parser for each verb; `default` is the one that runs where none is given."""
        self.default = default
        for name, verb in verbs.items():
            parser = self.add_verb(name, verb)
            parser.set_defaults(verb=name, run_verb=verb.run)
            parser.add_options = partial(verb.add_options, parser)  # of the verb that is run alone

    def add_verb(self, name: str, verb) -> "Parser":
        """Add and return the sub-parser of a verb."""
        self.verbs = self.verbs or self.add_subparsers(metavar="VERB", title="verbs")
        help = re.split(r"\.\s|\.$|\n", verb.__doc__)[0].replace("%", "%%")  # the first sentence
        return self.verbs.add_parser(name, help=help[0].lower() + help[1:], description=verb.__doc__)

    def parse(self, arguments: list[str]) -> argparse.Namespace:
        """Return the options. Raises `InputError`."""
        if self.verbs is None:
            self.add_options()
            for name in (text.partition("=")[0] for text in takewhile("--".__ne__, arguments) if text.startswith("--")):
                if renamed := RENAMED.get(name[2:]):
                    self.error(f"{name} is now --{renamed.replace('_', '-')}")
                if not any(option.startswith(name) for option in self._option_string_actions):
                    self.error(f"unrecognized arguments: {name}{_did_you_mean(name, self._option_string_actions)}")
            return self.parse_intermixed_args(arguments)
        known, first = self.verbs.choices, arguments[0] if arguments else ""
        if first in known:
            return known[first].parse(arguments[1:])
        if first in ("-h", "--help", "--version"):
            return self.parse_args(arguments[:1])
        if self.default and (not first or first.startswith("-")):
            return known[self.default].parse(arguments)
        if not arguments:
            return self.parse_args(["--help"])
        what = f"{first!r} is not a verb{_did_you_mean(first, known)}"
        raise InputError(f"{what}: expected one of {', '.join(known)}. {self.prog} --help explains them")

    def error(self, message: str):
        """Raise `InputError` in the place of printing a usage."""
        raise InputError(f"{message.rstrip(' .')}. {self.prog} --help shows the options")


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question with the nearest known word, or nothing."""
    return "".join(f" (did you mean {near}?)" for near in difflib.get_close_matches(word, known, 1, 0.75))


def whole_number(minimum: int) -> Callable[[str], int]:
    """Return the type of an argument that is an integer >= minimum."""

    def read(text: str) -> int:
        if not (text.isdecimal() and len(text) <= MAX_DIGITS and int(text) >= minimum):
            raise argparse.ArgumentTypeError(f"expected an integer >= {minimum}, got {text!r}")
        return int(text)

    return read


def positive_number(text: str) -> float:
    """Read a finite number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number above 0, got {text!r}")
    return number


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


def optional(kind: Callable) -> Callable:
    """Return the type of an argument that is of another type, or `none`.

    >>> optional(int)("2"), optional(int)("none")
    (2, None)
    """

    def read(text: str):
        return None if text == NONE else kind(text)

    read.__name__ = kind.__name__  # argparse names it in errors
    return read


def add_settings(
    group,
    known: Mapping[str, Setting],
    names: Iterable[str] | None = None,
    *,
    by_recipe: Mapping[str, str] | None = None,
    flags: bool = False,
) -> None:
    """Add an option for each of some settings that has a help text, or for those named.

    An option that is not given is not in the namespace, so that a recipe can set it; `by_recipe` says which defaults
    recipes replace. With `flags` a boolean setting is an option without a value.
    """
    for name in known if names is None else names:
        if known[name].help:
            how = _describe_setting(known[name], (by_recipe or {}).get(name))
            if flags and known[name].kind is bool:
                how = {"help": known[name].help, "action": "store_true"}
            group.add_argument(f"--{name.replace('_', '-')}", default=argparse.SUPPRESS, **how)


def _describe_setting(setting: Setting, by_recipe: str | None = None) -> dict:
    """Return the arguments of `add_argument` for a setting.

    >>> _describe_setting(Setting("dropout", float, False, 0.1, "dropout rate"))
    {'help': 'dropout rate (default 0.1)', 'type': <class 'float'>, 'metavar': 'FLOAT'}
    >>> _describe_setting(Setting("neighbors", int, True, None, "how many it sees", none_is="all"), "trec: 2")["help"]
    'how many it sees (default none: all; trec: 2)'
    """
    default = str(setting.default).lower() if isinstance(setting.default, bool) else setting.default
    may_be_none = setting.may_be_none and setting.kind is not str
    if default is None:
        default = f"{NONE}: {setting.none_is}" if may_be_none else setting.none_is
    defaults = "; ".join(str(text) for text in (default, by_recipe) if text is not None)
    text = (f"{setting.help} (default {defaults})" if defaults else setting.help).replace("%", "%%")
    if setting.choices:
        return {"help": text, "choices": setting.choices}
    kind, metavar = setting.kind, setting.kind.__name__.upper()
    if kind is bool:
        kind, metavar = boolean, "{true,false,none}" if may_be_none else "{true,false}"
    elif kind is str:
        kind, metavar = str if setting.may_be_empty else file_name, "TEXT"
    return {"help": text, "type": optional(kind) if may_be_none else kind, "metavar": metavar}

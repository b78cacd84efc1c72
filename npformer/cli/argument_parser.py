"""The parser of the command line, the types of its arguments, and options made from settings."""

import argparse
import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

from ..utils import InputError, Setting

__all__ = ["RUN_HELP", "Parser", "add_settings", "file_name", "number", "utf8_text"]

BOOLEANS = {"true": True, "false": False}
RUN_HELP = "a run folder of `npformer train` or import, or phrasebook, a model that ships"
NONE = "none"  # clears a setting that a recipe sets

# begins, while they are parsed, the arguments after "--"; no argument of a program can have it
_AFTER_DASHES = "\0"


class Parser(argparse.ArgumentParser):
    """An argparse parser that takes options and texts in any order, and suggests names.

    All errors are `InputError`s. What follows `--` is text, even if it begins with a dash.
    """

    verbs: Any = None

    def add_verb(
        self, name: str, run: Callable[[Any], int], description: str | None = None
    ) -> "Parser":
        """Add and return the sub-parser of a verb.

        Arguments:
            name: the verb.
            run: called with the options, it does what the verb says and returns the exit status.
            description: what the verb does; by default the docstring of `run`.
        """
        if self.verbs is None:
            self.verbs = self.add_subparsers(title="verbs", metavar="VERB")
        # python -OO has no docstrings
        description = description or run.__doc__ or name
        first_sentence = description.splitlines()[0].partition(". ")[0].rstrip(".")
        # a help of argparse begins with a small letter, and its % are formatted
        help = first_sentence[0].lower() + first_sentence[1:]
        parser = self.verbs.add_parser(name, help=help.replace("%", "%%"), description=description)
        parser.set_defaults(run_verb=run)
        return parser

    def parse(self, arguments: list[str]) -> argparse.Namespace:
        """Return the options. Raises `InputError`."""
        if self.verbs is not None:
            # by hand, because parse_intermixed_args refuses parsers that have sub-parsers
            if arguments and arguments[0] in self.verbs.choices:
                return self.verbs.choices[arguments[0]].parse(arguments[1:])
            return self.parse_args(arguments)

        texts = []
        if "--" in arguments:
            first = arguments.index("--")
            texts = [_AFTER_DASHES + text for text in arguments[first + 1 :]]
            arguments = arguments[:first]
        self._check_options(arguments)
        return self.parse_intermixed_args([*arguments, *texts])

    def _check_options(self, arguments: list[str]) -> None:
        """Refuse an option that does not exist, with the nearest one that does."""
        # argparse names no near option, and would read the value of a misspelled one as a text
        known = self._option_string_actions
        for argument in arguments:
            name = argument.partition("=")[0]
            if name.startswith("--") and not any(option.startswith(name) for option in known):
                self.error(f"unrecognized arguments: {name}{_did_you_mean(name, known)}")

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        # argparse converts an argument here, so the mark is removed just before
        return super()._get_value(action, arg_string.removeprefix(_AFTER_DASHES))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is not one of the choices, with the nearest of them."""
        if action.choices is not None and value not in action.choices:
            suggestion = _did_you_mean(value, action.choices)
            raise argparse.ArgumentError(
                action,
                f"invalid choice: {value!r}{suggestion}, "
                f"expected one of {', '.join(action.choices)}",
            )

    def error(self, message: str) -> NoReturn:
        """Raise `InputError` in the place of printing a usage."""
        raise InputError(f"{message.rstrip(' .')}. {self.prog} --help shows the options")


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question with the nearest known word, or nothing."""
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.75)
    if not near:
        return ""
    return f" (did you mean {near[0]}?)"


def number(
    value_type: type = int,
    *,
    least: float = -float("inf"),
    most: float = float("inf"),
    above: float = -float("inf"),
) -> Callable[[str], Any]:
    """Return the type of an argument that is a number in a range.

    >>> number(float, above=0)("0.5")
    0.5
    """
    known = Setting("", value_type, least=least, most=most, above=above)
    has_range = known.expected() != Setting("", value_type).expected()

    def read(text: str) -> Any:
        value = None
        try:
            if "_" in text:  # Python reads 1_0 as 10
                raise ValueError
            value = value_type(text)
            # without a range, NaN is refused by the setting that it is for
            return known.checked(value) if has_range else value
        except ValueError:
            expected = known.expected(value)
            raise argparse.ArgumentTypeError(f"expected {expected}, got {text!r}") from None

    return read


def utf8_text(text: str) -> str:
    """Read text, which must be UTF-8."""
    # Python reads bytes that are not UTF-8 as lone surrogates
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
    group: Any, settings: Mapping[str, Setting], names: Iterable[str] | None = None
) -> None:
    """Add an option for each setting that has a help, or for those named.

    An option that is not given is not in the namespace, so that a recipe can set it.
    """
    for name in settings if names is None else names:
        if settings[name].help:
            add_setting(group, settings[name])


def add_setting(group: Any, setting: Setting) -> None:
    """Add the option of a setting.

    >>> parser = Parser(prog="npformer")
    >>> add_setting(parser, Setting("neighbors", int, True, None, "how many", none_is="all"))
    >>> print(parser.format_help().splitlines()[-1].strip())
    --neighbors INT  how many (default none: all)
    """
    option = f"--{setting.name.replace('_', '-')}"
    help = _help_with_default(setting).replace("%", "%%")
    if setting.choices:
        group.add_argument(option, choices=setting.choices, default=argparse.SUPPRESS, help=help)
        return

    read: Callable[[str], Any] = number(setting.value_type)
    metavar = setting.value_type.__name__.upper()
    if setting.value_type is str:
        read = file_name
        metavar = "TEXT"
    elif setting.value_type is bool:
        read = boolean
        metavar = "{true,false}"

    if _can_be_cleared(setting):
        read = _or_none(read)
        if setting.value_type is bool:
            metavar = "{true,false,none}"
    group.add_argument(option, type=read, metavar=metavar, default=argparse.SUPPRESS, help=help)


def _can_be_cleared(setting: Setting) -> bool:
    """Return whether `none` stands for None; as a text it would be a name."""
    return setting.may_be_none and setting.value_type is not str


def _or_none(read: Callable[[str], Any]) -> Callable[[str], Any]:
    def read_or_none(text: str) -> Any:
        if text == NONE:
            return None
        return read(text)

    return read_or_none


def _help_with_default(setting: Setting) -> str:
    """Return the help of a setting, with its default as one writes it."""
    default = setting.default
    if setting.value_type is bool and default is not None:
        default = str(default).lower()
    if default is None and _can_be_cleared(setting):
        default = f"{NONE}: {setting.none_is}"
    elif default is None:
        default = setting.none_is
    if default is None:
        return setting.help
    return f"{setting.help} (default {default})"

"""Settings as fields of a dataclass: a field's default, range and help are in one place, and all else follows."""

from dataclasses import MISSING, field, fields
from functools import cache
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any, NamedTuple, get_args, get_type_hints

from .errors import InputError

ACCEPTED = {int: Integral, float: Real, bool: bool, str: str}
NAMES = {int: "an integer", float: "a number", bool: "True or False", str: "a text"}
LIMITS = {
    "least": ">= {}",
    "above": "above {}",
    "most": "and {} at most",
    "below": "and below {}",
}  # how they read


class Setting(NamedTuple):
    """What is known of a setting; without `help` it is one that nobody is asked for."""

    name: str
    kind: type  # int, float, bool or str
    may_be_none: bool = False
    default: Any = MISSING
    help: str = ""
    least: float = -inf
    most: float = inf
    above: float = -inf
    below: float = inf
    choices: tuple[str, ...] | None = None
    none_is: str | None = None  # what None means, in words

    def expected(self) -> str:
        """Say which values are taken."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        limits = {text: getattr(self, name) for name, text in LIMITS.items()}
        return " ".join(
            [NAMES[self.kind], *(text.format(x) for text, x in limits.items() if isfinite(x))]
        )

    def checked(self, value):
        """Return a value in the setting's own type, NumPy's numbers too. Raises `InputError` for any other."""
        if value is None and self.may_be_none:
            return None
        good = isinstance(value, ACCEPTED[self.kind]) and isinstance(value, bool) is (
            self.kind is bool
        )
        if good and self.kind in (int, float):
            good = (
                self.least <= value <= self.most and self.above < value < self.below
            )  # so never NaN or infinite
        if good and (not self.choices or value in self.choices):
            return self.kind(value)
        raise InputError(f"{self.name} = {value!r}: expected {self.expected()}")


def setting(default=MISSING, help: str = "", **known):
    """Return the field of a setting; `known` is what else a `Setting` has, such as `least` or `choices`.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Oven:
    ...     degrees: int = setting(180, "how hot", least=0)
    ...     def __post_init__(self):
    ...         check_settings(self)
    >>> Oven(degrees=-1)
    Traceback (most recent call last):
    npformer.utils.errors.InputError: degrees = -1: expected an integer >= 0
    """
    return field(default=default, metadata={"help": help, **known})


@cache
def settings_of(kind: type) -> dict[str, Setting]:
    """Return the settings of a dataclass by their names."""
    hints = get_type_hints(kind)
    types = {
        name: next(t for t in get_args(hint) or [hint] if t is not type(None))
        for name, hint in hints.items()
    }
    return {
        f.name: Setting(
            f.name, types[f.name], types[f.name] is not hints[f.name], f.default, **f.metadata
        )
        for f in fields(kind)
    }


def check_settings(settings) -> None:
    """Check every field of a frozen dataclass, and keep each value in its own type. Raises `InputError`."""
    for name, known in settings_of(type(settings)).items():
        object.__setattr__(settings, name, known.checked(getattr(settings, name)))


def check_names(kind: type, names, what: str) -> None:
    """Raise `InputError` where `names` has a name that is no setting of `kind`, or lacks one that has no default."""
    known = settings_of(kind)
    required = {name for name, known in known.items() if known.default is MISSING}
    for problem, wrong in (
        ("lacks", required - set(names)),
        ("has unknown", set(names) - known.keys()),
    ):
        if wrong:
            raise InputError(f"{what} {problem} {', '.join(sorted(wrong))}")

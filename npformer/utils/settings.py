"""Settings: fields of a dataclass, each with its type, its range and its help in one place."""

from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from math import inf, isfinite
from numbers import Integral, Real
from types import UnionType
from typing import Any, NamedTuple, get_args, get_type_hints

from .errors import InputError

__all__ = ["Setting", "Settings", "setting"]

_ACCEPTED: dict[type, Any] = {int: Integral, float: Real, bool: bool, str: str}
_TYPE_NAMES = {int: "an integer", float: "a number", bool: "True or False", str: "a text"}
LARGEST = 2**53  # loops and arrays take no much larger integer, and a browser's JSON rounds it


class Setting(NamedTuple):
    """The metadata of a setting: its name, type, default, help and range.

    name: as in Python, in config.json and, with - in place of _, on the command line.
    value_type: int, float, bool or str.
    may_be_none: whether None is a value too.
    default: the value where none is given.
    help: what the setting does, for the command line; without help it is not an option there.
    least, most, above, below: the range of a number; an integer is never above 2**53.
    choices: the texts that are accepted; None: all.
    none_is: what None means, in words.
    may_change: whether a run that is resumed may have another value.
    """

    name: str
    value_type: type
    may_be_none: bool = False
    default: Any = MISSING
    help: str = ""
    least: float = -inf
    most: float = inf
    above: float = -inf
    below: float = inf
    choices: tuple[str, ...] | None = None
    none_is: str | None = None
    may_change: bool = False

    def expected(self, got: Any = None) -> str:
        """Say which values are accepted; `got` is the one that is not."""
        if self.value_type is int and isinstance(got, Integral) and int(got) > LARGEST:
            return f"an integer of {LARGEST} at most"
        if self.choices:
            return f"one of {', '.join(self.choices)}"

        words = [_TYPE_NAMES[self.value_type]]
        if isfinite(self.least):
            words.append(f">= {self.least}")
        if isfinite(self.above):
            words.append(f"above {self.above}")
        if isfinite(self.most):
            words.append(f"and {self.most} at most")
        if isfinite(self.below):
            words.append(f"and below {self.below}")
        return " ".join(words)

    def checked(self, value: Any) -> Any:
        """Return a value in the setting's own type. Raises `InputError` when it is out of range."""
        if value is None and self.may_be_none:
            return None
        if not self._accepts(value):
            raise InputError(f"{self.name} = {value!r}: expected {self.expected(value)}")
        return self.value_type(value)

    def _accepts(self, value: Any) -> bool:
        if not isinstance(value, _ACCEPTED[self.value_type]):
            return False
        # True is an integer in Python, but no number of layers
        if isinstance(value, bool) != (self.value_type is bool):
            return False
        if self.choices:
            return value in self.choices
        if self.value_type is int and value > LARGEST:
            return False
        if self.value_type in (int, float):
            # false for NaN, and for infinity, which no range includes
            return self.least <= value <= self.most and self.above < value < self.below
        return True


def setting(
    default: Any = MISSING,
    help: str = "",
    *,
    least: float = -inf,
    most: float = inf,
    above: float = -inf,
    below: float = inf,
    choices: tuple[str, ...] | None = None,
    none_is: str | None = None,
    may_change: bool = False,
) -> Any:
    """Return the field of a setting; the arguments are explained in `Setting`.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Oven(Settings):
    ...     degrees: int = setting(180, "how hot", least=0)
    >>> Oven(degrees=-1)
    Traceback (most recent call last):
    npformer.utils.errors.InputError: degrees = -1: expected an integer >= 0
    """
    metadata = {
        "help": help,
        "least": least,
        "most": most,
        "above": above,
        "below": below,
        "choices": choices,
        "none_is": none_is,
        "may_change": may_change,
    }
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The base of dataclasses whose fields are settings.

    Each value is checked when an object is made, and kept in the setting's own type (a NumPy
    integer becomes an int). Raises `InputError` when one is out of range.
    """

    def __post_init__(self):
        for name, known in self.declared().items():
            object.__setattr__(self, name, known.checked(getattr(self, name)))

    @classmethod
    def declared(cls) -> dict[str, Setting]:
        """Return all settings by name."""
        key: Any = cls  # mypy takes a dataclass for something that has no hash
        return _declared(key)

    @classmethod
    def options(cls) -> dict[str, Setting]:
        """Return the settings that a user can choose, by name: those with a help."""
        return {name: known for name, known in cls.declared().items() if known.help}

    @classmethod
    def check_names(cls, names: Any, what: str) -> None:
        """Raise `InputError` unless `names` are those of settings, and every required one is there.

        `what` says in the message what has these names.
        """
        known = cls.declared()
        missing = []
        for name in known:
            if known[name].default is MISSING and name not in names:
                missing.append(name)
        if missing:
            raise InputError(f"{what} lacks {', '.join(sorted(missing))}")

        unknown = set(names) - known.keys()
        if unknown:
            raise InputError(f"{what} has unknown {', '.join(sorted(unknown))}")


@cache
def _declared(cls: Any) -> dict[str, Setting]:
    types = get_type_hints(cls)
    known = {}
    for f in fields(cls):
        value_type = types[f.name]
        may_be_none = isinstance(value_type, UnionType)  # such as int | None
        if may_be_none:
            [value_type] = [t for t in get_args(value_type) if t is not type(None)]
        known[f.name] = Setting(f.name, value_type, may_be_none, f.default, **f.metadata)
    return known

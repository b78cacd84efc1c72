"""Options of the command line that follow from settings."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping

from ..base.settings import Setting, settings_of

TRUTH = {"true": True, "false": False}


def true_or_false(text: str) -> bool:
    """Read a truth value."""
    if text not in TRUTH:
        raise argparse.ArgumentTypeError(f"expected true or false, got {text!r}")
    return TRUTH[text]


def named(text: str) -> str:
    """Take a name, in any bytes, but not an empty one."""
    if not text:
        raise argparse.ArgumentTypeError("expected a name, got ''")
    return text


def add_options(
    group, kind: type, names: Iterable[str] | None = None, *, by_recipe: Mapping[str, str] | None = None
) -> None:
    """Add to a parser or group an option for each setting of a dataclass that has a help text, or for those named.

    One that is not given leaves no trace, so that a recipe can fill it; `by_recipe` says which defaults recipes replace
    by what.
    """
    known = settings_of(kind)
    for name in known if names is None else names:
        if known[name].help:
            group.add_argument(
                f"--{name.replace('_', '-')}",
                default=argparse.SUPPRESS,
                **described(known[name], (by_recipe or {}).get(name)),
            )


def described(setting: Setting, by_recipe: str | None = None) -> dict:
    """Return what argparse is told of a setting.

    >>> described(Setting("dropout", float, False, 0.1, "share that is dropped"))
    {'help': 'share that is dropped (default 0.1)', 'type': <class 'float'>, 'metavar': 'FLOAT'}
    """
    default = str(setting.default).lower() if setting.kind is bool else setting.default
    defaults = [str(text) for text in (setting.none_is if default is None else default, by_recipe) if text is not None]
    text = (f"{setting.help} (default {'; '.join(defaults)})" if defaults else setting.help).replace("%", "%%")
    if setting.choices:
        return {"help": text, "choices": setting.choices}
    if setting.kind is bool:
        return {"help": text, "type": true_or_false, "metavar": "{true,false}"}
    return {
        "help": text,
        "type": named if setting.kind is str else setting.kind,
        "metavar": "TEXT" if setting.kind is str else setting.kind.__name__.upper(),
    }

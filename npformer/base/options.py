"""Options of the command line that follow from settings."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from .settings import Setting, settings_of

TRUTH = {"true": True, "false": False}


def true_or_false(text: str) -> bool:
    """Read a truth value."""
    if text not in TRUTH:
        raise argparse.ArgumentTypeError(f"expected true or false, got {text!r}")
    return TRUTH[text]


def add_options(group, kind: type, names: Iterable[str] | None = None) -> None:
    """Add to a parser or group an option for each setting of a dataclass that has a help text, or for those named.

    One that is not given leaves no trace, so that a recipe can fill it.
    """
    known = settings_of(kind)
    for name in known if names is None else names:
        if known[name].help:
            group.add_argument(f"--{name.replace('_', '-')}", default=argparse.SUPPRESS, **described(known[name]))


def described(setting: Setting) -> dict:
    """Return what argparse is told of a setting.

    >>> described(Setting("dropout", float, False, 0.1, "share that is dropped"))
    {'help': 'share that is dropped (default 0.1)', 'type': <class 'float'>, 'metavar': 'FLOAT'}
    """
    default = str(setting.default).lower() if setting.kind is bool else setting.default
    shown = setting.none_is if default is None else default
    text = (setting.help if shown is None else f"{setting.help} (default {shown})").replace("%", "%%")
    if setting.choices:
        return {"help": text, "choices": setting.choices}
    if setting.kind is bool:
        return {"help": text, "type": true_or_false, "metavar": "{true,false}"}
    return {
        "help": text,
        "type": setting.kind,
        "metavar": "TEXT" if setting.kind is str else setting.kind.__name__.upper(),
    }

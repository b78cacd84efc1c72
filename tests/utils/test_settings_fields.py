import argparse
import math
from dataclasses import dataclass

import numpy as np
import pytest

from npformer import InputError
from npformer.cli.argument_parser import add_settings
from npformer.utils.settings import Settings, setting


@dataclass(frozen=True, kw_only=True)
class Oven(Settings):
    plates: int = setting(least=1)
    degrees: float = setting(180.0, "how hot", least=0, below=300)
    minutes: int | None = setting(None, "how long", least=1, none_is="till it is brown")
    share: float = setting(0.5, "how full, 100% at most", above=0, most=1)
    fan: bool = setting(True, "whether it blows")
    mode: str = setting("bake", "what it does", choices=("bake", "grill"))
    note: str | None = setting(None, "a word about it")
    watts: float = setting(1000.0, "how much it takes", above=0)


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("plates", [0, -1, 1.0, "1", None, True, [1], math.nan], "an integer >= 1"),
        ("plates", [2**53 + 1, 10**20, 10**400], "an integer of 9007199254740992 at most"),
        (
            "degrees",
            [-0.1, 300, math.nan, math.inf, -math.inf, "9", None, False],
            "a number >= 0 and below 300",
        ),
        ("minutes", [0, 2.5, True], "an integer >= 1"),
        ("share", [0, 1.1, math.nan], "a number above 0 and 1 at most"),
        ("fan", ["true", 1, None, 0.0], "True or False"),
        ("mode", ["fry", ["bake"], None, 3], "one of bake, grill"),
        ("note", [3, ["a"], True], "a text"),
        ("watts", [0, math.inf], "a number above 0"),
    ],
)
def test_invalid_setting_value_is_rejected(name, values, expected):
    for value in values:
        with pytest.raises(InputError) as caught:
            Oven(**{"plates": 1, name: value})
        assert str(caught.value) == f"{name} = {value!r}: expected {expected}"


def test_numpy_numbers_become_python_numbers():
    oven = Oven(plates=np.int64(2), degrees=np.float32(0.5), minutes=np.int8(3))
    assert oven == Oven(plates=2, degrees=0.5, minutes=3)
    assert [type(value) for value in (oven.plates, oven.degrees, oven.minutes)] == [int, float, int]
    assert type(Oven(plates=1, degrees=20).degrees) is float


def test_range_limits_are_inclusive_or_exclusive():
    assert Oven(plates=1, degrees=0, share=1).share == 1.0
    assert Oven(plates=1, degrees=299.9).degrees == 299.9


def test_settings_with_help_become_options_with_default(capsys):
    parser = argparse.ArgumentParser(prog="bake")
    add_settings(parser, Oven.declared())
    assert vars(parser.parse_args([])) == {}
    given = "--degrees 20 --minutes 7 --share 1 --fan false --mode grill --note quick".split()
    expected = dict(degrees=20.0, minutes=7, share=1.0, fan=False, mode="grill", note="quick")
    assert vars(parser.parse_args(given)) == expected
    text = " ".join(parser.format_help().split())
    lines = (
        "--degrees FLOAT how hot (default 180.0)",
        "--minutes INT how long (default none: till it is brown)",
        "--share FLOAT how full, 100% at most (default 0.5)",
        "--fan {true,false} whether it blows (default true)",
        "--mode {bake,grill} what it does (default bake)",
        "--note TEXT a word about it",
        "--watts FLOAT how much it takes (default 1000.0)",
    )
    assert text.endswith(" ".join(("show this help message and exit", *lines)))
    assert parser.parse_args("--minutes none --note none".split()) == argparse.Namespace(
        minutes=None, note="none"
    )
    for wrong in (["--fan", "yes"], ["--mode", "fry"], ["--minutes", "1.5"]):
        with pytest.raises(SystemExit):
            parser.parse_args(wrong)
    assert "expected true or false, got 'yes'" in capsys.readouterr().err


def test_subset_of_options_can_be_added():
    parser = argparse.ArgumentParser()
    add_settings(parser, Oven.declared(), ["fan"])
    assert parser.parse_args(["--fan", "true"]).fan is True
    with pytest.raises(SystemExit):
        parser.parse_args(["--mode", "bake"])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"plates": 1, "wheels": 2, "doors": 1}, "the oven has unknown doors, wheels"),
        ({}, "the oven lacks plates"),
    ],
)
def test_missing_or_unknown_names_are_reported(given, expected):
    with pytest.raises(InputError) as caught:
        Oven.check_names(given, "the oven")
    assert str(caught.value) == expected

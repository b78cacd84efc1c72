"""The help of the program and of its verbs, and one line for what makes no sense."""

import argparse
import re
import subprocess
import sys
from importlib import import_module

import pytest

import npformer
from npformer.cli.argument_parser import Parser
from npformer.cli.main import VERBS as MODULES

VERBS = "train translate classify generate evaluate attend step gradcheck table1".split()
VERBS += ["ablate", "import", "export", "course"]
COURSE_VERBS = "start watch check hint why solution step list reset translate train".split()
COURSE_VERBS += ["write", "release", "collect", "grade", "score", "lint"]


@pytest.mark.parametrize("verb", [*VERBS, *(f"course {verb}" for verb in COURSE_VERBS)])
def test_help_of_each_verb_can_be_printed(command, verb):
    status, out, err = command(*verb.split(), "--help")
    assert (status, err) == (0, "") and out.startswith(f"usage: npformer {verb}")


@pytest.mark.parametrize(("program", "verbs"), [([], VERBS), (["course"], COURSE_VERBS)])
def test_help_lists_every_verb(command, monkeypatch, program, verbs):
    monkeypatch.setenv("COLUMNS", "120")
    status, out, err = command(*program, "--help")
    assert (status, err, re.findall(r"^    (\w+)", out, re.MULTILINE)) == (0, "", verbs)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["train", "--help-all"], "dropout on attention weights (default 0.0)"),
        (["train", "--help-all"], "less memory for one more forward (default false)"),
        (["train", "--help-all"], "(default none: unless norm is post)"),
        (["train", "--help-all"], "(default none: d_model / n_heads)"),
        (["train", "--help-all"], "--final-norm {true,false,none}"),
        (["import", "--help"], "target tokens (default the source's)"),
        (["translate", "--help"], "(default 4, or what an imported model came with)"),
    ],
)
def test_help_shows_defaults(command, arguments, expected):
    assert expected in " ".join(command(*arguments).out.split())


def test_verb_is_listed_with_the_first_sentence_of_what_it_does():
    def open_it(options):
        """Open the door.

        What was in it is hot.
        """

    parser = Parser(prog="oven")
    parser.add_verb("heat", print, "Heat to 100% of it. Then wait.")
    parser.add_verb("open", open_it)
    lines = parser.format_help().splitlines()[-2:]
    assert [line.split(maxsplit=1) for line in lines] == [
        ["heat", "heat to 100% of it"],
        ["open", "open the door"],
    ]


def options_of(parser):
    """Return the options of a parser, or those of all its verbs."""
    if parser.verbs is None:
        return parser._actions
    return [action for verb in parser.verbs.choices.values() for action in verb._actions]


def test_defaults_are_those_that_the_help_says():
    found = []
    for name, module in MODULES.items():
        parser = Parser(prog=name)
        import_module(module).add_options(parser)
        for action in options_of(parser):
            said = re.search(r"\(default ([^:;)]+)\)", action.help or "")
            if said and action.default not in (None, argparse.SUPPRESS):
                found.append((said[1], action.default))
    assert len(found) > 8
    found.remove(("all", "ABCDEF"))
    assert all(type(default)(said) == default for said, default in found), found


def test_package_runs_as_a_module():
    result = subprocess.run(
        [sys.executable, "-m", "npformer", "--version"], capture_output=True, text=True
    )
    assert (result.returncode, result.stdout) == (0, f"npformer {npformer.__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["train", "latin"], "invalid choice: 'latin'"),
        (
            ["train", "copy", "--color", "blue"],
            "unrecognized arguments: --color. npformer train --help",
        ),
        (
            ["train", "--d-modle", "3"],
            "unrecognized arguments: --d-modle (did you mean --d-model?).",
        ),
        (
            ["train", "phrasebok"],
            "invalid choice: 'phrasebok' (did you mean phrasebook?), expected one of phrasebook",
        ),
        (["train", "copy", "--epochs", "1_0"], "argument --epochs: expected an integer, got '1_0'"),
        (["translate"], "the following arguments are required: RUN"),
        (["evaluate", "run", "--batch-tokens", "0"], "expected an integer >= 1, got '0'"),
        (["evaluate", "run", "--show", "-1"], "argument --show: expected"),
        (["translate", "run", "--n-best", "0"], "--n-best: expected an integer >= 1, got '0'"),
        (["generate", "run", "a", "--top-k", "0"], "--top-k: expected an integer >= 1, got '0'"),
        (["generate", "run", "a", "--seed", "-1"], "--seed: expected an integer >= 0, got '-1'"),
        (
            ["generate", "run", "a", "--top-p", "0"],
            "--top-p: expected a number above 0 and 1 at most, got '0'",
        ),
        (
            ["train", "copy", "--final-norm", "some"],
            "argument --final-norm: expected true or false, got 'some'",
        ),
    ],
)
def test_invalid_options_are_rejected_in_one_line(refused, arguments, expected):
    message = refused(*arguments)
    assert expected in message and ".." not in message
    assert message.endswith(f". npformer {arguments[0]} --help shows the options\n")


def test_unknown_verb_is_rejected(refused):
    assert "invalid choice: 'sing', expected one of train, translate" in refused("sing", "--loud")
    assert "invalid choice: 'trian' (did you mean train?), expected" in refused("trian")
    assert "invalid choice: 'chek' (did you mean check?), expected" in refused("course", "chek")


def test_exhausted_memory_is_reported_in_one_line(refused, monkeypatch):
    def fill_the_memory(options):
        raise MemoryError

    monkeypatch.setattr("npformer.cli.gradcheck.run", fill_the_memory)
    assert refused("gradcheck") == "npformer: out of memory\n"


def test_status_with_which_a_verb_exits_is_returned(command, monkeypatch):
    monkeypatch.setattr("npformer.cli.gradcheck.run", lambda options: sys.exit(3))
    assert command("gradcheck") == (3, "", "")


def test_missing_verb_prints_help(command):
    assert command() == command("--help")


def test_help_of_train_fits_on_a_screen(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    short, whole = command("train", "--help").out, command("train", "--help-all").out
    assert len(short.splitlines()) <= 32 and "--norm" in whole
    common = "src tgt tsv text recipe run resume epochs batch-tokens workers seed help help-all"
    assert set(re.findall(r"--([\w-]+)", short)) == set(common.split())

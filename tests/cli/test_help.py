"""The help of the program and of its verbs, and one line for what makes no sense."""

import re
import subprocess
import sys

import pytest

import npformer
from npformer.cli import classroom
from npformer.runs.recipe import read_recipe

VERBS = ["train", "translate", "classify", "generate", "evaluate", "attend", "gradcheck", "table1", "ablate"]
VERBS += ["data", "import", "export", "class"]


@pytest.mark.parametrize("verb", [*VERBS, *(f"class {verb}" for verb in classroom.VERBS)])
def test_the_help_of_a_verb_can_be_printed(command, verb):
    status, out, err = command(*verb.split(), "--help")
    assert (status, err) == (0, "") and out.startswith(f"usage: npformer {verb}")


@pytest.mark.parametrize(("program", "verbs"), [([], VERBS), (["class"], [*classroom.VERBS])])
def test_the_help_names_every_verb(command, monkeypatch, program, verbs):
    monkeypatch.setenv("COLUMNS", "120")
    status, out, err = command(*program, "--help")
    assert (status, err, re.findall(r"^    (\w+)", out, re.MULTILINE)) == (0, "", verbs)


def test_the_help_of_train_shows_defaults_and_what_a_recipe_or_data_set_puts_in_their_place(command):
    text = " ".join(command("train", "--help-all").out.split())
    assert "dropout on attention weights (default 0.0)" in text
    for start, by_tiny in {
        "width of every layer (default 512; ": read_recipe("tiny")["d_model"],
        "passes over the training data (default ": read_recipe("tiny")["epochs"],
    }.items():
        assert start in text and f"tiny: {by_tiny}" in text.partition(start)[2].partition(")")[0]
    unit = text.partition("what a token is (default words; ")[2].partition(")")[0]
    assert "multi30k: subwords" in unit and "dates: characters" in unit


def test_the_package_runs_as_a_module():
    result = subprocess.run([sys.executable, "-m", "npformer", "--version"], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, f"npformer {npformer.__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["train", "latin"], "invalid choice: 'latin'"),
        (["train", "copy", "--color", "blue"], "unrecognized arguments: --color. npformer train --help"),
        (["train", "--d-modle", "3"], "unrecognized arguments: --d-modle (did you mean --d-model?)."),
        (["train", "mistakes", "--reader", "lstm"], "--reader is now --encoder."),
        (["train", "trec", "--neighbours", 2], "--neighbours is now --neighbors."),
        (["train", "--recompute=true"], "--recompute is now --gradient-checkpointing."),
        (["train", "copy", "--d-modle=3"], "unrecognized arguments: --d-modle (did you mean --d-model?)."),
        (["train", "copy", "--d-model", "wide"], "argument --d-model: invalid int value: 'wide'"),
        (["train", "copy", "--norm", "middle"], "argument --norm: invalid choice: 'middle'"),
        (["translate"], "the following arguments are required: RUN"),
        (["evaluate", "run", "--batch-tokens", "0"], "expected an integer >= 1, got '0'"),
        (["evaluate", "run", "--batch-tokens", "9" * 19], f"expected an integer >= 1, got '{'9' * 19}'"),
        (["evaluate", "run", "--show", "-1"], "argument --show: expected"),
        (["gradcheck", "--seed", "-1"], "expected an integer >= 0, got '-1'"),
        (["gradcheck", "--tolerance", "small"], "argument --tolerance: expected a number above 0, got 'small'"),
        (["train", "copy", "--neighbors", "some"], "argument --neighbors: invalid int value: 'some'"),
        (["train", "copy", "--final-norm", "some"], "argument --final-norm: expected true or false, got 'some'"),
        (["train", "copy", "--generator-bias", "none"], "expected true or false, got 'none'"),
        (["train", "copy", "--epochs", "none"], "argument --epochs: invalid int value: 'none'"),
        (["data", "--lines", "0"], "expected an integer >= 1, got '0'"),
        (["data", "--seed", "-1"], "expected an integer >= 0, got '-1'"),
    ],
)
def test_options_that_make_no_sense_are_refused_in_one_line(refused, arguments, expected):
    message = refused(*arguments)
    assert expected in message and ".." not in message
    assert message.endswith(f". npformer {arguments[0]} --help shows the options\n")


def test_a_verb_that_there_is_not_is_refused(refused):
    assert "'sing' is not a verb: expected one of train, translate" in refused("sing", "--loud")
    assert "'trian' is not a verb (did you mean train?): expected" in refused("trian")


def test_without_a_verb_the_help_is_printed(command):
    assert command() == command("--help")


def test_the_help_of_train_fits_on_a_screen(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    short, whole = command("train", "--help").out, command("train", "--help-all").out
    assert len(short.splitlines()) <= 45 and "--help-all" in short and "--norm" not in short and "--norm" in whole

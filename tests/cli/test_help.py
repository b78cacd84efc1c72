import subprocess
import sys

import pytest

import npformer
from npformer.cli.parser import build_parser

VERBS = build_parser()._subparsers._group_actions[0].choices


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_a_verb_names_and_explains_each_option(command, capsys, verb):
    with pytest.raises(SystemExit) as end:
        command(verb, "--help")
    assert end.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    for action in VERBS[verb]._actions:
        assert action.help
        assert " ".join(action.help.split()) % vars(action) in text
        assert all(option in text for option in action.option_strings)


def test_the_help_of_the_program_names_every_verb(command, capsys):
    with pytest.raises(SystemExit) as end:
        command("--help")
    assert end.value.code == 0
    text = capsys.readouterr().out
    assert set(VERBS) == {"train", "translate", "evaluate", "attend", "gradcheck", "data"}
    assert all(verb in text for verb in VERBS)


def test_the_package_runs_as_a_module():
    result = subprocess.run([sys.executable, "-m", "npformer", "--version"], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, f"npformer {npformer.__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "the following arguments are required: VERB"),
        (["sing"], "invalid choice: 'sing'"),
        (["train", "latin"], "invalid choice: 'latin'"),
        (["train", "copy", "--colour", "blue"], "unrecognized arguments: --colour blue"),
        (["train", "copy", "--d-model", "wide"], "argument --d-model: invalid int value: 'wide'"),
        (["train", "copy", "--norm", "middle"], "argument --norm: invalid choice: 'middle'"),
        (["translate"], "the following arguments are required: RUN"),
        (["evaluate", "run", "--batch-tokens", "0"], "expected a whole number, 1 or more, got '0'"),
        (["evaluate", "run", "--show", "-1"], "argument --show: expected"),
        (["gradcheck", "--seed", "-1"], "expected a whole number, 0 or more, got '-1'"),
        (["gradcheck", "--tolerance", "small"], "argument --tolerance: invalid float value: 'small'"),
        (["data", "--lines", "0"], "expected a whole number, 1 or more, got '0'"),
        (["data", "--seed", "-1"], "expected a whole number, 0 or more, got '-1'"),
    ],
)
def test_options_that_make_no_sense_are_refused_in_one_line(refused, arguments, expected):
    message = refused(*arguments)
    assert expected in message and "--help shows the options" in message

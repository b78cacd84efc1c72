import subprocess
import sys

import pytest

import npformer
from npformer.cli import classroom
from npformer.cli import main as command_line
from npformer.cli.main import ROOMS, VERBS, parser
from npformer.cli.train import by_recipe
from npformer.runs.recipe import MODEL, read_recipe
from npformer.runs.settings import TrainingSettings
from npformer.utils import settings_of

FILES = {verb: command_line.FILES.get(verb, verb) for verb in VERBS if verb not in ROOMS}
FILES |= {f"class {verb}": f"classroom.{verb}" for verb in classroom.VERBS}


@pytest.mark.parametrize("verb", FILES)
def test_the_help_of_a_verb_names_and_explains_each_option(command, monkeypatch, verb):
    monkeypatch.setenv("COLUMNS", "10000")
    status, out, err = command(*verb.split(), "--help")
    assert (status, err) == (0, "")
    text = " ".join(out.split())
    assert text.startswith(f"usage: npformer {verb}")
    for action in parser(f"npformer {verb}", FILES[verb])._actions:
        assert action.help
        assert " ".join(action.help.split()) % vars(action) in text
        assert all(option in text for option in action.option_strings)


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_the_help_of_the_program_names_every_verb(command, option):
    status, out, err = command(option)
    assert (status, err) == (0, "")
    reading = {"translate", "classify", "generate", "evaluate", "attend"}
    assert set(VERBS) == {"train", *reading, "gradcheck", "table1", "ablate", "data", "import", "export", "class"}
    assert all(f"  {verb} " in out and what in out for verb, what in VERBS.items())


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_the_help_of_the_class_names_its_verbs(command, option):
    status, out, err = command("class", option)
    assert (status, err) == (0, "")
    assert all(f"  {verb} " in out and what in out for verb, what in classroom.VERBS.items())


def test_a_verb_that_the_class_does_not_know_is_told(command):
    status, out, err = command("class", "sing")
    assert (status, out) == (2, "")
    assert err.startswith("npformer: 'sing' is no verb: expected one of start, watch, ")


@pytest.mark.parametrize(
    ("verb", "usage"),
    [
        ("train", "[options] [DATASET]"),
        ("translate", "[options] RUN [SENTENCE ...]"),
        ("generate", "[options] RUN PROMPT"),
        ("evaluate", "[options] RUN"),
        ("attend", "[options] RUN SENTENCE"),
        ("gradcheck", "[options] [NAME ...]"),
        ("ablate", "[options] [FOLDER]"),
        ("data", "[options] [NAME ...]"),
        ("import", "[options] SOURCE DIR"),
        ("export", "RUN FILE"),
        ("table1", "[options]"),
    ],
)
def test_the_usage_says_what_is_optional(command, verb, usage):
    assert command(verb, "--help").out.startswith(f"usage: npformer {verb} {usage}\n")


def test_the_help_of_train_shows_defaults_and_what_a_recipe_or_data_set_puts_in_their_place(command):
    text = " ".join(command("train", "--help").out.split())
    assert "dropout on attention weights (default 0.0)" in text
    for start, by_tiny in {
        "width of every layer (default 512; ": read_recipe("tiny")["d_model"],
        "passes over the training data (default ": read_recipe("tiny")["epochs"],
    }.items():
        assert start in text and f"tiny: {by_tiny}" in text.partition(start)[2].partition(")")[0]
    unit = text.partition("what a token is (default words; ")[2].partition(")")[0]
    assert "multi30k: subwords" in unit and "dates: characters" in unit


def test_the_help_of_train_names_each_recipe_and_data_set_once_and_none_that_has_the_default():
    replaced, defaults = by_recipe(), settings_of(TrainingSettings) | MODEL
    for setting, told in replaced.items():
        names, values = zip(*(part.split(": ") for part in told.split(", ")), strict=True)
        assert len({*names}) == len(names) and str(defaults[setting].default) not in values
    assert replaced["unit"].split(", ").count("couplets: characters") == 1 and "phrasebook" not in replaced["unit"]
    assert "tiny" in replaced["d_model"] and "tiny" not in replaced["max_len"].replace("tiny_text", "")


@pytest.mark.parametrize("verb", ["attend", "translate", "evaluate", "export"])
def test_what_reads_a_run_takes_one_that_was_imported(command, verb):
    assert "a run folder of `npformer train` or import" in " ".join(command(verb, "--help").out.split())


def test_the_help_of_attention_says_of_each_choice_when_it_comes(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "10000")
    text = " ".join(command("train", "--help").out.split()).partition("--attention {")[2].partition(" --")[0]
    choices, said = text.split("} ", 1)
    assert sorted(choices.split(","), key=lambda choice: said.index(f"{choice}: ")) == choices.split(",")
    assert "where max_len allows" in said and "with neighbours it holds for cross-attention alone" in said


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["sing"], []])
def test_without_a_verb_no_library_is_read(arguments):
    program = f"import sys; from npformer.cli import main; main({arguments}); print('numpy' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.stdout.splitlines()[-1] == "False"


def test_only_the_verb_that_is_wanted_is_read(trained_run):
    program = (
        "import sys; from npformer.cli import main; "
        f"main(['translate', {str(trained_run)!r}, 'dog']); print(sorted(sys.modules))"
    )
    read = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.splitlines()[-1]
    assert "'npformer.cli.translate'" in read
    assert "matplotlib" not in read and "'npformer.cli.train'" not in read and "'npformer.testing" not in read


def test_the_package_runs_as_a_module():
    result = subprocess.run([sys.executable, "-m", "npformer", "--version"], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, f"npformer {npformer.__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["train", "latin"], "invalid choice: 'latin'"),
        (["train", "copy", "--colour", "blue"], "unrecognized arguments: --colour. npformer train --help"),
        (["train", "--d-modle", "3"], "unrecognized arguments: --d-modle."),
        (["train", "copy", "--d-modle=3"], "unrecognized arguments: --d-modle=3."),
        (["train", "copy", "--d-model", "wide"], "argument --d-model: invalid int value: 'wide'"),
        (["train", "copy", "--norm", "middle"], "argument --norm: invalid choice: 'middle'"),
        (["translate"], "the following arguments are required: RUN"),
        (["evaluate", "run", "--batch-tokens", "0"], "expected an integer >= 1, got '0'"),
        (["evaluate", "run", "--batch-tokens", "9" * 19], f"expected an integer >= 1, got '{'9' * 19}'"),
        (["evaluate", "run", "--show", "-1"], "argument --show: expected"),
        (["gradcheck", "--seed", "-1"], "expected an integer >= 0, got '-1'"),
        (["gradcheck", "--tolerance", "small"], "argument --tolerance: expected a number above 0, got 'small'"),
        (["train", "copy", "--neighbours", "some"], "argument --neighbours: invalid int value: 'some'"),
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
    assert "there is no verb: expected one of train, translate" in refused()
    assert "'sing' is no verb: expected one of train, translate" in refused("sing", "--loud")


@pytest.mark.parametrize(
    ("option", "said"),
    [("final-norm {true,false,none}", "none: where norm is pre"), ("generator-bias {true,false}", "false")],
)
def test_a_truth_value_says_what_it_is_by_default(command, monkeypatch, option, said):
    monkeypatch.setenv("COLUMNS", "10000")
    text = " ".join(command("train", "--help").out.split())
    told = text.partition(f"--{option} ")[2].partition(" --")[0]
    assert told.endswith(f"(default {said})")

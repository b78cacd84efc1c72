"""Options and sentences in any order, sentences that begin with a dash, and what is neither."""

import os
import subprocess
import sys

import pytest

import npformer as npf

SENTENCES = ["the dog sleeps .", "the bear sings ."]


@pytest.fixture(scope="module")
def expected(trained_run):
    return "".join(
        f"{line}\n" for line in npf.load(trained_run).translate(SENTENCES, beam=1, alpha=0.5)
    )


@pytest.mark.parametrize(
    "order",
    [
        "RUN --beam 1 --alpha 0.5 A B",
        "--beam 1 RUN A --alpha 0.5 B",
        "--alpha 0.5 --beam 1 -- RUN A B",
        "RUN --alpha 0.5 A --beam 1 -- B",
    ],
)
def test_options_and_sentences_in_any_order(command, trained_run, expected, order):
    words = {"RUN": trained_run, "A": SENTENCES[0], "B": SENTENCES[1]}
    assert command("translate", *(words.get(word, word) for word in order.split())) == (
        0,
        expected,
        "",
    )


@pytest.mark.parametrize("order", [["RUN", "--"], ["RUN", "--beam", 4, "--"], ["RUN", "dog", "--"]])
def test_sentence_after_double_dash_may_start_with_dash(command, trained_run, order):
    outcome = command(
        "translate",
        *(trained_run if word == "RUN" else word for word in order),
        "-dog",
        "--beam",
        "a",
    )
    assert (outcome.status, outcome.out.count("\n")) == (0, 3 + ("dog" in order))
    assert (
        "unknown, read as <unk>: -\n" in outcome.err and "read as <unk>: -, beam\n" in outcome.err
    )


def test_unknown_option_error_names_option_and_help(refused, command, trained_run):
    message = refused("translate", trained_run, "--beam", 1, "--color")
    assert (
        message
        == "npformer: unrecognized arguments: --color. npformer translate --help shows the options\n"
    )
    assert command("translate", trained_run, "--bea", 1, "--", "--color").status == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "--run", ""],
        ["train", "--src", "", "--tgt", ""],
        ["train", "--resume", ""],
        ["train", "--recipe", ""],
        ["attend", "", "dog"],
        ["attend", "RUN", "dog", "--out", ""],
        ["attend", "RUN", "dog", "--html", ""],
        ["step", "", "dog"],
        ["step", "RUN", "dog", "--html", ""],
        ["translate", "", "dog"],
        ["generate", "", "dog"],
        ["evaluate", ""],
        ["evaluate", "RUN", "--language", ""],
        ["export", "", "a.safetensors"],
        ["export", "RUN", ""],
        ["import", "", "run"],
        ["import", "RUN", ""],
        ["ablate", "--recipe", "", "--table"],
    ],
)
def test_empty_name_is_rejected(refused, trained_run, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    message = refused(*(trained_run if word == "RUN" else word for word in arguments))
    assert f"expected a name, got ''. npformer {arguments[0]} --help shows the options" in message
    assert not list(tmp_path.iterdir())


def test_double_dash_after_double_dash_is_text(command, trained_run, text_run, monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    outcome = command("translate", trained_run, "--", "--")
    assert (outcome.status, outcome.out.count("\n")) == (0, 1)
    assert outcome.err == "npformer: text 1: unknown, read as <unk>: -\n"
    outcome = command("generate", text_run, "--max-new-tokens", 3, "--", "--")
    assert outcome.status == 0 and outcome.out.startswith("--")


def test_python_without_docstrings_runs_every_verb():
    environment = {**os.environ, "PYTHONOPTIMIZE": "2"}
    for arguments in (["--version"], ["--help"], ["train", "--help"], ["course", "--help"]):
        command = [sys.executable, "-m", "npformer", *arguments]
        outcome = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert (outcome.returncode, outcome.stderr) == (0, "")

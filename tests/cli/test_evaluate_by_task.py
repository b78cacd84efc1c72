"""`npformer evaluate` on runs of one text: what it scores, and which options belong to which
task.
"""

import json
import math
import re
import shutil

import pytest

import npformer as npf
from npformer.runs.folder import RunFolder
from npformer.tasks import evaluate


def test_held_out_text_of_run_is_scored(command, text_run):
    [held_out] = RunFolder(text_run).training().data_set().load("held_out")
    expected = evaluate(npf.load(text_run), held_out)
    assert command("evaluate", text_run) == (0, f"{expected.table()}\n", "")
    assert 1 < expected.perplexity < 10


def test_given_text_is_scored_instead(command, text_run, tmp_path):
    (tmp_path / "text").write_text("the dog sings. the dog runs.\n")
    expected = evaluate(npf.load(text_run), ["the dog sings. the dog runs.\n"])
    out = command("evaluate", text_run, "--text", tmp_path / "text").out
    assert out == f"{expected.table()}\n"
    perplexity, bits = (
        float(re.search(rf"{name} +([\d.]+)", out)[1]) for name in ("perplexity", "bits")
    )
    assert math.log2(perplexity) == pytest.approx(bits, abs=1e-3)  # a token is a character


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "is empty: expected a text"),
        (b"a", "has no other character than 'a': expected a text"),
    ],
)
def test_texts_that_cannot_be_scored_are_rejected(refused, text_run, tmp_path, content, expected):
    (tmp_path / "text").write_bytes(content)
    assert expected in refused("evaluate", text_run, "--text", tmp_path / "text")


def test_held_out_labels_of_run_are_scored(command, classifier_run):
    [held_out] = RunFolder(classifier_run).training().data_set().load("held_out")
    expected = evaluate(npf.load(classifier_run), held_out)
    assert command("evaluate", classifier_run, "--show", 0) == (0, f"{expected.table()}\n", "")


@pytest.mark.parametrize(
    ("run", "options", "expected"),
    [
        (
            "text_run",
            ["--tsv", "x"],
            "a run of the task language_model takes no --tsv: "
            "expected some of --text, --show, --batch-tokens\n",
        ),
        ("text_run", ["--src", "x", "--tgt", "y"], "takes no --src, --tgt"),
        (
            "text_run",
            ["--length-normalization", "wu"],
            "a run of the task language_model takes no --length-normalization: expected",
        ),
        (
            "classifier_run",
            ["--text", "x"],
            "a run of the task classification takes no --text: "
            "expected some of --tsv, --show, --batch-tokens\n",
        ),
        (
            "trained_run",
            ["--tsv", "x"],
            "a run of the task translation takes no --tsv: expected some of --src, --tgt, --language, "
            "--alignment, --beam, --alpha, --length-normalization, --show, --batch-tokens\n",
        ),
    ],
)
def test_options_of_other_tasks_are_rejected(refused, request, run, options, expected):
    assert expected in refused("evaluate", request.getfixturevalue(run), *options)


def test_model_saved_without_training_needs_a_file(
    refused, command, text_run, running_text, tmp_path
):
    npf.save(npf.load(text_run), tmp_path / "run")
    assert (
        "saved without its training: there is nothing to resume, and an evaluation needs files"
        in refused("evaluate", tmp_path / "run")
    )
    assert command("evaluate", tmp_path / "run", "--text", running_text).status == 0


def test_unknown_task_in_config_is_reported_as_damage(refused, text_run, tmp_path):
    folder = RunFolder(shutil.copytree(text_run, tmp_path / "run"))
    content = json.loads(folder.config_path.read_text())
    for name, shown in (
        ("painting", "'painting'"),
        (None, "None"),
        (["translation"], "['translation']"),
    ):
        folder.config_path.write_text(json.dumps({**content, "task": name}))
        for verb, *prompt in (
            ["evaluate"],
            ["generate", "the"],
            ["translate", "the"],
            ["attend", "the"],
        ):
            message = refused(verb, folder.path, *prompt)
            assert (
                f"config.json is damaged: its task is {shown}, expected one of translation, class"
                in message
            )


@pytest.mark.parametrize(
    ("verb", "run", "task", "right"),
    [
        ("translate", "classifier_run", "classification", "classify"),
        ("classify", "text_run", "language_model", "generate"),
        ("generate", "trained_run", "translation", "translate"),
    ],
)
def test_verb_of_another_task_names_the_right_one(refused, request, verb, run, task, right):
    folder = request.getfixturevalue(run)
    message = f"{folder} holds a model of the task {task}: use npformer {right}"
    assert refused(verb, folder, "the dog") == f"npformer: {message}\n"


@pytest.mark.parametrize("option", ["--src", "--tgt"])
def test_one_file_of_a_pair_is_refused(refused, trained_run, text_files, option):
    assert "--src and --tgt go together: give both files or neither\n" in refused(
        "evaluate", trained_run, option, text_files[0]
    )

"""Names that are not UTF-8 are written as they came, sentences that are not are refused; one line stays one line."""

import io
import os
import subprocess
import sys

import pytest

from npformer.cli.output import one_line
from npformer.decoding import Translator
from npformer.decoding.translator import Translation

ODD = os.fsdecode(b"caf\xe9")
BREAKING = "a\nb\tc\rd\ve\ff\x1cg\x85h\u2028i\u2029j\x1bk\0l"
SENTENCE = "the dog sleeps ."


@pytest.fixture
def shell(tmp_path):
    """Run the command line in a process of its own, in an empty folder, and return its streams as bytes."""

    def run(*arguments):
        process = subprocess.run(
            [sys.executable, "-m", "npformer", *map(str, arguments)], cwd=tmp_path, capture_output=True
        )
        assert process.stderr.count(b"\n") <= 1 and b"Traceback" not in process.stderr
        return process.returncode, process.stdout, process.stderr

    return run


@pytest.mark.long
def test_a_run_may_have_a_name_that_is_not_utf_8(shell, text_files, small, tmp_path):
    files = ["--src", text_files[0], "--tgt", text_files[1]]
    status, out, err = shell("train", *files, *small, "--epochs", 1, "--max-len", 12, "--run", ODD)
    assert (status, err) == (0, b"") and b"folder  caf\xe9\n" in out and b"npformer translate 'caf\xe9' " in out
    assert (tmp_path / ODD / "curve.png").is_file()
    for arguments in (["translate", ODD, "a dog"], ["evaluate", ODD], ["train", "--resume", ODD]):
        status, out, _ = shell(*arguments)
        assert status == 0 and out


def test_a_run_that_is_not_there_is_named_readably(shell):
    status, _, err = shell("translate", ODD, "a dog")
    assert status == 2 and err.startswith(b"npformer: caf\\udce9 is not a run folder")


@pytest.mark.long
def test_pictures_pages_and_data_may_have_such_names(shell, trained_run, tmp_path):
    picture, page = f"{ODD}.png", f"{ODD}.html"
    outcome = shell("attend", trained_run, SENTENCE, "--out", picture, "--html", page)
    assert outcome == (0, b"caf\xe9.png\ncaf\xe9.html\n", b"")
    assert (tmp_path / picture).is_file() and (tmp_path / page).is_file()
    status, out, _ = shell("data", "copy", "--lines", 1, "--out", ODD)
    assert status == 0 and out.startswith(b"caf\xe9/copy/train.src\n")


@pytest.mark.parametrize("arguments", [["translate", ODD], ["attend", ODD], ["attend", "dog", "--translation", ODD]])
def test_a_sentence_that_is_not_utf_8_is_refused(refused, trained_run, arguments):
    verb, *rest = arguments
    assert "expected text in UTF-8, got 'caf\\udce9'" in refused(verb, trained_run, *rest)


@pytest.fixture
def breaking(monkeypatch):
    """Let every translation be of characters that end lines, as a model of subwords may write bytes."""

    def translations(translator, sources, *, n=None, **settings):
        return [[Translation(BREAKING, -1.0)] * (n or 1) for _ in sources]

    monkeypatch.setattr(Translator, "translations", translations)


def test_each_translation_is_one_line(command, breaking, trained_run, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"the dog\nthe cat\n")))
    assert command("translate", trained_run).out == "a b c d e f g h i j k l\n" * 2


def test_each_of_the_n_best_is_a_row_of_three_cells(command, breaking, trained_run):
    out = command("translate", trained_run, SENTENCE, "a\nb", "--n-best", 2).out
    assert out == "".join(f"{n}\t-1.0000\ta b c d e f g h i j k l\n" for n in (1, 1, 2, 2))


def test_translations_that_are_shown_are_one_line_each(command, breaking, trained_run, text_files, small, tmp_path):
    """Those that `evaluate --show` prints, and those at the end of a training; so are sources and references."""
    for name, text in {"src": "the dog\t.\nthe\x85cat\n", "tgt": "der\u2028Hund .\nder Kater\x1b[2J\n"}.items():
        (tmp_path / name).write_text(text, "utf-8")
    pairs = [tmp_path / "src", tmp_path / "tgt"]
    out = command("evaluate", trained_run, "--src", pairs[0], "--tgt", pairs[1], "--show", 2).out
    files = ["--src", text_files[0], "--tgt", text_files[1], "--valid-src", pairs[0], "--valid-tgt", pairs[1]]
    trained = command("train", *files, *small, "--epochs", 1, "--max-len", 12, "--run", tmp_path / "run").out
    expected = "  source     the dog .\n* output     a b c d e f g h i j k l\n  reference  der Hund .\n\n"
    expected += "  source     the cat\n* output     a b c d e f g h i j k l\n  reference  der Kater [2J\n\n"
    assert f"{expected}sentences " in out and expected in trained


def test_a_sentence_with_line_ends_gives_one_line_and_one_message(command, trained_run):
    status, out, err = command("translate", trained_run, "the dog\nsleeps\u2028now .")
    assert (status, out.count("\n")) == (0, 1)
    assert err == "npformer: text 1: unknown, read as <unk>: now\n"


def test_what_is_no_control_character_stays():
    text = "Größe „x“ 犬 \u00a0 \u200d 🐕 ~"
    assert one_line(text) == text

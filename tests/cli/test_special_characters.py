"""Names that are not UTF-8 are written as they came, sentences that are not are refused; one line
stays one line.
"""

import io
import os
import subprocess
import sys
import warnings

import pytest

from npformer.cli import main
from npformer.cli.standard_streams import open_streams, report_warnings
from npformer.tasks import Translator
from npformer.tasks.translator import Translation
from npformer.utils import one_line

ODD = os.fsdecode(b"caf\xe9")
BREAKING = "a\nb\tc\rd\ve\ff\x1cg\x85h\u2028i\u2029j\x1bk\0l"


@pytest.fixture
def shell(tmp_path):
    """Run the command line in a process of its own, in an empty folder, and return its streams as
    bytes.
    """

    def run(*arguments):
        process = subprocess.run(
            [sys.executable, "-m", "npformer", *map(str, arguments)],
            cwd=tmp_path,
            capture_output=True,
        )
        assert process.stderr.count(b"\n") <= 1 and b"Traceback" not in process.stderr
        return process.returncode, process.stdout, process.stderr

    return run


@pytest.mark.long
def test_run_name_may_be_non_utf8(shell, text_files, small, tmp_path):
    files = ["--src", text_files[0], "--tgt", text_files[1]]
    status, out, err = shell("train", *files, *small, "--epochs", 1, "--max-len", 12, "--run", ODD)
    assert (
        (status, err) == (0, b"")
        and b"folder  caf\xe9\n" in out
        and b"npformer translate 'caf\xe9' " in out
    )
    assert (tmp_path / ODD / "curve.png").is_file()
    for arguments in (["translate", ODD, "a dog"], ["evaluate", ODD], ["train", "--resume", ODD]):
        status, out, _ = shell(*arguments)
        assert status == 0 and out


@pytest.mark.parametrize(
    "arguments",
    [
        ["translate", ODD],
        ["attend", ODD],
        ["attend", "dog", "--translation", ODD],
        ["step", ODD],
        ["step", "dog", ODD],
    ],
)
def test_non_utf8_sentence_is_rejected(refused, trained_run, arguments):
    verb, *rest = arguments
    assert "expected text in UTF-8, got 'caf\\udce9'" in refused(verb, trained_run, *rest)


@pytest.fixture
def line_ending_translations(monkeypatch):
    """Let every translation be of characters that end lines, as a model of subwords may write
    bytes.
    """

    def translations(translator, sources, *, n=None, **settings):
        return [[Translation(BREAKING, -1.0)] * (n or 1) for _ in sources]

    monkeypatch.setattr(Translator, "translations", translations)


def test_each_translation_is_one_line(command, line_ending_translations, trained_run, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"the dog\nthe cat\n")))
    assert command("translate", trained_run).out == "a b c d e f g h i j k l\n" * 2
    out = command("translate", trained_run, "the dog", "--n-best", 2).out
    assert out == "1\t-1.0000\ta b c d e f g h i j k l\n" * 2


def test_only_what_controls_a_terminal_becomes_a_space():
    for first, last in ((0, 0x1F), (0x7F, 0x9F), (0x2028, 0x202E), (0x2066, 0x2069)):
        assert one_line(f"a{chr(first)}b{chr(last)}c") == "a b c"
    others = "~\xa0\u2027\u202f\u2065\u206a"
    assert one_line(others) == others


def test_output_is_utf_8_with_the_bytes_of_names_whatever_the_locale(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", stream)
    open_streams()
    print(f"ü {ODD}", end="", flush=True)
    assert stream.buffer.getvalue() == "ü caf".encode() + b"\xe9"


def test_closed_output_is_reported(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout", None)
    assert main(["gradcheck", "--list"]) == 2
    closed = "standard output is closed: redirect it to a terminal, a file or a pipe"
    assert capsys.readouterr().err == f"npformer: {closed}\n"


def test_each_warning_is_printed_once_in_one_line(capsys):
    with report_warnings():
        for text in ("a\nb", "c", "a\nb"):
            warnings.warn(text, stacklevel=1)
    assert capsys.readouterr().err == "npformer: a b\nnpformer: c\n"

import io
import subprocess
import sys

import pytest

from npformer.inference import Translator

SENTENCES = ["the dog sleeps .", "the bear sings .", "the king runs .", "the fox ."]


@pytest.fixture
def piped(command, monkeypatch, trained_run):
    """Translate what stands on standard input."""

    def run(content):
        data = content.encode() if isinstance(content, str) else content
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        return command("translate", trained_run)

    return run


@pytest.fixture(scope="module")
def expected(trained_run):
    return Translator.load(trained_run).translate(SENTENCES)


def test_arguments_are_translated_a_line_each_in_their_order(command, trained_run, expected):
    assert command("translate", trained_run, *SENTENCES) == (0, "".join(f"{line}\n" for line in expected), "")


def test_lines_of_standard_input_are_translated_in_their_order(piped, expected):
    status, out, err = piped("\n".join(SENTENCES * 40))
    assert (status, err) == (0, "")
    assert out.splitlines() == expected * 40


@pytest.mark.parametrize("content", ["{}\r\n{}\r\n", "\ufeff{}\n{}"])
def test_line_ends_and_a_byte_order_mark_are_no_words(piped, expected, content):
    assert piped(content.format(*SENTENCES[:2])) == (0, "\n".join(expected[:2]) + "\n", "")


def test_nothing_on_standard_input_is_translated_to_nothing(piped):
    assert piped("") == (0, "", "")


def test_a_blank_line_keeps_its_place_and_is_reported(piped, expected):
    status, out, err = piped("\n".join([SENTENCES[0], "", SENTENCES[1], "  ", SENTENCES[2]]) + "\n")
    assert status == 2
    assert out.split("\n") == [expected[0], "", expected[1], "", expected[2], ""]
    reason = "the sentence is empty: give at least one word"
    assert err.splitlines() == [f"npformer: line 2: {reason}", f"npformer: line 4: {reason}"]


def test_lines_are_numbered_on_beyond_the_first_chunk(piped):
    status, out, err = piped("the dog\n" * 150 + "\nthe dog\n")
    assert (status, out.count("\n")) == (2, 152)
    assert err.startswith("npformer: line 151: ") and err.count("\n") == 1


def test_a_sentence_too_long_for_the_model_keeps_its_place_and_is_reported(command, trained_run, expected):
    status, out, err = command("translate", trained_run, "dog " * 40, SENTENCES[0])
    assert (status, out) == (2, f"\n{expected[0]}\n")
    assert err.startswith("npformer: sentence 1: the sentence has 41 tokens with <eos>, more than max_len = 12: cut it")
    assert err.count("\n") == 1


def test_unknown_words_are_named_and_translated_all_the_same(command, trained_run):
    status, out, err = command("translate", trained_run, "the zebra sleeps , zebra !")
    assert status == 0 and out.strip()
    assert err == "npformer: sentence 1: unknown, read as <unk>: zebra, ,, !\n"


def test_standard_input_that_is_not_utf_8_is_refused(piped):
    status, _, err = piped("the dog\nGröße\n".encode("latin-1"))
    assert status == 2
    assert err == "npformer: line 2 of standard input is not UTF-8: save it as UTF-8 text\n"


def test_the_lines_before_one_that_is_not_utf_8_are_not_lost(piped, expected):
    status, out, _ = piped("\n".join(SENTENCES).encode() + "\nGröße\n".encode("latin-1"))
    assert (status, out.splitlines()) == (2, expected)


def test_a_reader_that_goes_away_ends_it_quietly(trained_run):
    command = [sys.executable, "-m", "npformer", "translate", trained_run]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    _, err = process.communicate(b"the dog sleeps .\n" * 200)
    assert (process.returncode, err) == (1, b"")


@pytest.mark.parametrize("arguments", [["no/such/run", "hello"], ["--colour"]])
def test_a_real_process_ends_with_status_2_and_one_line(arguments):
    process = subprocess.run(
        [sys.executable, "-m", "npformer", "translate", *arguments], capture_output=True, text=True
    )
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr.startswith("npformer: ") and process.stderr.count("\n") == 1

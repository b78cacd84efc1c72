import io
import subprocess
import sys

import pytest

import npformer as npf
from npformer.cli import main
from npformer.tasks import Translator

SENTENCES = ["the dog sleeps .", "the bear sings .", "the king runs .", "the fox ."]


@pytest.fixture
def piped(command, monkeypatch, trained_run):
    """Translate what is on standard input."""

    def run(content):
        data = content.encode() if isinstance(content, str) else content
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        return command("translate", trained_run)

    return run


@pytest.fixture(scope="module")
def expected(trained_run):
    return npf.load(trained_run).translate(SENTENCES)


def test_arguments_are_translated_one_per_line_in_order(command, trained_run, expected):
    assert command("translate", trained_run, *SENTENCES) == (
        0,
        "".join(f"{line}\n" for line in expected),
        "",
    )


def test_stdin_lines_are_translated_in_order(piped, expected):
    status, out, err = piped("\n".join(SENTENCES * 40))
    assert (status, err) == (0, "")
    assert out.splitlines() == expected * 40


def test_byte_order_mark_of_stdin_is_not_read(piped, expected):
    # as editors of Windows write it
    text = "\r\n".join(SENTENCES)
    assert piped(b"\xef\xbb\xbf" + text.encode()) == (0, "\n".join(expected) + "\n", "")


def test_blank_line_keeps_its_place_and_others_succeed(piped, expected):
    status, out, err = piped("\n".join([SENTENCES[0], "", SENTENCES[1], "  ", SENTENCES[2]]) + "\n")
    assert status == 0
    assert out.split("\n") == [expected[0], "", expected[1], "", expected[2], ""]
    reason = "the sentence is empty: give at least one word"
    assert err.splitlines() == [f"npformer: line 2: {reason}", f"npformer: line 4: {reason}"]


def test_unknown_words_are_reported_and_still_translated(command, trained_run):
    status, out, err = command("translate", trained_run, "the zebra sleeps , zebra !")
    assert status == 0 and out.strip()
    assert err == "npformer: text 1: unknown, read as <unk>: zebra, ,, !\n"
    err = command("translate", trained_run, "the\0dog").err
    assert err == "npformer: text 1: unknown, read as <unk>: '\\x00'\n"


def test_closed_stdout_ends_translate_silently(trained_run):
    command = [sys.executable, "-m", "npformer", "translate", trained_run]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    _, err = process.communicate(b"the dog sleeps .\n" * 200)
    assert (process.returncode, err) == (1, b"")


@pytest.mark.parametrize("options", [["--beam", 1], ["--batch-tokens", 1]])
def test_greedy_search_and_batches_of_one(command, trained_run, options):
    [name, value] = options
    how = {name.lstrip("-").replace("-", "_"): value}
    expected = npf.load(trained_run).translate(SENTENCES, **how)
    assert command("translate", trained_run, *SENTENCES, *options).out.splitlines() == expected


def test_n_best_output_has_line_number_and_score(command, trained_run, expected):
    status, out, err = command("translate", trained_run, *SENTENCES, "--n-best", 3, "--beam", 5)
    rows = [line.split("\t") for line in out.splitlines()]
    assert (status, err, [int(number) for number, _, _ in rows]) == (
        0,
        "",
        [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4],
    )
    found = npf.load(trained_run).n_best(SENTENCES, n=3, beam=5)
    assert [(text, float(score)) for _, score, text in rows] == [
        (translation.text, round(translation.score, 4)) for best in found for translation in best
    ]
    for best in found:
        scores = [translation.score for translation in best]
        assert scores == sorted(scores, reverse=True)


SEARCH = {"beam": 3, "alpha": 0.25, "length_normalization": "length", "batch_tokens": 9}
SAID = ["--beam", 3, "--alpha", 0.25, "--length-normalization", "length", "--batch-tokens", 9]


@pytest.fixture
def searches(monkeypatch):
    """How many sentences each search is given, and what it is asked for."""
    found, usual = [], Translator.translations

    def translations(self, sources, **how):
        found.append((len(sources), how))
        return usual(self, sources, **how)

    monkeypatch.setattr(Translator, "translations", translations)
    return found


@pytest.mark.parametrize(
    ("said", "search"),
    [(SAID, SEARCH), ([], dict.fromkeys(["beam", "alpha", "length_normalization"]))],
)
def test_evaluate_uses_search_options(command, searches, trained_run, text_files, said, search):
    assert (
        command(
            "evaluate", trained_run, "--src", text_files[0], "--tgt", text_files[1], *said
        ).status
        == 0
    )
    [(n, asked)] = searches
    assert (n, asked | search) == (30, asked)


def test_translate_uses_search_options(command, searches, trained_run):
    assert command("translate", trained_run, *SENTENCES, *SAID).status == 0
    assert searches[-1] == (4, {"n": None, **SEARCH})


def test_lines_are_translated_once_a_batch_is_read(command, searches, monkeypatch, trained_run):
    monkeypatch.setattr("npformer.cli.predict.LINES", 3)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("\n".join(SENTENCES).encode())))
    assert command("translate", trained_run, *SAID).status == 0
    assert [n for n, _ in searches if n] == [3, 1]


def test_typed_line_is_answered_at_once(command, searches, monkeypatch, trained_run):
    typed = io.TextIOWrapper(io.BytesIO("\n".join(SENTENCES).encode()))
    monkeypatch.setattr("sys.stdin", typed)
    typed.isatty = lambda: True
    assert command("translate", trained_run).status == 0
    assert [n for n, _ in searches if n] == [1] * len(SENTENCES)


def test_answer_is_shown_before_the_next_line_is_read(monkeypatch, trained_run):
    shown = io.StringIO()
    flushed = []
    shown.flush = lambda: flushed.append(shown.getvalue().count("\n"))
    typed = io.TextIOWrapper(io.BytesIO("\n".join(SENTENCES).encode()))
    typed.isatty = lambda: True
    monkeypatch.setattr("sys.stdin", typed)
    monkeypatch.setattr("sys.stdout", shown)
    assert main(["translate", str(trained_run)]) == 0
    assert flushed == [1, 2, 3, 4]


def test_closed_stdin_is_reported(refused, monkeypatch, trained_run):
    monkeypatch.setattr("sys.stdin", None)
    closed = "standard input is closed: give texts as arguments, or lines to read"
    assert refused("translate", trained_run) == f"npformer: {closed}\n"


def test_n_best_numbers_count_all_lines(command, monkeypatch, trained_run):
    monkeypatch.setattr("npformer.cli.predict.LINES", 3)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("\n".join(SENTENCES).encode())))
    out = command("translate", trained_run, "--n-best", 1).out
    assert [line.split("\t")[0] for line in out.splitlines()] == ["1", "2", "3", "4"]


def test_n_best_of_blank_line_has_empty_score_and_text(command, trained_run):
    status, out, _ = command("translate", trained_run, SENTENCES[0], " ", "--n-best", 1)
    assert status == 2 and [line.count("\t") for line in out.splitlines()] == [2, 2]
    assert out.endswith("\n2\t\t\n")


def test_out_of_range_options_are_rejected_before_reading(refused, monkeypatch, trained_run):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\nthe dog\n")))
    assert "n_best = 9 with beam = 4" in refused("translate", trained_run, "--n-best", 9)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--n-best", 5], "n_best = 5 with beam = 4: expected 1 .. 4"),
        (["--beam", 0], "beam = 0: expected an integer >= 1"),
        (["--beam", 10**20], f"beam = {10**20}: expected an integer of 9007199254740992 at most"),
        (["--batch-tokens", 10**20], "expected an integer of 9007199254740992 at most, got '100"),
        (["--alpha", "-1"], "alpha = -1.0: expected"),
        (
            ["--length-normalization", "marian"],
            "argument --length-normalization: invalid choice: 'marian'",
        ),
    ],
)
def test_out_of_range_options_are_rejected(refused, trained_run, options, expected):
    assert expected in refused("translate", trained_run, "the dog", *options)

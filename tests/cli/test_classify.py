"""`npformer classify`: a line a text, in its order, as text or as JSON."""

import io
import json
import re

import pytest

import npformer as npf
from npformer.tasks import TextClassifier

TEXTS = ["the dog sleeps .", "is the king here ?", "the king runs .", "the fox sees"]


@pytest.fixture(scope="module")
def labeller(classifier_run):
    return npf.load(classifier_run)


@pytest.fixture(scope="module")
def expected(labeller):
    """What is printed for the texts."""
    lines = []
    for label, probabilities in labeller.classify(TEXTS):
        rest = [f"{name} {p:.2f}" for name, p in probabilities.items() if name != label]
        lines.append(f"{label:<8}  {probabilities[label]:.2f}   {'  '.join(rest)}")
    return lines


@pytest.fixture
def piped(command, monkeypatch, classifier_run):
    """Classify what is on standard input."""

    def run(content, *options):
        data = content.encode() if isinstance(content, str) else content
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        return command("classify", classifier_run, *options)

    return run


def test_line_shows_class_and_probabilities(command, classifier_run, expected):
    status, out, err = command("classify", classifier_run, *TEXTS)
    assert (status, out.splitlines(), err) == (0, expected, "")
    assert re.fullmatch(
        r"animal    [01]\.\d\d   (person|question) 0\.\d\d  (person|question) 0\.\d\d", expected[0]
    )
    assert [line.split()[0] for line in expected[:3]] == ["animal", "question", "person"]


def test_stdin_lines_are_classified_in_order(piped, expected):
    status, out, err = piped("\n".join(TEXTS * 40))
    assert (status, out.splitlines(), err) == (0, expected * 40, "")


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_blank_line_keeps_its_place_and_others_succeed(piped, expected, options):
    status, out, err = piped("\n".join([TEXTS[0], "", TEXTS[1]]) + "\n", *options)
    assert (status, err) == (0, "npformer: line 2: the text is empty: give at least one word\n")
    empty = {"text": None, "label": None, "probabilities": {}, "unknown": []}
    if options:
        assert json.loads(out.splitlines()[1]) == empty and out.count("\n") == 3
    else:
        assert out.splitlines() == [expected[0], "", expected[1]]


def test_unknown_words_are_reported_and_in_json(command, classifier_run, labeller):
    status, out, err = command("classify", classifier_run, "the yeti sleeps .", TEXTS[0], "--json")
    assert (status, err) == (0, "npformer: text 1: unknown, read as <unk>: yeti\n")
    first, second = map(json.loads, out.splitlines())
    assert (first["unknown"], second["unknown"]) == (["yeti"], [])
    [found] = labeller.classify("the yeti sleeps .")
    assert (first["label"], first["text"]) == (found.label, "the yeti sleeps .")
    assert list(first["probabilities"]) == list(found.probabilities)
    assert first["probabilities"] == pytest.approx(found.probabilities, rel=1e-5)


def test_json_object_is_one_line_for_any_characters(command, classifier_run):
    text = "der \x85 \u2028 \x1b[31m dog\nBär"
    status, out, _ = command("classify", classifier_run, "--json", text)
    assert (status, len(out.splitlines()), json.loads(out)["text"]) == (0, 1, text)
    assert "\x1b" not in out


def test_non_utf8_line_is_reported_and_keeps_its_place(piped, expected):
    status, out, err = piped(TEXTS[0].encode() + b"\nGr\xfc\xdfe\n" + TEXTS[1].encode())
    assert (status, out.splitlines()) == (2, [expected[0], "", expected[1]])
    assert err == "npformer: line 2: it is not UTF-8: save it as UTF-8 text\n"


def test_batch_tokens_option_is_used(piped, expected, monkeypatch):
    asked, usual = [], TextClassifier.probabilities
    monkeypatch.setattr(
        TextClassifier,
        "probabilities",
        lambda self, ids, **how: asked.append((len(ids), how)) or usual(self, ids, **how),
    )
    status, out, _ = piped("\n".join(TEXTS * 3), "--batch-tokens", 11)
    assert (status, out.splitlines()) == (0, expected * 3)
    assert all(how == {"batch_tokens": 11} for n, how in asked if n)

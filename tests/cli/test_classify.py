"""`npformer classify`: a line a text, in its order, as text or as JSON."""

import io
import json
import re

import pytest

import npformer as npf
from npformer.decoding import TextClassifier

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


def test_a_line_tells_the_class_its_probability_and_the_others(command, classifier_run, expected):
    status, out, err = command("classify", classifier_run, *TEXTS)
    assert (status, out.splitlines(), err) == (0, expected, "")
    assert re.fullmatch(r"animal    [01]\.\d\d   (person|question) 0\.\d\d  (person|question) 0\.\d\d", expected[0])
    assert [line.split()[0] for line in expected[:3]] == ["animal", "question", "person"]


def test_lines_of_standard_input_are_classified_in_their_order(piped, expected):
    status, out, err = piped("\n".join(TEXTS * 40))
    assert (status, out.splitlines(), err) == (0, expected * 40, "")


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_blank_line_keeps_its_place_and_is_no_failure_of_the_others(piped, expected, options):
    status, out, err = piped("\n".join([TEXTS[0], "", TEXTS[1]]) + "\n", *options)
    assert (status, err) == (0, "npformer: line 2: the text is empty: give at least one word\n")
    empty = {"text": None, "label": None, "probabilities": {}, "unknown": []}
    if options:
        assert json.loads(out.splitlines()[1]) == empty and out.count("\n") == 3
    else:
        assert out.splitlines() == [expected[0], "", expected[1]]


def test_unknown_words_are_told_and_stand_in_the_object(command, classifier_run, labeller):
    status, out, err = command("classify", classifier_run, "the yeti sleeps .", TEXTS[0], "--json")
    assert (status, err) == (0, "npformer: text 1: unknown, read as <unk>: yeti\n")
    first, second = map(json.loads, out.splitlines())
    assert (first["unknown"], second["unknown"]) == (["yeti"], [])
    [found] = labeller.classify("the yeti sleeps .")
    assert (first["label"], first["text"]) == (found.label, "the yeti sleeps .")
    assert list(first["probabilities"]) == list(found.probabilities)
    assert first["probabilities"] == pytest.approx(found.probabilities, rel=1e-5)


def test_an_object_is_one_line_whatever_characters_the_text_has(command, classifier_run):
    text = "der \x85 \u2028 \x1b[31m dog\nBär"
    status, out, _ = command("classify", classifier_run, "--json", text)
    assert (status, len(out.splitlines()), json.loads(out)["text"]) == (0, 1, text)
    assert "\x1b" not in out


def test_a_line_that_is_not_utf_8_is_reported_and_keeps_its_place(piped, expected):
    status, out, err = piped(TEXTS[0].encode() + b"\nGr\xfc\xdfe\n" + TEXTS[1].encode())
    assert (status, out.splitlines()) == (2, [expected[0], "", expected[1]])
    assert err == "npformer: line 2: it is not UTF-8: save it as UTF-8 text\n"


def test_the_tokens_of_a_batch_are_as_many_as_it_is_given(piped, expected, monkeypatch):
    asked, usual = [], TextClassifier.probabilities
    monkeypatch.setattr(
        TextClassifier,
        "probabilities",
        lambda self, ids, **how: asked.append((len(ids), how)) or usual(self, ids, **how),
    )
    status, out, _ = piped("\n".join(TEXTS * 3), "--batch-tokens", 11)
    assert (status, out.splitlines()) == (0, expected * 3)
    assert all(how == {"batch_tokens": 11} for n, how in asked if n)

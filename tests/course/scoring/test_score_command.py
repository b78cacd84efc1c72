"""`npformer course score`: the table of a class, and every error of its options."""

import csv
import os
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import npformer as npf
from npformer.datasets import phrasebook
from npformer.decoding import BeamSearchConfig
from npformer.evaluation import bleu_and_chrf
from npformer.tasks import Translator
from npformer_course.cli import score
from npformer_course.scoring import language_model
from npformer_course.scoring.score_table import Score
from npformer_course.scoring.translator import score_translator

UNIFORM = """import numpy as np


def train(text, seconds):
    V = len(set(text))
    return lambda beginnings: np.full((len(beginnings), V), 1 / V)
"""
LIKES_A = UNIFORM.replace(
    "np.full((len(beginnings), V), 1 / V)", "np.tile(P, (len(beginnings), 1))"
)
LIKES_A = f"P = [0.25, 0.5, 0.25]  # of the end of a line, a and b\n{LIKES_A}"


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    (tmp_path / "text.txt").write_text("aab\naaab\n", encoding="utf-8")
    (tmp_path / "held.txt").write_text("aaab\naab\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def hand_in(place):
    def hand_in(path, code):
        file = place / "class" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(code, encoding="utf-8")

    return hand_in


def rows(path):
    text = path.read_text(encoding="utf-8-sig")
    return list(csv.reader(text.splitlines()))


def test_language_models_are_sorted_and_a_broken_one_stops_no_other(command, place, hand_in):
    hand_in("ada/language_model.py", UNIFORM)
    hand_in("=bob/inner/language_model.py", "def train(")
    hand_in("cem.py", LIKES_A)
    hand_in("Dora L_123_assignsubmission_file_/language_model.py", UNIFORM)
    hand_in("eve.b/notes.txt", "")
    hand_in("eve/notes.txt", "")
    for other in (".hidden/language_model.py", "__MACOSX/language_model.py", "notes.txt"):
        hand_in(other, UNIFORM)
    status, out, err = command(
        *"course score class --text text.txt --held-out held.txt --seconds 2".split()
    )
    assert (status, err) == (0, "")
    assert "1  cem" in out and "2  Dora L" in out and "3  ada" in out
    # of the 8 characters after the first 4 are a, of which it is as sure as of all others
    assert "\n4/6 cem: nats per character 1.040, training seconds " in out
    assert out.startswith("1/6 _bob: line 1 ends with SyntaxError")
    # 5 of 9 characters are a in both texts, and 2 each of the others
    assert "To compare: knows nothing, 1.099\nTo compare: counts of characters, 0.995\n" in out
    assert "\n6 students in " in out and "\nThe table: scores.csv\n" in out
    header, *table = rows(place / "scores.csv")
    assert header == ["student", "nats per character", "training seconds", "problem"]
    assert [row[0] for row in table] == ["cem", "Dora L", "ada", "_bob", "eve", "eve.b"]
    assert table[0][1] < table[1][1] == table[2][1] == "1.099"
    assert "SyntaxError" in table[3][3] and table[4][3] == "there is no language_model.py"


def test_one_student_can_be_scored(command, hand_in):
    hand_in("language_model.py", UNIFORM)
    for place in ("class", "class/language_model.py"):
        texts = "--text text.txt --held-out held.txt --out one.csv".split()
        assert "1.099" in command("course", "score", place, *texts).out


def test_options_of_a_score_arrive(command, place, hand_in, monkeypatch):
    class Pool(ThreadPoolExecutor):
        def __init__(self, workers):
            given.append(workers)
            super().__init__(workers)

    def score_one(student, path, text, held_out, seconds):
        given.append((student, path, text, held_out, seconds))
        return Score(student, (1.0, 2.0))

    given = []
    monkeypatch.setattr(score, "ThreadPoolExecutor", Pool)
    monkeypatch.setattr(language_model, "score_language_model", score_one)
    hand_in("ada.py", UNIFORM)
    texts = ["--text", "text.txt", "--held-out", "held.txt"]
    command("course", "score", "class", *texts, "--seconds", "7", "--workers", "3")
    command("course", "score", "class", *texts)
    row = ("ada", Path("class", "ada.py"), "aab\naaab\n", "aaab\naab\n")
    assert given == [3, (*row, 7.0), 1, (*row, 60.0)]


def test_two_files_of_a_student_are_a_problem(command, place, hand_in):
    for folder in ("new", "old"):
        hand_in(f"ada/{folder}/language_model.py", UNIFORM)
    command(*"course score class --text text.txt --held-out held.txt".split())
    [_, row] = rows(place / "scores.csv")
    paths = [str(Path("class", "ada", folder, "language_model.py")) for folder in ("new", "old")]
    assert row[3] == f"there are 2 of language_model.py: {', '.join(paths)}"


def test_translators_are_scored_on_hidden_sentences(command, place, monkeypatch):
    pairs = phrasebook.split()[1][:10]
    (place / "h.en").write_text("\n".join(pair.source for pair in pairs) + "\n", encoding="utf-8")
    (place / "h.de").write_text("\n".join(pair.target for pair in pairs) + "\n", encoding="utf-8")
    npf.runs.save(npf.load("phrasebook"), place / "class/ada/runs/your-phrasebook")
    translator = npf.load("phrasebook")
    for parameter in translator.model.parameters():
        parameter.data[...] = 0.01
    npf.runs.save(translator, place / "class/bob/runs/your-phrasebook")
    (place / "class/cem").mkdir()
    (place / "class/dora").mkdir()
    (place / "class/dora/config.json").write_text("{", encoding="utf-8")

    status, _, err = command(*"course score class --sentences h.en h.de --out t.csv".split())
    header, *table = rows(place / "t.csv")
    assert (status, err) == (0, "")
    assert header == ["student", "BLEU", "chrF", "% equal", "problem"]
    assert table[0] == ["ada", "100.0", "100.0", "100.0", ""]
    assert table[1][0] == "bob" and float(table[1][1]) < 5
    assert table[2][:4] == ["cem", "", "", ""] and table[2][4] == "there is no run folder"
    assert table[3][0] == "dora" and table[3][4].startswith("dora")
    assert str(place) not in table[3][4]

    run = "class/ada/runs/your-phrasebook"
    sentences = ["--sentences", "h.en", "h.de"]
    # a run folder alone, and the folder of a student, from within
    assert "1/1 your-phrasebook: BLEU 100.0," in command("course", "score", run, *sentences).out
    monkeypatch.chdir("class/ada")
    sentences = ["--sentences", "../../h.en", "../../h.de"]
    assert "1/1 ada: BLEU 100.0," in command("course", "score", ".", *sentences).out


@pytest.mark.parametrize(
    ("found", "problem"),
    [
        (object(), "run is no translator"),
        (MemoryError(), "out of memory"),
        (OSError("PLACE/run/config.json: damaged\nby hand"), "run/config.json: damaged by hand"),
    ],
)
def test_folder_that_gives_no_translator_is_a_problem(place, monkeypatch, found, problem):
    def load(folder):
        if isinstance(found, Exception):
            raise type(found)(*(text.replace("PLACE", str(place)) for text in found.args))
        return found

    monkeypatch.setattr(npf, "load", load)
    assert score_translator("ada", place / "run", ["a"], ["b"]) == Score("ada", problem=problem)


def test_search_of_a_students_own_does_not_count(place, monkeypatch):
    translator = npf.load("phrasebook")
    translator.search = BeamSearchConfig(beam=1, alpha=10)
    npf.runs.save(translator, place / "run")
    searches = []

    def translate(self, sources):
        searches.append(self.search)
        return sources

    monkeypatch.setattr(Translator, "translate", translate)
    sources, references = ["the dog", "a cat sings"], ["the dog", "a cat sang now"]
    found = score_translator("ada", place / "run", sources, references)
    both = bleu_and_chrf(sources, references)
    assert found == Score("ada", (both.bleu, both.chrf, 50.0)) and both.bleu != both.chrf
    assert searches == [BeamSearchConfig()]

    sources = ["dé", "é"]
    decomposed = [unicodedata.normalize("NFD", text) for text in sources]
    assert score_translator("ada", place / "run", sources, decomposed).numbers[2] == 100


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("class", "expected --text and --held-out to score language models, or --sentences"),
        ("class --text text.txt", "expected --text and --held-out"),
        ("class --text text.txt --held-out held.txt --sentences a b", "expected --text and"),
        ("nowhere --text text.txt --held-out held.txt", "nowhere does not exist"),
        ("class --text text.txt --held-out held.txt", "nothing to score in class"),
        ("class --text held.txt --held-out text.txt --seconds 0", "--seconds"),
        ("text.txt --sentences text.txt text.txt", "text.txt is not a folder"),
        ("class --sentences text.txt long.txt", "text.txt has 2 lines and long.txt 3"),
        ("class --sentences text.txt empty.txt", "line 2 of empty.txt is empty"),
        ("class --sentences text.txt text.txt", "nothing to score in class"),
        (
            "class --sentences text.txt text.txt --out new/a.csv",
            "new/a.csv cannot be written: make",
        ),
        (
            "class --sentences text.txt text.txt --out class",
            "class is a folder: expected the name of a file for the table",
        ),
    ],
)
def test_options_that_make_no_score_are_refused(command, place, options, message):
    (place / "class").mkdir()
    (place / "long.txt").write_text("a\nb\nc\n", encoding="utf-8")
    (place / "empty.txt").write_text("a\n\nc\n", encoding="utf-8")
    status, _, err = command("course", "score", *options.split())
    assert status == 2 and message in err


def test_two_students_of_one_name_are_refused(command, hand_in):
    hand_in("ada/language_model.py", UNIFORM)
    hand_in("ada.py", UNIFORM)
    status, _, err = command(*"course score class --text text.txt --held-out held.txt".split())
    assert status == 2 and "two students in class are called 'ada'" in err


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_folder_that_is_a_link_is_a_students(command, place, hand_in):
    hand_in("ada/language_model.py", UNIFORM)
    hand_in("../elsewhere/language_model.py", UNIFORM)
    (place / "class/bob").symlink_to(place / "elsewhere")
    command(*"course score class --text text.txt --held-out held.txt".split())
    assert [row[:2] for row in rows(place / "scores.csv")[1:]] == [
        ["ada", "1.099"],
        ["bob", "1.099"],
    ]


@pytest.mark.parametrize(
    ("own", "other"),
    [
        ("language_model.py", "ada/language_model.py"),
        ("config.json", "ada/config.json"),
        ("runs/config.json", "ada/config.json"),
    ],
)
def test_class_that_looks_like_one_student_is_refused(command, hand_in, own, other):
    hand_in(own, UNIFORM)
    hand_in(other, UNIFORM)
    texts = ["--text", "text.txt", "--held-out", "held.txt"]
    if own != "language_model.py":
        texts = ["--sentences", "text.txt", "text.txt"]
    status, out, err = command("course", "score", "class", *texts)
    assert (status, out) == (2, "") and err.count("\n") == 1
    assert "the folder of one student" in err and str(Path("class", other)) in err

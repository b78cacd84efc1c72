"""Scores of language models: the loss is right, and what cannot be scored gets one true line."""

import inspect
import sys
from pathlib import Path

import numpy as np
import pytest

from npformer import InputError
from npformer_course.definition import module_of
from npformer_course.scoring import baselines, language_model
from npformer_course.scoring.language_model import check_texts, score_language_model

TEXT = "abcabcabbac\n" * 50
HELD_OUT = "abcabb\nacbcab"
UNIFORM = "    return lambda beginnings: np.full((len(beginnings), 4), 0.25)\n"
BASELINES = Path(inspect.getfile(baselines)).parent


def scored(tmp_path, code, *, held_out=HELD_OUT, seconds=2.0):
    path = tmp_path / "language_model.py"
    path.write_text(code, encoding="utf-8")
    return score_language_model("ada", path, TEXT, held_out, seconds)


def train(lines):
    return f"import numpy as np\n\n\ndef train(text, seconds):\n{lines}"


def predict(result):
    return train(f"    return lambda beginnings: {result}\n")


def test_loss_is_that_of_the_returned_probabilities(tmp_path):
    p = np.array([0.1, 0.2, 0.3, 0.4])  # of \n, a, b, c
    score = scored(tmp_path, predict(f"np.tile({p.tolist()}, (len(beginnings), 1))"))
    expected = -np.log(p[["\nabc".index(character) for character in HELD_OUT[1:]]]).mean()
    assert score.problem == "" and np.isclose(score.numbers[0], expected)
    assert 0 <= score.numbers[1] < 2


def test_sum_that_is_nearly_1_is_made_1(tmp_path):
    score = scored(tmp_path, predict("np.full((len(beginnings), 4), 0.25 * (1 + 5e-5))"))
    assert np.isclose(score.numbers[0], np.log(4), rtol=1e-9)


def test_sum_that_is_farthest_from_1_is_named():
    p = np.array([[0.6, 0.6], [0.25, 0.25]])
    with pytest.raises(Exception, match=r"add up to 0\.5, expected 1"):
        language_model._check_probabilities(p, (2, 2))


@pytest.mark.parametrize(
    ("took", "problem"),
    [
        (2.9, ""),  # a second late is not too late
        (3.5, "training took 3.5 s of processor time, 2 are allowed"),
        (float("nan"), "training took nan s of processor time, 2 are allowed"),
    ],
)
def test_training_that_took_too_long_is_refused(tmp_path, monkeypatch, took, problem):
    def ask(process, *request):
        return took if len(request) > 1 else np.full((1, 4), 0.25)

    monkeypatch.setattr(language_model, "_ask", ask)
    score = scored(tmp_path, train(UNIFORM))
    assert score.problem == problem
    assert score.numbers == (() if problem else pytest.approx((np.log(4), took)))


@pytest.mark.parametrize(("most", "n"), [(32, 3), (2, 2)])
def test_long_text_is_read_in_pieces_side_by_side(tmp_path, monkeypatch, most, n):
    monkeypatch.setattr(language_model, "PIECES", most)
    code = train(
        "    def predict(beginnings):\n"
        f"        assert len(beginnings) == {n} and len({{len(b) for b in beginnings}}) == 1\n"
        "        assert all(b == (3 * 'ab\\n' * 200)[: len(b)] for b in beginnings[:1])\n"
        f"        return np.full(({n}, 4), 0.25)\n"
        "    return predict\n"
    )
    score = scored(tmp_path, code, held_out="ab\n" * 500)
    assert score.problem == "" and np.isclose(score.numbers[0], np.log(4))


def test_a_character_is_sent_only_after_it_has_been_predicted(tmp_path, monkeypatch):
    sent = []
    ask = language_model._ask

    def spy(process, *request):
        sent.append(request)
        return ask(process, *request)

    monkeypatch.setattr(language_model, "_ask", spy)
    scored(tmp_path, train(UNIFORM))
    assert HELD_OUT not in str(sent[0])
    assert [request[0] for request in sent[1:]] == [[character] for character in HELD_OUT[:-1]]


def test_process_has_one_thread_and_an_empty_folder_and_prints_nothing(tmp_path, capfd):
    code = "import os\nprint('hello')\nos.write(1, b'x')\n" + train(
        "    assert os.environ['OPENBLAS_NUM_THREADS'] == '1'\n"
        f"    assert text == {TEXT!r} and 0 < seconds < 2\n"
        f"    assert os.listdir('.') == []\n{UNIFORM}"
    )
    assert scored(tmp_path, code).problem == ""
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        (predict("np.full((len(beginnings), 4), 0.3)"), "add up to 1.2, expected 1"),
        (predict("np.full((len(beginnings), 4), 0.25 * (1 + 2e-4))"), "add up to 1.0002, expected"),
        (predict("np.array([[-0.5, 0.5, 0.5, 0.5]])"), "the probability -0.5, below 0"),
        (predict("np.array([[0.5, 0.5, 0, 0.0]])"), "the probability 0 to a character that came"),
        (predict("np.full((1, 4), np.nan)"), "not finite"),
        (predict("np.full(4, 0.25)"), "shape (4,): expected (beginnings, characters) = (1, 4)"),
        (predict("None"), "predict returned nothing: expected an array"),
        (predict("'abc'"), "predict returned a str: expected an array"),
        (predict("beginnings[3]"), "line 5 ends with IndexError"),
        (predict("np.zeros(10**7)"), "far too large"),
        (train("    return 3\n"), "train returned a int: expected a function"),
        (train("    pass\n"), "train returned nothing: expected a function"),
        (train("    raise NotImplementedError\n"), "not written yet"),
        (train("    x = {}\n    return x['y']\n"), "line 6 ends with KeyError"),
        (train("    exit()\n"), "line 5 ends with SystemExit"),
        ("x = 1\n", "there is no function train(text, seconds)"),
        ("def train(:\n", "line 1 ends with SyntaxError"),
        (
            "import os\nfor n in range(3, 30):\n    try:\n        os.write(n, b'x\\n')\n"
            "    except OSError:\n        pass\n",
            "what its process sent cannot be read",
        ),
        ("import os\nos._exit(3)\n", "its process ended: too much memory, or a crash"),
        (f"# {'x' * 20_000}\n{train(UNIFORM)}", "larger than 20,000 bytes"),
    ],
)
def test_what_cannot_be_scored_is_said_in_one_line(tmp_path, code, problem):
    score = scored(tmp_path, code)
    assert score.numbers == () and problem in score.problem and "\n" not in score.problem


def test_file_that_is_not_utf8_is_said(tmp_path):
    path = tmp_path / "language_model.py"
    path.write_bytes(b"x = '\xff'")
    problem = score_language_model("ada", path, TEXT, HELD_OUT, 2.0).problem
    assert problem.startswith("language_model.py is not UTF-8")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no processor time")
def test_predicting_has_as_much_time_as_is_said(tmp_path):
    code = "import resource\n" + train(
        "    assert resource.getrlimit(resource.RLIMIT_CPU)[0] < 10\n"
        "    def predict(beginnings):\n"
        "        assert resource.getrlimit(resource.RLIMIT_CPU)[0] > 120\n"
        "        return np.full((len(beginnings), 4), 0.25)\n"
        "    return predict\n"
    )
    assert scored(tmp_path, code, seconds=1.0).problem == ""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals")
def test_process_that_was_killed_is_not_said_to_be_slow(tmp_path):
    score = scored(tmp_path, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    assert score.problem == (
        "its process was killed: it ran for more than 610 s, took too much memory, or ended itself"
    )


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no processor time")
def test_predicting_that_does_not_end_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(language_model, "PREDICTING_SECONDS", 1.0)
    code = (
        "    def predict(beginnings):\n        while True:\n            pass\n    return predict\n"
    )
    score = scored(tmp_path, train(code), seconds=1.0)
    assert score.problem == "it took more than 1 s to train, or 1 s to predict"


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no processor time")
def test_training_that_does_not_end_is_ended(tmp_path):
    score = scored(tmp_path, train("    while True:\n        pass\n"), seconds=1.0)
    assert score.problem == "it took more than 1 s to train, or 120 s to predict"


@pytest.mark.long
@pytest.mark.parametrize(
    "lines",
    [
        "    end = time.process_time() + 1.5 + seconds\n"
        "    while time.process_time() < end:\n        pass\n",
        # a clock of one's own
        "    end = time.process_time() + 1.5 + seconds\n"
        "    while time.process_time() < end:\n        pass\n"
        "    time.process_time = lambda: 0.0\n",
        # another process
        "    import subprocess, sys\n"
        "    loop = 'import time\\nwhile time.process_time() < 2.6: pass'\n"
        "    subprocess.run([sys.executable, '-c', loop])\n",
    ],
)
def test_time_beyond_the_limit_is_refused(tmp_path, lines):
    score = scored(tmp_path, f"import time\n{train(lines + UNIFORM)}", seconds=0.8)
    assert score.numbers == ()
    assert "0.8 are allowed" in score.problem or "more than 0.8 s" in score.problem


@pytest.mark.long
def test_loading_counts_as_training(tmp_path):
    code = "import time\nwhile time.process_time() < 1.5:\n    pass\n" + train(
        f"    assert seconds < 1.9\n{UNIFORM}"
    )
    score = scored(tmp_path, code, seconds=3.0)
    assert score.problem == "" and score.numbers[1] > 0.3


@pytest.mark.long
@pytest.mark.parametrize("name", ["letter_counts", "small_transformer"])
def test_baseline_learns(tmp_path, name):
    code = (BASELINES / f"{name}.py").read_text(encoding="utf-8")
    code = code.replace("seconds - 1 ", "1.5 ")  # an update of a busy machine
    score = scored(tmp_path, code, held_out=TEXT[:60], seconds=20.0)
    [_, counts] = language_model.reference_losses(TEXT, TEXT[:60]).values()
    assert score.problem == "" and score.numbers[0] < 0.6 * counts


@pytest.mark.parametrize(
    ("text", "held_out", "message"),
    [("ab", "abx", r"lacks: \['x'\]"), ("ab", "a", "fewer than two"), ("a", "aa", "fewer than")],
)
def test_texts_that_give_no_loss_are_refused(text, held_out, message):
    with pytest.raises(InputError, match=message):
        check_texts(text, held_out)


def test_counts_are_of_characters_after_the_two_before():
    predict = module_of((BASELINES / "letter_counts.py").read_text(encoding="utf-8")).train(
        "aab", 1
    )
    one = np.array([2.01, 1.01]) / 3.02  # of a and b after nothing
    after_aa = np.array([0.01, 1.01]) / 1.02
    # no character came after b: what is known of nothing is taken
    expected = [one, [0.5, 0.5], after_aa, after_aa, one, one]
    np.testing.assert_allclose(predict(["", "a", "aa", "baa", "b", "ab"]), expected)


def test_small_transformer_predicts_after_its_first_update(monkeypatch):
    module = module_of((BASELINES / "small_transformer.py").read_text(encoding="utf-8"))
    predict = module.train(TEXT, 1.0)
    p = predict(["a" * 70 + "b", "c" * 70 + "a"])
    assert p.shape == (2, 4)
    np.testing.assert_allclose(p.sum(1), 1)
    np.testing.assert_allclose(predict(["a" * 63 + "b", "c" * 63 + "a"]), p)
    assert not np.allclose(p[0], p[1])

    # the first logit is that of padding
    def forward(model, ids):
        return np.log(np.tile([9.0, 1, 2, 3, 4], (*ids.shape, 1)))

    monkeypatch.setattr(module.LanguageModel, "forward", forward)
    np.testing.assert_allclose(predict(["ab"]), [[0.1, 0.2, 0.3, 0.4]])

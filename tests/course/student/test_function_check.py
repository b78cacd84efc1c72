"""Functions that a notebook passes to a check: what is printed, and which function it returns."""

import inspect
import textwrap

import numpy as np
import pytest

from npformer import InputError
from npformer_course import course, exercise
from npformer_course.definition import module_of
from npformer_course.student import folder
from npformer_course.student.notebook import NotebookExercise
from npformer_course.student.progress import Progress
from npformer_course.student.short_message import headline
from npformer_course.student.stand_ins import names_called

X = np.array([[1.0, 2.0], [3.0, 5.0]])
WEIGHTS = np.array([[0.268941, 0.731059], [0.119203, 0.880797]])


def defined(text):
    """Return what a cell defines, below two lines of its own."""
    return vars(module_of(f"import numpy as np\n\n{textwrap.dedent(text)}", "cell"))


def softmax_of(*lines):
    body = "\n".join(f"    {line}" for line in lines)
    return defined(f"def softmax(x):\n{body}\n")["softmax"]


RIGHT = softmax_of(
    "e = np.exp(x - x.max(-1, keepdims=True))", "return e / e.sum(-1, keepdims=True)"
)
REPLACED = "the notebook continues with npformer's softmax"


@pytest.mark.parametrize("function", [softmax_of("raise NotImplementedError"), None, ...])
def test_function_that_is_not_written_is_replaced(function, capsys):
    replacement = exercise("softmax").check(function)
    expected = f"softmax: not written yet, 0 of 10 points; {REPLACED}\n"
    assert capsys.readouterr().out == expected
    np.testing.assert_allclose(replacement(X), WEIGHTS, atol=1e-6)


IN_PLACE = "x -= x.max(-1, keepdims=True)", "return np.exp(x) / np.exp(x).sum(-1, keepdims=True)"


@pytest.mark.parametrize(
    ("lines", "points", "part", "fact", "question"),
    [
        (
            ["return np.exp(x) / np.exp(x).sum(-1, keepdims=True)"],
            6,
            "✗ y of large scores: wrong",
            "where scores are large, y has NaN, as if their powers were inf or 0",
            "What is np.exp(1000) in floats, and by which number may a row be shifted so that this does "
            "not occur?",
        ),
        (
            ["return x / y"],
            0,
            "! y: error",
            "the call ended in line 4 with NameError: name 'y' is not defined (here B = 6, T = 5, "
            "S = 7, H = 4)",
            "Is the name spelt as where it was made, and was it made on every way to this line? In a "
            "notebook, did you run the first cell, which imports?",
        ),
        (
            ["return np.exp(x - x.max(-1, keepdims=True)).sum(-1)"],
            0,
            "✗ y: wrong",
            "y has the shape (B, T), expected (B, T, S)",
            "Write the shape behind every line: which is the first that surprises you?",
        ),
        (
            IN_PLACE,
            9,
            "✗ inputs unchanged: wrong",
            "after the call x is no longer what came in",
            "Which of your lines changes something that was handed to you?",
        ),
    ],
)
def test_function_that_is_not_right_is_replaced(lines, points, part, fact, question, capsys):
    replacement = exercise("softmax").check(softmax_of(*lines))
    first = f"softmax: wrong, {points} of 10 points; {REPLACED}"
    expected = f"{first}\n  {part}\n    {fact}\n    {question}\n"
    assert capsys.readouterr().out == expected
    np.testing.assert_allclose(replacement(X), WEIGHTS, atol=1e-6)


def test_right_function_is_returned(capsys):
    assert exercise("softmax").check(RIGHT) is RIGHT
    assert capsys.readouterr().out == "softmax: right, 10 of 10 points\n"


def test_endless_loop_is_replaced(capsys, monkeypatch):
    monkeypatch.setattr("npformer_course.sandbox.in_process.SECONDS", 0.3)
    replacement = exercise("softmax").check(softmax_of("while True: pass"))
    assert "! y: took too long\n    the call came to no end after 0.3 s" in capsys.readouterr().out
    np.testing.assert_allclose(replacement(X), WEIGHTS, atol=1e-6)


def test_several_functions_are_returned_in_the_order_of_the_call(capsys):
    masks = defined(
        """
        def padding_mask(ids, pad_id=0):
            return (ids != pad_id)[:, None, :]

        def causal_mask(length):
            return np.triu(np.ones((length, length), bool))
        """
    )
    returned = exercise("masks").check(masks["causal_mask"], masks["padding_mask"], None)
    causal, padding, target = returned
    assert padding is masks["padding_mask"]
    assert causal(3).tolist() == np.tril(np.ones((3, 3), bool)).tolist()
    assert target(np.array([[4, 0]]), 0).shape == (1, 2, 2)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "causal_mask: wrong, padding_mask: right, target_mask: not written yet, 3 of 8 points;",
        "  the notebook continues with npformer's causal_mask and target_mask",
        "  ✗ causal_mask: wrong",
    ]


def test_functions_that_are_left_out_are_named(capsys):
    padding_mask = defined("def padding_mask(ids, pad_id=0):\n    return (ids != pad_id)[:, None]")
    assert callable(exercise("masks").check(**{"padding_mask": padding_mask["padding_mask"]}))
    shown = capsys.readouterr().out
    assert shown == "padding_mask: right (the exercise also has causal_mask and target_mask)\n"
    exercise("masks").check(padding_mask=None)
    shown = capsys.readouterr().out
    assert "padding_mask: not written yet, 0 of 8 points without causal_mask and" in shown


def test_given_code_calls_the_function_that_is_passed(capsys):
    solution = defined(course.load("encoder_training").key)
    exercise("encoder_training").check(train=solution["train"])
    assert "train: right (the exercise also has" in capsys.readouterr().out
    exercise("encoder_training").check(
        train=solution["train"], encoder_layer=lambda layer, x, mask: solution["nothing"]
    )
    assert "train: wrong" in capsys.readouterr().out


def test_function_of_another_name_is_passed_by_name():
    renamed = defined("def other(x):\n    return x")["other"]
    assert exercise("softmax").check(softmax=renamed) is not renamed
    assert exercise("softmax").check(softmax=lambda x: RIGHT(x)).__name__ == "<lambda>"


def test_class_is_checked():
    dropout = defined(course.load("dropout").key)["Dropout"]
    assert exercise("dropout").check(dropout) is dropout
    assert exercise("dropout").check(type("Dropout", (), {})) is not dropout


@pytest.mark.parametrize(("n", "n_lines"), [(71, 1), (72, 2)])
def test_line_is_not_wider_than_a_page(n, n_lines):
    assert len(headline({"a" * n: "right", "b": "right"}).split("\n")) == n_lines
    lines = headline({"a" * (n - 52): "right", "b": "not written yet"}).split("\n")
    assert len(lines) == n_lines and lines[-1].endswith("continues with npformer's b")


def test_line_of_a_method_is_named(capsys):
    dropout = defined(
        "class Dropout:\n    def __init__(self, p, rng):\n        self.p = p\n\n"
        "    def forward(self, x):\n        return nothing\n"
    )["Dropout"]
    exercise("dropout").check(dropout)
    assert "the call ended in line 8 with NameError: name 'nothing'" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("functions", "named", "got"),
    [
        ([lambda x: x], {}, "<lambda>"),
        ([RIGHT, RIGHT], {}, "softmax, softmax"),
        ([RIGHT, None], {}, "softmax, NoneType"),
        ([X], {}, "ndarray"),
        ([], {"softmin": RIGHT}, "softmin"),
        ([], {"softmax": 3}, "softmax"),
    ],
)
def test_functions_that_are_not_asked_for_are_refused(functions, named, got):
    with pytest.raises(InputError) as error:
        exercise("softmax").check(*functions, **named)
    assert str(error.value) == (
        f"exercise softmax got {got}: expected softmax, each at most once; "
        "a function of another name is passed as in check(softmax=f)"
    )


def test_check_of_a_notebook_is_refused_elsewhere():
    for verb in ("check", "why", "solution", "step"):
        with pytest.raises(InputError, match=r'exercise\("softmax"\)\.check\(softmax\)'):
            getattr(exercise("softmax"), verb)()


def test_source_of_a_replacement_is_hidden():
    for id, name in (("softmax", "softmax"), ("dropout", "Dropout")):
        with pytest.raises((OSError, TypeError)):
            inspect.getsource(exercise(id).check(**{name: None}))


def test_cells_that_run_again_still_check_the_students_function(capsys):
    wrong = softmax_of("return x")
    replacement = exercise("softmax").check(wrong)
    first = capsys.readouterr().out
    exercise("softmax").check(replacement)
    assert capsys.readouterr().out == first and "softmax: wrong" in first
    exercise("softmax").check(exercise("softmax").check(None))
    assert capsys.readouterr().out.count("not written yet") == 2


def test_replacement_in_a_notebook_does_not_count_as_written():
    names = {"softmax": exercise("softmax").check(None)}
    question = NotebookExercise(course.load("softmax"), names)
    assert "0 of 10 points" in repr(question.check())
    assert "opens once yours passes" in repr(question.solution())
    names["softmax"] = exercise("softmax").check(softmax_of("return x"))
    assert "y is x, unchanged" in repr(question.why())


def test_name_that_is_none_in_a_notebook_is_not_written():
    shown = repr(NotebookExercise(course.load("softmax"), {"softmax": None}).check())
    assert shown.count("not written yet") == 5


def test_slow_loops_of_the_notebook_are_closed(capsys):
    loops = defined(
        course.load("softmax").key + "\n\ndef other(x):\n    return softmax_slowly(x)\n"
    )
    exercise("softmax").check(softmax=loops["other"])
    assert "is not available while an answer is checked" in capsys.readouterr().out


def test_progress_counts_only_checks_of_all_functions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder.start(tmp_path, ["masks"], notebooks=True)
    masks = defined(course.load("masks").key)
    exercise("masks").check(masks["padding_mask"])
    assert Progress(tmp_path)["masks"].attempts == 0
    exercise("masks").check(masks["padding_mask"], masks["causal_mask"], masks["target_mask"])
    assert Progress(tmp_path)["masks"].passed


@pytest.mark.parametrize("id", course.EXERCISES)
def test_solution_passes_and_nothing_written_does_not(id, capsys):
    loaded = course.load(id)
    names = exercise_names(loaded)
    solution = defined(loaded.key)
    functions = {name: solution[name] for name in names}
    exercise(id).check(**functions)
    shown = " ".join(capsys.readouterr().out.split())  # its lines are as wide as a page
    assert shown.count(": right") == len(names)
    exercise(id).check(**dict.fromkeys(names))
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.count("not written yet") == len(names)
    for name in names:
        exercise(id).check(**{name: solution[name]})
        assert capsys.readouterr().out.startswith(f"{name}: right")


def exercise_names(loaded):
    """Return the names that the calls of an exercise look up: all of those to write."""
    called = set()
    for call in loaded.calls:
        assert names_called(loaded, call)
        called |= names_called(loaded, call)
    return sorted(called)

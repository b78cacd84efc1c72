"""The exercises inside a notebook, without a browser: what `exercise` finds and shows."""

import base64
import json
import re
import sys
from types import SimpleNamespace

import pytest

from npformer import InputError
from npformer_course import course, exercise
from npformer_course.definition import module_of
from npformer_course.files import cells_of, student_notebook
from npformer_course.percent_format import BEGIN
from npformer_course.student import folder
from npformer_course.student.notebook import NotebookExercise
from npformer_course.student.progress import Progress

ID = "layer_norm_backward"


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """Ask about what a notebook has defined: the key, with a change in it."""
    monkeypatch.chdir(tmp_path)

    def ask(right="", wrong="", **names):
        text = course.load(ID).key
        assert right in text
        return NotebookExercise(
            course.load(ID), vars(module_of(text.replace(right, wrong, 1))) | names
        )

    return ask


@pytest.mark.parametrize("letter", ["c", "C"])
def test_correct_answer(ask, letter):
    shown = ask(prediction=letter).check()
    assert "8 of 8 points" in repr(shown) and "You predicted c" in repr(shown)
    assert "<img" not in shown._repr_html_()


def test_mistake_is_identified_and_plotted(ask):
    shown = ask("- along_ones", "").check()
    assert "along the vector of ones" in repr(shown)
    picture = re.search(r'src="data:image/png;base64,([^"]+)"', shown._repr_html_())
    assert base64.b64decode(picture[1]).startswith(b"\x89PNG")


def test_output_is_html_escaped(ask):
    shown = ask("dxhat = dy * gain", "print('<b>bold</b>'); dxhat = dy * gain").check()
    assert "<b>bold" in repr(shown) and "<b>bold" not in shown._repr_html_()


def test_ctrl_c_ends_the_check(ask):
    with pytest.raises(KeyboardInterrupt):
        ask("dxhat = dy * gain", "raise KeyboardInterrupt").check()


def test_call_that_waits_without_end_is_ended(ask, monkeypatch):
    monkeypatch.setattr("npformer_course.sandbox.in_process.SECONDS", 0.3)
    waiting = "dxhat = 0\n    import time\n    while True: time.sleep(0.05)"
    shown = repr(ask("dxhat = dy * gain", waiting).check())
    assert "the call came to no end after 0.3 s" in shown


def test_call_is_ended_after_its_time_and_not_repeated(ask, monkeypatch):
    monkeypatch.setattr("npformer_course.sandbox.in_process.SECONDS", 0.3)
    before = sys.gettrace()
    shown = repr(
        ask("dxhat = dy * gain", "print('begun'); dxhat = 0\n    while True: pass").check()
    )
    assert "the call came to no end after 0.3 s" in shown and shown.count("begun") == 1
    assert sys.gettrace() is before


def test_cell_not_run_is_reported_as_not_written():
    shown = NotebookExercise(course.load(ID), {}).check()
    assert repr(shown).count("not written yet") == 4
    assert "nothing to explain yet" in repr(NotebookExercise(course.load(ID), {}).why())


def test_why_adds_the_numbers(ask):
    question = ask("- along_ones", "")
    shown = repr(question.why())
    assert "expected" in shown and "expected" not in repr(question.check())
    assert shown.endswith(f'every array that they make: exercise("{ID}").step()')


def test_why_says_that_nothing_is_wrong_once_it_passes(ask):
    assert repr(ask().why()) == "Nothing is wrong: all parts are right."


def test_solution_is_shown_only_after_a_pass(ask):
    assert "dxhat = dy * gain" in repr(ask().solution())
    assert "dxhat" not in repr(ask("- along_ones", "").solution())


def test_progress_is_recorded_in_student_folder(ask, tmp_path):
    folder.start(tmp_path, [ID], notebooks=True)
    ask("- along_ones", "").check()
    ask().check()
    ask().hint()
    entry = Progress(tmp_path)[ID]
    assert (entry.attempts, entry.hints) == (2, 1) and entry.passed


def test_all_hints_are_open_where_nothing_counts_them(ask):
    hints = course.load(ID).hints
    expected = [f"Hint {number} of 3: {hint}" for number, hint in enumerate(hints, 1)]
    assert repr(ask().hint()).split("\n") == expected


def test_require_fails_with_reason_for_incorrect_part(ask):
    question = ask("- along_ones", "")
    question.require("dbias")
    with pytest.raises(AssertionError, match=r"dx: wrong\ndx has a part along the vector of ones"):
        question.require("dx")
    ask().require("dx", seed=1706)
    shapes = []
    other = ask("dxhat = dy * gain", "shapes.append(dy.shape); dxhat = dy * gain", shapes=shapes)
    other.names["layer_norm_backward"].__globals__["shapes"] = shapes
    other.require("dx", seed=0)
    before = [*shapes]
    shapes.clear()
    other.require("dx", seed=1706)
    assert before != shapes


def test_question_uses_names_defined_in_notebook(monkeypatch):
    names = vars(module_of(course.load(ID).key))
    shell = SimpleNamespace(get_ipython=lambda: SimpleNamespace(user_ns=names))
    monkeypatch.setitem(sys.modules, "IPython", shell)
    assert "8 of 8 points" in repr(exercise(ID).check())
    with pytest.raises(InputError, match="there is no exercise"):
        exercise("nothing")


@pytest.mark.parametrize("id", course.EXERCISES)
def test_every_notebook_is_valid_and_has_a_check_cell(id):
    notebook = json.loads(student_notebook(course.load(id)))
    sources = ["".join(cell["source"]) for cell in notebook["cells"]]
    assert notebook["nbformat"] == 4 and len({cell["id"] for cell in notebook["cells"]}) == len(
        sources
    )
    to_write = sum(BEGIN in cell.text for cell in cells_of(course.load(id)))
    assert sum(f'exercise("{id}").check()' in source for source in sources) == to_write >= 1

"""Steps through a student's answer: what is recorded, and what a page must not have."""

import base64
import json
import re
import sys
import zlib

import numpy as np
import pytest

from npformer import InputError
from npformer_course import course
from npformer_course.case import Case, case_at
from npformer_course.course import stem
from npformer_course.definition import module_of
from npformer_course.sandbox.runner import Sandbox
from npformer_course.step import answer_step
from npformer_course.step.recording import MOST_STEPS, Recording, record
from npformer_course.student.notebook import NotebookExercise
from tests.run_here import run_here

ID = "layer_norm_backward"
DBEFORE = "dbefore = dhidden * (hidden > 0)", "dbefore = dhidden * hidden"
RIGHT = "dxhat - along_ones - xhat * along_xhat"
FIRST = "    dgain = (dy * xhat).sum((0, 1))\n"


def key(right="", wrong="", id=ID):
    text = course.load(id).key
    assert right in text
    return text.replace(right, wrong, 1)


def stepped(text, id=ID, run=run_here):
    recorder = Sandbox(9, worker="npformer_course.step.worker")
    return answer_step.step_answer(
        case_at(id, 0), text, f"{stem('layer_norm_backward')}.py", run, recorder.run
    )


def data_of(page):
    text = re.search(r'PACKED = "([^"]+)"', page)[1].translate(str.maketrans(",.:", "<>&"))
    packed = zlib.decompress(base64.b85decode(text))
    return json.loads(packed[4 : 4 + int.from_bytes(packed[:4], "little")])


def line_of(text, part):
    return next(number for number, line in enumerate(text.split("\n"), 1) if part in line)


@pytest.mark.parametrize("id", [ID, "softmax", "heads", "embedding"])
def test_recorded_arrays_equal_those_of_a_plain_run(id):
    exercise = course.load(id)
    case, module = Case(exercise, 0), module_of(exercise.key)
    for call in exercise.calls:
        for one, expected in zip(case.draws, case.expected[call.name], strict=True):
            recording = Recording(record(module, call, one.inputs).values[0], "answer.py")
            assert recording.ending == "" and recording.steps
            for got, value in zip(recording.results, expected, strict=True):
                np.testing.assert_array_equal(got, value)


def test_each_line_has_what_it_made():
    exercise = course.load(ID)
    [call], inputs, text = exercise.calls, Case(exercise, 0).draws[0].inputs, key()
    recording = Recording(record(module_of(text), call, inputs).values[0], "answer.py")
    made = {
        a.name: (step.line, recording.arrays[a.number])
        for step in recording.steps
        for a in step.made
    }
    dxhat = inputs["dy"] * inputs["gain"]
    assert made["dxhat"][0] == line_of(text, "dxhat = ")
    np.testing.assert_array_equal(made["dxhat"][1], dxhat)
    np.testing.assert_array_equal(made["along_ones"][1], dxhat.mean(-1, keepdims=True))


def test_last_lines_are_the_results_next_to_the_expected_ones():
    shown = stepped(key(*DBEFORE, "feed_forward_backward"), "feed_forward_backward")
    assert shown.notes[0].startswith("dx, dw1, db1: wrong") and len(shown.notes) == 1
    # it opens at the first wrong one, with the places where it differs
    assert shown.start == len(shown.steps) - 5
    for own, number in shown.expected.items():
        got, right = (shown.recorder.arrays[n] for n in (own, number))
        differs = np.abs(got - right) > 1e-6 * np.abs(right).max()
        assert shown.differing[own] == np.flatnonzero(differs).tolist()
    assert len(shown.expected) == 5 and sum(map(bool, shown.differing.values())) == 3
    data = data_of(shown.html())
    results = data["functions"][-1]
    assert results["lines"] == [
        *(f"{part}  # wrong" for part in ("dx", "dw1", "db1")),
        "dw2  # right",
        "db2  # right",
    ]
    assert [made[0] for made in data["steps"][-5][3]] == ["expected", "yours"]


def test_results_are_all_named_where_there_are_too_few():
    one_result = (
        "\n\nfull = layer_norm_backward\n\ndef layer_norm_backward(*a): return full(*a)[0]\n"
    )
    assert stepped(key() + one_result).notes[0].startswith("dx, dgain, dbias: wrong")


def test_smallest_wrong_draw_is_chosen():
    case = Case(course.load(ID), 0)
    sizes = [one.inputs["dy"].size for one in case.draws]
    wrong = np.argsort(sizes)[1:]
    shapes = [case.draws[i].inputs["dy"].shape for i in wrong]
    shown = stepped(
        key(f"return rstd * ({RIGHT})", f"return rstd * ({RIGHT}) * (1 + (dy.shape in {shapes}))")
    )
    assert shown.recorder.results[0].shape == shapes[0]


def test_lists_of_different_lengths_may_be_inputs():
    shown = stepped(
        key("pair_counts[pair] += count", "pair_counts[pair] += 1", "byte_pair_merges"),
        "byte_pair_merges",
    )
    assert shown.notes[0].startswith("pairs and their counts: wrong")


def test_right_answer_is_said_to_be_right():
    shown = stepped(key())
    draws = Case(course.load(ID), 0).draws
    smallest = min(draws, key=lambda draw: sum(x.size for x in draw.inputs.values()))
    sizes = ", ".join(f"{letter} = {size}" for letter, size in smallest.sizes.items())
    assert shown.notes == [f"dx, dgain, dbias: right; this is the smallest draw ({sizes})"]
    assert {line.split("# ")[1] for line in data_of(shown.html())["functions"][-1]["lines"]} == {
        "right"
    }


def test_page_has_nothing_of_the_key():
    answer = """
def layer_norm_backward(dy, xhat, rstd, gain):
    mine = dy.copy()
    return mine, mine.sum((0, 1)), mine.sum((0, 1))
"""
    shown = stepped(f"{course.load(ID).stub}\n{answer}")
    content = shown.html() + json.dumps(data_of(shown.html()))
    for secret in ("dxhat", "along_ones", "along_xhat", "(dy * xhat)", "BEGIN SOLUTION"):
        assert secret not in content
    assert "mine = dy.copy()" in content


def test_inputs_may_be_lists_of_arrays():
    """Of adam, also where all axes have one length."""
    key = course.load("adam").key
    shown = stepped(key.replace('    t = state["t"] + 1\n', '    t = state["t"]\n'), "adam")
    assert "weight after one update" in shown.notes[0] and "wrong" in shown.notes[0]


HOSTILE = {
    "endless": ("    n = 0\n    while True:\n        n += 1\n", "the recording ends here"),
    "exception": ("    dy = dy @ gain[None, None, None]\n", "ValueError"),
    "prints": ("    for _ in range(300):\n        print('x' * 100_000)\n", ""),
    "untraced": (
        "    import sys\n    sys.settrace(None)\n",
        "sys.settrace" * (sys.version_info < (3, 12)),
    ),
    "recursion": ("    return layer_norm_backward(dy, xhat, rstd, gain)\n", "RecursionError"),
    "markup": (
        "    '''</script><img src=x>'''\n    raise ValueError('<img src=x>')\n",
        "<img src=x>",
    ),
    "generator": (
        "    def parts():\n        yield dy\n        yield xhat\n    dy, xhat = parts()\n",
        "",
    ),
    "large": ("    large = np.zeros(2_000_000)\n", "the recording ends here"),
    "exit": ("    raise SystemExit\n", "SystemExit"),
    "import": (
        "    import numpy as np\n    kind = np.dtype\n    raise ValueError('reached')\n",
        "reached",
    ),
    "lists": (
        "    many = [1.0] * 100_000\n    empty, broken = dy[:0], dy / 0\n    wide = dy.astype('g') + 1j\n",
        "",
    ),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_answer_gets_a_page(kind):
    lines, ending = HOSTILE[kind]
    shown = stepped(key(FIRST, lines + FIRST), run=Sandbox(1).run)
    assert ending in shown.recorder.ending and bool(ending) == bool(shown.recorder.ending)
    assert len(shown.steps) <= MOST_STEPS + 10
    html = shown.html()
    assert "<img" not in html and data_of(html)["steps"]
    if ending:
        [[function, line, said]] = data_of(html)["remarks"]
        assert ending in said and shown.start == len(shown.steps) - 1 - len(shown.recorder.results)
    if kind == "exception":
        assert data_of(html)["functions"][function]["name"] == "layer_norm_backward"
        assert line == line_of(key(FIRST, lines + FIRST), "dy @ gain[None")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (course.load(ID).stub, "nothing to step through yet"),
        (
            key("import numpy as np", "import numpy as np\nthis is wrong"),
            "cannot be recorded: line",
        ),
        (key(FIRST, "    sum(iter(int, 1))\n"), "cannot be recorded: no end after"),
    ],
)
def test_what_cannot_be_recorded_is_said_in_one_line(text, message, monkeypatch):
    monkeypatch.setattr(
        Sandbox, "seconds", property(lambda self: 1.0, lambda self, value: None), raising=False
    )
    with pytest.raises(InputError, match=message):
        stepped(text, run=Sandbox().run)


def test_notebook_records_nothing_but_its_own_functions():
    # the exercise's slow loop is closed while the answer runs, by code of npformer_course
    exercise = course.load("softmax")
    assert "def softmax_slowly" in exercise.key
    shown = NotebookExercise(exercise, vars(module_of(exercise.key, "__main__"))).step()
    names = [call.function.name for call in shown.recorder.calls]
    assert names == ["softmax", "results"] and shown.start == 0
    first = shown.steps[0]
    assert first.line == line_of(exercise.key, "def softmax(x)")


def test_notebook_steps_through_its_own_functions(tmp_path):
    names = vars(module_of(key(*DBEFORE, "feed_forward_backward"), "__main__"))
    shown = NotebookExercise(course.load("feed_forward_backward"), names).step()
    assert ": wrong; " in repr(shown) and "<iframe" in shown._repr_html_()
    shown.save(tmp_path / "step.html")
    assert (tmp_path / "step.html").stat().st_size < 500_000

"""What is right in a notebook is right when it is handed in, and a cell that fails fails alone."""

import base64
import io
import json
import re
import textwrap
import zipfile

import pytest

from npformer import InputError
from npformer_course import course
from npformer_course.case import case_at
from npformer_course.check_answer import check
from npformer_course.course import load, stem
from npformer_course.definition import module_of
from npformer_course.files import notebook, student_notebook, student_text
from npformer_course.in_browser.hand_in import hand_in
from npformer_course.percent_format import TODO, Cell
from npformer_course.sandbox.runner import MOST_FAILED_CELLS, Sandbox
from npformer_course.step.answer_step import step_answer
from npformer_course.student.folder import check_file, own_functions
from npformer_course.student.own_errors import own_error
from npformer_course.submission import code_of
from tests.run_here import key_text

ID = "softmax"
IMPORT = "from npformer_course import exercise"
IMPORTS = "import numpy as np\nfrom npformer_course import exercise, yours"
SOFTMAX = """def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)"""
HALF = "def softmax(x):\n    return x * 0.5"
CHECKED = 'softmax = exercise("softmax").check(softmax)'


@pytest.fixture
def written(tmp_path):
    """Write a notebook with these cells of code; return its path."""

    def write(*sources):
        cells = [{"cell_type": "markdown", "source": "# Text"}]
        cells += [{"cell_type": "code", "source": source} for source in sources]
        (tmp_path / f"{stem('softmax')}.ipynb").write_text(json.dumps({"cells": cells}))
        return tmp_path / f"{stem('softmax')}.ipynb"

    return write


@pytest.mark.parametrize(
    "more",
    [
        f"{IMPORT}\n\nexercise('softmax').check()",
        f"{IMPORT}\nresult = exercise('softmax').check()\nprint(result)",
        f"{IMPORT}\nexercise(\n    'softmax'\n).check()",
        "np.exp?\n?np.exp\n%matplotlib inline\n!ls\ndisplay(np.zeros(2))",
        "%%html\n<b>bold</b>",
        "%time y = softmax(np.zeros(3))\nassert y.shape == (3,)\n%timeit softmax(np.zeros(3))",
        f"{IMPORT}\nsoftmax = exercise('softmax').check(softmax)",
        f"{IMPORT}\nexercise('softmax').check(softmax)",
        f"{IMPORT}\nsoftmax, other = exercise('softmax').check(softmax, None)\nassert other is None",
        f"{IMPORT}\nblank = exercise('softmax').on(x=np.zeros(3))\ny = blank.check(y=np.ones(3))\n"
        "blank.check(y=y)\nassert y.sum() == 3",
        "from npformer_course import Bet, bets_so_far\nbet = Bet('?', ['a', 'b'])\nbet.place('b')\n"
        "bet.settle('a')\nbets_so_far()",
        "left = (\n    7\n    % 4\n    != 2\n)\nassert left is True",
    ],
)
def test_additional_notebook_cells_lose_no_points(written, sandbox, more):
    sources = [f"%%time\n{key_text(course.load(ID))}"], more, more.splitlines(True)
    report = check(case_at(ID, 0), code_of(written(*sources)), sandbox.run)
    assert report.passed, [(part.name, part.finding.text) for part in report.parts]


@pytest.mark.parametrize(
    ("source", "told"),
    {
        "softmax(np.ones(2))[7]": "line 1 ends with IndexError: index 7 is out of bounds",
        "x = 1\n1 / 0": "line 2 ends with ZeroDivisionError: division by zero",
        "x = 1\ndef broken(:": "line 2 ends with SyntaxError: invalid syntax",
        "def broken(x):\nreturn x": "line 2 ends with IndentationError: ",
        "softmax('a')": "line 2 of code cell 2 ends with AttributeError: ",
        "exit()": "line 1 ends with SystemExit: ",
        "raise KeyboardInterrupt": "line 1 ends with KeyboardInterrupt: ",
        "input()": "line 1 ends with EOFError: ",
        "Out": "line 1 ends with NameError: ",
        "import no_such_library": "line 1 ends with ModuleNotFoundError: ",
        "text = '\ud800'": "it ends with UnicodeEncodeError: ",
        "x = 1\0": "it ends with ",
    }.items(),
    ids=range(12),
)
def test_cell_that_fails_costs_no_points_and_is_named(written, sandbox, source, told):
    report = check_file(written(IMPORTS, SOFTMAX, CHECKED, source, "x = 2"), ID, sandbox)
    assert report.passed
    [text] = report.failed_cells
    assert text.startswith(f"code cell 4 fails: {told}")


def test_cells_above_the_function_may_fail_too(written, sandbox):
    path = written("1 / 0", f"from __future__ import annotations\n{IMPORTS}", SOFTMAX)
    report = check_file(path, ID, sandbox)
    assert report.passed and len(report.failed_cells) == 1


def test_of_many_cells_that_fail_the_first_are_named(written, sandbox):
    failing = ["1 / 0"] * (MOST_FAILED_CELLS + 2)
    report = check_file(written(IMPORTS, *failing, SOFTMAX), ID, sandbox)
    assert report.passed
    assert report.failed_cells[-2].startswith(f"code cell {MOST_FAILED_CELLS + 1} fails: ")
    assert report.failed_cells[-1] == "... and 2 more cells"


def test_failed_cells_are_those_of_the_last_notebook(written, sandbox):
    assert check_file(written(IMPORTS, SOFTMAX, "1 / 0"), ID, sandbox).failed_cells
    assert not check_file(written(IMPORTS, SOFTMAX), ID, sandbox).failed_cells


@pytest.mark.parametrize(
    ("before", "told"),
    {
        "def broken(:": "line 1 of code cell 2 ends with SyntaxError: invalid syntax",
        "1 / 0": "line 1 of code cell 2 ends with ZeroDivisionError: division by zero",
        "'\0'": "code cell 2 ends with ",
    }.items(),
    ids=range(3),
)
def test_function_in_a_cell_that_fails_has_the_error_of_its_cell(written, sandbox, before, told):
    report = check_file(written(IMPORTS, f"{before}\n{SOFTMAX}"), ID, sandbox)
    assert report.points == 0 and report.parts[0].outcome == "error"
    finding = report.parts[0].finding
    assert finding.text.startswith(f"the cell of the function cannot be run: {told}")
    assert finding.question


def test_cell_that_fails_costs_the_functions_in_it_alone(written, sandbox):
    above, below = key_text(course.load("heads")).split("def merge_heads(")
    path = written(above, f"def merge_heads((){below}", "def split_heads(x")
    report = check_file(path, "heads", sandbox)
    assert [part.outcome for part in report.parts] == ["right", "error", "right"]
    assert len(report.failed_cells) == 2


def test_what_a_cell_defines_before_it_fails_counts(written, sandbox):
    assert check_file(written(IMPORTS, f"{SOFTMAX}\n1 / 0"), ID, sandbox).passed


def test_call_of_what_is_not_written_is_no_failure(written, sandbox):
    stub = f"def softmax(x):\n    {TODO}"
    report = check_file(written(IMPORTS, stub, "softmax(np.ones(2))"), ID, sandbox)
    assert not report.attempted and not report.failed_cells


def test_error_of_a_call_names_the_line_of_the_cell(written, sandbox):
    raising = SOFTMAX.replace("    return", "    raise ValueError('here')\n    return")
    text = check_file(written(IMPORTS, raising), ID, sandbox).parts[0].finding.text
    assert text.startswith("the call ended in line 3 of code cell 2 with ValueError: here")


def test_steps_show_the_lines_of_the_cell(written):
    path = written(IMPORTS, "x = 1", f"x = 2\n\n{HALF}", "1 / 0")
    recorder = Sandbox(worker="npformer_course.step.worker")
    shown = step_answer(case_at(ID, 0), code_of(path), path.name, Sandbox().run, recorder.run)
    functions = shown.recorder.functions.values()
    [function] = [function for function in functions if function.name == "softmax"]
    assert function.first == 3
    assert [line.rstrip() for line in function.lines] == HALF.split("\n")


def test_steps_of_a_function_whose_cell_fails_are_refused(written):
    path = written(IMPORTS, SOFTMAX.replace("(x):", "(x", 1))
    recorder = Sandbox(worker="npformer_course.step.worker")
    told = "ipynb cannot be recorded: line 1 of code cell 2: SyntaxError"
    with pytest.raises(InputError, match=told):
        step_answer(case_at(ID, 0), code_of(path), path.name, Sandbox().run, recorder.run)


@pytest.mark.parametrize(
    "command",
    [
        "files = !ls",
        "t = %timeit -o 1 + 1",
        "if True:\n    %time z = 1\n    assert z == 1",
        "y = %time 1 + 1\nassert y == 2",
        "for i in range(2):\n    !ls",
        "!ls \\\n    -la",
        "!echo don't",
        "!pip install 3x (",
        "get_ipython().run_line_magic('matplotlib', 'inline')",
        "np.exp?\n?np.exp\nnp.exp??",
        "text = '''\n%matplotlib\n!ls\n'''\nassert len(text) == 17\n%cd ..",
        "def doc():\n    '''\n    %time of day\n    '''\nassert '%time' in doc.__doc__",
        "rest = (\n7\n%4\n!= 2\n)\nassert rest\n%cd ..",
    ],
)
def test_commands_of_jupyter_in_the_cell_of_a_function_cost_no_points(written, sandbox, command):
    for source in (f"{command}\n{SOFTMAX}", f"{SOFTMAX}\n{command}"):
        report = check_file(written(IMPORTS, source), ID, sandbox)
        assert report.passed and not report.failed_cells


def test_pasted_cells_are_read_as_in_jupyter(written, sandbox):
    first, *others = SOFTMAX.split("\n")
    prompts = "\n".join([f">>> {first}", *(f"... {line}" for line in others), "..."])
    for source in (textwrap.indent(SOFTMAX, "    "), prompts, textwrap.indent(prompts, "  ")):
        report = check_file(written(IMPORTS, source), ID, sandbox)
        assert report.passed and not report.failed_cells


@pytest.mark.parametrize("command", ["await print()", "/print 1", "%time x ="])
def test_what_only_jupyter_runs_fails_with_its_cell(written, sandbox, command):
    report = check_file(written(IMPORTS, SOFTMAX, command), ID, sandbox)
    assert report.passed
    assert report.failed_cells[0].startswith("code cell 3 fails: line 1 ends with SyntaxError")


@pytest.mark.parametrize("suffix", [".ipynb", ".py"])
@pytest.mark.parametrize(
    ("cells", "outcome"),
    [
        ([HALF, CHECKED, 'softmax = yours("softmax")'], "wrong"),
        ([SOFTMAX, CHECKED, 'softmax = yours("softmax")'], "right"),
        (['softmax = yours("softmax")'], "unattempted"),
        (['linear, linear_backward = yours("linear")\nlinear(*np.eye(3))', SOFTMAX], "right"),
    ],
)
def test_yours_of_the_exercise_is_what_the_student_defined(
    written, sandbox, cells, outcome, suffix
):
    path = written(IMPORTS, *cells).with_suffix(suffix)
    if suffix == ".py":
        path.write_text("\n".join([IMPORTS, *cells]))
    report = check_file(path, ID, sandbox)
    assert report.parts[0].outcome == outcome and not report.failed_cells


def test_yours_of_several_functions_are_those_that_are_written(written, sandbox):
    above, _ = key_text(course.load("heads")).split("def merge_heads(")
    below = f'{IMPORTS}\nsplit_heads, merge_heads = yours("heads")'
    report = check_file(written(above, below), "heads", sandbox)
    assert [part.outcome for part in report.parts] == ["right", "unattempted", "right"]


def test_yours_of_another_exercise_gives_no_function_that_is_asked_for(written, sandbox):
    above, _ = key_text(load("positions")).split("def add_positions(")
    below = f'{IMPORTS}\nadd_positions, *others = yours("kv_cache")\nassert len(others) == 5'
    report = check_file(written(above, below), "positions", sandbox)
    assert {part.outcome for part in report.parts} == {"right", "unattempted"}
    assert not report.failed_cells


def test_error_outside_functions_costs_a_file_all_points(tmp_path, sandbox):
    path = tmp_path / "answer.py"
    path.write_text(f"import numpy as np\n{SOFTMAX}\n1 / 0\n")
    report = check_file(path, ID, sandbox)
    assert report.points == 0 and not report.failed_cells
    assert "the file cannot be loaded: line 5 ends with" in report.parts[0].finding.text


def test_mine_takes_earlier_answers_from_notebooks(written, sandbox):
    folder = written(IMPORTS, "1 / 0", key_text(load("masked_softmax"))).parent
    path = folder / f"{stem('masked_softmax')}.ipynb"
    (folder / f"{stem('softmax')}.ipynb").rename(path)
    code, line = own_functions(folder, "masked_attention", sandbox)
    assert line.startswith(f"Given functions that are yours: masked_softmax ({path.stem})")
    later = written(key_text(load("masked_attention")))
    report = check_file(later, "masked_attention", sandbox, more=f"{code}\nprint(masked_softmax)")
    assert report.passed and "<function masked_softmax" in report.printed


def test_error_in_a_model_names_the_line_of_the_cell():
    part = module_of(("x = 1", "def softmax(x):\n    return x / '2'"), "answer_softmax")
    with pytest.raises(TypeError) as raised:
        part.softmax(1)
    told = own_error(raised.value).text
    assert "the call of softmax ended in line 2 of code cell 2 with TypeError: " in told


def test_wrong_answer_stays_wrong_where_a_notebook_replaced_it(written, sandbox):
    mistake = course.load(ID).mistakes[0]
    checked = f"{IMPORT}\nsoftmax = exercise('softmax').check(softmax)"
    report = check(
        case_at(ID, 0), code_of(written(course.load(ID).mistaken(mistake), checked)), sandbox.run
    )
    findings = [part.finding.id for part in report.parts if part.outcome == "wrong"]
    assert findings == [mistake.id]


@pytest.mark.parametrize("source", [None, 5, ["x = 1", 2], {"a": 1}])
def test_cell_that_is_not_text_is_reported(written, source):
    with pytest.raises(
        InputError,
        match=rf"{stem('softmax')}.ipynb is no notebook: expected the source of each cell as text",
    ):
        code_of(written("x = 1", source))


def test_answers_kept_by_notebooks_of_the_course_are_handed_in(monkeypatch, tmp_path):
    pytest.importorskip("IPython", reason='IPython is missing: pip install -e ".[notebooks]"')
    exercises, kept = tmp_path / "exercises", tmp_path / "notebooks" / "my-transformer"
    exercises.mkdir()
    kept.mkdir(parents=True)
    monkeypatch.chdir(exercises)
    (exercises / "progress.json").write_text("{}")
    for id in ("softmax", "layer_norm", "linear"):
        (exercises / f"{stem(id)}.ipynb").write_text(student_notebook(load(id)))
    (kept / f"{stem('softmax')}.py").write_text(load("softmax").key)
    # of two in which as much is written it is that of the exercise
    (kept / f"{stem('layer_norm')}.py").write_text(student_text(load("layer_norm")))
    # begun in the notebook of the course, and finished in that of the exercise
    (kept / f"{stem('linear')}.py").write_text(student_text(load("linear")))
    (exercises / f"{stem('linear')}.ipynb").write_text(notebook([Cell(load("linear").key)]))

    with pytest.raises(InputError, match="hand_in got an empty name"):
        hand_in(" ")
    shown = hand_in(" Ada ").data
    assert "Written: 2 of 3 exercises" in shown and 'download="Ada.zip"' in shown
    assert f"<ul><li>{stem('softmax')}<li>{stem('linear')}</ul>" in shown
    [data] = re.findall('base64,([^"]*)', shown)
    archive = zipfile.ZipFile(io.BytesIO(base64.b64decode(data)))
    names = {f"{stem('softmax')}.py", f"{stem('layer_norm')}.ipynb", f"{stem('linear')}.ipynb"}
    assert set(archive.namelist()) == {*names, "progress.json"}
    assert archive.read(f"{stem('softmax')}.py").decode() == load("softmax").key

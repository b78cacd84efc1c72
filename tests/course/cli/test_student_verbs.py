from itertools import pairwise
from pathlib import Path

import pytest

from npformer_course import course
from npformer_course.course import stem
from npformer_course.order import PARTS, place_of
from npformer_course.percent_format import TODO
from npformer_course.report import Part, Report
from npformer_course.student.folder import Folder
from npformer_course.student.progress import Progress
from npformer_course.student.student_layers import MODEL_PARTS
from tests.run_here import key_text

ID = "layer_norm_backward"
FILE = f"{stem('layer_norm_backward')}.py"
pytestmark = pytest.mark.usefixtures("without_sandbox")


def test_start_says_how_to_begin(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    first = stem("heads")
    assert command("course", "start", "one", "heads").out == (
        "1 exercise is in one.\n"
        f"Go there (cd one), type  npformer course  and open {first}.py in an editor.\n"
    )
    assert command("course", "start", "two", "heads", "softmax", "--notebooks").out == (
        "2 exercises are in two.\n"
        f"Open {first}.ipynb in JupyterLab or VS Code and run it from the top.\n"
    )


def test_check_prints_correct_parts_and_identified_mistake(command, answer):
    answer("dxhat = dy * gain", "dxhat = dy")
    status, out, err = command("course", "check")
    assert (status, err) == (1, "")
    assert (
        "✗ dx: wrong\n" in out
        and "✓ dbias: right\n" in out
        and "dx does not depend on the gain" in out
    )
    answer()
    status, out, err = command("course", "check", ID)
    assert (status, err) == (0, "")
    assert "8 of 8 points" in out and "All checks passed." in out
    assert course.load(ID).prediction.because[:40] in out


def test_progress_counts_the_files_of_its_folder(command, answer, here, monkeypatch):
    answer("- along_ones", "")
    status, out, err = command("course", "check", FILE)
    assert (status, err) == (1, "") and "4 of 8 points" in out
    assert Progress(here)[ID].attempts == 1

    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    assert "4 of 8 points" in command("course", "check", f"../{FILE}").out
    assert Progress(here)[ID].attempts == 1 and not any(Path().iterdir())


@pytest.mark.parametrize("name", ["feed_forward_backward", f"{stem('feed_forward_backward')}.py"])
def test_mine_replaces_given_functions_by_own_earlier_answers(command, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    command("course", "start", ".", "linear", "feed_forward_backward")
    own = key_text(course.load("linear")).replace(
        "return dx, dw, drows.sum(0)", 'return print("my linear") or (dx, dw, column_sum(drows))'
    )
    Path(f"{stem('linear')}.py").write_text(
        f"{own}\n\n\ndef column_sum(x):\n    return x.sum(0)\n", encoding="utf-8"
    )
    Path(f"{stem('feed_forward_backward')}.py").write_text(
        key_text(course.load("feed_forward_backward")), encoding="utf-8"
    )
    assert "my linear" not in command("course", "check", name).out
    status, out, err = command("course", "check", name, "--mine")
    _, _, result = out.partition("Given functions that are ")
    assert (status, err) == (0, "") and result.startswith(
        f"yours: linear_backward ({stem('linear')}).\n"
    )
    assert "8 of 8 points" in result and "my linear" in result
    Path(f"{stem('linear')}.py").write_text(own, encoding="utf-8")
    status, out, err = command("course", "check", name, "--mine")
    _, _, result = out.partition("Given functions that are ")
    assert (status, err) == (0, "") and "8 of 8 points" in result and "my linear" not in result
    assert result.startswith("yours: none. As given, since yours is missing or does not pass:")


def test_a_file_has_the_name_of_its_exercise(command, answer, here):
    answer()
    (here / FILE).rename(here / "mine.py")
    status, out, err = command("course", "check", "mine.py")
    assert (status, out) == (2, "") and "there is no exercise 'mine'" in err
    status, out, err = command("course", "check", FILE)
    assert (status, out) == (2, "") and f"{FILE} does not exist" in err


def test_why_explains_only_after_a_first_attempt(command, answer, here):
    before = (here / "progress.json").read_bytes()
    status, out, _ = command("course", "why")
    told = f"write something into {FILE} first. A hint may help."
    assert status == 0 and " ".join(out.split()).endswith(told)
    answer("- along_ones", "")
    out = command("course", "why").out
    assert "what must dx add up to?" in out and out.endswith(f"npformer course step {ID}\n")
    answer()
    assert command("course", "why").out == "Nothing is wrong: all parts are right.\n"
    # to ask is no attempt
    command("course", "solution")
    assert (here / "progress.json").read_bytes() == before


def test_why_says_which_cells_fail_though_nothing_is_written(command, here, monkeypatch):
    unwritten = Part("dx", "backward", "unattempted", 3)
    report = Report(ID, (unwritten,), failed_cells=("code cell 2 fails: line 1",))
    monkeypatch.setattr(Folder, "check", lambda *asked, **settings: report)
    assert "  ! code cell 2 fails: line 1\n" in command("course", "why").out


def test_hints_are_shown_one_by_one(command, here):
    outs = [" ".join(command("course", "hint", ID).out.split()) for _ in range(4)]
    first, second, third = course.load(ID).hints
    last = f"Hint 3 of 3: {third}"
    assert outs == [f"Hint 1 of 3: {first}", f"Hint 2 of 3: {second}", last, last]


def test_solution_is_shown_only_after_a_pass(command, answer):
    status, out, _ = command("course", "solution")
    assert (status, " ".join(out.split())) == (
        1,
        f"The solution of {ID} opens once yours passes. A hint may help: npformer course hint {ID}",
    )
    answer()
    status, out, _ = command("course", "solution")
    assert status == 0 and "    dxhat = dy * gain\n" in out and "BEGIN" not in out


def test_list_and_reset(command, answer, here):
    answer()
    command("course", "check")
    part, notebook = place_of(ID)
    number = f"{course.load(ID).number:02}"
    assert command("course", "list").out == (
        f"{part.title}\n  {number} {notebook.title}: ✓ {ID}\n"
        "1 of 1 exercises, 8 of 8 points\n"
        f"1 of {len(MODEL_PARTS)} parts of your Transformer are yours: {ID}.\n"
    )
    assert command("course", "reset", ID).out == f"It is as it was. What you wrote: {FILE}.old\n"
    assert command("course", "reset", ID).out == "It is as it was.\n"
    assert TODO in (here / FILE).read_text() and "dxhat = dy" in (here / f"{FILE}.old").read_text()
    out = command("course", "list").out
    assert f"{notebook.title}: · {ID} ({course.load(ID).minutes} min)\n" in out
    assert "0 of 1 exercises, 0 of 8 points\n" in out
    assert out.endswith("parts of your Transformer are yours.\n")


def test_list_has_at_most_a_screen_for_each_part(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    command("course", "start", ".")
    out = command("course", "list").out
    places = [out.index(f"{part.title}\n") for part in PARTS]
    assert places == sorted(places)
    for first, end in pairwise([*places, len(out)]):
        assert out[first:end].count("\n") <= 24
    assert all(f"· {id} (" in out for id in course.EXERCISES)


def test_error_outside_a_course_names_start_command(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for verb in ([], ["check"], ["hint"], ["why"], ["solution"], ["list"], ["reset", ID]):
        status, out, err = command("course", *verb)
        assert (status, out) == (2, "") and err.count("\n") == 1 and "npformer course start" in err

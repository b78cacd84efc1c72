import json

import pytest

from npformer.classroom import index as course
from npformer.classroom.cells import TODO

ID = "layer_norm_backward"
FILE = "15_layer_norm_backward.py"
pytestmark = pytest.mark.usefixtures("without_sandbox")


def test_check_prints_correct_parts_and_identified_mistake(command, answer):
    answer("dxhat = dy * gain", "dxhat = dy")
    status, out, err = command("class", "check")
    assert (status, err) == (1, "")
    assert "✗ dx: wrong\n" in out and "✓ dbias: right\n" in out and "dx does not depend on the gain" in out
    answer()
    status, out, err = command("class", "check", ID)
    assert (status, err) == (0, "")
    assert "8 of 8 points" in out and "All public checks passed." in out
    assert course.load(ID).prediction.because[:40] in out


def test_json_report_has_fields_and_records_no_progress(command, answer, here):
    answer("- along_ones", "")
    before = (here / "progress.json").read_bytes()
    status, out, err = command("class", "check", FILE, "--json")
    assert (status, err) == (1, "")
    report = json.loads(out)
    assert (report["exercise"], report["points"], report["out_of"]) == (ID, 4, 8)
    dx = report["parts"][0]
    assert (dx["name"], dx["outcome"], dx["points"], dx["out_of"]) == ("dx", "wrong", 0, 4)
    assert dx["finding"].keys() == {"kind", "id", "text", "question"}
    assert (dx["finding"]["kind"], dx["finding"]["id"]) == ("mistake", "mean_missing")
    assert report["parts"][1]["finding"]["kind"] == "none"
    assert (here / "progress.json").read_bytes() == before
    assert command("class", "check", "--json").status == 1
    assert (here / "progress.json").read_bytes() == before


def test_a_file_has_the_name_of_its_exercise(command, answer, here):
    answer()
    (here / FILE).rename(here / "mine.py")
    status, out, err = command("class", "check", "mine.py")
    assert (status, out) == (2, "") and "there is no exercise 'mine'" in err
    status, out, err = command("class", "check", FILE)
    assert (status, out) == (2, "") and f"{FILE} does not exist" in err


def test_why_explains_only_after_a_first_attempt(command, answer):
    status, out, _ = command("class", "why")
    assert status == 0 and "write something into" in out
    answer("- along_ones", "")
    out = command("class", "why").out
    assert "what must dx add up to?" in out and out.endswith(f"npformer class step {ID}\n")


def test_hints_are_shown_one_by_one(command, here):
    outs = [command("class", "hint", "15").out for _ in range(4)]
    assert [out[:6] for out in outs] == ["Hint 1", "Hint 2", "Hint 3", "Hint 3"]


def test_solution_is_shown_only_after_a_pass(command, answer):
    status, out, _ = command("class", "solution")
    assert status == 1 and "dxhat" not in out
    answer()
    status, out, _ = command("class", "solution")
    assert status == 0 and "    dxhat = dy * gain\n" in out and "BEGIN" not in out


def test_list_and_reset(command, answer, here):
    answer()
    command("class", "check")
    passed = f"✓ 15 layer_norm_backward (8 points, {course.load(ID).minutes} min)\n"
    assert passed in command("class", "list").out
    assert command("class", "reset", ID).out == f"It is as it was. What you wrote: {FILE}.old\n"
    assert command("class", "reset", ID).out == "It is as it was.\n"
    assert TODO in (here / FILE).read_text() and "dxhat = dy" in (here / f"{FILE}.old").read_text()
    assert "0 of 1 exercises, 0 of 8 points" in command("class", "list").out


def test_error_outside_a_course_names_start_command(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for verb in ([], ["check"], ["hint"], ["why"], ["solution"], ["list"], ["reset", ID]):
        status, out, err = command("class", *verb)
        assert (status, out) == (2, "") and err.count("\n") == 1 and "npformer class start" in err

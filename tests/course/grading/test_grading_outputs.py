"""Files for other programs: what each says in its own form, the same points in all."""

import csv
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from npformer.utils.errors import CONTROLS
from npformer_course import course
from npformer_course.course import stem
from npformer_course.grading.outputs.class_page import class_page, mistakes_made
from npformer_course.grading.outputs.gradescope import results_json
from npformer_course.grading.write_results import class_csv, feedback, write_results
from npformer_course.report import Finding, Part, Report
from tests.course.grading.submissions import HEADS, blank


def make_report(outcome="wrong", text="a fact", question="why?", kind="mistake", exercise=HEADS):
    return [
        Report(
            exercise, (Part("heads", "split", outcome, 3, Finding(kind, "an_id", text, question)),)
        )
    ]


def rows(text):
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))


@pytest.mark.parametrize(
    ("student", "points"), [("full", 7), ("blank", 0), ("half", 3), ("wrong", 5), ("nothing", 0)]
)
def test_every_output_has_the_same_points(graded, tmp_path, student, points):
    write_results({student: graded[student]}, tmp_path, seed=1706)
    own = tmp_path / "students" / student
    result = json.loads((own / "result.json").read_text())
    assert (result["points"], result["out_of"], result["seed"]) == (points, 7, 1706)
    assert sum(part["points"] for part in result["exercises"][0]["parts"]) == points
    gradescope = json.loads((own / "gradescope.json").read_text())
    assert gradescope["score"] == sum(test["score"] for test in gradescope["tests"]) == points
    assert sum(test["max_score"] for test in gradescope["tests"]) == 7
    assert (own / "feedback.txt").read_text().startswith(f"{student}: {points} of 7 points\n")
    head, row = rows((tmp_path / "class.csv").read_text(encoding="utf-8"))
    assert head == ["student", stem("heads"), "by hand", "points", "out of"]
    assert row == [student, str(points), "0", str(points), "7"]
    assert f"<td><b>{points}</b></td>" in (tmp_path / "class.html").read_text(encoding="utf-8")


def test_part_waiting_for_another_is_not_counted_as_incorrect():
    part = Part("heads", "split", "error", 3, Finding("guard", "raised", "it ended", ""))
    waiting = Part("inputs unchanged", "", "unattempted", 1, Finding("none", "", "counts later"))
    reports = [Report(HEADS, (part, waiting))]
    assert "inputs unchanged: counts later" in class_page({"ada": reports}, {})
    assert "· inputs unchanged: counts later" in feedback("ada", reports)
    assert results_json(reports)["tests"][1]["output"] == "counts later"


def test_rewriting_results_gives_identical_files(graded, tmp_path):
    def content():
        write_results(graded, tmp_path, seed=1706)
        return {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    first = content()
    assert first == content() and len(first) == 3 + 3 * len(graded)


def test_terminal_control_characters_are_removed(graded, tmp_path):
    write_results({"steering": graded["steering"]}, tmp_path, seed=1706)
    for path in (
        tmp_path / "students" / "steering" / "feedback.txt",
        tmp_path / "class.html",
        tmp_path / "class.csv",
    ):
        text = path.read_text(encoding="utf-8")
        assert not {chr(code) for code in CONTROLS} - {"\n"} & {*text}
        assert "ValueError:  [2J" in text or path.suffix == ".csv"
        assert "\u202e" not in text


def test_manual_marks_are_added_and_table_is_unchanged(graded, tmp_path):
    table = b"student,exercise,points,comment\r\nwrong,heads,1.5,told me why\nghost,,1,\n"
    (tmp_path / "marks.csv").write_bytes(table)
    assert write_results({name: graded[name] for name in ("wrong", "full")}, tmp_path, seed=1) == [
        "ghost"
    ]
    assert (tmp_path / "marks.csv").read_bytes() == table
    assert rows((tmp_path / "class.csv").read_text())[1:] == [
        ["wrong", "5", "1.5", "6.5", "7"],
        ["full", "7", "0", "7", "7"],
    ]
    own = tmp_path / "students" / "wrong"
    assert json.loads((own / "result.json").read_text())["by_hand"] == 1.5
    assert json.loads((own / "gradescope.json").read_text())["score"] == 6.5
    assert "5 of 7 points, and 1.5 by hand" in (own / "feedback.txt").read_text()
    assert "<td><b>6.5</b></td><td>1.5</td>" in (tmp_path / "class.html").read_text()


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)"])
def test_names_are_escaped_against_spreadsheet_formulas(name):
    text = class_csv({name: make_report("right")}, {})
    assert rows(text)[1] == [f"'{name}", "3", "0", "3", "3"] and text.startswith("\ufeffstudent,")


def test_gradescope_results_have_documented_fields(graded):
    for reports in graded.values():
        found = results_json(reports)
        assert found.keys() == {"score", "tests"}
        for test in found["tests"]:
            assert test.keys() == {"name", "score", "max_score", "status", "output"}
            assert test["status"] == ("passed" if test["score"] else "failed") and test["output"]
    assert results_json(graded["looping"])["tests"][1]["output"].startswith("took too long\n")


class Tags(HTMLParser):
    """Check that every tag is closed, and keep the text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.names = [], [], set()
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.names.add(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_class_page_escapes_student_text_and_is_self_contained(graded):
    evil = '<script>alert("x")</script>'
    text = class_page({evil: make_report(text=evil, question=evil), **graded}, {})
    page = Tags(text)
    assert "script" not in page.names and evil in page.texts
    assert "http" not in text and "src=" not in text and "<link" not in text
    assert class_page({'" onload="x': make_report()}, {}).count('" onload') == 0


def test_class_page_shows_points_errors_and_unattempted_parts(graded):
    text = class_page(
        {name: graded[name] for name in ("blank", "raising", "looping", "full", "wrong")},
        {"full": 1},
    )
    body = text.partition("<tbody>")[2]
    assert (
        '<td class="p">-</td>' in body
        and ">5!</td>" in body
        and ">5⧖</td>" in body
        and ">7</td>" in body
    )
    assert "5 of 7\nmerged: wrong. " in body and "of that by hand" in text
    assert (
        "5 students, 1 exercise, 7 points" in text
        and "% of points</th><td></td><td></td><td>63</td>" in text
    )


def test_table_of_points_has_a_row_for_each_student_and_a_column_for_each_exercise():
    [softmax] = make_report(exercise="softmax")
    endings = [replace(softmax.parts[0], outcome=outcome) for outcome in ("error", "timeout")]
    ada = [*make_report("right"), replace(softmax, parts=tuple(endings))]
    bob = [*make_report("error"), *make_report("unattempted", exercise="softmax")]
    text = class_page({"ada": ada, "bob": bob}, {})
    green = 'style="background: rgb(34, 119, 68, 0.90); color: #fff"'
    pale = 'style="background: rgb(34, 119, 68, 0.50); color: #222"'
    red = 'style="background: rgb(251, 226, 210)"'
    [table] = re.findall("<table>(.*)</table>", text, re.DOTALL)
    assert table == (
        '<thead><tr><th>student</th><th class="turned"><b>points</b></th>'
        '<th class="turned">04 heads</th><th class="turned">03 softmax</th></tr></thead>'
        '<tbody><tr><th scope="row" title="ada">ada</th><td><b>3</b></td>'
        f'<td class="p" title="3 of 3" {green}>3</td><td class="p" '
        f'title="0 of 6\nheads: error. a fact\nheads: timeout. a fact" {red}>0⧖</td></tr>'
        '<tr><th scope="row" title="bob">bob</th><td><b>0</b></td>'
        f'<td class="p" title="0 of 3\nheads: error. a fact" {red}>0!</td>'
        '<td class="p">-</td></tr></tbody>'
        "<tfoot><tr><th>% of points</th><td></td><td>50</td><td>0</td></tr></tfoot>"
    )
    assert f"<span {green}>8</span>all <span {pale}>4</span>half\n<span {red}>0</span>none" in text


def mistakes_in(results):
    page = class_page(results, {})
    return page.partition("<h2>Mistakes</h2>\n")[2].partition("</body>")[0].strip()


def test_list_of_mistakes_has_how_many_made_each_and_who():
    other = make_report("right")
    results = {"ada": make_report(), "bob": other, "cem": make_report(), "dan": other}
    assert mistakes_in(results) == (
        '<div class="m"><p><span class="bar" style="width: 2.50rem"></span>2 of 4</p>'
        f"<div><p><b>{stem(HEADS)}: an id</b></p><p>a fact</p>"
        '<p class="q">why?</p><p class="who">ada, cem</p></div></div>'
    )
    assert mistakes_in({"bob": other}) == "<p>None was named.</p>"


def test_files_for_other_programs_say_all_of_a_report(tmp_path):
    [report] = make_report()
    parts = (*report.parts, Part("merged", "merge", "right", 2))
    reports = [replace(report, parts=parts, predicted="b", failed_cells=("cell 5 fails",))]
    write_results({"ada": reports}, tmp_path, seed=8)
    own = tmp_path / "students" / "ada"
    finding = {"kind": "mistake", "id": "an_id", "text": "a fact", "question": "why?"}
    none = {"kind": "none", "id": "", "text": "", "question": ""}
    heads = {"name": "heads", "outcome": "wrong", "points": 0, "out_of": 3, "finding": finding}
    merged = {"name": "merged", "outcome": "right", "points": 2, "out_of": 2, "finding": none}
    exercise = {
        "exercise": HEADS,
        "points": 2,
        "out_of": 5,
        "predicted": "b",
        "failed_cells": ["cell 5 fails"],
        "parts": [heads, merged],
    }
    assert json.loads((own / "result.json").read_text()) == {
        "student": "ada",
        "points": 2,
        "out_of": 5,
        "by_hand": 0,
        "seed": 8,
        "exercises": [exercise],
    }

    tests = [
        ("cells of the notebook that fail", 0, 0, "failed", "cell 5 fails"),
        ("heads", 0, 3, "failed", "wrong\na fact\nwhy?"),
        ("merged", 2, 2, "passed", "right"),
    ]
    expected = []
    for name, *others in tests:
        row = dict(zip(("score", "max_score", "status", "output"), others, strict=True))
        expected.append({"name": f"{stem(HEADS)}: {name}", **row})
    assert json.loads((own / "gradescope.json").read_text()) == {"score": 2, "tests": expected}


def test_similar_answers_and_uses_of_npformer_are_flagged():
    lines = [f"x{i} = {i}" for i in range(6)]
    own = "\n".join(lines)
    indented = "\n".join(f"    {line}" for line in lines)
    codes = {
        "ada": f'prediction = "a"\n# mine\n{own}',
        "bob": f'prediction = "b"\n{indented}',
        "eve": f"{own}\nx = 7",
        "kim": "from npformer.layers import Softmax",
    }
    # a line less than two need to have alike, and what both were given
    few = "\n".join(lines[1:])
    codes["lou"] = codes["max"] = f"from npformer_course import exercise\n{few}"
    codes["pam"] = codes["pat"] = blank()
    codes["dan"] = f"{own}\n%time x = 8"
    codes["roe"] = (
        "from npformer_course import Bet, exercise\n%matplotlib inline\n"
        f"{own}\n%time x = 8\nexercise('heads').check()"
    )
    [heads], [softmax] = make_report(), make_report(exercise="softmax")
    results = {}
    for name, code in codes.items():
        other = code if name == "kim" else ""
        results[name] = [replace(heads, code=code), replace(softmax, code=other)]
    text = class_page(results, {})
    flags = text.partition("<h2>To look at</h2><ul>")[2].partition("</ul>")[0]
    assert (
        flags == f"<li>{stem('softmax')}, uses npformer: kim</li>\n"
        f"<li>{stem('heads')}, alike: ada, bob</li>\n"
        f"<li>{stem('heads')}, alike: dan, roe</li>\n"
        f"<li>{stem('heads')}, uses npformer: kim</li>\n"
    )
    assert "To look at" not in class_page({"ada": make_report()}, {})


@pytest.mark.parametrize(
    "line",
    [
        'softmax = __import__("npformer.layers").layers.Softmax()',
        "from npformer_course import yours",
        "from npformer_course import exercise, yours",
        "from npformer_course.exercises.softmax.exercise import softmax",
        "    from npformer_course import course",
        "import npformer_course as course",
        "%time from npformer.layers import Softmax",
    ],
)
def test_uses_of_npformer_are_flagged(line):
    [report] = make_report(exercise="softmax")
    page = class_page({"ada": [replace(report, code=line)]}, {})
    assert f"<li>{stem('softmax')}, uses npformer: ada</li>" in page


@pytest.mark.parametrize("outcome", ["right", "unattempted"])
def test_cells_that_fail_are_in_all_that_a_student_gets(tmp_path, outcome):
    told = "code cell 5 fails: line 1 ends with NameError"
    [report] = make_report(outcome)
    reports = [replace(report, failed_cells=(told,))]
    write_results({"ada": reports}, tmp_path, seed=1706)
    own = tmp_path / "students" / "ada"
    assert f"\n  ! {told}\n" in (own / "feedback.txt").read_text()
    assert json.loads((own / "result.json").read_text())["exercises"][0]["failed_cells"] == [told]
    of_gradescope = json.loads((own / "gradescope.json").read_text())
    [test] = [test for test in of_gradescope["tests"] if told in test["output"]]
    assert test["score"] == test["max_score"] == 0


def test_mistakes_are_counted_per_student_and_sorted(graded):
    wrong, other = graded["wrong"], make_report(text="other")
    made = mistakes_made(
        dict(full=graded["full"], ada=wrong, eve=[*wrong, *other, *other], bob=make_report("right"))
    )
    assert [students for _, _, students in made] == [["ada", "eve"], ["eve"]]
    reports = [make_report(exercise=id)[0] for id in ("attention", HEADS, "softmax")]
    assert [exercise for exercise, _, _ in mistakes_made({"ada": reports})] == [
        "softmax",
        "attention",
        HEADS,
    ]
    assert mistakes_made({"ada": make_report(kind="numbers")}) == []
    # of two that as many have made, by their ids
    [report] = make_report()
    [part] = report.parts
    parts = []
    for id, outcome in (("z", "timeout"), ("k", "wrong"), ("a", "error"), ("b", "unattempted")):
        finding = replace(part.finding, id=id)
        parts.append(replace(part, outcome=outcome, finding=finding))
    made = mistakes_made({"ada": [replace(report, parts=tuple(parts))]})
    assert [mistake.finding.id for mistake in made] == ["a", "k", "z"]


def test_feedback_gives_shared_reason_once_without_prints(graded):
    assert feedback("ada", graded["blank"]).endswith(": 0 of 7 points\n  not written yet\n")
    assert feedback("ada", graded["nothing"]).endswith(": 0 of 7 points\n  nothing was handed in\n")
    part = make_report()[0].parts[0]
    text = feedback("ada", [Report(HEADS, (part, part), printed="0x7f00 at noon")])
    title = f"04 {course.load(HEADS).title}"
    assert text == (
        f"ada: 0 of 6 points\n\n{title}: 0 of 6 points\n"
        "  ✗ heads: wrong\n      a fact\n      why?\n  ✗ heads: wrong\n"
    )

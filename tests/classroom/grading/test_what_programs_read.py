"""Files for other programs: what each says in its own form, the same points in all."""

import csv
import io
import json
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from submissions import HEADS, key

from npformer.classroom.grading.grading import grade
from npformer.classroom.grading.outputs.feedback import feedback
from npformer.classroom.grading.outputs.gradescope import results_json
from npformer.classroom.grading.outputs.html import class_page
from npformer.classroom.grading.outputs.junit import junit_xml
from npformer.classroom.grading.outputs.mistake_counts import mistakes_list, mistakes_made
from npformer.classroom.grading.outputs.tables import class_csv, result_json
from npformer.classroom.grading.results import write_results
from npformer.classroom.report import Finding, Part, Report, Result


def made_up(student="ada", points=1, outcome="wrong", text="a fact", question="why?", kind="mistake", predicted=""):
    part = Part("heads", "split", outcome, points, 3, Finding(kind, "an_id", text, question))
    return Result(student, (Report(HEADS, (part,), predicted=predicted),))


def rows(text):
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))


@pytest.mark.parametrize(("student", "points"), [("full", 7), ("blank", 0), ("half", 2), ("wrong", 6), ("nothing", 0)])
def test_every_output_has_the_same_points(graded, tmp_path, student, points):
    write_results([graded[student]], tmp_path, seed=1706)
    own = tmp_path / "students" / student
    result = json.loads((own / "result.json").read_text())
    assert (result["points"], result["out_of"], result["seed"]) == (points, 7, 1706)
    assert sum(part["points"] for part in result["exercises"][0]["parts"]) == points
    gradescope = json.loads((own / "gradescope.json").read_text())
    assert gradescope["score"] == sum(test["score"] for test in gradescope["tests"]) == points
    assert sum(test["max_score"] for test in gradescope["tests"]) == 7
    suites = ElementTree.parse(own / "junit.xml").getroot()
    right = [case.get("name") for case in suites.iter("testcase") if not len(case)]
    assert right == [part.name for part in graded[student].reports[0].parts if part.outcome == "right"]
    assert (own / "feedback.txt").read_text().startswith(f"{student}: {points} of 7 points\n")
    head, row = rows((tmp_path / "class.csv").read_text(encoding="utf-8"))
    assert dict(zip(head, row, strict=True)) == {
        "student": student,
        "10_heads": str(points),
        "by hand": "0",
        "points": str(points),
        "out of": "7",
    }
    assert f"<td><b>{points}</b></td>" in (tmp_path / "class.html").read_text(encoding="utf-8")


def test_what_waits_for_another_part_is_wrong_nowhere():
    part = Part("heads", "split", "error", 0, 3, Finding("guard", "raised", "it ended", ""))
    waiting = Part("inputs unchanged", "", "unattempted", 0, 1, Finding("none", "", "counts later"))
    result = Result("ada", (Report(HEADS, (part, waiting)),))
    suite = ElementTree.fromstring(junit_xml(result).split("\n", 1)[1]).find("testsuite")
    assert (suite.get("failures"), suite.get("errors"), suite.get("skipped")) == ("0", "1", "1")
    assert [case.find("skipped").get("message") for case in suite if case.find("skipped") is not None] == [
        "counts later"
    ]
    assert "inputs unchanged: counts later" in class_page([result], {})
    assert "· inputs unchanged: counts later" in feedback(result)


def test_a_reason_that_all_parts_share_is_told_once_and_each_refers_to_it():
    parts = [Part(name, "split", "error", 0, 1, Finding("guard", "raised", "it ended", "Why?")) for name in "abc"]
    text = feedback(Result("ada", (Report(HEADS, tuple(parts)),)))
    assert (text.count("it ended"), text.count("as above"), text.count("Why?")) == (1, 2, 1)


def test_writing_again_writes_the_same(graded, tmp_path):
    def content():
        write_results(list(graded.values()), tmp_path, seed=1706)
        return {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    first = content()
    assert first == content() and len(first) == 3 + 4 * len(graded)


def test_marks_by_hand_are_added_everywhere_and_the_table_stays(graded, tmp_path):
    table = b"student,exercise,points,comment\r\nwrong,heads,1.5,told me why\nghost,,1,\n"
    (tmp_path / "marks.csv").write_bytes(table)
    assert write_results([graded["wrong"], graded["full"]], tmp_path, seed=1) == ["ghost"]
    assert (tmp_path / "marks.csv").read_bytes() == table
    assert rows((tmp_path / "class.csv").read_text())[1:] == [
        ["wrong", "6", "1.5", "7.5", "7"],
        ["full", "7", "0", "7", "7"],
    ]
    own = tmp_path / "students" / "wrong"
    assert json.loads((own / "result.json").read_text())["by_hand"] == 1.5
    assert json.loads((own / "gradescope.json").read_text())["score"] == 7.5
    assert "6 of 7 points, and 1.5 by hand" in (own / "feedback.txt").read_text()
    assert "<td><b>7.5</b></td><td>1.5</td>" in (tmp_path / "class.html").read_text()


def test_json_tells_what_was_found(graded):
    result = result_json(graded["wrong"], 3)
    part = result["exercises"][0]["parts"][2]
    assert (part["name"], part["outcome"], part["finding"]["kind"]) == ("mask_of_heads", "wrong", "mistake")
    json.dumps(result)


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_no_spreadsheet_takes_a_name_for_a_formula(name):
    text = class_csv([made_up(name)], {})
    assert rows(text)[1][0] == f"'{name}" and text.startswith("\ufeffstudent,")


def test_names_with_commas_and_quotes_stay_in_their_column():
    assert rows(class_csv([made_up('Lovelace, "Ada"')], {}))[1] == ['Lovelace, "Ada"', "1", "0", "1", "3"]


def test_gradescope_gets_its_documented_fields(graded):
    for result in graded.values():
        found = results_json(result)
        assert found.keys() == {"score", "tests"} and type(found["score"]) is int
        for test in found["tests"]:
            assert test.keys() == {"name", "score", "max_score", "status", "output"}
            assert test["status"] == ("passed" if test["score"] else "failed") and test["output"]
        assert len({test["name"] for test in found["tests"]}) == len(found["tests"])
    assert results_json(graded["looping"])["tests"][2]["output"].startswith("took too long\n")
    assert "\nwhy?" in results_json(made_up())["tests"][0]["output"]


def test_junit_counts_what_it_holds(graded):
    counts = {name: suite_of(junit_xml(graded[name])) for name in ("full", "blank", "wrong", "raising", "looping")}
    assert counts == {
        "full": ["4", "0", "0", "0"],
        "blank": ["4", "0", "0", "4"],
        "wrong": ["4", "1", "0", "0"],
        "raising": ["4", "0", "1", "0"],
        "looping": ["4", "0", "1", "0"],
    }


def suite_of(text):
    (suite,) = ElementTree.fromstring(text)
    assert len([*suite]) == int(suite.get("tests"))
    return [suite.get(name) for name in ("tests", "failures", "errors", "skipped")]


@pytest.mark.parametrize("text", ["a\0b", "\x1b[31m", "<&\"'>", "\ud800", "\ufffe", "two\nlines"])
def test_junit_is_xml_whatever_was_found(text):
    suites = ElementTree.fromstring(junit_xml(made_up(text, text=text)).encode())
    assert next(suites.iter("failure")).get("message").startswith("wrong\n")


def test_whatever_an_answer_raises_can_be_written(hand_in, tmp_path):
    raising = key().replace("return np.repeat", 'raise ValueError("\\ud800\\0\\x1b[2J</p>\\n"); return np.repeat')
    results = grade(hand_in("ada", heads=raising), [HEADS])
    assert "ValueError" in results[0].reports[0].parts[2].finding.text
    write_results(results, tmp_path / "results", seed=1)
    own = tmp_path / "results" / "students" / "ada"
    ElementTree.parse(own / "junit.xml")
    assert (
        "ValueError"
        in json.loads((own / "result.json").read_text(encoding="utf-8"))["exercises"][0]["parts"][2]["finding"]["text"]
    )
    Tags((tmp_path / "results" / "class.html").read_text(encoding="utf-8"))


class Tags(HTMLParser):
    """Check that every tag is closed, and keep the text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.names, self.attributes = [], [], set(), set()
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.names.add(tag)
        self.attributes |= {name for name, _ in attributes}
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_the_page_shows_what_students_wrote_and_never_runs_it(graded):
    evil = '<script>alert("x")</script>'
    page = Tags(class_page([made_up(evil, text=evil, question=evil), *graded.values()], {}))
    assert "script" not in page.names and page.texts.count(evil) == 4
    assert page.attributes == {"lang", "charset", "name", "content", "class", "style", "title", "scope"}
    assert class_page([made_up('" onload="x')], {}).count('" onload') == 0


def test_the_page_needs_nothing_beside_it(graded):
    text = class_page([*graded.values()], {})
    assert "http" not in text and "src=" not in text and "<link" not in text
    Tags(text)


def test_the_page_tells_how_it_went():
    results = [
        made_up("a", 3, "right", predicted="a"),
        made_up("b", 0, "wrong", predicted="b"),
        made_up("c", 0, "error"),
    ]
    text = "".join(Tags(class_page(results, {"b": 1})).texts)
    assert "3 students, 1 exercise, 3 points" in text and "Half of the class has 1 point or more." in text
    assert "% of points33" in text and "% predicted right50" in text and "of that by hand" in text
    assert "by hand" not in class_page(results, {})
    several = [Result("a", (*made_up(points=3).reports, Report("warmup", (Part("x", "y", "wrong", 1, 3),))))]
    assert "Least of all in 23_warmup: 33% of its points." in class_page(several, {})


def test_cells_tell_errors_and_what_was_not_written(graded):
    text = class_page([graded[name] for name in ("blank", "raising", "looping", "full", "wrong")], {})
    body = text.partition("<tbody>")[2]
    assert '<td class="p">-</td>' in body and ">6!</td>" in body and ">6⧖</td>" in body and ">7</td>" in body
    assert "6 of 7\nmask_of_heads: wrong. " in body


def test_a_cell_with_an_error_and_a_timeout_tells_the_timeout():
    parts = [Part(name, name, name, 0, 1) for name in ("error", "timeout")]
    assert ">0⧖</td>" in class_page([Result("ada", (Report(HEADS, tuple(parts)),))], {})


def test_mistakes_are_counted_once_a_student_the_most_frequent_first(graded):
    twice = Result("eve", (graded["wrong"].reports[0], *made_up(text="other").reports))
    made = mistakes_made([graded["full"], graded["wrong"], graded["blank"], twice, made_up("bob", outcome="right")])
    assert [one.students for one in made] == [("wrong", "eve"), ("eve",)]
    two_parts = Result("x", (Report(HEADS, made_up().reports[0].parts * 2),))
    assert [one.students for one in mistakes_made([two_parts])] == [("x",)]
    text = mistakes_list([graded["wrong"], twice])
    assert "<p>2 of 2</p>" in text.replace('<span class="bar" style="width: 5.00rem"></span>', "")
    assert "<details><summary>Made by one student each: 1</summary>" in text and 'class="who">wrong, eve</p>' in text


def test_mistakes_made_as_often_come_in_the_order_of_the_course():
    parts = made_up().reports[0].parts
    ids = ["attention", HEADS, "softmax"]
    made = mistakes_made([Result("ada", tuple(Report(id, parts) for id in ids))])
    assert [one.exercise for one in made] == ["softmax", "attention", HEADS]


@pytest.mark.parametrize("kind", ["none", "numbers"])
def test_what_has_no_name_is_not_counted(kind):
    assert mistakes_made([made_up(kind=kind)]) == []
    assert "None was named." in class_page([made_up(kind=kind)], {})


def test_an_empty_class_has_a_page():
    Tags(class_page([], {}))
    assert rows(class_csv([], {})) == [["student", "by hand", "points", "out of"]]


def test_feedback_says_once_that_nothing_was_written(graded):
    assert feedback(graded["blank"]).endswith(": 0 of 7 points\n  not written yet\n")
    assert feedback(graded["nothing"]).endswith(": 0 of 7 points\n  nothing was handed in\n")
    assert feedback(graded["half"]).count("not written yet") == 2


def test_feedback_tells_a_shared_reason_once_and_nothing_that_was_printed(graded):
    part = made_up().reports[0].parts[0]
    report = Report(HEADS, (part, part), printed="0x7f00 at noon")
    text = feedback(Result("ada", (report,)))
    assert text.count("a fact") == text.count("why?") == 1 and text.count("heads: wrong") == 2
    assert "noon" not in text
    assert feedback(Result("ada", (report, report))).count("a fact") == 2

"""Students' answers, in the files of the folder answers/: wrong ones are named, right ones pass.

A file is a list of answers. Above each answer is a line that says what is expected of it, or
several lines:

    ## wrong: exercise | part                      the part is refused
    ## finding: exercise | part | words            the part is refused in these words
    ## mistake: exercise | part | words            the same, as a mistake that the exercise knows
    ## two: exercise | part | mistake + mistake    two mistakes that the exercise knows are named
    ## right: exercise | the style of the answer   all points

An answer is functions in place of those of the solution, or edits of the solution: a line with
"- " is replaced by the line with "+ " below it. Code above the first answer of a file precedes
each of its answers.
"""

from pathlib import Path
from typing import NamedTuple

import pytest

from npformer_course import course
from npformer_course.case import case_at
from npformer_course.check_answer import check
from npformer_course.definition import Edit
from tests.run_here import run_here

FOLDER = Path(__file__).parent / "answers"
KINDS = {"wrong", "finding", "mistake", "two", "right"}


class Expected(NamedTuple):
    kind: str
    exercise: str
    part: str = ""
    words: str = ""


def expected_of(heading):
    kind, rest = heading.removeprefix("## ").split(": ", 1)
    return Expected(kind, *rest.split(" | "))


def answers_of(path):
    """Return the answers of a file: the lines above each, and its code."""
    answers = []
    headings, code, before = [], [], []
    for line in [*path.read_text("utf-8").splitlines(), "## end"]:
        if not line.startswith("## "):
            code.append(line)
            continue
        if code and not headings:
            before = code
        elif code:
            answers.append((headings, "\n".join([*before, *code])))
            headings = []
        code = []
        headings.append(line)
    return answers


def edits_of(code):
    """Return the edits of an answer: each is lines with "- " and the lines with "+ " below."""
    edits = []
    right, wrong = [], []
    for line in [*code.splitlines(), "- "]:
        if line.startswith("- ") and wrong:
            edits.append(Edit("\n".join(right), "\n".join(wrong)))
            right, wrong = [], []
        if line.startswith("- "):
            right.append(line.removeprefix("- "))
        elif line.startswith("+ "):
            wrong.append(line.removeprefix("+ "))
    return edits


def text_of(exercise, code):
    if not code.startswith("- "):
        return f"{exercise.key}\n\n{code}\n"
    text = exercise.key
    for edit in edits_of(code):
        text = edit.apply(text)
    return text


ANSWERS = {path.stem: answers_of(path) for path in sorted(FOLDER.glob("*.txt"))}
# the answers whose exercises take long
ONE_SEED = {"edited_solutions", "looking_inside", "second_half", "since_2017"}


def cases():
    found = []
    for name, answers in ANSWERS.items():
        seeds = (0,) if name in ONE_SEED else (0, 3)
        for headings, code in answers:
            found.append(pytest.param(headings, code, seeds, id=headings[0].removeprefix("## ")))
    return found


@pytest.mark.parametrize(("headings", "code", "seeds"), cases())
def test_answer_is_judged_as_its_heading_says(headings, code, seeds):
    exercise = course.load(expected_of(headings[0]).exercise)
    explained = not headings[0].startswith("## wrong")
    text = text_of(exercise, code)
    for seed in seeds:
        report = check(case_at(exercise.id, seed), text, run_here, explained=explained)
        assert_judged(report, headings, explained)


def assert_judged(report, headings, explained):
    parts = {part.name: part for part in report.parts}
    for heading in headings:
        expected = expected_of(heading)
        if expected.kind == "right":
            lost = [part.name for part in report.parts if part.outcome != "right"]
            assert report.passed, lost
            continue

        part = parts[expected.part]
        assert part.outcome in ("wrong", "error") and part.points == 0
        finding = part.finding
        if expected.kind == "two":
            assert sorted(finding.id.split(" + ")) == sorted(expected.words.split(" + "))
        if expected.kind in ("finding", "mistake"):
            assert expected.words in finding.text and finding.question
            assert "two mistakes" not in finding.text
        if expected.kind == "mistake":
            assert part.outcome == "wrong" and finding.kind == "mistake"
        if part.outcome == "error" and explained:
            assert finding.kind == "guard"


@pytest.mark.parametrize("name", ANSWERS)
def test_every_answer_of_a_file_is_read(name):
    lines = (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()
    read = [heading for headings, _ in ANSWERS[name] for heading in headings]
    assert [line for line in lines if line.startswith("## ")] == read
    assert {expected_of(heading).kind for heading in read} <= KINDS

"""A result as JUnit's XML, which test reports of many programs show."""

from __future__ import annotations

from xml.etree import ElementTree

from ... import index as course
from ...report import Result
from .gradescope import told


def junit_xml(result: Result) -> str:
    """Return a student's result: a suite an exercise, a case a part."""
    suites = ElementTree.Element("testsuites", name=printable(result.student))
    for report in result.reports:
        outcomes = [part.outcome for part in report.parts]
        counts = {
            "tests": len(outcomes),
            "failures": outcomes.count("wrong"),
            "errors": outcomes.count("error") + outcomes.count("timeout"),
            "skipped": outcomes.count("unattempted"),
        }
        stem = course.stem(report.exercise)
        suite = ElementTree.SubElement(suites, "testsuite", name=stem, **{k: str(v) for k, v in counts.items()})
        for part in report.parts:
            case = ElementTree.SubElement(suite, "testcase", classname=stem, name=part.name)
            kinds = {"wrong": "failure", "error": "error", "timeout": "error", "unattempted": "skipped"}
            if part.outcome in kinds:
                ElementTree.SubElement(case, kinds[part.outcome], message=printable(told(part)))
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def printable(text: str) -> str:
    """Return a text without the characters that XML has no way to write."""
    return "".join(
        c if c in "\t\n" or (c >= " " and c not in "\ufffe\uffff" and not "\ud800" <= c <= "\udfff") else "?"
        for c in text
    )

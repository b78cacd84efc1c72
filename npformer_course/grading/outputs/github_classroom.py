"""GitHub Classroom: a workflow that checks each exercise when a student pushes."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence

from ... import index as course

WORKFLOW = ".github/workflows/classroom.yml"
HEAD = """\
name: classroom
on: [push, workflow_dispatch]
permissions: {{contents: read, checks: write, actions: read}}
jobs:
  grade:
    runs-on: ubuntu-latest
    if: github.actor != 'github-classroom[bot]'
    timeout-minutes: 20
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with: {{python-version: "3.12"}}
      - run: {pip}
"""
TEST = """\
      - name: {stem}
        id: {id}
        uses: classroom-resources/autograding-command-grader@v1
        with:
          test-name: {stem}
          command: npformer course check {stem}.py --seed {seed}
          timeout: 2
          max-score: {points}
"""
REPORT = """\
      - name: report
        if: always()
        uses: classroom-resources/autograding-grading-reporter@v1
        env:
{results}
        with: {{runners: "{runners}"}}
"""


def workflow(ids: Sequence[str], seed: int, install: str) -> str:
    """Return the workflow: one test per exercise, which earns all points or none; pip takes npformer from `install`."""
    tests = [
        TEST.format(id=id, stem=course.stem(id), points=course.load(id).points, seed=seed)
        for id in ids
    ]
    results = "\n".join(
        f"          {id.upper()}_RESULTS: ${{{{ steps.{id}.outputs.result }}}}" for id in ids
    )
    return (
        HEAD.format(pip=json.dumps(f"pip install {shlex.quote(install)}"))
        + "".join(tests)
        + REPORT.format(results=results, runners=",".join(ids))
    )

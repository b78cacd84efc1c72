"""Gradescope: the results.json of a submission, and the zip that it runs."""

from __future__ import annotations

import io
import shlex
import zipfile
from collections.abc import Sequence

from ... import course
from ...format_report import say_part
from ...report import Report, total
from ..grade_class import ENDED

SETUP = """\
#!/usr/bin/env bash
set -e
apt-get update && apt-get install -y python3-venv
python3 -m venv /opt/npformer
/opt/npformer/bin/pip install {install}
"""
RUN = """\
#!/usr/bin/env bash
export PATH="/opt/npformer/bin:$PATH"
results=/autograder/results/results.json
graded=/tmp/graded/students/submission/gradescope.json
npformer course collect --student submission --out /tmp/collected /autograder/submission \\
    2> /tmp/problem
if [ -d /tmp/collected ]; then
    npformer course grade --set {ids} --seed {seed} --out /tmp/graded /tmp/collected \\
        2>> /tmp/problem
fi
if grep "^npformer: {ended}" /tmp/problem; then  # the machine cannot check it: that is no score
    exit 1
fi
if ! [ -f "$graded" ]; then
    mkdir -p "$(dirname "$graded")"
    echo '{{"score": 0}}' > "$graded"
fi
told='import json, sys
print(json.dumps({{**json.load(open(sys.argv[1])), "output": sys.stdin.read()}}))'
python3 -c "$told" "$graded" < /tmp/problem > "$results"
"""


def results_json(reports: Sequence[Report], marks: float = 0) -> dict:
    """Return a student's result as Gradescope reads it; `marks` were given by hand."""
    tests = []
    for report in reports:
        if report.failed_cells:
            test = {
                "name": f"{course.stem(report.exercise)}: cells of the notebook that fail",
                "score": 0,
                "max_score": 0,
                "status": "failed",
                "output": "\n".join(report.failed_cells),
            }
            tests.append(test)
        for part in report.parts:
            test = {
                "name": f"{course.stem(report.exercise)}: {part.name}",
                "score": part.points,
                "max_score": part.out_of,
                "status": "passed" if part.outcome == "right" else "failed",
                "output": say_part(part),
            }
            tests.append(test)
    return {"score": total(reports)[0] + marks, "tests": tests}


def autograder_zip(ids: Sequence[str], seed: int, install: str) -> bytes:
    """Return the zip to upload as autograder: pip takes npformer from `install`."""
    scripts = {
        "setup.sh": SETUP.format(install=shlex.quote(install)),
        "run_autograder": RUN.format(ids=",".join(ids), seed=seed, ended=ENDED),
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in scripts.items():
            entry = zipfile.ZipInfo(name, date_time=(2017, 6, 12, 0, 0, 0))  # always the same bytes
            # executable: a zip file has the permissions of Unix in the upper half of this number
            entry.external_attr = 0o755 << 16
            archive.writestr(entry, text)
    return content.getvalue()

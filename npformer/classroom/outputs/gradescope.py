"""What Gradescope reads: results.json of a submission, and the zip that it runs."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

from .. import course
from ..findings import Part, Result

SETUP = """\
#!/usr/bin/env bash
apt-get update && apt-get install -y python3-pip
pip3 install --break-system-packages "npformer=={version}"
"""
RUN = """\
#!/usr/bin/env bash
npformer class grade /autograder/submission --set {ids} --seed {seed} --out /tmp/graded
cp /tmp/graded/submission/gradescope.json /autograder/results/results.json
"""


def results_json(result: Result) -> dict:
    """Return a student's result as Gradescope wants it."""
    return {
        "score": result.points,
        "tests": [
            {
                "name": f"{course.paths()[report.exercise].stem}: {part.name}",
                "score": part.points,
                "max_score": part.out_of,
                "status": "passed" if part.outcome == "right" else "failed",
                "output": told(part),
            }
            for report in result.reports
            for part in report.parts
        ],
    }


def told(part: Part) -> str:
    """Return what is said of a part, in one text."""
    return " ".join((f"{part.outcome}.", *part.finding.said))


def autograder_zip(ids: Sequence[str], seed: int, version: str) -> bytes:
    """Return the zip that is uploaded as autograder: it installs npformer and grades these exercises."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {
            "setup.sh": SETUP.format(version=version),
            "run_autograder": RUN.format(ids=",".join(ids), seed=seed),
        }.items():
            entry = zipfile.ZipInfo(name, (2017, 6, 12, 0, 0, 0))
            entry.external_attr = 0o755 << 16
            archive.writestr(entry, text)
    return content.getvalue()

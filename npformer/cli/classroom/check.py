"""Check an exercise. It is named by its id or number in this folder, or by its file anywhere."""

from __future__ import annotations

import json
from pathlib import Path

from ...classroom import index as course
from ...classroom.format_report import as_json, report_lines
from ...classroom.sandbox.runner import SECONDS, Sandbox
from ...classroom.student.folder import SEED, Folder, check_file
from ...classroom.submission import SUFFIXES
from ...utils.errors import InputError
from ..options import file_name, utf8_text, whole_number
from .terminal import show


def add_options(parser) -> None:
    """Add the options."""
    parser.add_argument("what", nargs="?", type=file_name, metavar="ID", help="exercise or file (default: the next)")
    parser.add_argument("--json", action="store_true", help="print JSON, and leave the progress as it is")
    parser.add_argument("--exercise", type=utf8_text, metavar="ID", help="what a file of another name answers")
    parser.add_argument("--seed", type=whole_number(0), default=SEED, help=f"seed of the draws (default {SEED})")
    seconds = f"time limit of each call (default {SECONDS:g})"
    parser.add_argument("--seconds", type=whole_number(1), default=SECONDS, help=seconds)


def run(options) -> int:
    """Check and print; return 1 where a part is not right."""
    with Sandbox(options.seconds) as sandbox:
        if options.what and Path(options.what).suffix in SUFFIXES:
            path = Path(options.what)
            if not path.is_file():
                raise InputError(f"{path} does not exist: check the name and the folder")
            report = check_file(path, course.load(options.exercise or path.stem).id, sandbox, seed=options.seed)
        elif options.exercise:
            raise InputError("--exercise says what a file answers: give a file with it")
        else:
            folder = Folder()
            id = folder.chosen(options.what)
            report = check_file(folder.files[id], id, sandbox, seed=options.seed)
            if not options.json:
                folder.progress.note(report)
    if options.json:
        print(json.dumps(as_json(report), indent=2, ensure_ascii=False))
    else:
        show(report_lines(report))
    return 0 if report.passed else 1

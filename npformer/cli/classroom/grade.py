"""For teachers: grade every student's folder in a folder, and write the results."""

from __future__ import annotations

import time
from pathlib import Path

from ...classroom.sandbox import SECONDS
from ...classroom.teacher.grading import SEED, grade
from ...classroom.teacher.results import write_results
from ...classroom.teacher.sets import chosen
from ..options import named, sentence, whole_number
from .release import SETS
from .screen import say

USAGE = "[options] DIR"


def add_options(parser) -> None:
    """Add what may be said."""
    parser.add_argument("folder", type=named, metavar="DIR", help="what npformer class collect wrote")
    parser.add_argument("--set", type=sentence, default="all", metavar="SET", help=SETS)
    parser.add_argument("--out", type=named, default="results", metavar="DIR", help="folder to write (default results)")
    parser.add_argument("--seed", type=whole_number(0), default=SEED, help=f"seed of the draws (default {SEED})")
    seconds = f"time limit of loading a file, and of each call (default {SECONDS:g})"
    parser.add_argument("--seconds", type=whole_number(1), default=SECONDS, help=seconds)
    workers = "answers that run at a time (default: one a processor)"
    parser.add_argument("--workers", type=whole_number(1), metavar="N", help=workers)


def run(options) -> int:
    """Grade, and print a line a student."""
    begin = time.monotonic()
    results = grade(
        Path(options.folder),
        chosen(options.set),
        seed=options.seed,
        seconds=options.seconds,
        workers=options.workers,
        told=lambda result: say(f"{result.student}: {result.points} of {result.out_of}"),
    )
    out = Path(options.out)
    write_results(results, out, options.seed)
    say(f"{len(results)} students in {time.monotonic() - begin:.0f} s. The class: {out / 'class.html'}", "title")
    return 0

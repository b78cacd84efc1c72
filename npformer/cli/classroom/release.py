"""Write what a class gets (for teachers)."""

from __future__ import annotations

from pathlib import Path

from ...classroom.format_report import counted
from ...classroom.grading.exercise_sets import WEEKS, chosen
from ...classroom.grading.grading import SEED
from ...classroom.grading.release import KINDS, release
from ..options import file_name, utf8_text, whole_number
from .terminal import say

SETS = f"all, {', '.join(WEEKS)}, ids, numbers as 07 or 05-09, with commas between (default all)"


def add_options(parser) -> None:
    """Add the options."""
    parser.add_argument("--set", type=utf8_text, default="all", metavar="SET", help=SETS)
    parser.add_argument("--as", dest="kind", choices=KINDS, default=KINDS[0], help="what is written (default folder)")
    parser.add_argument("--out", type=file_name, required=True, metavar="DIR", help="folder to write")
    name = "nbgrader's name of the assignment (default: the set's)"
    parser.add_argument("--name", type=file_name, metavar="NAME", help=name)
    seed = f"seed with which nbgrader, GitHub Classroom or Gradescope grade (default {SEED})"
    parser.add_argument("--seed", type=whole_number(0), default=SEED, help=seed)
    install = "what pip installs for GitHub Classroom or Gradescope (default: npformer of this version)"
    parser.add_argument("--install", type=utf8_text, metavar="WHAT", help=install)


def run(options) -> int:
    """Write the files and name them."""
    given = {"install": options.install} if options.install else {}
    name = options.name or options.set.replace(",", "_")
    files = release(Path(options.out), chosen(options.set), options.kind, name=name, seed=options.seed, **given)
    for path in files:
        print(path)
    say(f"{counted(len(files), 'file')} in {options.out}", "title")
    return 0

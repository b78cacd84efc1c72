"""The verb of those who write exercises: what is wrong with one, and what a mistake looks like."""

from npformer.cli.argument_parser import number, utf8_text

from .. import course
from ..format_report import report_lines
from ..lint import change_of, find_mistake, problems, report_of
from ..words import counted
from .terminal import say, show


def add_verb(parser) -> None:
    """Add the verb and its options."""
    add = parser.add_verb("lint", lint).add_argument
    add("id", type=utf8_text, metavar="ID", help="exercise")
    show_help = "print what this mistake changes, and what a student with it is told"
    add("--show", type=utf8_text, metavar="MISTAKE", help=show_help)
    add("--seed", type=number(least=0), default=0, help="seed of the draws (default 0)")


def lint(options) -> int:
    """Say what is wrong with an exercise (for those who write one)."""
    exercise = course.load(options.id)
    if options.show:
        mistake = find_mistake(exercise, options.show)
        print(*change_of(exercise, mistake), sep="\n")  # code, which is not wrapped
        show(report_lines(report_of(exercise, mistake, options.seed)))
        return 0

    found = list(problems(exercise, options.seed))
    for problem in found:
        say(problem, "wrong")
    mistakes = counted(len(exercise.mistakes), "mistake")
    others = counted(len(exercise.alternatives), "other solution")
    summary = f"{course.stem(exercise.id)}: {mistakes}, {others}, {counted(len(found), 'problem')}"
    say(summary, "title")
    return 1 if found else 0

"""The verb that scores the projects of a class."""

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from npformer.cli.argument_parser import file_name, number
from npformer.utils.errors import InputError
from npformer.utils.files import read_text

from ..sandbox.runner import MOST_SECONDS
from ..scoring import language_model, translator
from ..scoring.score_table import Score, sort_scores, table_lines, write_scores
from ..scoring.submissions import language_models_in, runs_in, the_only
from ..words import counted
from .terminal import say

DESCRIPTION = (
    "Score the projects of a class (for teachers). With --text and --held-out: language models, "
    "by the held-out loss after 60 seconds of processor time. With --sentences: translators, by "
    "BLEU on sentences that nobody has seen."
)


def add_verb(parser) -> None:
    """Add the verb and its options."""
    add = parser.add_verb("score", score, DESCRIPTION).add_argument
    place = (
        f"a folder with one folder per student, which has {language_model.FILE} or a run folder; "
        "or a single student's"
    )
    add("place", type=file_name, metavar="DIR", help=place)
    add("--text", type=file_name, metavar="FILE", help="what the language models learn from")
    held_out = "what they are judged on, and nobody gets"
    add("--held-out", type=file_name, metavar="FILE", help=held_out)
    sentences = "sentences, and their translations: one per line, in two files"
    add("--sentences", nargs=2, type=file_name, metavar=("SOURCES", "REFERENCES"), help=sentences)
    seconds = f"processor time of a training (default {language_model.SECONDS:g})"
    limit = number(least=1, most=MOST_SECONDS)
    add("--seconds", type=limit, default=language_model.SECONDS, help=seconds)
    workers = "trainings at a time (default 1: they slow each other down a little)"
    add("--workers", type=number(least=1), default=1, metavar="N", help=workers)
    out = "the table to write (default scores.csv)"
    add("--out", type=file_name, default="scores.csv", metavar="FILE", help=out)


def score(options) -> int:
    """Score the projects of a class."""
    texts = options.text, options.held_out
    if bool(options.sentences) == any(texts) or any(texts) != all(texts):
        raise InputError(
            "expected --text and --held-out to score language models, "
            "or --sentences to score translators"
        )
    if Path(options.out).is_dir():
        raise InputError(f"{options.out} is a folder: expected the name of a file for the table")
    folder = Path(options.out).absolute().parent
    if not folder.is_dir():
        raise InputError(f"{options.out} cannot be written: make the folder {folder} first")
    if options.sentences:
        return _score_translators(options)
    return _score_language_models(options)


def _score_language_models(options) -> int:
    text = read_text(options.text)
    held_out = read_text(options.held_out)
    language_model.check_texts(text, held_out)
    submissions = language_models_in(Path(options.place))

    def score_one(student: str, path: Path) -> Score:
        return language_model.score_language_model(student, path, text, held_out, options.seconds)

    what = language_model.FILE
    scores = _scores(submissions, what, score_one, language_model.COLUMNS, options.workers)
    _show(scores, language_model.COLUMNS, Path(options.out), lowest_first=True)
    for name, loss in language_model.reference_losses(text, held_out).items():
        say(f"To compare: {name}, {loss:.3f}")
    return 0


def _score_translators(options) -> int:
    sources, references = translator.read_hidden(*map(Path, options.sentences))
    submissions = runs_in(Path(options.place))

    def score_one(student: str, folder: Path) -> Score:
        return translator.score_translator(student, folder, sources, references)

    scores = _scores(submissions, "run folder", score_one, translator.COLUMNS, workers=1)
    _show(scores, translator.COLUMNS, Path(options.out), lowest_first=False)
    return 0


def _scores(
    submissions: Mapping[str, list[Path]],
    what: str,
    score_one: Callable[[str, Path], Score],
    columns: Mapping[str, str],
    workers: int,
) -> list[Score]:
    """Score every student, and print a line for each."""
    begin = time.monotonic()
    scores = []
    for student_score in _in_order(submissions, what, score_one, workers):
        scores.append(student_score)
        said = student_score.problem
        for (name, form), value in zip(columns.items(), student_score.numbers, strict=False):
            said += f"{', ' if said else ''}{name} {value:{form}}"
        say(f"{len(scores)}/{len(submissions)} {student_score.student}: {said}")
    seconds = time.monotonic() - begin
    say(f"{counted(len(scores), 'student')} in {seconds:.0f} s.")
    return scores


def _in_order(
    submissions: Mapping[str, list[Path]],
    what: str,
    score_one: Callable[[str, Path], Score],
    workers: int,
) -> Iterator[Score]:
    """Yield the score of every student, some at a time."""

    def score_of(item: tuple[str, list[Path]]) -> Score:
        student, paths = item
        path, problem = the_only(paths, what)
        return score_one(student, path) if path else Score(student, problem=problem)

    with ThreadPoolExecutor(workers) as pool:
        try:
            yield from pool.map(score_of, submissions.items())
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # Ctrl-C begins no further training


def _show(
    scores: list[Score], columns: Mapping[str, str], out: Path, *, lowest_first: bool
) -> None:
    """Write the table and print it."""
    ordered = sort_scores(scores, lowest_first=lowest_first)
    write_scores(out, ordered, columns)
    for line in table_lines(ordered, columns):
        print(line)
    say(f"The table: {out}", "title")

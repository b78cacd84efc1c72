"""Compare gradients with numeric derivatives. All layers and whole models, in float64."""

import time

from ..testing.cases import CASES, check
from ..utils import InputError
from .argument_parser import utf8_text


def add_options(parser) -> None:
    """Add the options."""
    add = parser.add_argument
    names = "only cases whose names contain this (default: all)"
    add("names", nargs="*", default=[], type=utf8_text, metavar="NAME", help=names)
    add("--list", action="store_true", help="name the cases, check none")
    add("--brief", action="store_true", help="a line per case instead of a table")
    quick = "one random entry of each array, 15 seconds for all cases in place of 2 minutes"
    add("--quick", action="store_true", help=quick)


def run(options) -> int:
    """Check the cases whose names contain one of those given (all without any); return 1 when a gradient is wrong."""
    names = [_plain(name) for name in options.names] or [""]
    chosen = [case for case in CASES if any(name in _plain(case.name) for name in names)]
    if not chosen:
        raise InputError(
            f"no case is named like {', '.join(options.names)}: npformer gradcheck --list names all"
        )
    if options.list:
        print("\n".join(case.name for case in chosen))
        return 0
    start, reports = time.perf_counter(), []
    for case in chosen:
        report = check(case, entries=1 if options.quick else None)
        reports.append(report)
        verdict = "ok   " if report.ok else "WRONG"
        brief = f"{report.largest_error:8.1e}  {verdict}  {report.title}"
        print(brief if options.brief else f"{report}\n", flush=True)
    wrong = [report.title for report in reports if not report.ok]
    n_arrays, seconds = sum(len(report.rows) for report in reports), time.perf_counter() - start
    entries = "one random entry" if options.quick else "every entry"
    print(
        f"{len(reports)} cases, {n_arrays} inputs and parameters, {entries} of each, in {seconds:.0f} s"
    )
    print(
        f"largest relative error {max(r.largest_error for r in reports):.1e}, tolerance {reports[0].tolerance:g}"
    )
    print(
        f"WRONG: {', '.join(wrong)}"
        if wrong
        else "every gradient agrees with its numeric derivative"
    )
    return 1 if wrong else 0


def _plain(name: str) -> str:
    """Return a name as it is compared: layer_norm is LayerNorm."""
    return name.lower().replace("_", "")

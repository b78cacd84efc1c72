"""Compare gradients with numeric derivatives. All layers and whole models, in float64."""

import time
from typing import Any

from ..testing.cases import CASES, check
from ..utils import InputError


def add_options(parser: Any) -> None:
    """Add the options."""
    add = parser.add_argument
    add(
        "names",
        nargs="*",
        default=[],
        metavar="NAME",
        help="only cases whose names contain this (default: all)",
    )
    add("--list", action="store_true", help="name the cases, check none")
    add("--brief", action="store_true", help="a line per case instead of a table")
    add(
        "--quick",
        action="store_true",
        help="one random entry of each array, 15 seconds for all cases in place of 2 minutes",
    )


def run(options: Any) -> int:
    """Check the cases whose names contain one of those given, all without any.

    Returns 1 when a gradient is wrong, else 0.
    """
    chosen = _choose(options.names)
    if options.list:
        for case in chosen:
            print(case.name)
        return 0

    start = time.perf_counter()
    reports = []
    n_entries = 1 if options.quick else None
    for case in chosen:
        report = check(case, entries=n_entries)
        reports.append(report)
        if options.brief:
            verdict = "ok   " if report.ok else "WRONG"
            print(f"{report.largest_error:8.1e}  {verdict}  {report.title}", flush=True)
        else:
            print(f"{report}\n", flush=True)

    seconds = time.perf_counter() - start
    n_arrays = sum(len(report.rows) for report in reports)
    largest_error = max(report.largest_error for report in reports)
    entries = "one random entry" if options.quick else "every entry"
    print(
        f"{len(reports)} cases, {n_arrays} inputs and parameters, {entries} of each, "
        f"in {seconds:.0f} s"
    )
    print(f"largest relative error {largest_error:.1e}, tolerance {reports[0].tolerance:g}")

    wrong = [report.title for report in reports if not report.ok]
    if wrong:
        print(f"WRONG: {', '.join(wrong)}")
        return 1
    print("every gradient agrees with its numeric derivative")
    return 0


def _choose(names: list[str]) -> list:
    """Return the cases that are named. Raises `InputError` for a name that none has."""
    for name in names:
        if not any(_plain(name) in _plain(case.name) for case in CASES):
            raise InputError(f"no case is named like {name}: npformer gradcheck --list names all")

    parts = [_plain(name) for name in names] or [""]
    return [case for case in CASES if any(part in _plain(case.name) for part in parts)]


def _plain(name: str) -> str:
    """Return a name as it is compared: layer_norm is LayerNorm."""
    return name.lower().replace("_", "")

"""Compare gradients with numeric derivatives. All layers and whole models, in float64."""

import time

from ..testing.cases import CASES, check
from ..utils import InputError
from .options import positive_number, utf8_text, whole_number


def add_options(parser) -> None:
    """Add the options."""
    names = "only cases whose names contain this (default: all)"
    parser.add_argument("names", nargs="*", default=[], type=utf8_text, metavar="NAME", help=names)
    parser.add_argument("--list", action="store_true", help="name the cases, check none")
    parser.add_argument("--brief", action="store_true", help="a line per case instead of a table")
    parser.add_argument("--seed", type=whole_number(0), default=0, help="seed of inputs and weights (default 0)")
    tolerance = "largest relative error (default 1e-7)"
    parser.add_argument("--tolerance", type=positive_number, default=1e-7, metavar="FLOAT", help=tolerance)


def plain(name: str) -> str:
    """Return a name without what people write in several ways: layer_norm is LayerNorm."""
    return name.lower().replace("_", "")


def run(options) -> int:
    """Check the cases whose names contain one of those given (all without any); return 1 when a gradient is wrong."""
    names, tolerance = options.names, options.tolerance
    chosen = [case for case in CASES if not names or any(plain(name) in plain(case.name) for name in names)]
    if not chosen:
        raise InputError(f"no case is named like {', '.join(names)}: npformer gradcheck --list names all")
    if options.list:
        print("\n".join(case.name for case in chosen))
        return 0
    start, reports = time.perf_counter(), []
    for case in chosen:
        report = check(case, seed=options.seed, tolerance=tolerance)
        reports.append(report)
        if options.brief:
            print(f"{report.largest_error:8.1e}  {'ok   ' if report.ok else 'WRONG'}  {report.title}", flush=True)
        else:
            print(f"{report}\n", flush=True)
    wrong = [report.title for report in reports if not report.ok]
    n_arrays = sum(len(report.rows) for report in reports)
    seconds = time.perf_counter() - start
    print(f"{len(reports)} cases, {n_arrays} inputs and parameters, every entry of each, in {seconds:.0f} s")
    print(f"largest relative error {max(r.largest_error for r in reports):.1e}, tolerance {tolerance:g}")
    print(f"WRONG: {', '.join(wrong)}" if wrong else "every gradient agrees with its numeric derivative")
    return 1 if wrong else 0

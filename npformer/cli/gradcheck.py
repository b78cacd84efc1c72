"""`npformer gradcheck`: prove every gradient."""

from __future__ import annotations

import time

from ..base.errors import InputError
from ..proofs.cases import CASES, check


def gradcheck(names: list[str], *, seed: int, tolerance: float, brief: bool, list_only: bool) -> int:
    """Check the cases whose names contain one of `names` (all without any); return 1 when a gradient is wrong."""
    chosen = [case for case in CASES if not names or any(name.lower() in case.name.lower() for name in names)]
    if not chosen:
        raise InputError(f"no case is named like {', '.join(names)}: npformer gradcheck --list names all")
    if list_only:
        print("\n".join(case.name for case in chosen))
        return 0
    start, reports = time.perf_counter(), []
    for case in chosen:
        report = check(case, seed=seed, tolerance=tolerance)
        reports.append(report)
        if brief:
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

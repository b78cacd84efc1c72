"""Train variants of a model several times each, as in table 3 of the paper.

The same command continues after a stop: no finished run is trained again.
"""

import argparse
from multiprocessing import active_children
from typing import Any

from .. import datasets
from ..paper.table3 import DATASET, ROW_NAMES, Plan, PlannedRun, report, train_all
from ..utils import n_cores, read_json, write_atomic
from .argument_parser import file_name, number
from .standard_streams import print_error

FOLDER = "runs/ablation"


def add_options(parser: Any) -> None:
    """Add the options."""
    add = parser.add_argument
    add(
        "folder",
        nargs="?",
        type=file_name,
        default=FOLDER,
        metavar="FOLDER",
        help=f"of all runs (default {FOLDER})",
    )
    variants = [f"{row} {name}" for row, name in ROW_NAMES.items()]
    add(
        "--rows",
        type=rows,
        default="".join(ROW_NAMES),
        metavar="A,C",
        help=f"variants to train (default all): {'; '.join(variants)}",
    )
    add(
        "--seeds",
        type=number(least=1),
        default=3,
        metavar="N",
        help="runs of each, with seeds from 0 on (default 3)",
    )
    add(
        "--jobs",
        type=number(least=1),
        default=n_cores(),
        metavar="N",
        help="runs at a time, each a process on one thread (default: the number of cores)",
    )
    names = [name for name, data in datasets.registry().items() if data.task == "translation"]
    add(
        "--dataset",
        choices=names,
        metavar="DATASET",
        help=f"a data set of translation (default {DATASET}): {', '.join(names)}",
    )
    add(
        "--recipe",
        type=file_name,
        metavar="NAME",
        help="the base model and its training (default: the data set's)",
    )
    add(
        "--epochs",
        type=number(least=1),
        metavar="N",
        help="passes over the training data (default: the recipe's)",
    )
    add("--table", action="store_true", help="train nothing: print the table of what is there")


def rows(text: str) -> str:
    """Read the letters of rows, with or without commas."""
    letters = text.replace(",", "")
    if not letters or set(letters) - set(ROW_NAMES):
        raise argparse.ArgumentTypeError(f"expected some of {','.join(ROW_NAMES)}, got {text!r}")
    return letters


def run(options: Any) -> int:
    """Train what is not trained yet, and print the table.

    Returns 2 when a run has failed, 130 after Ctrl-C, else 0.
    """
    plan = Plan.of(
        options.folder, dataset=options.dataset, recipe=options.recipe, epochs=options.epochs
    )
    if options.table:
        print(_write_table(plan), end="")
        return 0
    runs = plan.runs(options.rows, seeds=options.seeds)
    try:
        errors = _train(plan, runs, options.jobs)
    except KeyboardInterrupt:
        # Ctrl-C has reached them too, `kill -INT` has not
        for process in active_children():
            process.terminate()
        print("\nstopped; the same command continues", flush=True)
        return 130
    if any(run.result_path.exists() for run in runs):
        print(f"\n{_write_table(plan)}", end="", flush=True)
    for error in errors:
        print_error(error)
    return 2 if errors else 0


def _train(plan: Plan, runs: list[PlannedRun], jobs: int) -> list[str]:
    """Train all runs; print the result of each, and return a line for each that has failed."""
    plan.save()
    n_finished = sum(run.result_path.exists() for run in runs)
    print(
        f"{len(runs)} runs in {plan.folder}: {plan.dataset}, recipe {plan.recipe}, "
        f"{plan.epochs} epochs; {n_finished} of them are finished",
        flush=True,
    )

    errors = []
    for n, (run, error) in enumerate(train_all(runs, jobs=jobs), start=n_finished + 1):
        if error is None:
            scores = read_json(run.result_path)
            result = (
                f"perplexity {scores['perplexity']:.3f}  BLEU {scores['bleu']:.1f}  "
                f"{scores['seconds']:.0f} s"
            )
        else:
            result = "failed"
            errors.append(f"{run.folder}: {error}")
        print(f"{n:>4}/{len(runs)}  {run.variant.name} {run.seed}  {result}", flush=True)
    return errors


def _write_table(plan: Plan) -> str:
    """Write the table of all finished runs to the folder, and return it."""
    table = report(plan)
    write_atomic(plan.folder / "table.md", table)
    return table

"""The table of an ablation: columns like those of table 3 of the paper, with the spread, and the paper's own beside."""

import csv
import io
from statistics import mean, stdev
from typing import NamedTuple

from ...utils import InputError, read_json, write_atomic
from .plan import Plan, PlannedRun
from .significance import agreement, difference
from .variants import Variant

RESULT = {"perplexity": float, "bleu": float, "parameters": int, "multiply_adds": int, "seconds": float}
MEASURES = {"perplexity": 3, "bleu": 1}  # digits after the point
SYMBOLS = {"d_model": "d_model", "d_ff": "d_ff", "n_heads": "h", "d_k": "d_k", "d_v": "d_v", "dropout": "P_drop"}
SYMBOLS |= {"label_smoothing": "eps_ls"}
OTHERS = ("positions", "d_word_vec", "init")
HEAD = ["row", "N", *SYMBOLS.values(), "other", "10^3 params", "seeds", "perplexity", "BLEU"]
HEAD += ["paper: perplexity", "BLEU", "agrees? perplexity", "BLEU"]
LEGEND = """\
Perplexity (a token) and BLEU (on text) of held-out sentences: mean over seeds ± standard deviation; only what differs
from base is shown. Marked * where the difference from base, seed by seed, is larger than the spread: its 95 % interval
(Student's t) leaves out 0, which chance alone does once in twenty rows. agrees?: whether the sign of such a difference
is the paper's, whose differences of 0.01 or 0.1 BLEU count as none."""


class Finished(NamedTuple):
    """A variant with the results of its finished runs by their seeds."""

    variant: Variant
    results: dict[int, dict]

    def by_seed(self, measure: str) -> dict[int, float]:
        """Return one measure of each run."""
        return {seed: result[measure] for seed, result in self.results.items()}


def finished(plan: Plan) -> list[Finished]:
    """Return the variants that have a finished run. Raises `InputError` when a result is damaged, or there is none."""
    found = []
    for variant in plan.variants:
        paths = sorted((plan.folder / variant.name).glob("*/result.json"))
        seeds = sorted(int(path.parent.name) for path in paths if path.parent.name.isdecimal())
        if seeds:
            found.append(Finished(variant, {seed: read_result(plan.run(variant, seed)) for seed in seeds}))
    if not found:
        raise InputError(f"{plan.folder} holds no finished run yet: leave --table out to train some")
    return found


def read_result(run: PlannedRun) -> dict:
    """Return what a finished run has come to. Raises `InputError` when its file is damaged."""
    result = read_json(run.result_path)
    if {name: type(value) for name, value in result.items()} != RESULT:
        raise InputError(f"{run.result_path} is damaged: delete it, and the run is scored again")
    return result


def report(plan: Plan) -> str:
    """Return the table of all finished runs, in Markdown, with what its signs mean."""
    rows, found = [], finished(plan)
    base = found[0] if found[0].variant.name == "base" else None
    for one in found:
        scores, agree = [], []
        for measure, digits in MEASURES.items():
            values = one.by_seed(measure)
            apart = difference(base.by_seed(measure), values) if base and one is not base else None
            mark = " *" if apart and apart.direction else ""
            scores.append(f"{spread(list(values.values()), digits)}{mark}")
            agree.append(agreement(apart, one.variant.paper, measure))
        paper = one.variant.paper
        papers = [f"{paper.perplexity:.2f}", f"{paper.bleu:.1f}"] if paper else ["", ""]
        parameters = next(iter(one.results.values()))["parameters"]
        counted = [f"{parameters / 1000:,.0f}", str(len(one.results))]
        rows.append([one.variant.row or "base", *settings_shown(plan, one.variant), *counted, *scores, *papers, *agree])
    return f"{markdown([HEAD, *rows])}\n\n{LEGEND}\n"


def settings_shown(plan: Plan, variant: Variant) -> list[str]:
    """Return the cells of the settings: all of the base model's, of a variant those that differ."""
    shown = variant.changes or plan.base
    depths = [shown[f"n_{column}_layers"] for column in ("encoder", "decoder") if f"n_{column}_layers" in shown]
    others = [f"{name} {shown[name]}" for name in OTHERS if name in variant.changes]
    return [
        "+".join(str(depth) for depth in depths),
        *(str(shown.get(name, "")) for name in SYMBOLS),
        ", ".join(others),
    ]


def spread(values: list[float], digits: int) -> str:
    """Return mean and standard deviation.

    >>> spread([1.25, 1.75], 2), spread([1.25], 2)
    ('1.50 ± 0.35', '1.25')
    """
    deviation = f" ± {stdev(values):.{digits}f}" if len(values) > 1 else ""
    return f"{mean(values):.{digits}f}{deviation}"


def markdown(rows: list[list[str]]) -> str:
    """Return a table whose first row is its head, with columns that are as wide in plain text too.

    >>> print(markdown([["a", "longer"], ["1", "2"]]))
    | a | longer |
    |---|--------|
    | 1 | 2      |
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    head, *body = ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in rows]
    return "\n".join([head, "|" + "|".join("-" * (width + 2) for width in widths) + "|", *body])


def runs_csv(plan: Plan) -> str:
    """Return a row for each finished run, with its exact results."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["row", "variant", "seed", *RESULT])
    for variant, results in finished(plan):
        for seed, result in results.items():
            writer.writerow([variant.row, variant.name, seed, *(result[name] for name in RESULT)])
    return text.getvalue()


def save_report(plan: Plan) -> None:
    """Write table.md and results.csv into the ablation's folder."""
    write_atomic(plan.folder / "table.md", report(plan))
    write_atomic(plan.folder / "results.csv", runs_csv(plan))

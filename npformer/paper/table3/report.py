"""The table of an ablation: the columns of table 3 with standard deviations, next to the paper's scores."""

import csv
import io
import math
from collections.abc import Mapping
from statistics import mean, stdev

from ...utils import InputError, read_json, write_atomic
from .plan import Plan, PlannedRun
from .variants import BASE, PaperRow, Variant

RESULT = {"perplexity": float, "bleu": float, "parameters": int, "seconds": float}
MEASURES = {"perplexity": 3, "bleu": 1}  # digits after the point
SYMBOLS = {"d_model": "d_model", "d_ff": "d_ff", "n_heads": "h", "d_k": "d_k", "d_v": "d_v", "dropout": "P_drop"}
SYMBOLS |= {"label_smoothing": "eps_ls"}
OTHERS = ("positions", "d_word_vec", "init")
HEAD = ["row", "N", *SYMBOLS.values(), "other", "10^3 params", "seeds", "perplexity", "BLEU"]
HEAD += ["paper: perplexity", "BLEU", "agrees? perplexity", "BLEU"]
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)  # t(0.975) for 1, 2, ... 10 degrees
SAME = {"perplexity": 0.01, "bleu": 0.1}  # the paper calls row E "nearly identical" to base, with 0.1 BLEU less
LEGEND = """\
Perplexity (per token) and BLEU (on text) of held-out sentences: mean over seeds ± standard deviation; only settings
that differ from base are shown. * marks a difference from base, seed by seed, whose 95% confidence interval
(Student's t) excludes 0; chance alone does this once in twenty rows. agrees?: whether the sign of such a difference is
the paper's, whose differences of 0.01 or 0.1 BLEU count as none."""


def report(plan: Plan) -> str:
    """Return the table of all finished runs, in Markdown, with its legend."""
    rows, found = [], _finished(plan)
    base = found[0][1] if found[0][0].name == "base" else {}
    for variant, results in found:
        scores, agree = [], []
        for measure, digits in MEASURES.items():
            values, of_base = ({s: result[measure] for s, result in each.items()} for each in (results, base))
            sign = 0 if variant.name == "base" else significant_sign(of_base, values)
            scores.append(_mean_and_deviation([*values.values()], digits) + " *" * abs(sign))
            agree.append(
                {True: "yes", False: "no"}[sign == paper_sign(variant.paper, measure)] if sign and variant.paper else ""
            )
        paper = [f"{variant.paper.perplexity:.2f}", f"{variant.paper.bleu:.1f}"] if variant.paper else ["", ""]
        parameters = next(iter(results.values()))["parameters"]
        counts = [f"{parameters / 1000:,.0f}", str(len(results))]
        rows.append([variant.row or "base", *_settings(plan, variant), *counts, *scores, *paper, *agree])
    return f"{_markdown([HEAD, *rows])}\n\n{LEGEND}\n"


def significant_sign(base: Mapping[int, float], variant: Mapping[int, float]) -> int:
    """Return 1 where a measure is larger than the base model's, -1 where smaller, 0 where seeds do not tell.

    Runs of one seed have the same data in the same order, so they are compared in pairs. The difference is significant
    when Student's 95% interval of the pairs' differences excludes 0. One pair is not enough.

    >>> significant_sign({0: 1.50, 1: 1.70, 2: 1.60}, {0: 1.61, 1: 1.80, 2: 1.69}), significant_sign({0: 1.5}, {0: 9.0})
    (1, 0)
    """
    pairs = [variant[seed] - base[seed] for seed in sorted(base.keys() & variant.keys())]
    if len(pairs) < 2:
        return 0
    student = STUDENT[min(len(pairs) - 2, len(STUDENT) - 1)]
    difference, half_width = mean(pairs), student * stdev(pairs) / math.sqrt(len(pairs))
    return 0 if abs(difference) <= half_width else 1 if difference > 0 else -1


def paper_sign(row: PaperRow, measure: str) -> int:
    """Return 1 where a row of the paper has more perplexity, or BLEU, than its base, -1 for less, 0 for the same.

    >>> paper_sign(PaperRow(4.67, 25.3), "perplexity"), paper_sign(PaperRow(4.92, 25.7), "bleu")
    (-1, 0)
    """
    difference = round(getattr(row, measure) - getattr(BASE, measure), 2)
    return 0 if abs(difference) <= SAME[measure] else 1 if difference > 0 else -1


def read_result(run: PlannedRun) -> dict:
    """Return the scores of a finished run. Raises `InputError` when its file is damaged."""
    result = read_json(run.result_path)
    if any(type(result.get(name)) is not kind for name, kind in RESULT.items()):
        raise InputError(f"{run.result_path} is damaged: delete it, and the run is scored again")
    return result


def save_report(plan: Plan) -> None:
    """Write table.md and results.csv, one row per finished run, into the ablation's folder."""
    write_atomic(plan.folder / "table.md", report(plan))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["row", "variant", "seed", *RESULT])
    for variant, results in _finished(plan):
        for seed, result in results.items():
            writer.writerow([variant.row, variant.name, seed, *(result[name] for name in RESULT)])
    write_atomic(plan.folder / "results.csv", text.getvalue())


def _finished(plan: Plan) -> list[tuple[Variant, dict[int, dict]]]:
    """Return the variants that have finished runs, and their results by seed."""
    found = []
    for variant in plan.variants:
        names = [path.parent.name for path in (plan.folder / variant.name).glob("*/result.json")]
        if seeds := sorted(int(name) for name in names if name.isdecimal()):
            found.append((variant, {seed: read_result(plan.run(variant, seed)) for seed in seeds}))
    if not found:
        raise InputError(f"{plan.folder} holds no finished run yet: leave --table out to train some")
    return found


def _settings(plan: Plan, variant: Variant) -> list[str]:
    """Return the cells of the settings: all of the base model's, of a variant those that differ."""
    shown = variant.changes or plan.base
    depths = [shown[f"n_{stack}_layers"] for stack in ("encoder", "decoder") if f"n_{stack}_layers" in shown]
    others = [f"{name} {shown[name]}" for name in OTHERS if name in variant.changes]
    return ["+".join(map(str, depths)), *(str(shown.get(name, "")) for name in SYMBOLS), ", ".join(others)]


def _mean_and_deviation(values: list[float], digits: int) -> str:
    deviation = f" ± {stdev(values):.{digits}f}" if len(values) > 1 else ""
    return f"{mean(values):.{digits}f}{deviation}"


def _markdown(rows: list[list[str]]) -> str:
    """Return a table whose first row is its head, with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    head, *body = ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in rows]
    return "\n".join([head, "|" + "|".join("-" * (width + 2) for width in widths) + "|", *body])

"""The table of an ablation: the columns of table 3 with standard deviations, next to the paper's scores."""

import math
from collections.abc import Mapping
from statistics import mean, stdev

from ...utils import InputError, read_json
from .plan import Plan, Variant

MEASURES = {"perplexity": 3, "bleu": 1}  # digits after the point
COLUMNS = {"d_model": "d_model", "d_ff": "d_ff", "n_heads": "h", "d_k": "d_k", "d_v": "d_v", "dropout": "P_drop"}
COLUMNS |= {"label_smoothing": "eps_ls", "positions": "positions", "d_word_vec": "d_word_vec", "init": "init"}
HEAD = ["row", "N", *COLUMNS.values(), "10^3 params", "seeds", "perplexity", "BLEU", "paper: perplexity", "BLEU"]
T_QUANTILES = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)  # 97.5%, by degrees of freedom
LEGEND = """\
Perplexity (per token) and BLEU (on text) of held-out sentences: mean over seeds ± standard deviation; only settings
that differ from base are shown. * marks a difference from base, seed by seed, whose 95% confidence interval
(Student's t) excludes 0; chance alone does this once in twenty rows."""


def report(plan: Plan) -> str:
    """Return the table of all finished runs, in Markdown, with its legend."""
    finished = _finished(plan)
    base = finished[0][1] if finished[0][0].name == "base" else {}
    rows = [HEAD, ["---"] * len(HEAD)]
    for variant, results in finished:
        scores = []
        for measure, digits in MEASURES.items():
            values, of_base = ({seed: result[measure] for seed, result in each.items()} for each in (results, base))
            deviation = f" ± {stdev(values.values()):.{digits}f}" if len(values) > 1 else ""
            mark = " *" if differs(of_base, values) else ""
            scores.append(f"{mean(values.values()):.{digits}f}{deviation}{mark}")
        paper = [f"{variant.paper[0]:.2f}", f"{variant.paper[1]:.1f}"] if variant.paper else ["", ""]
        counts = [f"{next(iter(results.values()))['parameters'] / 1000:,.0f}", str(len(results))]
        rows.append([variant.row or "base", *_settings(plan, variant), *counts, *scores, *paper])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    table = "\n".join("| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in rows)
    return f"{table}\n\n{LEGEND}\n"


def differs(base: Mapping[int, float], variant: Mapping[int, float]) -> bool:
    """Tell whether a measure by seed differs from the base model's by more than chance.

    Runs of one seed have the same data in the same order, so they are compared in pairs: Student's 95% interval of the
    pairs' differences excludes 0. One pair is not enough.

    >>> differs({0: 1.50, 1: 1.70, 2: 1.60}, {0: 1.61, 1: 1.80, 2: 1.69}), differs({0: 1.5}, {0: 9.0})
    (True, False)
    """
    differences = [variant[seed] - base[seed] for seed in sorted(base.keys() & variant.keys())]
    if len(differences) < 2:
        return False
    quantile = T_QUANTILES[min(len(differences) - 2, len(T_QUANTILES) - 1)]
    return abs(mean(differences)) > quantile * stdev(differences) / math.sqrt(len(differences))


def _finished(plan: Plan) -> list[tuple[Variant, dict[int, dict]]]:
    """Return the variants that have finished runs, and their results by seed."""
    finished = []
    for variant in plan.variants:
        paths = (plan.folder / variant.name).glob("[0-9]*/result.json")
        if results := {int(path.parent.name): read_json(path) for path in sorted(paths)}:
            finished.append((variant, results))
    if not finished:
        raise InputError(f"{plan.folder} holds no finished run yet: leave --table out to train some")
    return finished


def _settings(plan: Plan, variant: Variant) -> list[str]:
    """Return the cells of the settings: all of the base model's, of a variant those that differ."""
    shown = variant.changes or plan.base
    depths = [str(shown[f"n_{stack}_layers"]) for stack in ("encoder", "decoder") if f"n_{stack}_layers" in shown]
    return ["+".join(depths), *("" if shown.get(name) is None else str(shown[name]) for name in COLUMNS)]

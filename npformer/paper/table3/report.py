"""The table of an ablation: the columns of table 3 with standard deviations, next to the paper's scores."""

from statistics import mean, stdev

from ...utils import InputError, read_json
from .ablation import Plan, Variant

MEASURES = {"perplexity": 3, "bleu": 1}  # digits after the point
COLUMNS = {
    "d_model": "d_model",
    "d_ff": "d_ff",
    "n_heads": "h",
    "d_k": "d_k",
    "d_v": "d_v",
    "dropout": "P_drop",
}
COLUMNS |= {"label_smoothing": "eps_ls", "positions": "positions", "init": "init"}
HEAD = [
    "row",
    "N",
    *COLUMNS.values(),
    "10^3 params",
    "seeds",
    "perplexity",
    "BLEU",
    "paper: perplexity",
    "BLEU",
]
LEGEND = """\
Perplexity (per token) and BLEU (on text) of held-out sentences: mean over seeds ± standard deviation; only settings
that differ from base are shown."""


def report(plan: Plan) -> str:
    """Return the table of all finished runs, in Markdown, with its legend."""
    rows = [HEAD, ["---"] * len(HEAD)]
    for variant, results in _finished(plan):
        scores = []
        for measure, digits in MEASURES.items():
            values = [result[measure] for result in results]
            deviation = f" ± {stdev(values):.{digits}f}" if len(values) > 1 else ""
            scores.append(f"{mean(values):.{digits}f}{deviation}")
        paper = (
            [f"{variant.paper[0]:.2f}", f"{variant.paper[1]:.1f}"] if variant.paper else ["", ""]
        )
        counts = [f"{results[0]['parameters'] / 1000:,.0f}", str(len(results))]
        rows.append([variant.row or "base", *_settings(plan, variant), *counts, *scores, *paper])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    table = "\n".join("| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in rows)
    return f"{table}\n\n{LEGEND}\n"


def _finished(plan: Plan) -> list[tuple[Variant, list[dict]]]:
    """Return the variants that have finished runs, and their results."""
    finished = []
    for variant in plan.variants:
        paths = sorted((plan.folder / variant.name).glob("[0-9]*/result.json"))
        if paths:
            finished.append((variant, [read_json(path) for path in paths]))
    if not finished:
        raise InputError(
            f"{plan.folder} holds no finished run yet: leave --table out to train some"
        )
    return finished


def _settings(plan: Plan, variant: Variant) -> list[str]:
    """Return the cells of the settings: all of the base model's, of a variant those that differ."""
    settings = variant.changes or plan.base
    depths = [
        str(settings[f"n_{stack}_layers"])
        for stack in ("encoder", "decoder")
        if f"n_{stack}_layers" in settings
    ]
    return [
        "+".join(depths),
        *("" if settings.get(name) is None else str(settings[name]) for name in COLUMNS),
    ]

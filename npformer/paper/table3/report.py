"""The table of an ablation, with standard deviations, next to the paper's scores."""

from pathlib import Path
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
    "label_smoothing": "eps_ls",
    "positions": "positions",
    "init": "init",
}
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
LEGEND = (
    "Perplexity (per token) and BLEU (on text) of held-out sentences: "
    "mean over seeds ± standard deviation; only settings\n"
    "that differ from base are shown."
)


def report(plan: Plan) -> str:
    """Return the table of all finished runs, in Markdown, with its legend."""
    rows = [HEAD, ["---"] * len(HEAD)]
    for variant, results in _finished(plan):
        rows.append(_row(plan, variant, results))

    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        lines.append(f"| {' | '.join(cells)} |")
    table = "\n".join(lines)
    return f"{table}\n\n{LEGEND}\n"


def _row(plan: Plan, variant: Variant, results: list[dict]) -> list[str]:
    """Return the cells of a variant."""
    cells = [variant.row or "base", *_settings(plan, variant)]
    cells.append(f"{results[0]['parameters'] / 1000:,.0f}")
    cells.append(str(len(results)))
    for measure, digits in MEASURES.items():
        values = [result[measure] for result in results]
        score = f"{mean(values):.{digits}f}"
        if len(values) > 1:
            score += f" ± {stdev(values):.{digits}f}"
        cells.append(score)
    if variant.paper:
        perplexity, bleu = variant.paper
        return [*cells, f"{perplexity:.2f}", f"{bleu:.1f}"]
    return [*cells, "", ""]


def _finished(plan: Plan) -> list[tuple[Variant, list[dict]]]:
    """Return the variants that have finished runs, and their results."""
    finished = []
    for variant in plan.variants:
        paths = sorted((plan.folder / variant.name).glob("[0-9]*/result.json"))
        if paths:
            finished.append((variant, [_read_result(path) for path in paths]))
    if not finished:
        raise InputError(
            f"{plan.folder} holds no finished run yet: leave --table out to train some"
        )
    return finished


def _read_result(path: Path) -> dict[str, float]:
    """Return the content of a result.json. Raises `InputError` when it is damaged."""
    result = read_json(path)
    for name in (*MEASURES, "parameters"):
        if not isinstance(result.get(name), (int, float)):
            raise InputError(
                f"{path} is damaged: its {name} is {result.get(name)!r}, expected a number. Delete "
                "it to score the run again"
            )
    return result


def _settings(plan: Plan, variant: Variant) -> list[str]:
    """Return the cells of the settings: all of the base model's, of a variant those that differ."""
    settings = variant.changes or plan.base
    depths = []
    for name in ("n_encoder_layers", "n_decoder_layers"):
        if name in settings:
            depths.append(str(settings[name]))
    cells = ["+".join(depths)]
    for name in COLUMNS:
        value = settings.get(name)
        cells.append("" if value is None else str(value))
    return cells

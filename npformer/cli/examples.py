"""Translations beside their references."""

from ..evaluation import Evaluation
from .lines import one_line


def examples(evaluation: Evaluation, number: int) -> str:
    """Return the first translations, a line each for source, output and reference, whatever characters are in them."""
    groups = []
    shown = zip(evaluation.pairs[:number], evaluation.translations, evaluation.equal, strict=False)
    for pair, translation, equal in shown:
        source, output, reference = map(one_line, (pair.source, translation, pair.target))
        mark = " " if equal else "*"
        groups.append(f"  source     {source}\n{mark} output     {output}\n  reference  {reference}\n")
    return "\n".join(groups).rstrip("\n")

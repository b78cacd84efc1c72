"""Examples of what a model makes of held-out text."""

from ..evaluation import ClassificationScores, Evaluation, LanguageModelScores
from .output import one_line


def examples(evaluation: Evaluation | ClassificationScores | LanguageModelScores, number: int) -> str:
    """Return what was made of the first examples, whatever characters are in them; of a running text nothing."""
    if isinstance(evaluation, Evaluation):
        title = "held-out translations (* differs from the reference)"
        return f"{title}\n\n{translations(evaluation, number)}"
    if isinstance(evaluation, ClassificationScores):
        title = "held-out texts: right class, found class and its probability (* differs)"
        return f"{title}\n\n{classes(evaluation, number)}"
    return ""


def translations(evaluation: Evaluation, number: int) -> str:
    """Return the first translations, a line each for source, output and reference."""
    groups = []
    shown = zip(evaluation.pairs[:number], evaluation.translations, evaluation.equal, strict=False)
    for pair, translation, equal in shown:
        source, output, reference = map(one_line, (pair.source, translation, pair.target))
        mark = " " if equal else "*"
        groups.append(f"  source     {source}\n{mark} output     {output}\n  reference  {reference}\n")
    return "\n".join(groups).rstrip("\n")


def classes(evaluation: ClassificationScores, number: int) -> str:
    """Return the first texts, a line each, after their right class, the one found, and its probability."""
    width, lines = max(map(len, evaluation.names)), []
    for (label, text), found in zip(evaluation.texts[:number], evaluation.found, strict=False):
        mark = " " if found.label == label else "*"
        probability = found.probabilities[found.label]
        lines.append(f"{mark} {label:<{width}}  {found.label:<{width}} {probability:5.2f}  {one_line(text)}")
    return "\n".join(lines)

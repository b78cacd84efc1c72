"""Position accuracy: how many characters of an answer are those of a reference at their position.

For tasks in which source and answer correspond character by character, as parallel lines of verse.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ..text import check_list
from ..utils import InputError

__all__ = ["PositionScores", "position_scores"]

_CHARACTER = re.compile("<unk>|.", re.DOTALL)


class PositionScores(NamedTuple):
    """Shares, from 0 to 1, of characters that agree; see `position_scores`."""

    position_accuracy: float
    unigram_precision: float
    equal_length: float
    without_repeat: float

    def table(self) -> str:
        """The scores in a few lines."""
        accuracy, precision, equal, new = [f"{100 * share:.1f}%" for share in self]
        return (
            f"position      {accuracy} of the references' characters are at their place\n"
            f"unigrams      {precision} of the characters written are the reference's\n"
            f"equal length  {equal} of the answers are as long as their source\n"
            f"no repeat     {new} of the answers have no letter of their source at its place"
        )


def position_scores(
    sources: Sequence[str], references: Sequence[str], answers: Sequence[str]
) -> PositionScores:
    """Compare answers with their references and sources, character by character.

    - position accuracy: the share of the references' characters that the answers have at the same
      position;
    - unigram precision: the share of the answers' characters that occur in their reference, each
      counted at most as often as there (modified unigram precision of BLEU, without a brevity
      penalty);
    - equal length: the share of answers with as many characters as their source;
    - without repeat: the share of answers that have nowhere the same letter or digit at the same
      position as the source.

    <unk> is one character. A baseline to compare with copies the source:
    `position_scores(sources, references, sources)`.

    Raises `InputError` when there is nothing to compare, a text stands in the place of several, or
    the lists differ in length.

    >>> scores = position_scores(["天高，云淡", "春"], ["地远，风清", "秋"], ["地远，云清", "秋风"])
    >>> [round(share, 3) for share in scores]
    [0.833, 0.714, 0.5, 0.5]
    """
    for texts in (sources, references, answers):
        check_list(texts, "texts")
    if not answers:
        raise InputError("there are no answers to score: give at least one")
    if not len(sources) == len(references) == len(answers):
        raise InputError(
            f"there are {len(sources)} sources, {len(references)} references and "
            f"{len(answers)} answers: expected the same number"
        )

    n_same = n_known = n_equal = n_new = 0
    n_expected = n_written = 0
    for texts in zip(sources, references, answers, strict=True):
        source, reference, answer = map(_CHARACTER.findall, texts)
        n_expected += len(reference)
        n_written += len(answer)

        # the longer of the two has characters without a partner, which count as different
        n_same += sum(a == b for a, b in zip(answer, reference, strict=False))
        n_known += (Counter(answer) & Counter(reference)).total()
        n_equal += len(answer) == len(source)
        n_new += not _repeats(answer, source)

    return PositionScores(
        position_accuracy=n_same / max(n_expected, 1),
        unigram_precision=n_known / max(n_written, 1),
        equal_length=n_equal / len(answers),
        without_repeat=n_new / len(answers),
    )


def _repeats(answer: list[str], source: list[str]) -> bool:
    """Tell whether a letter or digit is at the same position in both; punctuation may be."""
    return any(a == b and a.isalnum() for a, b in zip(answer, source, strict=False))

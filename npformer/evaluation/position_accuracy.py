"""Position accuracy: how well an answer agrees with a reference place by place, as in parallel lines of verse."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ..utils import InputError

CHARACTER = re.compile("<unk>|.", re.DOTALL)


class PlaceScores(NamedTuple):
    """Shares, from 0 to 1, of characters that agree; see `place_scores`."""

    position_accuracy: float
    unigram_precision: float
    equal_length: float
    without_repeat: float
    copying_position_accuracy: float
    copying_unigram_precision: float

    def table(self) -> str:
        """The scores in a few lines."""
        same, known, equal, new, copied_same, copied_known = (f"{100 * share:.1f}%" for share in self)
        return (
            f"position      {same} of the references' characters are at their place; copying {copied_same}\n"
            f"unigrams      {known} of the characters written are the reference's; copying {copied_known}\n"
            f"equal length  {equal} of the answers are as long as their source\n"
            f"no repeat     {new} of the answers have no letter of their source at its place"
        )


def place_scores(sources: Sequence[str], references: Sequence[str], answers: Sequence[str]) -> PlaceScores:
    """Compare answers with their references and sources, character by character; <unk> is one character.

    - position accuracy: the share of the references' characters that the answers have at the same place;
    - unigram precision: the share of the answers' characters that occur in their reference, each counted at most as
      often as there (modified unigram precision of BLEU, without a brevity penalty);
    - equal length: the share of answers with as many characters as their source;
    - without repeat: the share of answers that have nowhere the same letter or digit at the same place as the source;
    - the first two for a baseline that copies the source.

    Raises `InputError` unless there are as many of each, and at least one.

    >>> scores = place_scores(["天高，云淡", "春"], ["地远，风清", "秋"], ["地远，云清", "秋风"])
    >>> [round(share, 3) for share in scores]
    [0.833, 0.714, 0.5, 0.5, 0.167, 0.167]
    """
    if not references or not len(sources) == len(references) == len(answers):
        given = f"there are {len(sources)} sources, {len(references)} references and {len(answers)} answers"
        raise InputError(f"{given}: expected as many of each, and at least one")
    sources, references, answers = ([*map(CHARACTER.findall, lines)] for lines in (sources, references, answers))
    both = list(zip(answers, sources, strict=True))
    equal = sum(len(answer) == len(source) for answer, source in both) / len(both)
    new = sum(not any(a == b and a.isalnum() for a, b in zip(*lines, strict=False)) for lines in both) / len(both)
    return PlaceScores(*_agreement(answers, references), equal, new, *_agreement(sources, references))


def _agreement(answers: list[list[str]], references: list[list[str]]) -> tuple[float, float]:
    """Return the position accuracy and the unigram precision."""
    pairs = list(zip(answers, references, strict=True))
    same = sum(a == b for lines in pairs for a, b in zip(*lines, strict=False))
    clipped = sum((Counter(answer) & Counter(reference)).total() for answer, reference in pairs)
    return same / max(sum(map(len, references)), 1), clipped / max(sum(map(len, answers)), 1)

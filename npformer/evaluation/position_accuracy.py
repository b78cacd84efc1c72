"""How well an answer fits the line it answers, place by place, as in verse whose lines are to be parallel."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ..text import check_several
from ..utils import InputError

CHARACTER = re.compile("<unk>|.", re.DOTALL)


class PlaceScores(NamedTuple):
    """Shares, from 0 to 1, of what stands at the same place, counted in characters; see `place_scores`."""

    position_accuracy: float
    unigram_precision: float
    equal_length: float
    without_repeat: float
    copying_position_accuracy: float
    copying_unigram_precision: float

    def table(self) -> str:
        """The scores in a few lines."""
        same, known, equal, new, copied_same, copied_known = (f"{100 * share:.1f} %" for share in self)
        lines = [
            f"position      {same} of the references' characters, each at its place; copying {copied_same}",
            f"unigrams      {known} of the characters written are the reference's; copying {copied_known}",
            f"equal length  {equal} of the answers are as long as their source",
            f"no repeat     {new} of the answers have no letter of their source at its place",
        ]
        return "\n".join(lines)


def place_scores(sources: Sequence[str], references: Sequence[str], answers: Sequence[str]) -> PlaceScores:
    """Compare answers with one reference each, and with the sources that they answer, character by character.

    - position accuracy: of all characters of the references, those that the answer has at the same place;
    - unigram precision: of all characters of the answers, those that stand in the reference, each at most as often as
      there. It is BLEU-1 (Papineni et al. 2002, section 2.1.1), without a brevity penalty;
    - equal length: of the answers, those with as many characters as their source;
    - without repeat: of the answers, those that have nowhere the same letter or digit at the same place as the source.
      Punctuation may recur, for parallel lines have it in common, and an answer that is empty repeats nothing.

    Punctuation counts as a character everywhere else, and <unk> as a single one. The first two are also told of a
    baseline, which copies the source. The precision of answers that are all empty is 0.

    Raises `InputError` when there is nothing to compare, there are not as many of each, or one text came in the place
    of several.

    >>> scores = place_scores(["天高，云淡", "春"], ["地远，风清", "秋"], ["地远，云清", "秋风"])
    >>> [round(share, 3) for share in scores]
    [0.833, 0.714, 0.5, 0.5, 0.167, 0.167]
    """
    for what, texts in {"sources": sources, "references": references, "answers": answers}.items():
        check_several(texts, what)
    if not references or not len(sources) == len(references) == len(answers):
        came = f"there are {len(sources)} sources, {len(references)} references and {len(answers)} answers"
        raise InputError(f"{came}: expected as many of each, and one at least")
    split = [[CHARACTER.findall(line) for line in lines] for lines in (sources, references, answers)]
    sources, references, answers = split
    both = list(zip(answers, sources, strict=True))
    return PlaceScores(
        position_accuracy(answers, references),
        unigram_precision(answers, references),
        sum(len(answer) == len(source) for answer, source in both) / len(both),
        sum(not any(a == b and a.isalnum() for a, b in zip(*lines, strict=False)) for lines in both) / len(both),
        position_accuracy(sources, references),
        unigram_precision(sources, references),
    )


def position_accuracy(answers: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> float:
    """Return the share of the references' tokens that the answers have at the same place."""
    same = sum(a == b for lines in zip(answers, references, strict=True) for a, b in zip(*lines, strict=False))
    return same / max(sum(map(len, references)), 1)


def unigram_precision(answers: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> float:
    """Return the share of the answers' tokens that are their reference's, each counted at most as often as there."""
    pairs = zip(answers, references, strict=True)
    clipped = sum((Counter(answer) & Counter(reference)).total() for answer, reference in pairs)
    return clipped / max(sum(map(len, answers)), 1)

"""Position accuracy: how well an answer agrees with a reference place by place, as in parallel lines of verse."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

CHARACTER = re.compile("<unk>|.", re.DOTALL)


class PlaceScores(NamedTuple):
    """Shares, from 0 to 1, of characters that agree; see `place_scores`."""

    position_accuracy: float
    unigram_precision: float
    equal_length: float
    without_repeat: float

    def table(self) -> str:
        """The scores in a few lines."""
        same, known, equal, new = (f"{100 * share:.1f}%" for share in self)
        return (
            f"position      {same} of the references' characters are at their place\n"
            f"unigrams      {known} of the characters written are the reference's\n"
            f"equal length  {equal} of the answers are as long as their source\n"
            f"no repeat     {new} of the answers have no letter of their source at its place"
        )


def place_scores(
    sources: Sequence[str], references: Sequence[str], answers: Sequence[str]
) -> PlaceScores:
    """Compare answers with their references and sources, character by character; <unk> is one character.

    - position accuracy: the share of the references' characters that the answers have at the same place;
    - unigram precision: the share of the answers' characters that occur in their reference, each counted at most as
      often as there (modified unigram precision of BLEU, without a brevity penalty);
    - equal length: the share of answers with as many characters as their source;
    - without repeat: the share of answers that have nowhere the same letter or digit at the same place as the source.

    A baseline to compare with copies the source: `place_scores(sources, references, sources)`.

    >>> scores = place_scores(["天高，云淡", "春"], ["地远，风清", "秋"], ["地远，云清", "秋风"])
    >>> [round(share, 3) for share in scores]
    [0.833, 0.714, 0.5, 0.5]
    """
    lines = [
        [CHARACTER.findall(text) for text in texts] for texts in (sources, references, answers)
    ]
    same = known = equal = new = 0
    for source, reference, answer in zip(*lines, strict=True):
        same += sum(a == b for a, b in zip(answer, reference, strict=False))
        known += (Counter(answer) & Counter(reference)).total()
        equal += len(answer) == len(source)
        new += not any(a == b and a.isalnum() for a, b in zip(answer, source, strict=False))
    n_lines, n_expected, n_written = len(lines[2]), sum(map(len, lines[1])), sum(map(len, lines[2]))
    return PlaceScores(
        same / max(n_expected, 1), known / max(n_written, 1), equal / n_lines, new / n_lines
    )

"""The hypotheses of a beam search."""

import math
from typing import NamedTuple


class Hypothesis(NamedTuple):
    """A translation: its ids without <bos> and <eos>, its score, and log P(Y|X), the sum over its tokens."""

    ids: list[int]
    score: float
    log_probability: float


LENGTH_PENALTIES = ("wu", "length")


def length_penalty(length: int, alpha: float, penalty: str = "wu") -> float:
    """Return ((5 + length) / 6)^alpha, Wu et al. 2016, equation 14; or with "length" length^alpha, 1 where it is 0."""
    return ((5 + length) / 6 if penalty == "wu" else max(length, 1)) ** alpha


class BestHypotheses:
    """The n best finished hypotheses of one sentence, best first; of equal ones the earlier.

    >>> best = BestHypotheses(n_best=1, alpha=1.0, limit=7)
    >>> best.add([8, 9], log_probability=-2.0, length=3)
    >>> best.found
    [Hypothesis(ids=[8, 9], score=-1.5, log_probability=-2.0)]
    >>> best.is_settled(highest_open=-2.5), best.is_settled(highest_open=-3.5)
    (False, True)
    """

    def __init__(self, *, n_best: int, alpha: float, limit: int, penalty: str = "wu"):
        self.n_best = n_best
        self.alpha, self.penalty = alpha, penalty
        self.limit = limit
        self.found = []

    def add(self, ids: list[int], log_probability: float, length: int) -> None:
        """Enter a finished hypothesis; its length counts the generated tokens, <eos> included."""
        score = log_probability / length_penalty(length, self.alpha, self.penalty)
        self.found.append(Hypothesis(ids, score, log_probability))
        self.found.sort(key=lambda hypothesis: -hypothesis.score)
        del self.found[self.n_best :]

    def add_all(self, paths, scores) -> None:  # (K, steps), (K,)
        """Enter open hypotheses as they are, at the length limit."""
        for path, score in zip(paths, scores, strict=True):
            if score > -math.inf:
                self.add(path.tolist(), float(score), len(path))

    def is_settled(self, highest_open: float) -> bool:
        """Return whether no open hypothesis, of log P `highest_open` at best, can still win.

        Each further token lowers log P or leaves it, and the penalty that divides it is largest at the length limit:
        no open hypothesis, and none that grows from it, will score more than log P / penalty(limit).
        """
        score_to_beat = self.found[-1].score if len(self.found) == self.n_best else -math.inf
        return score_to_beat >= highest_open / length_penalty(self.limit, self.alpha, self.penalty)

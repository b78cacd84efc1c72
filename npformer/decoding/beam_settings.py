"""The settings of the search for a translation."""

from dataclasses import dataclass

from ..utils import InputError, check_settings, setting

DIVISORS = "what divides log P: ((5 + length) / 6)^alpha as in Wu et al. 2016, or length^alpha as in Marian"


@dataclass(frozen=True, kw_only=True)
class Search:
    """The settings of `Translator`'s search; the defaults are the paper's, section 6.1.

    Raises `InputError` on construction when one is out of range.

    >>> Search(penalty="length")
    Search(beam=4, alpha=0.6, penalty='length')
    """

    beam: int = setting(4, "hypotheses at a time, 1: greedy", least=1)
    alpha: float = setting(0.6, "length penalty, 0: none", least=0, most=10)
    penalty: str = setting("wu", DIVISORS, choices=("wu", "length"))

    def __post_init__(self):
        check_settings(self)

    def length_penalty(self, length: int) -> float:
        """Return ((5 + length) / 6)^alpha, Wu et al. 2016, equation 14; or with "length" length^alpha, at least 1."""
        return ((5 + length) / 6 if self.penalty == "wu" else max(length, 1)) ** self.alpha

    def check_n_best(self, n_best: int) -> None:
        """Raise `InputError` unless the beam can give this many hypotheses."""
        if not 1 <= n_best <= self.beam:
            got = f"n_best = {n_best} with beam = {self.beam}"
            raise InputError(f"{got}: expected 1 .. {self.beam}; ask for fewer or widen the beam")

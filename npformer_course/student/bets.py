"""Bets of a notebook: a guess before the cell that answers a question, and the score."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from npformer.utils.errors import InputError, one_line
from npformer.utils.files import read_json, write_json

from ..words import listed

NAME = ".bets.json"  # in the folder of the notebook
Settled = dict[str, str]  # what was said, and what it was


class Bet:
    """A bet on the answer to a question, placed before the answer is seen.

    A lost bet is worth more than a won one: it shows where an idea is still missing. Nothing
    depends on it. The file `.bets.json`, next to the notebook, keeps settled bets, each question
    once.

    Arguments:
        question: The question, another one in each bet.
        options: The possible answers.

    >>> bet = Bet("Which word does 'turn' look at most?", ["off", "radio", "day"])
    >>> bet.place(...)
    No bet placed. To bet, write 'off', 'radio' or 'day' in place of the dots.
    >>> bet.settle("off")
    It was off.
    """

    def __init__(self, question: str, options: Sequence[object]):
        self.question = question
        self.options = list(options)
        self._said: str | None = None

    def place(self, option: object = ...) -> None:
        """Bet on an option; the dots place no bet, and nor does what is not an option."""
        self._said = None
        choices = listed([repr(choice) for choice in self.options], "or")
        if option is ...:
            print(f"No bet placed. To bet, write {choices} in place of the dots.")
        elif str(option) in [str(choice) for choice in self.options]:
            self._said = str(option)
            print(f"Your bet: {self._said}.")
        else:
            given = one_line(repr(option))
            print(f"No bet placed: {given} is not an option. To bet, write {choices}.")

    def settle(self, right: object) -> None:
        """Say what the answer is and what was said, record it, and print how many bets are won."""
        if self._said is None:
            print(f"It was {right}.")  # and no score, which differs from reader to reader
            return

        settled = {"said": self._said, "was": str(right)}
        print(_in_words(settled))
        try:
            bets = _recorded_bets() | {self.question: settled}
            write_json(Path(NAME), bets)
        except InputError as error:
            print(f"This bet is not recorded: {one_line(str(error))}")
            return
        n_won = len(bets) - len(_lost_among(bets))
        print(f"Bets won: {n_won} of {len(bets)}.")


def bets_so_far() -> None:
    """Print how many bets were placed and won in this folder, and the questions that were lost."""
    try:
        bets = _recorded_bets()
    except InputError as error:
        print(f"Your bets cannot be counted: {one_line(str(error))}")
        return
    if not bets:
        print("No bets placed so far.")
        return

    lost = _lost_among(bets)
    print(f"Bets placed: {len(bets)}, won: {len(bets) - len(lost)}.")
    if lost:
        print("What surprised you is what you learned most from. Look at it once more:")
    for question, settled in lost.items():
        print(f"  {question} {_in_words(settled)}")


def _in_words(settled: Settled) -> str:
    """Return a settled bet as a sentence.

    >>> _in_words({"said": "radio", "was": "off"}), _in_words({"said": "off", "was": "off"})
    ('You said radio; it was off.', 'You said off, and it was.')
    """
    if settled["said"] == settled["was"]:
        return f"You said {settled['said']}, and it was."
    return f"You said {settled['said']}; it was {settled['was']}."


def _lost_among(bets: dict[str, Settled]) -> dict[str, Settled]:
    lost = {}
    for question, settled in bets.items():
        if settled["said"] != settled["was"]:
            lost[question] = settled
    return lost


def _recorded_bets() -> dict[str, Settled]:
    """Return the settled bets by question. Raises `InputError` for a damaged file."""
    path = Path(NAME)
    if not path.exists():
        return {}
    try:
        bets = read_json(path)
        for question, settled in bets.items():
            if not isinstance(settled, dict) or settled.keys() != {"said", "was"}:
                raise InputError(f"{path} is damaged: {question!r} is not a settled bet")
    except InputError as error:
        raise InputError(f"{error}; delete or rename it to begin again") from None
    return bets

"""What a sentence says, before it is written down in any language."""

from typing import NamedTuple

from npformer.datasets import SentencePair

from .grammar import Clause, clause, join, sentence


class Meaning(NamedTuple):
    """A main clause, its rule and front, and perhaps a subordinate clause."""

    main: Clause
    rule: str = "statement"
    front: str = ""
    conjunction: str = ""
    other: Clause | None = None

    @property
    def mark(self) -> str:
        """The full stop or the question mark."""
        return "?" if self.rule == "question" else "."


def realize(meaning: Meaning) -> SentencePair:
    """Write a meaning down in both languages.

    >>> from .phrases import PRONOUNS
    >>> from .verbs import RAIN, verb
    >>> sleeps = Clause(PRONOUNS["he"], verb("sleep"))
    >>> realize(Meaning(sleeps, "question", "where"))[:2]
    ('Where does he sleep?', 'Wo schläft er?')
    >>> realize(Meaning(sleeps, conjunction="because", other=Clause(PRONOUNS["it"], RAIN)))[:2]
    ('He sleeps because it is raining.', 'Er schläft, weil es regnet.')
    """
    main = clause(meaning.main, meaning.rule, meaning.front)
    if meaning.other:
        main = join(main, meaning.conjunction, clause(meaning.other, "subordinate"))
    return sentence(main, meaning.mark)

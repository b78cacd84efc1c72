"""A German clause in its parts, any of which may be said otherwise."""

from functools import cached_property

from ..phrasebook.aligned_words import Token
from ..phrasebook.grammar import RULES, Clause, parts_of


class GermanClause:
    """What a clause says, its rule, and its German parts, written when they are first asked for.

    >>> from ..phrasebook.phrases import PRONOUNS
    >>> from ..phrasebook.verbs import verb
    >>> sleeps = GermanClause(Clause(PRONOUNS["he"], verb("sleep"), time=("now", "jetzt")), "fronted", "time")
    >>> [token.text for token in sleeps.tokens()], [token.text for token in sleeps.tokens(finite=[Token("ruht")])]
    (['jetzt', 'schläft', 'er'], ['jetzt', 'ruht', 'er'])
    """

    def __init__(self, says: Clause, rule: str, front: str = ""):
        self.says, self.rule, self.front = says, rule, front
        self.order = RULES[rule][1]

    @cached_property
    def parts(self) -> dict[str, list[Token]]:
        """The words of each part."""
        return {
            name: target
            for name, (_, target) in parts_of(self.says, self.rule, self.front).items()
            if target
        }

    def tokens(self, order: list[str] | None = None, **otherwise: list[Token]) -> list[Token]:
        """Put the parts in an order, the rule's by default; some may be said otherwise, wherever they stand."""
        if self.front in otherwise:
            otherwise["front"] = otherwise.pop(self.front)
        parts = {**self.parts, **otherwise}
        return [token for name in order or self.order if name in parts for token in parts[name]]

    def phrase(self, role: str) -> list[Token]:
        """Return the words of a noun phrase, wherever it stands."""
        return self.parts["front" if role == self.front else role]

"""A German clause in its parts, any of which can be replaced."""

from functools import cached_property

from ..phrasebook.aligned_words import Token
from ..phrasebook.grammar import RULES, Clause, parts_of


class GermanClause:
    """What a clause says, its rule, and its German parts, written when they are first asked for.

    >>> from ..phrasebook.phrases import PRONOUNS
    >>> from ..phrasebook.verbs import verb
    >>> says = Clause(PRONOUNS["he"], verb("sleep"), time=("now", "jetzt"))
    >>> sleeps = GermanClause(says, "fronted", "time")
    >>> [token.text for token in sleeps.tokens()]
    ['jetzt', 'schläft', 'er']
    >>> [token.text for token in sleeps.tokens(replaced={"finite": [Token("ruht")]})]
    ['jetzt', 'ruht', 'er']
    """

    def __init__(self, says: Clause, rule: str, front: str = ""):
        self.says = says
        self.rule = rule
        self.front = front
        self.order = RULES[rule][1]

    @cached_property
    def parts(self) -> dict[str, list[Token]]:
        """The words of each part."""
        parts = {}
        for name, (_, target) in parts_of(self.says, self.rule, self.front).items():
            if target:
                parts[name] = target
        return parts

    def tokens(
        self, order: list[str] | None = None, replaced: dict[str, list[Token]] | None = None
    ) -> list[Token]:
        """Put the parts in an order, the rule's by default, some of them replaced."""
        parts = dict(self.parts)
        for name, words in (replaced or {}).items():
            parts["front" if name == self.front else name] = words

        sentence = []
        for name in order or self.order:
            sentence += parts.get(name, [])
        return sentence

    def phrase(self, role: str) -> list[Token]:
        """Return the words of a noun phrase, wherever it stands."""
        return self.parts["front" if role == self.front else role]

"""The kinds of mistake, and a meaning put into German without and with one of them."""

from ..phrasebook.aligned_words import Token, spell
from ..phrasebook.grammar import join
from ..phrasebook.meaning import Meaning
from .clause import GermanClause
from .phrase_mistakes import adjective, case, gender
from .word_order_mistakes import prefix, verb_last, verb_second

RIGHT = "right"
KINDS = {  # each yields a clause with one mistake in it, in every way
    "gender": gender,
    "adjective": adjective,
    "verb_second": verb_second,
    "verb_last": verb_last,
    "prefix": prefix,
    "case": case,
}


class GermanSentence:
    """A meaning in German.

    >>> from ..phrasebook.grammar import Clause
    >>> from ..phrasebook.nouns import NOUNS
    >>> from ..phrasebook.phrases import NounPhrase
    >>> from ..phrasebook.verbs import verb
    >>> clause = Clause(NounPhrase(NOUNS[0]), verb("sleep"), time=("now", "jetzt"))
    >>> sentence = GermanSentence(Meaning(clause, "fronted", "time"))
    >>> sentence.right()
    'Jetzt schläft der Mann.'
    >>> sentence.wrong("gender"), sentence.wrong("verb_second"), sentence.wrong("adjective")
    (['Jetzt schläft die Mann.', 'Jetzt schläft das Mann.'], ['Jetzt der Mann schläft.'], [])
    """

    def __init__(self, meaning: Meaning):
        self.meaning = meaning
        self.clauses = [GermanClause(meaning.main, meaning.rule, meaning.front)]
        if meaning.other:
            self.clauses.append(GermanClause(meaning.other, "subordinate"))

    def right(self) -> str:
        """Write the sentence as it should be."""
        return self.finished([clause.tokens() for clause in self.clauses])

    def wrong(self, kind: str) -> list[str]:
        """Write the sentence with one mistake of a kind, in every way in which it can be made."""
        sentences = []
        for i, clause in enumerate(self.clauses):
            for mistaken in KINDS[kind](clause):
                clauses = [clause.tokens() for clause in self.clauses]
                clauses[i] = mistaken
                sentences.append(self.finished(clauses))
        return sentences

    def finished(self, clauses: list[list[Token]]) -> str:
        """Write down a sentence whose clauses have been put into words."""
        sentence = clauses[0]
        if len(clauses) == 2:
            _, sentence = join(([], clauses[0]), self.meaning.conjunction, ([], clauses[1]))
        return spell([*sentence, Token(self.meaning.mark)])

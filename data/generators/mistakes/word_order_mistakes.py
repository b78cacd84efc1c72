"""Mistakes in the order of a clause: a verb not second, not last, or with its prefix left on.

What is left out would be right after all, or in speech:

- questions with the verb elsewhere: "Wo er arbeitet?" may be asked again
- a time, company or place alone between subject and verb: "Der Mann im Garten" may be one
  subject; so may be "der Mann der Frau", for a feminine dative looks like a genitive
- a verb that is not last because of a time, company or place: "dass er schläft im Garten" is
  spoken German
"""

from collections.abc import Iterator

from ..phrasebook.aligned_words import Token
from ..phrasebook.grammar import RULES, Clause
from ..phrasebook.phrases import NounPhrase
from ..phrasebook.verb_phrases import german_verb
from .clause import GermanClause

# parts that belong to the verb, and are before a verb that is last
ANCHORS = {
    "recipient",
    "object",
    "not",
    "predicate",
}
STATEMENT = RULES["statement"][1]


def verb_second(clause: GermanClause) -> Iterator[list[Token]]:
    """Put the finite verb of a statement after the subject, or after what should follow it."""
    if clause.rule == "fronted":
        yield clause.tokens(["front", "subject", "finite", *clause.order[3:]])
    elif clause.rule == "statement":
        anchors = ANCHORS - {"recipient"} if _looks_genitive(clause.says) else ANCHORS
        middle = [name for name in STATEMENT[2:-1] if name in clause.parts]
        for n in range(1, len(middle) + 1):
            if anchors.intersection(middle[:n]):
                yield clause.tokens(["subject", *middle[:n], "finite", *middle[n:], "end"])


def verb_last(clause: GermanClause) -> Iterator[list[Token]]:
    """Write a subordinate clause in the order of a statement."""
    if clause.rule == "subordinate":
        stated = GermanClause(clause.says, "statement")
        if "end" in stated.parts or ANCHORS & set(stated.parts):
            yield stated.tokens()


def prefix(clause: GermanClause) -> Iterator[list[Token]]:
    """Leave the separable prefix on the finite verb of a main clause."""
    verb = clause.says.verb
    if verb.prefix and not clause.says.modal and clause.rule != "subordinate":
        verb_form, end = german_verb(verb, clause.says.subject.person, "", final=True)
        yield clause.tokens(replaced={"finite": verb_form, "end": end})


def _looks_genitive(says: Clause) -> bool:
    """Whether the dative might belong to a noun before it: der Mann der Frau."""
    dative = says.recipient
    if dative is None or not isinstance(says.subject, NounPhrase):
        return False
    return dative.noun.gender == "f" and not dative.plural

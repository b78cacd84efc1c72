"""Mistakes within a phrase: of gender, of an adjective's ending, of case after a preposition.

What is left out would be right after all: nouns of two genders (der and das Radio; das Junge
is a cub), places with a verb that can have a direction ("Er kommt in den Garten zurück", "Er
sieht in den Garten"), and what `READINGS` knows in another case or number.
"""

from collections.abc import Iterator

from ..phrasebook.aligned_words import Token
from ..phrasebook.grammar import Clause
from ..phrasebook.phrases import NounPhrase, noun_phrase, with_preposition
from .case_readings import READINGS
from .clause import GermanClause

CASES = {"subject": "nominative", "object": "accusative", "recipient": "dative"}
PREPOSITIONS = {"company": ("with", "mit"), "place": ("in", "in")}
TWO_GENDERS = ("Junge", "Radio")

# verbs whose subject never goes into something
STAYING = (
    "sleep",
    "work",
    "watch television",
    "eat",
    "drink",
    "look for",
    "find",
    "read",
)


def gender(clause: GermanClause) -> Iterator[list[Token]]:
    """Write an article, and nothing but the article, as if its noun had another gender."""
    for role, phrase in _noun_phrases(clause.says):
        leading, rest = halves(clause.phrase(role))
        if phrase.plural or not leading or phrase.noun.german in TWO_GENDERS:
            continue
        for other in "mfn".replace(phrase.noun.gender, ""):
            mistaken = phrase._replace(noun=phrase.noun._replace(gender=other))
            heard, _ = halves(german(role, mistaken, clause.says.negative))
            if (article(heard), "-", rest[-1].text) not in READINGS:
                yield clause.tokens(replaced={role: heard + rest})


def adjective(clause: GermanClause) -> Iterator[list[Token]]:
    """Give an adjective an ending that it has in no case and number of its phrase."""
    for role, phrase in _noun_phrases(clause.says):
        if phrase.adjective:
            *before, described, noun = clause.phrase(role)
            for ending in ("e", "en", "er", "es"):
                if (article(before), ending, noun.text) not in READINGS:
                    described = described._replace(text=phrase.adjective.german + ending)
                    yield clause.tokens(replaced={role: [*before, described, noun]})


def case(clause: GermanClause) -> Iterator[list[Token]]:
    """Write the phrase after "mit", or after "in" without a movement, in the accusative."""
    for role, (_, preposition) in PREPOSITIONS.items():
        phrase = getattr(clause.says, role)
        if phrase and (role == "company" or stays(clause.says)):
            _, heard = noun_phrase(phrase, "accusative", role)
            if "dative" not in READINGS.get((article(heard), "-", heard[-1].text), ()):
                words = [Token(preposition, f"{role}.preposition"), *heard]
                yield clause.tokens(replaced={role: words})


def stays(says: Clause) -> bool:
    """Return whether a clause can only describe a location, not a movement.

    Some verbs can describe a movement, and so does an object such as "a letter into the city".
    """
    return says.verb.english in STAYING and not (says.object and says.object.noun.kind == "post")


def _noun_phrases(says: Clause) -> list[tuple[str, NounPhrase]]:
    """Return the noun phrases of a clause with their roles."""
    phrases = [(role, getattr(says, role)) for role in (*CASES, *PREPOSITIONS)]
    return [(role, phrase) for role, phrase in phrases if isinstance(phrase, NounPhrase)]


def german(role: str, phrase: NounPhrase, negative: bool) -> list[Token]:
    """Write a noun phrase as its role in a clause asks, which may be negative."""
    if role in PREPOSITIONS:
        return with_preposition(PREPOSITIONS[role][0], phrase, role)[1]
    kein = negative and role == "object" and phrase.indefinite
    return noun_phrase(phrase, CASES[role], role, kein)[1]


def halves(phrase: list[Token]) -> tuple[list[Token], list[Token]]:
    """Divide a phrase into preposition and article, and the words after them."""
    n_leading = 0
    for token in phrase:
        if ".article" in token.labels or ".preposition" in token.labels:
            n_leading += 1
    return phrase[:n_leading], phrase[n_leading:]


def article(phrase: list[Token]) -> str:
    """Find the determiner of a phrase, "dem" in "im", "" where there is none."""
    for token in phrase:
        if ".article" in token.labels:
            return "dem" if token.text == "im" else token.text
    return ""

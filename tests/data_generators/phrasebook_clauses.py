"""Clauses written down in short, for hand-written examples."""

from generators.phrasebook.grammar import Clause, clause, join, sentence
from generators.phrasebook.nouns import ADJECTIVES, DARK, LATE, NOUNS, STATES
from generators.phrasebook.phrases import PRONOUNS, NounPhrase
from generators.phrasebook.verbs import verb


def adjective(english):
    return next(word for word in (*ADJECTIVES, *STATES, LATE, DARK) if word.english == english)


def phrase(text, number=0):
    """Read "the old man" or "these dogs" as a noun phrase."""
    *before, last = text.split()
    noun = next(noun for noun in NOUNS if last in (noun.english, noun.english_plural))
    words = {"these": "this", "an": "a"}
    determiner = next(
        (words.get(word, word) for word in before if word in "the this these a an my your".split()),
        "",
    )
    described = [
        adjective(word) for word in before if any(word == known.english for known in ADJECTIVES)
    ]
    return NounPhrase(noun, determiner, *(described or [None]), last == noun.english_plural, number)


def says(subject, english, **parts):
    """Write a clause down in short."""
    subject = PRONOUNS.get(subject) or phrase(subject)
    parts = {
        key: phrase(part)
        if key in ("object", "recipient", "company", "place") and isinstance(part, str)
        else part
        for key, part in parts.items()
    }
    return Clause(subject, verb(english), **parts)


TODAY, MONDAY, SEVEN = ("today", "heute"), ("on Monday", "am Montag"), ("at seven", "um sieben")
MONDAYS = ("on Mondays", "montags")


def statement(*arguments, **parts):
    return sentence(clause(says(*arguments, **parts), "statement"))


def fronted(front, *arguments, **parts):
    return sentence(clause(says(*arguments, **parts), "fronted", front))


def question(front, *arguments, **parts):
    return sentence(clause(says(*arguments, **parts), "question", front), "?")


def joined(main, conjunction, other):
    return sentence(join(clause(main, "statement"), conjunction, clause(other, "subordinate")))

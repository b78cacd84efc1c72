"""Noun phrases in both languages: determiner, number, adjective and noun, all labeled.

The label of a word is the role of its phrase and the part within it, such as
"object.article". The `kein` that stands for "not ... a" has two labels, its own and "not".
"""

from typing import NamedTuple

from . import english, german, numbers
from .aligned_words import Token, tokens
from .nouns import Adjective, Noun

DETERMINERS = {"the": "der", "this": "dies", "a": "ein", "my": "mein", "your": "dein", "": ""}

Both = tuple[list[Token], list[Token]]  # the English words and the German words of one phrase


class Pronoun(NamedTuple):
    """A pronoun as a subject; `person` names the form of the verb that goes with it."""

    english: str
    german: str
    person: str


PRONOUNS = {
    word: Pronoun(word, german_word, person)
    for word, german_word, person in (
        ("I", "ich", "ich"),
        ("you", "du", "du"),
        ("he", "er", "er"),
        ("she", "sie", "er"),
        ("it", "es", "er"),
        ("we", "wir", "wir"),
        ("they", "sie", "wir"),
    )
}


class NounPhrase(NamedTuple):
    """A noun with what is before it; "" is no determiner, number 0 no number."""

    noun: Noun
    determiner: str = "the"
    adjective: Adjective | None = None
    plural: bool = False
    number: int = 0

    @property
    def person(self) -> str:
        """The form of the verb that goes with this subject."""
        return "wir" if self.plural else "er"

    @property
    def indefinite(self) -> bool:
        """Whether negation turns the determiner into `kein`: not a dog, but not the dog."""
        return self.determiner in ("a", "")


def noun_phrase(phrase: NounPhrase | Pronoun, case: str, role: str, negative: bool = False) -> Both:
    """Write a noun phrase in both languages; a negative one has `kein`.

    >>> from .nouns import ADJECTIVES, NOUNS
    >>> old, dog = ADJECTIVES[0], NOUNS[13]
    >>> written = noun_phrase(NounPhrase(dog, "a", old), "accusative", "object", negative=True)
    >>> [[token.text for token in side] for side in written]
    [['an', 'old', 'dog'], ['keinen', 'alten', 'Hund']]
    """
    if isinstance(phrase, Pronoun):
        return [Token(phrase.english, role)], [Token(phrase.german, role)]
    noun, determiner, adjective, plural, number = phrase
    gender = "p" if plural else noun.gender
    stem = "kein" if negative else DETERMINERS[determiner]
    if plural:
        english_noun = noun.english_plural
        german_noun = noun.german_plural
        if case == "dative":
            german_noun = german.dative_plural(german_noun)
    else:
        english_noun = noun.english
        german_noun = noun.german
        if case != "nominative" and noun.oblique:
            german_noun = noun.oblique
    if determiner == "a":
        determiner = english.indefinite_article(adjective.english if adjective else english_noun)
    elif determiner == "this" and plural:
        determiner = "these"

    source, target = tokens(determiner, f"{role}.article"), []
    if stem:
        target += tokens(
            german.determiner(stem, case, gender), f"{role}.article" + " not" * negative
        )
    if number:
        source += tokens(numbers.english(number), f"{role}.number")
        target += tokens(numbers.german(number), f"{role}.number")
    if adjective:
        source += tokens(adjective.english, f"{role}.adjective")
        target += tokens(
            german.adjective(adjective.german, stem, case, gender), f"{role}.adjective"
        )
    source += tokens(english_noun, f"{role}.noun")
    target += tokens(german_noun, f"{role}.noun")
    return source, target


def with_preposition(preposition: str, phrase: NounPhrase, role: str) -> Both:
    """Put "in" or "with" before a noun phrase in the dative.

    "in dem" is written "im" and belongs to both words.

    >>> from .nouns import NOUNS
    >>> source, target = with_preposition("in", NounPhrase(NOUNS[40]), "place")
    >>> for token in target:
    ...     print(token.text, token.labels)
    im place.preposition place.article
    Garten place.noun
    """
    source, target = noun_phrase(phrase, "dative", role)
    source = tokens(preposition, f"{role}.preposition") + source
    if preposition == "in" and target[0].text == "dem":
        return source, tokens("im", f"{role}.preposition {role}.article") + target[1:]
    return source, tokens({"in": "in", "with": "mit"}[preposition], f"{role}.preposition") + target


def recipient(phrase: NounPhrase, to: bool) -> Both:
    """Write who is helped or, with `to`, who is given something; both are datives in German.

    >>> from .nouns import NOUNS
    >>> source, target = recipient(NounPhrase(NOUNS[1]), to=True)
    >>> [token.text for token in source], [token.text for token in target]
    (['to', 'the', 'woman'], ['der', 'Frau'])
    """
    source, target = noun_phrase(phrase, "dative", "recipient")
    return tokens("to" * to, "recipient.article") + source, target


def word_for_word(source: str, target: str, role: str) -> Both:
    """Write two phrases that are aligned word for word, such as "on Monday" and "am Montag".

    Where their numbers of words differ ("on Mondays", "montags"), all words belong to each other.

    >>> word_for_word("today", "heute", "time")
    ([Token(text='today', labels='time.0')], [Token(text='heute', labels='time.0')])
    """
    english_words, german_words = source.split(), target.split()
    one_to_one = len(english_words) == len(german_words)
    return (
        [Token(word, f"{role}.{i * one_to_one}") for i, word in enumerate(english_words)],
        [Token(word, f"{role}.{i * one_to_one}") for i, word in enumerate(german_words)],
    )

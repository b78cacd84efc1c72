"""The verb and its helpers in both languages.

Either language splits its verb in two. English has a finite part, which may change places
with the subject (can, does, is), and a rest (see, get up). German has a finite part, which
stands second (or last, after weil and dass), and an end: an infinitive after a modal verb, or
the prefix of a separable verb.

Labels: "verb" for the full verb in all its words, "modal" for a modal verb, "finite" for the
helper "do" and the German form that does its work, "not" for negation.
"""

from . import english, german
from .aligned_words import Token, tokens
from .verbs import MODALS, Verb

Split = tuple[list[Token], list[Token]]  # the finite part, and the rest or the end


def texts(split: Split) -> list[str]:
    """Return the text of both parts."""
    return [" ".join(token.text for token in part) for part in split]


def english_verb(verb: Verb, person: str, modal: str, negative: bool, inverted: bool) -> Split:
    """Write the finite part with its "not", and the rest.

    `inverted` if the finite part goes before the subject.

    >>> from .verbs import verb
    >>> texts(english_verb(verb("get up"), "er", "want", True, False))
    ['does not', 'want to get up']
    >>> texts(english_verb(verb("get up"), "er", "can", True, False))
    ['cannot', 'get up']
    >>> texts(english_verb(verb("be raining"), "er", "", False, False))
    ['is', 'raining']
    """
    negation = [Token("not", "not")] * negative
    infinitive = tokens(verb.english, "verb")
    if modal in english.MODALS:
        return [Token("cannot", "modal not") if negative else Token(modal, "modal")], infinitive
    if infinitive[0].text == "be":  # be, be raining
        return [Token(english.conjugate("be", person), "verb"), *negation], infinitive[1:]
    if negative or inverted:
        helper = Token(english.conjugate("do", person), "modal" if modal else "finite")
        return [helper, *negation], tokens(modal, "modal") + tokens(
            "to" * bool(modal), "verb"
        ) + infinitive
    if modal:
        return [], [
            Token(english.conjugate(modal, person), "modal"),
            Token("to", "verb"),
            *infinitive,
        ]
    return [], tokens(english.conjugate(verb.english, person), "verb")


def german_verb(verb: Verb, person: str, modal: str, final: bool) -> Split:
    """Write the finite form and the end.

    `final` if the finite form comes last, which joins it with its prefix.

    >>> from .verbs import verb
    >>> get_up = verb("get up")
    >>> texts(german_verb(get_up, "er", "", False)), texts(german_verb(get_up, "er", "", True))
    (['steht', 'auf'], ['aufsteht', ''])
    >>> texts(german_verb(get_up, "er", "must", False))
    ['muss', 'aufstehen']
    >>> texts(german_verb(get_up, "er", "must", True))
    ['muss', 'aufstehen']
    """
    if modal:
        return [Token(german.conjugate(MODALS[modal], person), "modal")], [
            Token(verb.prefix + verb.german, "verb")
        ]
    form = german.conjugate(verb.german, person, verb.changed)
    if final:
        return [Token(verb.prefix + form, "verb finite")], []
    return [Token(form, "verb finite")], tokens(verb.prefix, "verb")

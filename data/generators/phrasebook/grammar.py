"""The grammar: one rule writes a sentence in two languages.

A *synchronous* grammar has rules with two right-hand sides. Both name the same parts and each
puts them in the order of its language. A clause is such a set of parts, and four pairs of
orders are nearly all the grammar there is (in RULES below):

    statement    The man  buys bread on Mondays.        Der Mann kauft montags Brot.
    fronted      On Mondays  the man  buys bread.       Montags  kauft  der Mann Brot.
    question     Does  the man  see a dog?              Sieht  der Mann einen Hund?
    subordinate  (because) the man  sees a dog          (weil) der Mann einen Hund  sieht

In the words of German grammars: the finite verb comes second, or first in a yes-no question,
or last after weil and dass. What ends a main clause ("end" below) is the infinitive after a
modal verb or the prefix of a separable verb:

    The boy must get up at seven.    Der Junge muss um sieben aufstehen.
    The boy gets up at seven.        Der Junge steht um sieben auf.
    I know that the boy gets up.     Ich weiß, dass der Junge aufsteht.

Within the German clause: time, then dative, then accusative, then company, then place, then
`nicht`. The English orders are company, place, time, with the recipient ("to the woman")
after the object.

Negation. "not" with "a" or with a bare noun is `kein` and has its case; any other "not" is `nicht`:

    The man does not buy a dog.      Der Mann kauft keinen Hund.
    The man does not buy the dog.    Der Mann kauft den Hund nicht.
    The man has no dog.              Der Mann hat keinen Hund.

Alignment. The words of a part carry labels, and words with the same label are linked:
aligned_words.py. "does" goes with the finite verb; "get up" with both `steht` and `auf`; the
"to" of "wants to" with the infinitive; the "to" of "to the woman" with the dative article;
"cannot" with `kann` and with `nicht` or `kein`; "a" with `ein` or `kein`. The German comma
before weil and dass has no counterpart. It is the only word that is left alone.

One English sentence has one German sentence: "you" is always du, times and places have one
position each, the tense is the present.
"""

from typing import NamedTuple

from npformer.datasets import SentencePair

from . import numbers
from .aligned_words import Token, align, nest, spell, tokens
from .nouns import Adjective
from .phrases import (
    Both,
    NounPhrase,
    Pronoun,
    noun_phrase,
    recipient,
    with_preposition,
    word_for_word,
)
from .verb_phrases import english_verb, german_verb
from .verbs import WH, Verb

_ORDERS = {
    "statement": (
        "subject finite rest predicate object recipient company place time",
        "subject finite time recipient object company place not predicate end",
    ),
    "fronted": (
        "front subject finite rest predicate object recipient company place time",
        "front finite subject time recipient object company place not predicate end",
    ),
    "question": (
        "front finite subject rest predicate object recipient company place time",
        "front finite subject time recipient object company place not predicate end",
    ),
    "subordinate": (
        "subject finite rest predicate object recipient company place time",
        "subject time recipient object company place not predicate end finite",
    ),
}
RULES = {name: (source.split(), target.split()) for name, (source, target) in _ORDERS.items()}


class Clause(NamedTuple):
    """What a clause says. `predicate` goes with the verb be: an adjective, or an age in years."""

    subject: NounPhrase | Pronoun
    verb: Verb
    object: NounPhrase | None = None
    recipient: NounPhrase | None = None
    company: NounPhrase | None = None
    place: NounPhrase | None = None
    time: tuple[str, str] | None = None
    predicate: Adjective | int | None = None
    modal: str = ""
    negative: bool = False


def clause(says: Clause, rule: str, front: str = "") -> Both:
    """Write a clause by a rule.

    `front` names the part that goes to the front (time or place), or is a question word.

    >>> from .phrases import PRONOUNS
    >>> from .verbs import verb
    >>> says = Clause(PRONOUNS["he"], verb("get up"), time=("at six", "um sechs"))
    >>> source, target = clause(says, "fronted", "time")
    >>> spell(target)
    'Um sechs steht er auf'
    """
    parts = parts_of(says, rule, front)
    english_order, german_order = RULES[rule]
    source = [token for name in english_order if name in parts for token in parts[name][0]]
    target = [token for name in german_order if name in parts for token in parts[name][1]]
    return source, target


def parts_of(says: Clause, rule: str, front: str = "") -> dict[str, Both]:
    """Write the parts of a clause, by their names in `RULES`; the rule splits the verb."""
    parts = {
        name: write(getattr(says, name))
        for name, write in WRITERS.items()
        if getattr(says, name) is not None
    }
    kein = says.negative and says.object is not None and says.object.indefinite
    no = kein and says.verb.english == "have"
    if says.object:
        parts["object"] = noun_phrase(says.object, "accusative", "object", kein)
        if no:
            rest = [token for token in parts["object"][0] if token.labels != "object.article"]
            parts["object"] = [Token("no", "not"), *rest], parts["object"][1]
    if says.negative and not kein:
        parts["not"] = [], [Token("nicht", "not")]
    if says.recipient:
        parts["recipient"] = recipient(says.recipient, to=says.object is not None)
    if front:
        if front in parts:
            parts["front"] = parts.pop(front)
        else:
            parts["front"] = word_for_word(front, WH.get(front, ""), "front")

    person = says.subject.person
    finite, rest = english_verb(
        says.verb, person, says.modal, says.negative and not no, rule == "question"
    )
    german_finite, end = german_verb(says.verb, person, says.modal, rule == "subordinate")
    parts |= {"finite": (finite, german_finite), "rest": (rest, []), "end": ([], end)}
    return parts


def predicate(says: Adjective | int) -> Both:
    """Write an adjective after the verb be, which German leaves without ending, or an age."""
    if isinstance(says, Adjective):
        return word_for_word(says.english, says.german, "predicate")
    source, target = word_for_word("years old", "Jahre alt", "predicate")
    return (
        tokens(numbers.english(says), "predicate.number") + source,
        tokens(numbers.german(says), "predicate.number") + target,
    )


WRITERS = {
    "subject": lambda says: noun_phrase(says, "nominative", "subject"),
    "company": lambda says: with_preposition("with", says, "company"),
    "place": lambda says: with_preposition("in", says, "place"),
    "time": lambda says: word_for_word(says[0], says[1], "time"),
    "predicate": predicate,
}


def sentence(main: Both, mark: str = ".") -> SentencePair:
    """Finish a sentence with its full stop or question mark."""
    source, target = ([*side, Token(mark, "mark")] for side in main)
    return SentencePair(spell(source), spell(target), align(source, target))


def join(main: Both, conjunction: str, other: Both) -> Both:
    """Attach a subordinate clause with "that" or "because"; German puts a comma before it."""
    german_conjunction = {"that": "dass", "because": "weil"}[conjunction]
    source = [*main[0], Token(conjunction, conjunction), *nest(other[0], conjunction)]
    target = [
        *main[1],
        Token(","),
        Token(german_conjunction, conjunction),
        *nest(other[1], conjunction),
    ]
    return source, target

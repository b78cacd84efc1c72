"""The phrasebook: hand-written noun phrases, numbers and orders of a simple clause."""

import pytest

from tests.data_generators.phrasebook_clauses import (
    MONDAYS,
    TODAY,
    adjective,
    fronted,
    phrase,
    statement,
)

GOLDEN = {
    "accusative": (
        statement("the old woman", "see", object="a small dog"),
        "The old woman sees a small dog. | Die alte Frau sieht einen kleinen Hund. | "
        "0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7",
    ),
    "der-word and mixed ending": (
        statement("this young doctor", "visit", object="my nice brother"),
        "This young doctor visits my nice brother. | "
        "Dieser junge Arzt besucht meinen netten Bruder. | "
        "0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7",
    ),
    "ein shows no gender, the adjective does": (
        statement("a small child", "have", object="a red shirt"),
        "A small child has a red shirt. | Ein kleines Kind hat ein rotes Hemd. | "
        "0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7",
    ),
    "strong ending": (
        statement("I", "drink", object="cold water"),
        "I drink cold water. | Ich trinke kaltes Wasser. | 0-0 1-1 2-2 3-3 4-4",
    ),
    "weak noun": (
        statement("he", "see", object="the boy"),
        "He sees the boy. | Er sieht den Jungen. | 0-0 1-1 2-2 3-3 4-4",
    ),
    "dative verb": (
        statement("the girl", "help", recipient="the neighbour"),
        "The girl helps the neighbour. | Das Mädchen hilft dem Nachbarn. | 0-0 1-1 2-2 3-3 4-4 5-5",
    ),
    "dative plural": (
        statement("we", "help", recipient="these old men"),
        "We help these old men. | Wir helfen diesen alten Männern. | 0-0 1-1 2-2 3-3 4-4 5-5",
    ),
    "two objects": (
        statement("she", "give", object="a book", recipient="the man"),
        "She gives a book to the man. | Sie gibt dem Mann ein Buch. | "
        "0-0 1-1 2-4 3-5 4-2 5-2 6-3 7-6",
    ),
    "company, place and time": (
        statement("the child", "play", company="a friend", place="the big garden", time=TODAY),
        "The child plays with a friend in the big garden today. | "
        "Das Kind spielt heute mit einem Freund im großen Garten. | "
        "0-0 1-1 2-2 3-4 4-5 5-6 6-7 7-7 8-8 9-9 10-3 11-10",
    ),
    "feminine place": (
        statement("he", "eat", object="the egg", place="the kitchen"),
        "He eats the egg in the kitchen. | Er isst das Ei in der Küche. | "
        "0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7",
    ),
    "verb second after a time": (
        fronted("time", "the man", "buy", object="a coat", time=TODAY),
        "Today the man buys a coat. | Heute kauft der Mann einen Mantel. | "
        "0-0 1-2 2-3 3-1 4-4 5-5 6-6",
    ),
    "verb second after a place": (
        fronted("place", "a bird", "sleep", place="the old forest"),
        "In the old forest a bird sleeps. | Im alten Wald schläft ein Vogel. | "
        "0-0 1-0 2-1 3-2 4-4 5-5 6-3 7-6",
    ),
    "one word for two": (
        fronted("time", "I", "visit", object="my father", time=MONDAYS),
        "On Mondays I visit my father. | Montags besuche ich meinen Vater. | "
        "0-0 1-0 2-2 3-1 4-3 5-4 6-5",
    ),
    "number": (
        statement("my friends", "buy", object=phrase("fresh eggs", 24)),
        "My friends buy twenty-four fresh eggs. | "
        "Meine Freunde kaufen vierundzwanzig frische Eier. | "
        "0-0 1-1 2-2 3-3 4-3 5-3 6-4 7-5 8-6",
    ),
    "age": (
        statement("your father", "be", predicate=71),
        "Your father is seventy-one years old. | Dein Vater ist einundsiebzig Jahre alt. | "
        "0-0 1-1 2-2 3-3 4-3 5-3 6-4 7-5 8-6",
    ),
    "round number": (
        statement("I", "have", object=phrase("books", 30)),
        "I have thirty books. | Ich habe dreißig Bücher. | 0-0 1-1 2-2 3-3 4-4",
    ),
    "adjective without ending": (
        statement("the soup", "be", predicate=adjective("good"), negative=True),
        "The soup is not good. | Die Suppe ist nicht gut. | 0-0 1-1 2-2 3-3 4-4 5-5",
    ),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_handwritten_examples(name):
    written, expected = GOLDEN[name]
    assert f"{written.source} | {written.target} | {written.pharaoh}" == expected

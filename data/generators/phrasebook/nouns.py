"""The nouns, in nouns.csv, and the adjectives that suit them.

A noun belongs to a class of meaning; verbs and adjectives name the classes they go with, so
that people eat apples and nobody drinks a house.
"""

import csv
from pathlib import Path
from typing import NamedTuple

from npformer.utils.files import read_lines


class Noun(NamedTuple):
    """A noun: English singular and plural, German singular and plural, gender, class of meaning.

    A noun of the weak declension (der Junge, den Jungen) names its second form in `oblique`.
    Nouns that stand in the singular alone have no plural here. `pronoun` says how a person is
    taken up again, where English and German agree on it.
    """

    english: str
    english_plural: str
    german: str
    german_plural: str
    gender: str
    kind: str
    pronoun: str = ""
    oblique: str = ""


class Adjective(NamedTuple):
    """An adjective, its kind (two of one kind contradict each other) and the nouns it suits."""

    english: str
    german: str
    kind: str
    suits: tuple[str, ...]


def read_table(name: str) -> list[dict[str, str]]:
    """Return the rows of a .csv file that is next to this one."""
    return list(csv.DictReader(read_lines(Path(__file__).with_name(name))))


NOUNS = tuple(Noun(**row) for row in read_table("nouns.csv"))
PEOPLE = ("adult", "youth", "kin")
READING = ("post", "book")
THINGS = (*READING, "clothes", "device", "luggage")
PLACES = ("outdoors", "indoors")
UNCOUNTED = ("meal", "drink")
EVERYDAY = (
    "food",
    *UNCOUNTED,
    *READING,
)  # what one buys, eats, drinks, reads or gives again and again
BY_KIND = {
    kind: [noun for noun in NOUNS if noun.kind == kind]
    for kind in dict.fromkeys(noun.kind for noun in NOUNS)
}

ADJECTIVES = (
    Adjective(
        "old", "alt", "age", ("adult", "animal", "clothes", "device", "luggage", "opening", *PLACES)
    ),
    Adjective("young", "jung", "age", ("adult", "animal")),
    Adjective("new", "neu", "age", (*THINGS, "opening")),
    Adjective(
        "small",
        "klein",
        "size",
        ("youth", "animal", "food", "device", "luggage", "opening", *PLACES),
    ),
    Adjective("big", "groß", "size", ("food", "device", "luggage", "opening", *PLACES)),
    Adjective("nice", "nett", "manner", PEOPLE),
    Adjective("clever", "klug", "mind", (*PEOPLE, "animal")),
    Adjective("beautiful", "schön", "look", (*READING, "clothes", *PLACES)),
    Adjective("red", "rot", "colour", ("clothes", "device", "luggage")),
    Adjective("black", "schwarz", "colour", ("clothes", "device", "luggage")),
    Adjective("fresh", "frisch", "age", ("food", "meal")),
    Adjective("good", "gut", "quality", ("food", "meal", "drink")),
    Adjective("cold", "kalt", "warmth", ("drink",)),
    Adjective("hot", "heiß", "warmth", ("drink",)),
)
DESCRIBING = {
    kind: [adjective for adjective in ADJECTIVES if kind in adjective.suits] for kind in BY_KIND
}
STATES = (
    Adjective("tired", "müde", "state", PEOPLE),
    Adjective("ill", "krank", "state", PEOPLE),
    Adjective("hungry", "hungrig", "state", PEOPLE),
    Adjective("thirsty", "durstig", "state", PEOPLE),
    Adjective("happy", "glücklich", "state", PEOPLE),
)
COLD = next(word for word in ADJECTIVES if word.english == "cold")
LATE = Adjective("late", "spät", "state", ())
DARK = Adjective("dark", "dunkel", "state", ())

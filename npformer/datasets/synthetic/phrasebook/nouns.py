"""The nouns, and the adjectives that suit them.

A noun belongs to a class of meaning; verbs and adjectives name the classes they go with, so that people eat apples
and nobody drinks a house.
"""

from typing import NamedTuple


class Noun(NamedTuple):
    """A noun: English singular and plural, German singular and plural, gender, class of meaning.

    A noun of the weak declension (der Junge, den Jungen) names its second form in `oblique`. Nouns that stand
    in the singular alone have no plural here. `pronoun` says how a person is taken up again, where English and German
    agree on it.
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
    """An adjective: what it is about (two of one kind would contradict each other) and the nouns it suits."""

    english: str
    german: str
    kind: str
    suits: tuple[str, ...]


NOUNS = (
    Noun("man", "men", "Mann", "Männer", "m", "adult", "he"),
    Noun("woman", "women", "Frau", "Frauen", "f", "adult", "she"),
    Noun("teacher", "teachers", "Lehrer", "Lehrer", "m", "adult", "he"),
    Noun("doctor", "doctors", "Arzt", "Ärzte", "m", "adult", "he"),
    Noun("neighbour", "neighbours", "Nachbar", "Nachbarn", "m", "adult", "he", "Nachbarn"),
    Noun("boy", "boys", "Junge", "Jungen", "m", "youth", "he", "Jungen"),
    Noun("girl", "girls", "Mädchen", "Mädchen", "n", "youth"),
    Noun("child", "children", "Kind", "Kinder", "n", "youth"),
    Noun("brother", "brothers", "Bruder", "Brüder", "m", "kin", "he"),
    Noun("sister", "sisters", "Schwester", "Schwestern", "f", "kin", "she"),
    Noun("friend", "friends", "Freund", "Freunde", "m", "kin", "he"),
    Noun("father", "", "Vater", "", "m", "kin", "he"),
    Noun("mother", "", "Mutter", "", "f", "kin", "she"),
    Noun("dog", "dogs", "Hund", "Hunde", "m", "animal"),
    Noun("bird", "birds", "Vogel", "Vögel", "m", "animal"),
    Noun("cat", "cats", "Katze", "Katzen", "f", "animal"),
    Noun("horse", "horses", "Pferd", "Pferde", "n", "animal"),
    Noun("apple", "apples", "Apfel", "Äpfel", "m", "food"),
    Noun("cake", "cakes", "Kuchen", "Kuchen", "m", "food"),
    Noun("pear", "pears", "Birne", "Birnen", "f", "food"),
    Noun("egg", "eggs", "Ei", "Eier", "n", "food"),
    Noun("cheese", "", "Käse", "", "m", "meal"),
    Noun("soup", "", "Suppe", "", "f", "meal"),
    Noun("bread", "", "Brot", "", "n", "meal"),
    Noun("tea", "", "Tee", "", "m", "drink"),
    Noun("coffee", "", "Kaffee", "", "m", "drink"),
    Noun("milk", "", "Milch", "", "f", "drink"),
    Noun("water", "", "Wasser", "", "n", "drink"),
    Noun("letter", "letters", "Brief", "Briefe", "m", "post"),
    Noun("postcard", "postcards", "Postkarte", "Postkarten", "f", "post"),
    Noun("book", "books", "Buch", "Bücher", "n", "book"),
    Noun("coat", "coats", "Mantel", "Mäntel", "m", "clothes"),
    Noun("jacket", "jackets", "Jacke", "Jacken", "f", "clothes"),
    Noun("shirt", "shirts", "Hemd", "Hemden", "n", "clothes"),
    Noun("computer", "computers", "Computer", "Computer", "m", "device"),
    Noun("lamp", "lamps", "Lampe", "Lampen", "f", "device"),
    Noun("radio", "radios", "Radio", "Radios", "n", "device"),
    Noun("suitcase", "suitcases", "Koffer", "Koffer", "m", "luggage"),
    Noun("door", "doors", "Tür", "Türen", "f", "opening"),
    Noun("window", "windows", "Fenster", "Fenster", "n", "opening"),
    Noun("garden", "", "Garten", "", "m", "outdoors"),
    Noun("park", "", "Park", "", "m", "outdoors"),
    Noun("forest", "", "Wald", "", "m", "outdoors"),
    Noun("city", "", "Stadt", "", "f", "outdoors"),
    Noun("kitchen", "", "Küche", "", "f", "indoors"),
    Noun("office", "", "Büro", "", "n", "indoors"),
    Noun("house", "", "Haus", "", "n", "indoors"),
    Noun("hotel", "", "Hotel", "", "n", "indoors"),
)
PEOPLE = ("adult", "youth", "kin")
READING = ("post", "book")
THINGS = (*READING, "clothes", "device", "luggage")
PLACES = ("outdoors", "indoors")
UNCOUNTED = ("meal", "drink")
EVERYDAY = ("food", *UNCOUNTED, *READING)  # what one buys, eats, drinks, reads or gives again and again
BY_KIND = {kind: [noun for noun in NOUNS if noun.kind == kind] for kind in dict.fromkeys(noun.kind for noun in NOUNS)}

ADJECTIVES = (
    Adjective("old", "alt", "age", ("adult", "animal", "clothes", "device", "luggage", "opening", *PLACES)),
    Adjective("young", "jung", "age", ("adult", "animal")),
    Adjective("new", "neu", "age", (*THINGS, "opening")),
    Adjective("small", "klein", "size", ("youth", "animal", "food", "device", "luggage", "opening", *PLACES)),
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
DESCRIBING = {kind: [adjective for adjective in ADJECTIVES if kind in adjective.suits] for kind in BY_KIND}
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

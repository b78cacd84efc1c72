"""In which cases a determiner, an adjective's ending and a noun can be together.

A mistake must be one in every reading. "der Frau" is no wrong gender but a dative, "die
Lehrer" a plural, "der netten Lehrer" a genitive plural: the phrasebook writes no genitive,
yet a reader knows it.
"""

from collections import defaultdict

from ..phrasebook import german
from ..phrasebook.nouns import NOUNS

MORE_PLURALS = {
    "Käse": "Käse",
    "Wasser": "Wasser",
}  # the phrasebook has none of these, but they look like singulars
GENITIVE = {
    "der": ("des", "der", "des", "der"),
    "other": ("es", "er", "es", "er"),
    "": ("en", "er", "en", "er"),
}


def readings() -> dict[tuple[str, str, str], set[str]]:
    """Return the cases of every determiner, ending of an adjective and noun.

    The determiner may be "", and without an adjective the ending is "-".

    >>> sorted(READINGS["der", "-", "Frau"]), sorted(READINGS["den", "en", "Jungen"])
    (['dative', 'genitive'], ['accusative', 'dative'])
    >>> ("das", "-", "Mann") in READINGS
    False
    """
    cases = defaultdict(set)
    for noun in NOUNS:
        plural = noun.german_plural or MORE_PLURALS.get(noun.german, "")
        for case in (*german.THE, "genitive"):
            singular = noun.german
            if case != "nominative" and noun.oblique:
                singular = noun.oblique
            several = plural
            if plural and case == "dative":
                several = german.dative_plural(plural)
            for gender, form in ((noun.gender, singular), ("p", several)):
                if form and not (
                    case == "genitive" and gender in "mn" and not noun.oblique
                ):  # des Mannes
                    for stem in german.ADJECTIVE_ENDINGS:
                        determiner, ending = forms(stem, case, gender)
                        cases[determiner, "-", form].add(case)
                        cases[determiner, ending, form].add(case)
    return dict(cases)


def forms(stem: str, case: str, gender: str) -> tuple[str, str]:
    """Inflect a determiner and the ending of an adjective after it, in any of the four cases.

    >>> forms("dies", "genitive", "p"), forms("", "genitive", "f"), forms("ein", "nominative", "m")
    (('dieser', 'en'), ('', 'er'), ('ein', 'er'))
    """
    if case != "genitive":
        determiner = ""
        if stem:
            determiner = german.determiner(stem, case, gender)
        return determiner, german.adjective("", stem, case, gender)

    column = german.COLUMNS.index(gender)
    if not stem:
        return "", GENITIVE[""][column]
    if stem == "der":
        return GENITIVE["der"][column], "en"
    return stem + GENITIVE["other"][column], "en"


READINGS = readings()

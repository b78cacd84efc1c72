"""English forms: the s of the third person, do and does, a and an."""

IRREGULAR = {"have": "has", "do": "does", "want": "wants"}
BE = {"ich": "am", "du": "are", "er": "is", "wir": "are"}
MODALS = ("can", "may", "must")  # they take no s, no "to" and no "do"


def _third_person(verb: str) -> str:
    """Write the form after he, she and it.

    >>> words = ("see", "watch television", "carry", "have")
    >>> tuple(_third_person(word) for word in words)
    ('sees', 'watches television', 'carries', 'has')
    """
    word, space, rest = verb.partition(" ")
    if word in IRREGULAR:
        form = IRREGULAR[word]
    elif word.endswith(("s", "sh", "ch", "x", "o")):
        form = word + "es"
    elif word.endswith("y") and word[-2] not in "aeiou":
        form = word[:-1] + "ies"
    else:
        form = word + "s"
    return form + space + rest


def conjugate(verb: str, person: str) -> str:
    """Write the present tense.

    The person is named by its German pronoun: ich, du, er (he, she, it) or wir (we, they).

    >>> conjugate("get up", "er"), conjugate("get up", "du"), conjugate("be", "ich")
    ('gets up', 'get up', 'am')
    """
    if verb == "be":
        return BE[person]
    return _third_person(verb) if person == "er" else verb


def indefinite_article(next_word: str) -> str:
    """Choose between a and an.

    >>> indefinite_article("egg"), indefinite_article("dog")
    ('an', 'a')
    """
    return "an" if next_word[0] in "aeiou" else "a"

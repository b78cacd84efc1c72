"""German forms: articles, adjective endings, dative plurals, the present tense.

Genders are m, f and n; p stands for the plural, where gender makes no difference. Cases are
nominative, accusative and dative.

One idea explains the tables of endings: *some word before the noun should show gender and
case*. `der` and `dieser` always do, so an adjective after them can be lazy (weak). `ein`,
`kein`, `mein` and `dein` mostly do, but have no ending in three places, and there the
adjective shows it (mixed). Where there is no article, the adjective must do all the work
itself and takes the endings of `dieser` (strong).
"""

COLUMNS = "mfnp"
THE = {
    "nominative": ("der", "die", "das", "die"),
    "accusative": ("den", "die", "das", "die"),
    "dative": ("dem", "der", "dem", "den"),
}
STRONG = {
    "nominative": ("er", "e", "es", "e"),
    "accusative": ("en", "e", "es", "e"),
    "dative": ("em", "er", "em", "en"),
}
MIXED = {
    "nominative": ("er", "e", "es", "en"),
    "accusative": ("en", "e", "es", "en"),
    "dative": ("en", "en", "en", "en"),
}
WEAK = {
    "nominative": ("e", "e", "e", "en"),
    "accusative": ("en", "e", "e", "en"),
    "dative": ("en", "en", "en", "en"),
}
ADJECTIVE_ENDINGS = {
    "der": WEAK,
    "dies": WEAK,
    "ein": MIXED,
    "kein": MIXED,
    "mein": MIXED,
    "dein": MIXED,
    "": STRONG,
}

IRREGULAR = {
    "haben": {"ich": "habe", "du": "hast", "er": "hat", "wir": "haben"},
    "sein": {"ich": "bin", "du": "bist", "er": "ist", "wir": "sind"},
    "wissen": {"ich": "weiß", "du": "weißt", "er": "weiß", "wir": "wissen"},
    "können": {"ich": "kann", "du": "kannst", "er": "kann", "wir": "können"},
    "dürfen": {"ich": "darf", "du": "darfst", "er": "darf", "wir": "dürfen"},
    "müssen": {"ich": "muss", "du": "musst", "er": "muss", "wir": "müssen"},
    "wollen": {"ich": "will", "du": "willst", "er": "will", "wir": "wollen"},
}


def determiner(stem: str, case: str, gender: str) -> str:
    """Inflect der, dies-, ein, kein, mein or dein.

    >>> determiner("der", "accusative", "m"), determiner("dies", "nominative", "n")
    ('den', 'dieses')
    """
    column = COLUMNS.index(gender)
    if stem == "der":
        return THE[case][column]
    bare = stem != "dies" and (
        (gender == "n" and case != "dative") or (gender == "m" and case == "nominative")
    )
    if bare:
        return stem
    return stem + STRONG[case][column]


def adjective(stem: str, after: str, case: str, gender: str) -> str:
    """Inflect an adjective after a determiner (after "" where there is none).

    >>> [adjective("alt", after, "nominative", "m") for after in ("der", "ein", "")]
    ['alte', 'alter', 'alter']
    """
    return stem + ADJECTIVE_ENDINGS[after][case][COLUMNS.index(gender)]


def dative_plural(plural: str) -> str:
    """Nouns add n in the dative plural, unless they end in n or s.

    >>> dative_plural("Kinder"), dative_plural("Frauen"), dative_plural("Radios")
    ('Kindern', 'Frauen', 'Radios')
    """
    return plural if plural[-1] in "ns" else plural + "n"


def conjugate(infinitive: str, person: str, changed: str = "") -> str:
    """Write the present tense of ich, du, er (sie, es) or wir (sie).

    `changed` is the stem of du and er where it differs.

    >>> [conjugate("sehen", person, "sieh") for person in ("ich", "du", "er", "wir")]
    ['sehe', 'siehst', 'sieht', 'sehen']
    >>> conjugate("arbeiten", "du"), conjugate("essen", "du", "iss")
    ('arbeitest', 'isst')
    """
    if infinitive in IRREGULAR:
        return IRREGULAR[infinitive][person]
    if person == "wir":
        return infinitive
    stem = infinitive.removesuffix("n").removesuffix("e")
    if person == "ich":
        return stem + "e"
    if changed:
        stem = changed
    elif stem.endswith(("t", "d", "gn")):
        stem += "e"  # arbeitest
    if person == "er" or stem.endswith(("s", "z", "ß")):
        return stem + "t"
    return stem + "st"

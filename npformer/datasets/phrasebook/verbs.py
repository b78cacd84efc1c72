"""The verbs: their forms, what they take, and what may stand beside them."""

from typing import NamedTuple

from .nouns import PEOPLE, THINGS

ANYONE = (*PEOPLE, "animal")


class Verb(NamedTuple):
    """A verb.

    `german` is the infinitive without the separable `prefix` (aufstehen: "stehen" with "auf"), `changed` the stem of
    du and er where it differs (sehen: "sieh"). `objects` and `recipients` are the classes of nouns it takes in the
    accusative and in the dative. `fits` lists what may stand beside it: kinds of time (keys of TIMES), outdoors and
    indoors, "with" somebody, "count" (its object may be counted), "single" (its object is one thing), "some" (its
    object is not a certain one), and reasons for doing it (a state, late, dark, rain).
    """

    english: str
    german: str
    prefix: str = ""
    changed: str = ""
    objects: tuple[str, ...] = ()
    recipients: tuple[str, ...] = ()
    subjects: tuple[str, ...] = PEOPLE
    modals: tuple[str, ...] = ("can", "may", "must", "want")
    fits: str = ""


VERBS = (
    Verb("sleep", "schlafen", changed="schläf", subjects=ANYONE, fits="now outdoors indoors tired ill"),
    Verb("work", "arbeiten", fits="now day every outdoors indoors with"),
    Verb("play", "spielen", fits="now day every outdoors indoors with happy"),
    Verb("get up", "stehen", "auf", fits="every clock late"),
    Verb(
        "fall asleep",
        "schlafen",
        "ein",
        "schläf",
        subjects=ANYONE,
        modals=("can", "want"),
        fits="now clock outdoors indoors tired",
    ),
    Verb("come back", "kommen", "zurück", subjects=ANYONE, fits="now day every clock tired ill hungry late dark rain"),
    Verb("watch television", "sehen", "fern", "sieh", fits="now day every indoors with rain"),
    Verb(
        "see",
        "sehen",
        "",
        "sieh",
        (*PEOPLE, "animal", *THINGS),
        subjects=ANYONE,
        modals=("can", "want"),
        fits="now outdoors indoors count",
    ),
    Verb("look for", "suchen", "", "", (*PEOPLE, "animal", *THINGS), subjects=PEOPLE, fits="now outdoors indoors"),
    Verb("find", "finden", "", "", ("food", *THINGS), modals=("can",), fits="now outdoors indoors count"),
    Verb("have", "haben", "", "", ("animal", *THINGS), modals=(), fits="count some"),
    Verb("love", "lieben", "", "", ("kin", "animal"), modals=(), subjects=ANYONE),
    Verb("visit", "besuchen", "", "", PEOPLE, fits="now day every happy"),
    Verb("buy", "kaufen", "", "", ("animal", "food", "meal", "drink", *THINGS), fits="now day count"),
    Verb("read", "lesen", "", "lies", ("text",), fits="now day every outdoors indoors rain"),
    Verb("write", "schreiben", "", "", ("text",), fits="now day outdoors indoors some"),
    Verb("eat", "essen", "", "iss", ("food", "meal"), fits="now outdoors indoors clock hungry"),
    Verb("drink", "trinken", "", "", ("drink",), fits="now every outdoors indoors clock thirsty"),
    Verb("feed", "füttern", "", "", ("animal",), fits="now every clock"),
    Verb("open", "machen", "auf", "", ("opening",), fits="now every"),
    Verb("close", "machen", "zu", "", ("opening",), fits="now every late dark rain"),
    Verb("turn on", "schalten", "ein", "", ("device",), fits="now every"),
    Verb("turn off", "schalten", "aus", "", ("device",), fits="now every late tired"),
    Verb("put on", "ziehen", "an", "", ("clothes",), fits="now rain single"),
    Verb("bring along", "bringen", "mit", "", ("food", "meal", "text"), fits="now day count"),
    Verb("call", "rufen", "an", "", PEOPLE, fits="now day every clock ill happy late"),
    Verb("invite", "laden", "ein", "läd", PEOPLE, fits="now day happy"),
    Verb("help", "helfen", "", "hilf", (), PEOPLE, fits="now day every"),
    Verb("give", "geben", "", "gib", ("animal", "food", "text", "clothes"), PEOPLE, fits="now day count"),
    Verb("show", "zeigen", "", "", ("animal", *THINGS), PEOPLE, fits="now day count"),
)
BE = Verb("be", "sein")
RAIN = Verb("rain", "regnen")
MATRIX = (Verb("know", "wissen"), Verb("believe", "glauben"), Verb("say", "sagen"), Verb("hope", "hoffen"))
MODALS = {"can": "können", "may": "dürfen", "must": "müssen", "want": "wollen"}
WH = {"when": "wann", "where": "wo", "why": "warum"}


def verb(english: str) -> Verb:
    """Look a verb up.

    >>> verb("get up").prefix
    'auf'
    """
    return next(entry for entry in (*VERBS, BE, RAIN, *MATRIX) if entry.english == english)

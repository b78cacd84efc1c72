"""The verbs."""

from .nouns import PEOPLE, READING, THINGS
from .verb_entry import Verb, entry

ANYONE = (*PEOPLE, "animal")
GROWN_UP = ("adult", "kin")
DAYS = "every weekdays now day"
EATEN = ("food", "meal")
ANYWHERE = "outdoors indoors"
NOT_DUTY = ("can", "may", "want")
VERBS = (
    entry("sleep", "schlafen", "schläf", subjects=ANYONE, times="now", fits=f"{ANYWHERE} state hope tired ill"),
    entry("work", "arbeiten", times=f"{DAYS} seasons", fits=f"{ANYWHERE} with"),
    entry("play", "spielen", modals=NOT_DUTY, times=f"{DAYS} seasons", fits=f"{ANYWHERE} with happy"),
    entry("get up", "auf|stehen", times="clock now", fits="late"),
    entry("fall asleep", "ein|schlafen", "schläf", subjects=ANYONE, modals=("can",), times="clock", fits="tired"),
    entry(
        "come back",
        "zurück|kommen",
        subjects=ANYONE,
        times=f"{DAYS} clock",
        fits="hope tired ill hungry late dark cold rain",
    ),
    entry("watch television", "fern|sehen", "sieh", modals=NOT_DUTY, times=f"{DAYS} seasons", fits="indoors with rain"),
    entry(
        "see",
        "sehen",
        "sieh",
        objects=(*ANYONE, *READING, "luggage"),
        subjects=ANYONE,
        modals=("can",),
        times="now",
        fits=f"{ANYWHERE} state",
        manner="count kein",
        dozens="bird horse book",
    ),
    entry(
        "look for",
        "suchen",
        objects=(*ANYONE, *THINGS),
        modals=("must", "want"),
        times="now",
        fits=f"modal {ANYWHERE}",
        manner="certain",
    ),
    entry(
        "find",
        "finden",
        objects=("animal", "food", *THINGS),
        modals=("can",),
        fits=f"{ANYWHERE} hope",
        manner="count kein",
    ),
    entry(
        "have",
        "haben",
        objects=("animal", *THINGS),
        modals=(),
        fits="state",
        manner="count some kein",
        dozens="bird book letter postcard",
    ),
    entry("love", "lieben", objects=("animal",), modals=(), fits="state", manner="certain"),
    entry("visit", "besuchen", objects=GROWN_UP, times="week weekdays now day", fits="hope", manner="certain"),
    entry(
        "buy",
        "kaufen",
        objects=("animal", *EATEN, "drink", *THINGS),
        times="week weekdays now day",
        fits="hope",
        manner="count general kein new",
        dozens="apple pear egg book postcard",
    ),
    entry(
        "read",
        "lesen",
        "lies",
        objects=READING,
        times=f"{DAYS} seasons",
        fits=f"{ANYWHERE} rain",
        manner="general kein",
    ),
    entry(
        "write",
        "schreiben",
        objects=("post",),
        times=f"{DAYS} week",
        fits=f"{ANYWHERE} hope",
        manner="some general kein each",
    ),
    entry(
        "eat",
        "essen",
        "iss",
        objects=EATEN,
        times="every weekdays clock now",
        fits=f"{ANYWHERE} hungry",
        manner="general kein each",
    ),
    entry(
        "drink",
        "trinken",
        objects=("drink",),
        times="every seasons clock now",
        fits=f"{ANYWHERE} thirsty",
        manner="general kein",
    ),
    entry("feed", "füttern", objects=("animal",), times="every clock now", fits="hope", manner="certain"),
    entry("open", "auf|machen", objects=("opening",), times="every now", manner="certain"),
    entry(
        "close", "zu|machen", objects=("opening",), times="every now", fits="hope late dark cold rain", manner="certain"
    ),
    entry("turn on", "ein|schalten", objects=("device",), times="every now", manner="certain"),
    entry("turn off", "aus|schalten", objects=("device",), times="every now", fits="late tired", manner="certain"),
    entry("put on", "an|ziehen", objects=("clothes",), times="now", fits="cold", manner="each single own"),
    entry(
        "bring along",
        "mit|bringen",
        objects=(*EATEN, *READING),
        times="weekdays day",
        fits="hope",
        manner="count general",
    ),
    entry("call", "an|rufen", objects=GROWN_UP, times=f"{DAYS} week", fits="hope ill happy late", manner="certain"),
    entry(
        "invite",
        "ein|laden",
        "läd",
        objects=GROWN_UP,
        times="week weekdays now day",
        fits="hope happy",
        manner="certain",
    ),
    entry("help", "helfen", "hilf", recipients=PEOPLE, times=DAYS, fits="hope"),
    entry(
        "give",
        "geben",
        "gib",
        objects=("food", *READING, "clothes"),
        recipients=PEOPLE,
        times="weekdays now day",
        fits="hope",
        manner="count general own",
    ),
    entry("show", "zeigen", objects=("animal", *THINGS), recipients=PEOPLE, times="now day", manner="count own"),
)
BE = Verb("be", "sein", times="now")
RAIN = Verb("be raining", "regnen")
MATRIX = (Verb("know", "wissen"), Verb("believe", "glauben"), Verb("say", "sagen"), Verb("hope", "hoffen"))
MODALS = {"can": "können", "may": "dürfen", "must": "müssen", "want": "wollen"}
WH = {"when": "wann", "where": "wo", "why": "warum"}
PAST_ALIKE = ("read", "put on")  # "we read" may also be the past


def verb(english: str) -> Verb:
    """Look a verb up.

    >>> verb("get up").prefix
    'auf'
    """
    return next(entry for entry in (*VERBS, BE, RAIN, *MATRIX) if entry.english == english)

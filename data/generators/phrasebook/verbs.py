"""The verbs, in verbs.csv: their forms, what they take, and what may occur with them."""

from typing import Any, NamedTuple

from .nouns import PEOPLE, read_table

ANYONE = (*PEOPLE, "animal")


class Verb(NamedTuple):
    """A verb.

    `german` is the infinitive without the separable `prefix` (aufstehen: "stehen" with
    "auf"), `changed` the stem of du and er where it differs (sehen: "sieh"). `objects` and
    `recipients` are the classes of nouns it takes in the accusative and in the dative. The
    other fields make sentences sensible:

    - `times`: kinds of time that suit it (keys of time_adverbials.py)
    - `fits`: what else may occur with it. outdoors, indoors, "with" somebody; reasons for
      doing it (a state, late, dark, cold, rain); "hope" (one may hope for it), "state" (it
      lasts and so needs no time), "modal" (it needs a modal verb)
    - `manner`: its object may be counted ("count"), is always "certain" or never is ("some"),
      is things in "general" when the verb tells of a habit, may be indefinite with "not"
      ("kein"); several people act on several things ("each"), one on one ("single"); only my
      thing is mine to use ("own"), or the thing belongs to nobody ("new")
    - `dozens`: nouns in the accusative of which there may be very many
    """

    english: str
    german: str
    prefix: str = ""
    changed: str = ""
    objects: tuple[str, ...] = ()
    recipients: tuple[str, ...] = ()
    subjects: tuple[str, ...] = PEOPLE
    modals: tuple[str, ...] = ("can", "may", "must", "want")
    times: str = ""
    fits: str = ""
    manner: str = ""
    dozens: str = ""


def _read_verbs() -> tuple[Verb, ...]:
    verbs = []
    for row in read_table("verbs.csv"):
        fields: dict[str, Any] = dict(row)
        for name in ("objects", "recipients", "subjects", "modals"):
            if name in fields:
                fields[name] = tuple(fields[name].split())
        verbs.append(Verb(**fields))
    return tuple(verbs)


VERBS = _read_verbs()
BE = Verb("be", "sein", times="now")
RAIN = Verb("be raining", "regnen")
MATRIX = (
    Verb("know", "wissen"),
    Verb("believe", "glauben"),
    Verb("say", "sagen"),
    Verb("hope", "hoffen"),
)
MODALS = {"can": "können", "may": "dürfen", "must": "müssen", "want": "wollen"}
WH = {"when": "wann", "where": "wo", "why": "warum"}
PAST_ALIKE = ("read", "put on")  # "we read" may also be the past


def verb(english: str) -> Verb:
    """Look a verb up.

    >>> verb("get up").prefix
    'auf'
    """
    return next(entry for entry in (*VERBS, BE, RAIN, *MATRIX) if entry.english == english)

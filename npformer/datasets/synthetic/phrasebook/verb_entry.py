"""What the dictionary says of a verb: its forms, what it takes, and what may stand beside it."""

from typing import NamedTuple

from .nouns import PEOPLE


class Verb(NamedTuple):
    """A verb.

    `german` is the infinitive without the separable `prefix` (aufstehen: "stehen" with "auf"), `changed` the stem of
    du and er where it differs (sehen: "sieh"). `objects` and `recipients` are the classes of nouns it takes in the
    accusative and in the dative. The other fields make sentences sensible:

    - `times`: kinds of time that suit it (keys of times.py)
    - `fits`: what else may stand beside it. outdoors, indoors, "with" somebody; reasons for doing it (a state, late,
      dark, cold, rain); "hope" (one may hope for it), "state" (it lasts and so needs no time), "modal" (it needs a
      modal verb)
    - `manner`: its object may be counted ("count"), is always "certain" or never is ("some"), is things in "general"
      when the verb tells of a habit, may be indefinite beside "not" ("kein"); several people act on several things
      ("each"), one on one ("single"); only my thing is mine to use ("own"), or the thing belongs to nobody ("new")
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


def entry(english: str, german: str, changed: str = "", **fields: object) -> Verb:
    """Enter a verb; a separable prefix is marked with a stroke.

    >>> entry("get up", "auf|stehen")[:4]
    ('get up', 'stehen', 'auf', '')
    """
    prefix, _, rest = german.rpartition("|")
    return Verb(english, rest, prefix, changed, **fields)

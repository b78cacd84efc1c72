"""Choices that make sense: draws noun phrases, modal verbs and times that suit a verb.

The grammar would also write "The apple drinks the house"; what is drawn here goes by the
classes of nouns.py and the fields of verbs.py.
"""

from collections.abc import Collection
from random import Random
from typing import Any

from .nouns import BY_KIND, DESCRIBING, EVERYDAY, NOUNS, PEOPLE, PLACES, UNCOUNTED, Adjective, Noun
from .phrases import PRONOUNS, NounPhrase, Pronoun
from .verbs import ANYONE, PAST_ALIKE, Verb

Subject = NounPhrase | Pronoun
EVERY_PRONOUN = (
    "I",
    "I",
    "you",
    "you",
    "he",
    "she",
    "we",
    "they",
)  # I and you have forms of their own


class PhraseSampler:
    """Draws the parts of a clause."""

    def __init__(self, rng: Random):
        self.rng = rng

    def chance(self, probability: float) -> bool:
        """Whether to do something this time."""
        return self.rng.random() < probability

    def noun(self, kinds: Collection[str], *others: object) -> Noun:
        """Draw a noun of these kinds that is in none of the other phrases."""
        other_nouns = [other.noun for other in others if isinstance(other, NounPhrase)]
        return self.rng.choice(
            [noun for kind in kinds for noun in BY_KIND[kind] if noun not in other_nouns]
        )

    def adjective(self, noun: Noun, probability: float = 0.35) -> Adjective | None:
        """Draw an adjective that suits a noun, or none."""
        if not self.chance(probability):
            return None
        return self.rng.choice(DESCRIBING[noun.kind])

    def definite(
        self, noun: Noun, plural: float = 0.25, owners: tuple[str, ...] = ("my", "your")
    ) -> NounPhrase:
        """Draw a phrase with the, this, my or your, in the plural with the probability given."""
        determiners: tuple[str, ...] = ("the", "the", "this")
        if noun.kind == "kin":
            determiners = ("my", "your")
        elif noun.kind not in (*PEOPLE, *PLACES, *UNCOUNTED):
            determiners += owners
        many = bool(noun.german_plural) and self.chance(plural)
        return NounPhrase(noun, self.rng.choice(determiners), self.adjective(noun), many)

    def indefinite(self, noun: Noun, plural: float = 0.25) -> NounPhrase:
        """Draw a phrase with "a"; plurals and what cannot be counted have no determiner."""
        phrase = self.definite(noun, plural)
        if phrase.plural or noun.kind in UNCOUNTED:
            return phrase._replace(determiner="")
        return phrase._replace(determiner="a")

    def subject(
        self,
        verb: Verb,
        pronouns: tuple[str, ...] = EVERY_PRONOUN,
        kinds: tuple[str, ...] = (),
        others: Collection[object] = (),
    ) -> Subject:
        """Draw a subject of a verb, whose noun is in none of the other phrases."""
        if self.chance(0.4):
            return PRONOUNS[self.rng.choice(pronouns)]
        if not kinds:
            kinds = PEOPLE
            if "animal" in verb.subjects and self.chance(0.3):
                kinds = ("animal",)
        return self.definite(self.noun(kinds, *others))

    def object(
        self, verb: Verb, subject: Subject, *others: object, habit: bool, negative: bool
    ) -> NounPhrase:
        """Draw an accusative object by the manner of its verb."""
        manner = verb.manner.split()
        general = habit and "general" in manner
        kinds = [
            kind
            for kind in verb.objects
            if not (is_animal(subject) and kind not in ANYONE)
            and not (general and kind not in EVERYDAY)
        ]
        counted = "count" in manner and not (habit or negative or is_animal(subject))
        if counted and verb.dozens and self.chance(0.5):
            noun = self.rng.choice([noun for noun in NOUNS if noun.english in verb.dozens.split()])
            return NounPhrase(noun, "", self.adjective(noun, 0.25), True, self.dozens())
        noun = self.noun(kinds, subject, *others)
        if counted and noun.german_plural and noun.kind != "kin" and self.chance(0.2):
            return NounPhrase(noun, "", self.adjective(noun), True, self.rng.randint(2, 12))
        plural = 0.3
        if subject.person == "wir" and "each" in manner:
            plural = 1
        elif "single" in manner:
            plural = 0
        certain = "certain" in manner or noun.kind == "kin" or (negative and "kein" not in manner)
        if general or (negative and not certain and "general" in manner):
            return self.indefinite(noun, plural=1)
        if "some" in manner or not (certain or self.chance(0.5)):
            return self.indefinite(noun, plural)
        return self.definite(noun, plural, self.owners(manner, subject))

    def dozens(self) -> int:
        """Draw a large number, each from thirteen to nineteen a little oftener than the others."""
        if self.chance(0.15):
            return self.rng.randint(13, 19)
        return self.rng.randint(20, 99)

    def owners(self, manner: Collection[str], subject: Subject) -> tuple[str, ...]:
        """Say whose things a subject may act on."""
        if "own" in manner:
            if subject == PRONOUNS["I"]:
                return ("my", "my")
            if subject == PRONOUNS["you"]:
                return ("your", "your")
            return ()
        if "new" in manner:
            return ()
        return ("my", "your")

    def place(self, verb: Verb, *others: Any) -> NounPhrase | None:
        """Draw a place where this can be: animals stay outdoors."""
        animal = any(is_animal(other) for other in others)
        kinds = [
            kind
            for kind in PLACES
            if kind in verb.fits.split() and not (animal and kind == "indoors")
        ]
        if not kinds:
            return None
        noun = self.noun((self.rng.choice(kinds),))
        return NounPhrase(noun, "the", self.adjective(noun))

    def time(self, verb: Verb, subject: Subject, times: dict[str, tuple]) -> tuple[str, str] | None:
        """Draw a time that suits a verb; animals know neither weekdays nor the clock."""
        kinds = []
        for kind in times:
            known = kind in ("now", "every") or not is_animal(subject)
            if known and kind in verb.times.split():
                kinds.append(kind)
        if not kinds:
            return None
        return self.rng.choice(times[self.rng.choice(kinds)])

    def modal(self, verb: Verb, among: Collection[str]) -> str:
        """Draw one of these modal verbs, if there is one that suits the verb."""
        modals = [modal for modal in verb.modals if modal in among]
        if not modals:
            return ""
        return self.rng.choice(modals)


def is_animal(part: object) -> bool:
    """Whether this is a noun phrase that names an animal."""
    return isinstance(part, NounPhrase) and part.noun.kind == "animal"


def needs_modal(verb: Verb, subject: Subject) -> bool:
    """Return whether the simple present alone is wrong, or like the past: "we read"."""
    return "modal" in verb.fits.split() or (verb.english in PAST_ALIKE and subject.person != "er")

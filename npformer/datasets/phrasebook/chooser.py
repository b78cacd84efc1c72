"""Choices that make sense: draws noun phrases and clauses from the classes of nouns.py and verbs.py.

The grammar would also write "The apple drinks the house"; what is drawn here suits its verb.
"""

from random import Random

from .grammar import Clause
from .nouns import BY_KIND, DESCRIBING, PEOPLE, PLACES, STATES, TIMES, UNCOUNTED, Adjective, Noun
from .phrases import PRONOUNS, NounPhrase, Pronoun
from .verbs import ANYONE, BE, MODALS, Verb

EVERY_PRONOUN = ("I", "I", "you", "you", "he", "she", "we", "they")  # I and you have forms of their own


class Chooser:
    """Draws what a clause says."""

    def __init__(self, rng: Random):
        self.rng = rng

    def chance(self, probability: float) -> bool:
        """Whether to do something this time."""
        return self.rng.random() < probability

    def noun(self, kinds: tuple[str, ...], *others: object) -> Noun:
        """Draw a noun of these kinds that is in none of the other phrases."""
        taken = [other.noun for other in others if isinstance(other, NounPhrase)]
        return self.rng.choice([noun for kind in kinds for noun in BY_KIND[kind] if noun not in taken])

    def adjective(self, noun: Noun, probability: float = 0.35) -> Adjective | None:
        """Draw an adjective that suits a noun, or none."""
        return self.rng.choice(DESCRIBING[noun.kind]) if self.chance(probability) else None

    def definite(self, noun: Noun, plural: float = 0.25) -> NounPhrase:
        """Draw a phrase with the, this, my or your, in the plural with the probability given."""
        if noun.kind == "kin":
            determiners = ("my", "your")
        elif noun.kind in (*PEOPLE, *PLACES, *UNCOUNTED):
            determiners = ("the", "the", "the", "this")
        else:
            determiners = ("the", "the", "this", "my", "your")
        many = bool(noun.german_plural) and self.chance(plural)
        return NounPhrase(noun, self.rng.choice(determiners), self.adjective(noun), many)

    def singular(self, noun: Noun) -> NounPhrase:
        """Draw a phrase for one person or thing; "a" is among its determiners, except for relatives."""
        phrase = self.definite(noun, plural=0)
        return phrase._replace(determiner="a") if noun.kind != "kin" and self.chance(0.4) else phrase

    def subject(
        self,
        verb: Verb,
        pronouns: tuple[str, ...] = EVERY_PRONOUN,
        *,
        indefinite: bool = False,
        plural: float = 0.25,
        kinds: tuple[str, ...] = (),
        says: Clause | tuple = (),
    ) -> NounPhrase | Pronoun:
        """Draw a subject of a verb, whose noun is not in the other clause of the sentence."""
        if self.chance(0.4):
            return PRONOUNS[self.rng.choice(pronouns)]
        kinds = kinds or (("animal",) if "animal" in verb.subjects and self.chance(0.3) else PEOPLE)
        noun = self.noun(kinds, *says)
        return self.singular(noun) if indefinite and self.chance(0.4) else self.definite(noun, plural)

    def object(self, verb: Verb, subject: NounPhrase | Pronoun, *others: NounPhrase | None) -> NounPhrase:
        """Draw an accusative object: counted, uncounted, indefinite or definite."""
        animal = isinstance(subject, NounPhrase) and subject.noun.kind == "animal"
        kinds = tuple(kind for kind in verb.objects if kind in ANYONE) if animal else verb.objects
        noun = self.noun(kinds, subject, *others)
        if noun.kind in UNCOUNTED:
            phrase = self.definite(noun)
            return phrase._replace(determiner="") if self.chance(0.6) else phrase
        if "count" in verb.fits and noun.kind != "kin" and not animal and self.chance(0.65):
            number = self.rng.randint(2, 12) if self.chance(0.25) else self.rng.randint(20, 99)
            return NounPhrase(noun, "", self.adjective(noun), True, number if self.chance(0.85) else 0)
        if "some" in verb.fits:
            return NounPhrase(noun, "a", self.adjective(noun))
        if verb.english == "love":
            return self.definite(noun)
        return self.singular(noun) if self.chance(0.6) else self.definite(noun, 0 if "single" in verb.fits else 0.4)

    def place(self, says: Clause) -> NounPhrase | None:
        """Draw a place where this can be: animals stay outdoors."""
        animal = any(isinstance(part, NounPhrase) and part.noun.kind == "animal" for part in says[:3])
        kinds = [kind for kind in PLACES if kind in says.verb.fits and not (animal and kind == "indoors")]
        if not kinds:
            return None
        noun = self.noun((self.rng.choice(kinds),))
        return NounPhrase(noun, "the", self.adjective(noun))

    def time(self, verb: Verb, but: str = "") -> tuple[str, str] | None:
        """Draw a time that suits a verb, but none of one kind."""
        kinds = [kind for kind in TIMES if kind in verb.fits.split() and kind != but]
        return self.rng.choice(TIMES[self.rng.choice(kinds)]) if kinds else None

    def modal(self, verb: Verb, probability: float, among: tuple[str, ...] = tuple(MODALS)) -> str:
        """Draw a modal verb that suits a verb, or none."""
        modals = [modal for modal in verb.modals if modal in among]
        return self.rng.choice(modals) if modals and self.chance(probability) else ""

    def clause(self, verb: Verb, subject: NounPhrase | Pronoun, modal: str = "") -> Clause:
        """Draw the objects of a verb; where it has none, perhaps company and a place."""
        says = Clause(subject, verb, modal=modal)
        if verb.recipients:
            noun = self.noun(verb.recipients, subject)
            definite = verb.objects or self.chance(0.6)
            says = says._replace(recipient=self.definite(noun) if definite else self.singular(noun))
        if verb.objects:
            return says._replace(object=self.object(verb, subject, says.recipient))
        if "with" in verb.fits and self.chance(0.35):
            noun = self.noun(PEOPLE, subject)
            says = says._replace(company=self.singular(noun) if self.chance(0.6) else self.definite(noun))
        return says._replace(place=self.place(says)) if self.chance(0.5) else says

    def negated(self, verb: Verb, subject: NounPhrase | Pronoun) -> Clause:
        """Draw a clause with "not": nothing in it is counted, and only its object may be indefinite."""
        says = self.clause(verb, subject, self.modal(verb, 0.25, ("can", "want")))
        says = says._replace(negative=True, company=None, place=None)
        if says.object:
            says = says._replace(object=says.object._replace(number=0))
        if verb.recipients and says.recipient.determiner == "a":
            says = says._replace(recipient=says.recipient._replace(determiner="the"))
        return says

    def age(self, pronouns: tuple[str, ...]) -> Clause:
        """Draw how old somebody is."""
        if self.chance(0.4):
            subject = PRONOUNS[self.rng.choice(pronouns)]
        else:
            subject = self.definite(self.noun(("adult", "kin")), plural=0)
            if subject.adjective and subject.adjective.kind == "age":
                subject = subject._replace(adjective=None)
        return Clause(subject, BE, predicate=self.rng.randint(20, 99))

    def quality(self, pronouns: tuple[str, ...]) -> Clause:
        """Draw what somebody or something is like."""
        noun = self.noun(tuple(BY_KIND))
        if self.chance(0.2):
            return Clause(PRONOUNS[self.rng.choice(pronouns)], BE, predicate=self.rng.choice(STATES))
        subject = self.definite(noun)
        if noun.kind not in PEOPLE:
            return Clause(subject._replace(adjective=None), BE, predicate=self.adjective(noun, 1))
        kind = subject.adjective.kind if subject.adjective else ""
        said = [word for word in (*DESCRIBING[noun.kind], *STATES) if word.kind != kind]
        return Clause(subject, BE, predicate=self.rng.choice(said))

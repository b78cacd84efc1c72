"""Clauses that make sense: events, habits, abilities and duties, refusals, states and qualities."""

from collections.abc import Collection

from .grammar import Clause
from .nouns import BY_KIND, DESCRIBING, PEOPLE, STATES
from .phrase_sampler import PhraseSampler, Subject, is_animal, needs_modal
from .phrases import PRONOUNS
from .time_adverbials import EVERY, FOR_HABITS, FOR_MODALS, FOR_REFUSALS, ONCE
from .verbs import BE, Verb

AGES = {"adult": (20, 99), "kin": (20, 99), "youth": (3, 19)}


class ClauseSampler(PhraseSampler):
    """Draws what a clause says."""

    def clause(
        self,
        verb: Verb,
        subject: Subject,
        modal: str = "",
        *,
        habit: bool = False,
        negative: bool = False,
    ) -> Clause:
        """Draw what occurs with a verb; only objects occur with "not"."""
        says = Clause(subject, verb, modal=modal, negative=negative)
        if verb.recipients:
            says = says._replace(recipient=self.definite(self.noun(verb.recipients, subject)))
        if verb.objects:
            phrase = self.object(verb, subject, says.recipient, habit=habit, negative=negative)
            says = says._replace(object=phrase)
        if negative:
            return says
        if "with" in verb.fits.split() and self.chance(0.35):
            says = says._replace(company=self.definite(self.noun(PEOPLE, subject)))
        place_probability = 0.5
        if says.object or says.company:
            place_probability = 0.25
        if self.chance(place_probability):
            says = says._replace(place=self.place(verb, subject, says.object))
        return says

    def event(self, verb: Verb, subject: Subject) -> Clause:
        """Draw what happens: The man opens the window."""
        if needs_modal(verb, subject):
            return self.wish(verb, subject)
        return self.clause(verb, subject)

    def habit(self, verb: Verb, subject: Subject, *, timed: bool = True) -> Clause:
        """Draw what is usual, or lasts: On Mondays the man buys bread. The man has a dog."""
        if not has_habit(verb, subject):
            return self.wish(verb, subject)
        says = self.clause(verb, subject, habit="state" not in verb.fits.split())
        if timed and not full(says):
            says = says._replace(time=self.time(verb, subject, FOR_HABITS))
        return says

    def wish(
        self, verb: Verb, subject: Subject, modals: Collection[str] = ("can", "must", "want")
    ) -> Clause:
        """Draw what somebody can, may, must or wants to do: The man wants to buy a dog today."""
        modal = self.modal(verb, modals)
        if not modal:
            return self.habit(verb, subject)
        says = self.clause(verb, subject, modal)
        if self.chance(0.5) and not full(says):
            says = says._replace(time=self.time(verb, subject, FOR_MODALS))
        return says

    def refusal(self, verb: Verb, subject: Subject) -> Clause:
        """Draw what somebody does not do, cannot do or does not want to do."""
        required = needs_modal(verb, subject) or not has_habit(
            verb, subject, {**EVERY, **FOR_REFUSALS}
        )
        modal = ""
        if required or self.chance(0.35):
            modal = self.modal(verb, ("can", "want"))
        manner = verb.manner.split()
        says = self.clause(verb, subject, modal, negative=True)
        if full(says) or self.chance(0.6):
            return says
        if modal:
            return says._replace(time=self.time(verb, subject, ONCE))
        if "general" not in manner or "kein" in manner:
            says = says._replace(time=self.time(verb, subject, FOR_REFUSALS))
        return says

    def age(self, pronouns: Collection[str]) -> Clause:
        """Draw how old somebody is."""
        if self.chance(0.4):
            return Clause(PRONOUNS[self.rng.choice(list(pronouns))], BE, predicate=self.dozens())
        subject = self.definite(self.noun(tuple(AGES)), plural=0)
        if subject.adjective and subject.adjective.kind == "age":
            subject = subject._replace(adjective=None)
        return Clause(subject, BE, predicate=self.rng.randint(*AGES[subject.noun.kind]))

    def state(self, pronouns: Collection[str]) -> Clause:
        """Draw how somebody feels, perhaps today: She is tired."""
        subject = self.subject(BE, tuple(pronouns))
        time = None
        if self.chance(0.4):
            time = self.time(BE, subject, ONCE)
        return Clause(subject, BE, predicate=self.rng.choice(STATES), time=time)

    def quality(self) -> Clause:
        """Draw what somebody or something is like: The soup is hot."""
        noun = self.noun(BY_KIND)
        subject = self.definite(noun)
        if noun.kind not in PEOPLE:
            subject = subject._replace(adjective=None)

        # not of the kind of the adjective that is there: "The old man is young"
        kind = ""
        if subject.adjective:
            kind = subject.adjective.kind
        words = [word for word in DESCRIBING[noun.kind] if word.kind != kind]
        return Clause(subject, BE, predicate=self.rng.choice(words))


def full(says: Clause) -> bool:
    """Return whether a clause has two objects; the place of the time would not be fixed."""
    return bool(says.object and says.recipient)


def has_habit(verb: Verb, subject: Subject, times: Collection[str] = tuple(FOR_HABITS)) -> bool:
    """Whether the simple present tells of more than a single event."""
    if "state" in verb.fits.split():
        return True
    if is_animal(subject):
        times = ("every",)
    return bool(set(times) & set(verb.times.split()))
